#pragma once
#include <errno.h>
#include <string.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/x509v3.h>

// Macros of OpenSSL as functions, and calls whose error has to be read before any other call (see TLS, the only user).

/// The result of a call on a connection.
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

// SSL_get_error reads the thread's queue, so an old error in it would be taken for an error of this call: clear it
// first.
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

/// Only if `copenssl_uses_kernel`.
static inline copenssl_outcome copenssl_send_file(SSL *ssl, int file, off_t offset, size_t count) {
    ERR_clear_error();
    errno = 0;
    return copenssl_judge(ssl, (int)SSL_sendfile(ssl, file, offset, count, 0));
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

/// Refuses a key with a pass phrase instead of prompting on the terminal.
static inline int copenssl_no_pass_phrase(char *buffer, int size, int writing, void *user) {
    (void)buffer, (void)size, (void)writing, (void)user;
    return -1;
}

/// TLS 1.2 and 1.3 only, no compression, no renegotiation; memory is released while idle; a write may be partial, and
/// may be retried from another address. An end of stream without close_notify counts as an end: WebSocket has its own
/// close.
static inline int copenssl_prepare(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_default_passwd_cb(context, copenssl_no_pass_phrase);
    SSL_CTX_set_security_level(context, 2);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1
        && SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1
        && SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256") == 1
        && SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384") == 1;
}

/// One key for session tickets: a public name, with the keys that encrypt and authenticate tickets.
typedef struct {
    unsigned char name[16], cipher[32], mac[32];
} copenssl_ticket_key;

enum { copenssl_ticket_key_count = 3 };

/// The first key creates tickets; the others, its predecessors, still open theirs.
typedef struct {
    int count;
    copenssl_ticket_key keys[copenssl_ticket_key_count];
} copenssl_ticket_keys;

/// All certificates of a server, one context each; the first is for clients that name no host, or an unknown one.
typedef struct {
    int count;
    SSL_CTX **contexts;
} copenssl_identities;

static inline int copenssl_on_ticket(
    SSL *ssl, unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac, int encrypting) {
    copenssl_ticket_keys *keys = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    int index = 0;
    if (!keys) return 0;
    if (!encrypting)
        while (index < keys->count && CRYPTO_memcmp(keys->keys[index].name, name, sizeof keys->keys[index].name) != 0) index++;
    if (index >= keys->count) return 0;
    copenssl_ticket_key *key = &keys->keys[index];
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key->mac, sizeof key->mac),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    if (EVP_MAC_CTX_set_params(mac, parameters) != 1) return -1;
    if (encrypting) {
        memcpy(name, key->name, sizeof key->name);
        if (RAND_bytes(iv, 16) != 1) return -1;
        return EVP_EncryptInit_ex(cipher, EVP_aes_256_cbc(), NULL, key->cipher, iv) == 1 ? 1 : -1;
    }
    if (EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), NULL, key->cipher, iv) != 1) return -1;
    // 2: the client needs a new ticket. Tickets of TLS 1.3 are used once; those of 1.2 are valid until their key is the
    // oldest.
    return index == 0 && SSL_version(ssl) < TLS1_3_VERSION ? 1 : 2;
}

/// RFC 6125: an exact name takes precedence over a wildcard, which matches one whole label.
static inline int copenssl_on_server_name(SSL *ssl, int *alert, void *argument) {
    copenssl_identities *identities = argument;
    const char *name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
    (void)alert;
    if (!name) return SSL_TLSEXT_ERR_NOACK;
    unsigned flags[] = {X509_CHECK_FLAG_NO_WILDCARDS, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS};
    for (int pass = 0; pass < 2; pass++)
        for (int index = 0; index < identities->count; index++) {
            X509 *certificate = SSL_CTX_get0_certificate(identities->contexts[index]);
            if (X509_check_host(certificate, name, strlen(name), flags[pass], NULL) != 1) continue;
            return SSL_set_SSL_CTX(ssl, identities->contexts[index]) ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
        }
    return SSL_TLSEXT_ERR_NOACK;
}

static const unsigned char copenssl_protocols[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

/// RFC 7301 §3.2: a client that offers protocols, but not ours, is refused.
static inline int copenssl_on_protocols(
    SSL *ssl, const unsigned char **chosen, unsigned char *length, const unsigned char *offered, unsigned offeredLength, void *argument) {
    (void)ssl, (void)argument;
    int found = SSL_select_next_proto(
        (unsigned char **)chosen, length, copenssl_protocols, sizeof copenssl_protocols, offered, offeredLength);
    return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// The settings that a server adds to `copenssl_prepare`: its order of suites, tickets without a cache, one ticket per
/// connection, and the kernel's TLS if there is one.
///
/// `identities` and `keys` must outlive every connection of this context.
static inline int copenssl_prepare_server(SSL_CTX *context, copenssl_identities *identities, copenssl_ticket_keys *keys, long ticketSeconds) {
    static const unsigned char session[] = "huddle";
    SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA | SSL_OP_ENABLE_KTLS);
    SSL_CTX_set_app_data(context, keys);
    SSL_CTX_set_timeout(context, ticketSeconds);
    SSL_CTX_set_tlsext_servername_callback(context, copenssl_on_server_name);
    SSL_CTX_set_tlsext_servername_arg(context, identities);
    SSL_CTX_set_alpn_select_cb(context, copenssl_on_protocols, NULL);
    return SSL_CTX_set_tlsext_ticket_key_evp_cb(context, copenssl_on_ticket) == 1 && SSL_CTX_set_num_tickets(context, 1) == 1
        && SSL_CTX_set_session_id_context(context, session, sizeof session - 1) == 1;
}

/// A client that offers `http/1.1`, as RFC 6455 requires.
static inline int copenssl_offer_protocols(SSL_CTX *context) {
    return SSL_CTX_set_alpn_protos(context, copenssl_protocols, sizeof copenssl_protocols) == 0;
}

/// The newest session that a client's context received, for the next connection.
typedef struct {
    SSL_SESSION *session;
} copenssl_memory;

static inline int copenssl_on_session(SSL *ssl, SSL_SESSION *session) {
    copenssl_memory *memory = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    SSL_SESSION_free(memory->session);
    memory->session = session;
    return 1;
}

/// `memory` must outlive every connection of this context.
static inline void copenssl_remember_sessions(SSL_CTX *context, copenssl_memory *memory) {
    SSL_CTX_set_app_data(context, memory);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, copenssl_on_session);
}

/// RFC 8446 §C.4: a ticket of TLS 1.3 is used once.
static inline void copenssl_resume(SSL *ssl, copenssl_memory *memory) {
    if (!memory->session) return;
    SSL_set_session(ssl, memory->session);
    if (SSL_SESSION_get_protocol_version(memory->session) < TLS1_3_VERSION) return;
    SSL_SESSION_free(memory->session);
    memory->session = NULL;
}

static inline int copenssl_uses_kernel(SSL *ssl) {
    return BIO_get_ktls_send(SSL_get_wbio(ssl)) != 0;
}

/// Whether the octets are HTTP without TLS.
static inline int copenssl_is_plain_http(unsigned long code) {
    int reason = ERR_GET_REASON(code);
    return ERR_GET_LIB(code) == ERR_LIB_SSL && (reason == SSL_R_HTTP_REQUEST || reason == SSL_R_HTTPS_PROXY_REQUEST);
}

static inline int copenssl_is_mismatch(unsigned long code) {
    int reason = ERR_GET_REASON(code);
    return ERR_GET_LIB(code) == ERR_LIB_X509 && (reason == X509_R_KEY_VALUES_MISMATCH || reason == X509_R_KEY_TYPE_MISMATCH);
}

/// Whether a client has reached a port without TLS.
static inline int copenssl_is_no_tls(unsigned long code) {
    return ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_WRONG_VERSION_NUMBER;
}

/// Whether a receive with certificate problems failed for this reason.
static inline int copenssl_is_untrusted(unsigned long code) {
    return ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_CERTIFICATE_VERIFY_FAILED;
}

/// Whole days until the certificate expires; negative if it has expired.
static inline int copenssl_days_left(SSL_CTX *context) {
    int days = 0, seconds = 0;
    X509 *certificate = SSL_CTX_get0_certificate(context);
    if (!certificate || !ASN1_TIME_diff(&days, &seconds, NULL, X509_get0_notAfter(certificate))) return 0;
    return seconds < 0 ? days - 1 : days;
}

/// Allows exactly this version, for tests.
static inline int copenssl_limit_version(SSL_CTX *context, int version) {
    SSL_CTX_set_security_level(context, version < TLS1_2_VERSION ? 0 : 2);
    return SSL_CTX_set_min_proto_version(context, version) == 1 && SSL_CTX_set_max_proto_version(context, version) == 1;
}

/// For a client: sets the name to ask for (SNI) and to find in the certificate; IP addresses are not sent as SNI.
static inline int copenssl_expect_host(SSL *ssl, const char *host) {
    X509_VERIFY_PARAM *parameters = SSL_get0_param(ssl);
    if (X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1) return 1;
    return SSL_set_tlsext_host_name(ssl, host) == 1 && SSL_set1_host(ssl, host) == 1;
}
