import COpenSSL
package import Posix

/// An OpenSSL error: its code, with its words in the text. Never a path, a key or a peer's address.
package struct TLSError: Error, Equatable, Sendable {
    /// OpenSSL's packed code; 0 if it reported none.
    package let code: UInt
    /// The operation that failed: "reading the certificate".
    package let what: String
    /// OpenSSL's reason, in English.
    package let reason: String

    init(_ what: String, code: UInt) {
        self.code = code
        self.what = what
        // Operating system errors are an errno with ERR_SYSTEM_FLAG, bit 31, and have no OpenSSL string.
        if code & 0x8000_0000 != 0 {
            reason = Errno(Int32(truncatingIfNeeded: code & 0x7FFF_FFFF)).text
        } else {
            reason = code == 0 ? "no reason given" : ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
        }
    }

    /// Whether the operating system reported the error, not OpenSSL: a file is missing or not readable.
    package var isOfSystem: Bool { code & 0x8000_0000 != 0 }

    /// Whether the key belongs to another certificate.
    package var isMismatch: Bool { copenssl_is_mismatch(code) != 0 }

    /// Whether the peer sent HTTP without TLS. Nothing was sent to it, so the server can respond in HTTP.
    package var isPlainHTTP: Bool { copenssl_is_plain_http(code) != 0 }

    /// Whether the peer's certificate is not trusted, has expired, or belongs to another host.
    package var isUntrusted: Bool { copenssl_is_untrusted(code) != 0 }

    /// Whether the peer replied with something other than TLS.
    package var isNoTLS: Bool { copenssl_is_no_tls(code) != 0 }

    /// The first error of this thread's queue; the queue is emptied.
    static func last(_ what: String) -> TLSError {
        let code = ERR_peek_error()
        ERR_clear_error()
        return TLSError(what, code: code)
    }
}

extension TLSError: CustomStringConvertible {
    package var description: String { "\(what): \(reason)" }
}

/// The error that ends a connection from below.
package enum TransportError: Error, Equatable, Sendable {
    /// An error of the machine or the network.
    case system(Errno)
    /// An error in the peer's TLS, or the peer's rejection of ours.
    case tls(TLSError)

    /// The peer has gone, which ends a connection but is not a fault.
    package var isPeerGone: Bool {
        if case .system(let errno) = self { return errno.isPeerGone }
        return false
    }
}

extension TransportError: CustomStringConvertible {
    /// The reason alone, for people.
    package var text: String {
        switch self {
        case .system(let errno): errno.text
        case .tls(let error): error.reason
        }
    }

    package var description: String {
        switch self {
        case .system(let errno): errno.description
        case .tls(let error): error.description
        }
    }
}
