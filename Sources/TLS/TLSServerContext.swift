import COpenSSL

/// A certificate and its key, as files in PEM.
package struct TLSCertificateFiles: Hashable, Sendable {
    /// The server's certificate, followed by those between it and the root.
    package let certificate: String
    /// Its private key, without a pass phrase.
    package let key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// The files that could not be used, with the reason.
package struct TLSCertificateError: Error, Sendable {
    package let files: TLSCertificateFiles
    package let error: TLSError
}

/// The shared state of a server's TLS connections: certificates, keys, versions. Created once, then only read.
///
/// A connection keeps the context that it began with, so a replacement (a new certificate) does not affect open
/// connections. A client that asks for a host (SNI) gets the first certificate with this name, otherwise the first that
/// covers it by a wildcard, otherwise the first of all.
///
/// Source: RFC 6066 §3 (SNI), RFC 6125 §6.4 (names), RFC 7301 (ALPN), RFC 8446, RFC 9325 (versions and suites).
package final class TLSServerContext {
    /// The seconds in which a client may resume with its ticket: as long as the keys of tickets are kept.
    static let ticketSeconds = 2 * 3_600
    /// The largest number of certificates of one server: each handshake searches them.
    package static let maxCertificates = 64

    private let identities: UnsafeMutablePointer<copenssl_identities>
    private var contexts: [SSLContext] = []
    private let tickets: TLSTicketKeys

    /// One certificate's context in OpenSSL.
    private struct SSLContext {
        let raw: OpaquePointer
    }

    /// TLS 1.2 and 1.3 with the certificate chain and key of two PEM files.
    ///
    /// - Throws: if a file cannot be read, is not PEM, or the two do not belong together.
    package convenience init(certificateFile: String, keyFile: String) throws(TLSError) {
        do throws(TLSCertificateError) {
            try self.init([TLSCertificateFiles(certificate: certificateFile, key: keyFile)], tickets: TLSTicketKeys())
        } catch {
            throw error.error
        }
    }

    /// - Parameters:
    ///   - files: 1...64 certificates with their keys; the first is for clients that ask for no host, or for another
    ///     one.
    ///   - tickets: the keys of session tickets, which may outlive this context: then sessions do too.
    /// - Throws: the first certificate whose files cannot be read, are not PEM, or do not belong together.
    package init(_ files: [TLSCertificateFiles], tickets: TLSTicketKeys) throws(TLSCertificateError) {
        precondition((1...Self.maxCertificates).contains(files.count), "a server has a certificate, and a bounded number of them")
        self.tickets = tickets
        identities = .allocate(capacity: 1)
        identities.initialize(to: copenssl_identities(count: 0, contexts: .allocate(capacity: files.count)))
        for pair in files {
            do throws(TLSError) {
                let context = try Self.load(pair, identities, tickets)
                contexts.append(SSLContext(raw: context))
                identities.pointee.contexts[contexts.count - 1] = context
                identities.pointee.count += 1
            } catch {
                throw TLSCertificateError(files: pair, error: error)
            }
        }
    }

    deinit {
        for context in contexts { SSL_CTX_free(context.raw) }
        identities.pointee.contexts.deallocate()
        identities.deallocate()
    }

    /// The context of the first certificate; the name that a client sends selects another during the handshake.
    var context: OpaquePointer { contexts[0].raw }

    /// The number of certificates.
    package var count: Int { contexts.count }

    /// The whole days until each certificate expires, in their order; negative if it has expired.
    package var daysLeft: [Int] { contexts.map { Int(copenssl_days_left($0.raw)) } }

    private static func load(
        _ files: TLSCertificateFiles, _ identities: UnsafeMutablePointer<copenssl_identities>, _ tickets: TLSTicketKeys
    ) throws(TLSError) -> OpaquePointer {
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw .last("making a TLS context") }
        func check(_ isFine: Bool, _ what: String) throws(TLSError) {
            guard !isFine else { return }
            let error = TLSError.last(what)
            SSL_CTX_free(context)
            throw error
        }
        try check(copenssl_prepare(context) != 0, "choosing TLS versions")
        try check(copenssl_prepare_server(context, identities, tickets.keys, ticketSeconds) != 0, "preparing a TLS server")
        try check(SSL_CTX_use_certificate_chain_file(context, files.certificate) == 1, "reading the certificate")
        try check(SSL_CTX_use_PrivateKey_file(context, files.key, SSL_FILETYPE_PEM) == 1, "reading the key")
        try check(SSL_CTX_check_private_key(context) == 1, "matching key and certificate")
        return context
    }
}

@available(*, unavailable) extension TLSServerContext: Sendable {}
