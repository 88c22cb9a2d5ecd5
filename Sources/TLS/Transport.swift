import COpenSSL
import Glibc
package import Posix

/// The octets of one connection, plain or through TLS: it owns the descriptor and closes it when the value is
/// destroyed.
///
/// The descriptor is non-blocking. TLS needs no steps of its own from the owner: the handshake happens inside the first
/// `receive` and `send`. It only reverses readiness at times; after `.wouldBlock` see `receiveWaitsForWritable` and
/// `sendWaitsForReadable`.
package struct Transport: ~Copyable {
    private let descriptor: FileDescriptor
    /// OpenSSL's connection, `nil` for a plain one.
    private let ssl: OpaquePointer?
    /// Retained because OpenSSL reads it during the handshake.
    private let context: AnyObject?
    /// Whether a fatal error has occurred, after which OpenSSL must not be asked for an orderly end.
    private var hasFailed = false

    /// Whether the last `receive` returned `.wouldBlock` because TLS has to *send* first: call it again when writable.
    package private(set) var receiveWaitsForWritable = false
    /// Whether the last `send` returned `.wouldBlock` because TLS has to *receive* first: call it again when readable.
    package private(set) var sendWaitsForReadable = false
    /// Whether decrypted octets are left that did not fit the buffer of the last `receive`. epoll cannot see them: call
    /// `receive` again before sleeping (`Reactor.callAgain`).
    package private(set) var hasMore = false

    /// A plain connection.
    package init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
        ssl = nil
        context = nil
    }

    /// The server's end of a TLS connection, before the handshake.
    package init(_ descriptor: consuming FileDescriptor, server: TLSServerContext) throws(TLSError) {
        let ssl = try Self.attach(descriptor.raw, server.context)
        SSL_set_accept_state(ssl)
        self.ssl = ssl
        context = server
        self.descriptor = descriptor
    }

    /// The client's end of a TLS connection: the peer must prove to be `host`.
    package init(_ descriptor: consuming FileDescriptor, client: TLSClientContext, host: String) throws(TLSError) {
        let ssl = try Self.attach(descriptor.raw, client.context)
        guard copenssl_expect_host(ssl, host) == 1 else {
            SSL_free(ssl)
            throw .last("setting the expected host")
        }
        SSL_set_connect_state(ssl)
        copenssl_resume(ssl, client.memory)
        self.ssl = ssl
        context = client
        self.descriptor = descriptor
    }

    deinit {
        guard let ssl else { return }
        // A cut connection leaves its session valid (RFC 5246 §7.2.1), which OpenSSL does not assume by itself.
        if !hasFailed { SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN) }
        SSL_free(ssl)
    }

    /// The descriptor to wait for, and for `Outbox.flush(to:)` of a plain connection.
    package var raw: Int32 { descriptor.raw }

    package var isSecure: Bool { ssl != nil }

    /// Whether application octets can flow: immediately on a plain connection, after the handshake with TLS.
    package var isEstablished: Bool {
        guard let ssl else { return true }
        return SSL_is_init_finished(ssl) == 1
    }

    /// The negotiated protocol, "TLSv1.3"; `nil` on a plain connection.
    package var version: String? {
        ssl.flatMap { SSL_get_version($0) }.map { String(cString: $0) }
    }

    /// Whether the handshake was shortened by a session ticket.
    package var isResumed: Bool { ssl.map { SSL_session_reused($0) == 1 } ?? false }

    /// Whether the kernel encrypts the sent octets.
    package var usesKernel: Bool { ssl.map { copenssl_uses_kernel($0) != 0 } ?? false }

    /// The reason why the peer's certificate was not accepted, in English: "certificate has expired"; `nil` if it was,
    /// or on a plain connection.
    package var distrust: String? {
        guard let ssl else { return nil }
        let result = SSL_get_verify_result(ssl)
        return result == Int(X509_V_OK) ? nil : X509_verify_cert_error_string(result).map { String(cString: $0) }
    }

    /// Continues the TLS handshake without moving application octets; for clients that need the result before they
    /// send.
    ///
    /// - Returns: `.done(0)` when it is complete.
    package mutating func handshake() throws(TransportError) -> IOResult {
        guard let ssl else { return .done(0) }
        let outcome = copenssl_handshake(ssl)
        if outcome.count == 1 { return .done(0) }
        let result = try judge(outcome, "TLS handshake")
        receiveWaitsForWritable = outcome.error == SSL_ERROR_WANT_WRITE
        sendWaitsForReadable = outcome.error == SSL_ERROR_WANT_READ
        return result
    }

    /// Receives at most as many octets as `buffer` holds; `buffer` must not be empty.
    package mutating func receive(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> IOResult {
        guard let ssl else {
            do throws(Errno) { return try Socket.receive(descriptor.raw, into: buffer) } catch { throw .system(error) }
        }
        precondition(buffer.count > 0, "an empty receive would look like the end of the stream")
        var filled = 0
        receiveWaitsForWritable = false
        hasMore = false
        // One call returns one record (at most 16 KiB); the loop takes all records that have arrived.
        repeat {
            let outcome = copenssl_read(ssl, buffer.baseAddress.map { $0 + filled }, Int32(clamping: buffer.count - filled))
            guard outcome.count > 0 else {
                // Octets before an end or an error are delivered first; OpenSSL reports both again.
                if filled > 0 {
                    hasMore = outcome.error != SSL_ERROR_WANT_READ && outcome.error != SSL_ERROR_WANT_WRITE
                    receiveWaitsForWritable = outcome.error == SSL_ERROR_WANT_WRITE
                    return .done(filled)
                }
                receiveWaitsForWritable = outcome.error == SSL_ERROR_WANT_WRITE
                return try judge(outcome, "TLS receive")
            }
            filled += Int(outcome.count)
        } while filled < buffer.count && SSL_has_pending(ssl) == 1
        hasMore = filled == buffer.count && SSL_has_pending(ssl) == 1
        return .done(filled)
    }

    /// Sends some of `octets`. With TLS, after `.wouldBlock` the next call must begin with the same octets, at any
    /// address.
    package mutating func send(_ octets: UnsafeRawBufferPointer) throws(TransportError) -> IOResult {
        guard let ssl else {
            do throws(Errno) { return try Socket.send(descriptor.raw, octets) } catch { throw .system(error) }
        }
        guard octets.count > 0 else { return .done(0) }
        sendWaitsForReadable = false
        let outcome = copenssl_write(ssl, octets.baseAddress, Int32(clamping: octets.count))
        if outcome.count > 0 { return .done(Int(outcome.count)) }
        sendWaitsForReadable = outcome.error == SSL_ERROR_WANT_READ
        let result = try judge(outcome, "TLS send")
        if result == .endOfStream { throw .system(Errno(EPIPE, "SSL_write")) }
        return result
    }

    /// Whether `sendFile` works: on a plain connection, or one encrypted by the kernel.
    package var sendsFiles: Bool { ssl == nil || usesKernel }

    /// Sends octets of a file without reading them into this process. Waits for the disk if they are not in memory: see
    /// `FileCache.holds`.
    ///
    /// - Parameter count: at least 1.
    /// - Returns: `.endOfStream` if the file ends before `offset`.
    package mutating func sendFile(_ file: Int32, from offset: Int, count: Int) throws(TransportError) -> IOResult {
        guard let ssl else {
            do throws(Errno) { return try FileCache.send(descriptor.raw, file, from: offset, count: count) } catch { throw .system(error) }
        }
        sendWaitsForReadable = false
        // The shim returns an `int`.
        let outcome = copenssl_send_file(ssl, file, off_t(offset), min(count, 1 << 30))
        if outcome.count > 0 { return .done(Int(outcome.count)) }
        sendWaitsForReadable = outcome.error == SSL_ERROR_WANT_READ
        return try judge(outcome, "TLS send")
    }

    /// Receives and drops the socket's octets: for octets after an end or a failure. No application octets follow.
    package mutating func discard(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> IOResult {
        try Socket.receive(descriptor.raw, into: buffer)
    }

    /// Ends the sending direction: TLS's close_notify as far as the socket takes it, then the end of the stream.
    package mutating func finishSending() {
        if let ssl, !hasFailed, isEstablished { _ = copenssl_shutdown(ssl) }
        // This fails if the peer has gone, and then nobody has to be notified.
        try? Socket.finishSending(descriptor.raw)
    }

    private static func attach(_ raw: Int32, _ context: OpaquePointer) throws(TLSError) -> OpaquePointer {
        ERR_clear_error()
        guard let ssl = SSL_new(context) else { throw .last("making a TLS connection") }
        guard SSL_set_fd(ssl, raw) == 1 else {
            SSL_free(ssl)
            throw .last("making a TLS connection")
        }
        return ssl
    }

    private mutating func judge(_ outcome: copenssl_outcome, _ what: String) throws(TransportError) -> IOResult {
        switch outcome.error {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
            return .wouldBlock
        case SSL_ERROR_ZERO_RETURN:
            return .endOfStream
        case SSL_ERROR_SYSCALL:
            hasFailed = true
            if outcome.system == 0 { return .endOfStream }
            throw .system(Errno(outcome.system, "SSL"))
        default:
            hasFailed = true
            throw .tls(TLSError(what, code: UInt(outcome.code)))
        }
    }
}

@available(*, unavailable) extension Transport: Sendable {}
