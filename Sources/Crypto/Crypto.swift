// Digests and random octets by OpenSSL's libcrypto, behind four functions.
