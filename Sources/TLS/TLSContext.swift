import COpenSSL

/// What a server's TLS connections share: certificate, key, versions. Made once, then only read.
///
/// Connections keep what they need of it, so replacing the context (a new certificate) does not touch those that are open.
package final class TLSServerContext {
    let context: OpaquePointer

    /// TLS 1.2 and 1.3 with the certificate chain and key of two PEM files.
    ///
    /// - Parameters:
    ///   - certificateFile: the server's certificate, then those between it and the root.
    ///   - keyFile: its private key, without a pass phrase.
    /// - Throws: a file cannot be read, is no PEM, or the two do not belong together.
    package init(certificateFile: String, keyFile: String) throws(TLSError) {
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw .last("making a TLS context") }
        self.context = context
        guard copenssl_prepare(context) != 0 else { throw .last("choosing TLS versions") }
        guard SSL_CTX_use_certificate_chain_file(context, certificateFile) == 1 else { throw .last("reading the certificate") }
        guard SSL_CTX_use_PrivateKey_file(context, keyFile, SSL_FILETYPE_PEM) == 1 else { throw .last("reading the key") }
        guard SSL_CTX_check_private_key(context) == 1 else { throw .last("matching key and certificate") }
    }

    deinit { SSL_CTX_free(context) }
}

/// What a client's TLS connections share: whom it trusts.
package final class TLSClientContext {
    let context: OpaquePointer

    /// - Parameter authorities: a PEM file with the certificates to trust; `nil` trusts what the system does.
    /// - Throws: the file cannot be read, or is no PEM.
    package init(authorities: String? = nil) throws(TLSError) {
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw .last("making a TLS context") }
        self.context = context
        guard copenssl_prepare(context) != 0 else { throw .last("choosing TLS versions") }
        let loaded = authorities.map { SSL_CTX_load_verify_locations(context, $0, nil) } ?? SSL_CTX_set_default_verify_paths(context)
        guard loaded == 1 else { throw .last("reading the trusted certificates") }
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    }

    deinit { SSL_CTX_free(context) }
}

@available(*, unavailable) extension TLSServerContext: Sendable {}
@available(*, unavailable) extension TLSClientContext: Sendable {}
