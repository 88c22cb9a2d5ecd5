#pragma once
#include <errno.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

// Macros of OpenSSL as functions, and calls whose error has to be read before anything else runs (see TLS, the only user).

/// What a call on a connection came to.
typedef struct {
    int count;      ///< octets moved, when positive
    int error;      ///< SSL_ERROR_…, when `count` is not positive
    int system;     ///< errno, when `error` is SSL_ERROR_SYSCALL
    unsigned long code; ///< the first queued error, or 0
} copenssl_outcome;

static inline copenssl_outcome copenssl_judge(SSL *ssl, int count) {
    int system = errno;
    copenssl_outcome outcome = {count, 0, 0, 0};
    if (count <= 0) {
        outcome.error = SSL_get_error(ssl, count);
        outcome.system = system;
        outcome.code = ERR_peek_error();
    }
    return outcome;
}

// SSL_get_error looks at the thread's queue, so an old error in it would be taken for this call's: clear it first.
static inline copenssl_outcome copenssl_read(SSL *ssl, void *octets, int count) {
    ERR_clear_error();
    errno = 0;
    return copenssl_judge(ssl, SSL_read(ssl, octets, count));
}

static inline copenssl_outcome copenssl_write(SSL *ssl, const void *octets, int count) {
    ERR_clear_error();
    errno = 0;
    return copenssl_judge(ssl, SSL_write(ssl, octets, count));
}

static inline copenssl_outcome copenssl_handshake(SSL *ssl) {
    ERR_clear_error();
    errno = 0;
    return copenssl_judge(ssl, SSL_do_handshake(ssl));
}

static inline copenssl_outcome copenssl_shutdown(SSL *ssl) {
    ERR_clear_error();
    errno = 0;
    return copenssl_judge(ssl, SSL_shutdown(ssl));
}

/// A key with a pass phrase is refused instead of asking the terminal for it.
static inline int copenssl_no_pass_phrase(char *buffer, int size, int writing, void *user) {
    (void)buffer, (void)size, (void)writing, (void)user;
    return -1;
}

/// TLS 1.2 and 1.3 only, no compression, no renegotiation; memory given back while idle; a write may take a part, and be
/// tried again from another place. An end of stream without close_notify counts as an end: WebSocket has its own close.
static inline int copenssl_prepare(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_default_passwd_cb(context, copenssl_no_pass_phrase);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1
        && SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1;
}

/// For a client: the name to ask for (SNI) and to find in the certificate; IP addresses are not sent as SNI.
static inline int copenssl_expect_host(SSL *ssl, const char *host) {
    X509_VERIFY_PARAM *parameters = SSL_get0_param(ssl);
    if (X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1) return 1;
    return SSL_set_tlsext_host_name(ssl, host) == 1 && SSL_set1_host(ssl, host) == 1;
}
