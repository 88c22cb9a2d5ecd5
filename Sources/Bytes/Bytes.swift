// Octets as values: growable buffers, big-endian integers, base64 and hex, 128-bit identifiers. Pure.
