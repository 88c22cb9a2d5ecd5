import COpenSSL

/// The shared state of a client's TLS connections to one host: the trusted certificates, and the session that shortens
/// the next handshake.
package final class TLSClientContext {
    let context: OpaquePointer
    /// OpenSSL writes to it during connections, which retain this object.
    let memory: UnsafeMutablePointer<copenssl_memory>

    /// - Parameter authorities: a PEM file with the certificates to trust; `nil` trusts the system's certificates.
    /// - Throws: if the file cannot be read, or is not PEM.
    package init(authorities: String? = nil) throws(TLSError) {
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw .last("making a TLS context") }
        self.context = context
        memory = .allocate(capacity: 1)
        memory.initialize(to: copenssl_memory())
        guard copenssl_prepare(context) != 0 else { throw .last("choosing TLS versions") }
        let loaded = authorities.map { SSL_CTX_load_verify_locations(context, $0, nil) } ?? SSL_CTX_set_default_verify_paths(context)
        guard loaded == 1 else { throw .last("reading the trusted certificates") }
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        guard copenssl_offer_protocols(context) != 0 else { throw .last("offering http/1.1") }
        copenssl_remember_sessions(context, memory)
    }

    deinit {
        SSL_SESSION_free(memory.pointee.session)
        memory.deallocate()
        SSL_CTX_free(context)
    }
}

@available(*, unavailable) extension TLSClientContext: Sendable {}
