import COpenSSL
package import Posix

/// What OpenSSL refused: its code kept, its words in the text. Never a path, a key or a peer's address.
package struct TLSError: Error, Equatable, Sendable {
    /// OpenSSL's packed code; 0 when it left none.
    package let code: UInt
    /// What was being done: "reading the certificate".
    package let what: String
    /// OpenSSL's reason, in English.
    package let reason: String

    init(_ what: String, code: UInt) {
        self.code = code
        self.what = what
        // Errors of the machine come as errno with ERR_SYSTEM_FLAG, bit 31, and have no string of OpenSSL's.
        if code & 0x8000_0000 != 0 {
            reason = Errno(Int32(truncatingIfNeeded: code & 0x7FFF_FFFF)).text
        } else {
            reason = code == 0 ? "no reason given" : ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
        }
    }

    /// The machine refused something, not OpenSSL: a file is missing or not readable.
    package var isOfSystem: Bool { code & 0x8000_0000 != 0 }

    /// A key of another certificate.
    package var isMismatch: Bool { copenssl_is_mismatch(code) != 0 }

    /// The peer speaks HTTP without TLS. Nothing was sent to it, so it can be answered in HTTP.
    package var isPlainHTTP: Bool { copenssl_is_plain_http(code) != 0 }

    /// The peer's certificate is not trusted, has ended, or is of another host.
    package var isUntrusted: Bool { copenssl_is_untrusted(code) != 0 }

    /// The peer answered with something that is no TLS.
    package var isNoTLS: Bool { copenssl_is_no_tls(code) != 0 }

    /// The first error of this thread's queue, which is emptied.
    static func last(_ what: String) -> TLSError {
        let code = ERR_peek_error()
        ERR_clear_error()
        return TLSError(what, code: code)
    }
}

extension TLSError: CustomStringConvertible {
    package var description: String { "\(what): \(reason)" }
}

/// What ends a connection from below.
package enum TransportError: Error, Equatable, Sendable {
    /// The machine or the network.
    case system(Errno)
    /// The peer's TLS, or its opinion of ours.
    case tls(TLSError)

    /// The other side has gone, which ends a connection but is nobody's fault.
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
