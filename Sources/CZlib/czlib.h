#pragma once
#include <zlib.h>

// Macros of zlib as functions (see Deflate, the only user).

/// A stream of raw DEFLATE (no zlib or gzip head) for writing. `bits` is 9...15: zlib's own raw streams do not support
/// 8.
static inline int czlib_deflate_init(z_stream *stream, int level, int bits, int memory_level) {
    return deflateInit2(stream, level, Z_DEFLATED, -bits, memory_level, Z_DEFAULT_STRATEGY);
}

/// A stream of raw DEFLATE for reading; `bits` is 8...15.
static inline int czlib_inflate_init(z_stream *stream, int bits) {
    return inflateInit2(stream, -bits);
}

/// Whether the last call of `inflate` ended after a whole block that ends with an octet (zlib.h, `Z_BLOCK`: 128 marks
/// the end of a block, 64 the last block of the stream, the rest counts unused bits of the last octet).
static inline int czlib_is_between_blocks(const z_stream *stream) {
    return (stream->data_type & 128) != 0 && (stream->data_type & 63) == 0;
}
