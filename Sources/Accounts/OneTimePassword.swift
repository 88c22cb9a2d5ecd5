internal import Bytes
internal import Crypto

/// Passwords that follow from a shared secret and the time (TOTP, RFC 6238): six digits, HMAC-SHA-1, a new one every 30 s, as all
/// authenticator programs support them.
package struct OneTimePassword: Sendable {
    /// Octets of a secret: those of HMAC-SHA-1 (RFC 4226 §4, R6).
    package static let secretOctets = 20
    /// Digits of a password.
    package static let digits = 6
    /// Seconds for which a password is current.
    package static let step: Int64 = 30
    /// Steps before and after the current one that are accepted, for clocks that differ.
    package static let drift: Int64 = 1

    private let secret: [UInt8]

    package init(secret: [UInt8]) {
        self.secret = secret
    }

    /// The step that contains a time.
    ///
    /// - Parameter seconds: UTC, since 1970, not negative.
    package static func step(at seconds: Int64) -> Int64 { seconds / step }

    /// The password of a step.
    package func password(at step: Int64) -> String { Self.text(value(at: step, modulus: 1_000_000), digits: Self.digits) }

    /// The password of a step with another number of digits, for the published values.
    func password(at step: Int64, digits: Int) -> String {
        Self.text(value(at: step, modulus: (0..<digits).reduce(1) { product, _ in product * 10 }), digits: digits)
    }

    private func value(at step: Int64, modulus: Int) -> Int {
        var message: [UInt8] = []
        BigEndian.append(UInt64(bitPattern: step), to: &message)
        let code = HMAC.sha1(key: secret, message)
        let offset = Int(code[19] & 15)
        let value = code[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
        return value % modulus
    }

    private static func text(_ value: Int, digits: Int) -> String {
        let number = String(value)
        return String(repeating: "0", count: digits - number.count) + number
    }

    /// Checks a password that a person typed; blanks in it do not count.
    ///
    /// The caller stores the result before it accepts the password: each one works once, and so does none of an earlier step.
    ///
    /// - Parameters:
    ///   - seconds: the time, UTC, since 1970.
    ///   - lastStep: the result of the last accepted check.
    /// - Returns: the step whose password it is; `nil` if the password is wrong or was used.
    package func check(_ typed: String, at seconds: Int64, after lastStep: Int64?) -> Int64? {
        guard typed.utf8.count <= 32 else { return nil }
        let digits = Array(typed.utf8.filter { $0 != UInt8(ascii: " ") })
        guard digits.count == Self.digits, seconds >= 0 else { return nil }
        let current = Self.step(at: seconds)
        var found: Int64?
        // All steps are compared, so that the time does not show which one was right.
        for step in max(current - Self.drift, 0)...current + Self.drift {
            let isEqual = ConstantTime.equal(digits, Array(password(at: step).utf8))
            if isEqual, found == nil, step > lastStep ?? -1 { found = step }
        }
        return found
    }

    /// The address by which an authenticator program takes the secret over, often from a QR picture.
    ///
    /// - Parameters:
    ///   - issuer: the name of the server.
    ///   - account: the sign-in name.
    package func address(issuer: String, account: String) -> String {
        let issuer = Self.escaped(issuer)
        return "otpauth://totp/\(issuer):\(Self.escaped(account))?secret=\(Base32.encode(secret))&issuer=\(issuer)&algorithm=SHA1&digits=6&period=30"
    }

    /// The secret as a person types it into an authenticator program.
    package var secretText: String { Base32.encode(secret) }

    /// RFC 3986 §2.3: everything other than unreserved characters is escaped.
    private static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.append(octet)
            default: result += [UInt8(ascii: "%"), digits[Int(octet >> 4)], digits[Int(octet & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
