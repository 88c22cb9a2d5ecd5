// A transport over OpenSSL beside the plain one.
