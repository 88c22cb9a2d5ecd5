/// Cookies of a request and of a response (RFC 6265).
package enum Cookies {
    /// The value of a cookie of a request.
    ///
    /// - Parameter name: compared as it is.
    /// - Returns: `nil` if the request has no such cookie. `nil` also if it has several: a page of a neighbouring host can add one, and nothing says
    ///   which is the server's own.
    package static func value(of name: String, in fields: HTTPFields) -> String? {
        var found: String?
        for line in fields.all("cookie") {
            for pair in line.utf8.split(separator: UInt8(ascii: ";")) {
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), let key = String(pair[..<equals]), HTTPFields.trimmed(key) == name else { continue }
                guard found == nil, let value = String(pair[equals...].dropFirst()).map(HTTPFields.trimmed), isValue(value) else { return nil }
                found = value
            }
        }
        return found
    }

    /// `Set-Cookie` with the attributes that a session needs: no script reads the cookie, and no request that another site causes carries it.
    ///
    /// - Parameters:
    ///   - isSecure: whether the browser sends it over TLS alone.
    ///   - life: seconds; `nil`: until the browser ends.
    package static func set(_ name: String, _ value: String, isSecure: Bool, life: Int64?) -> Field {
        precondition(Grammar.isToken(name) && isValue(value), "a cookie of ours is a cookie")
        var text = "\(name)=\(value); Path=/; HttpOnly; SameSite=Strict"
        if isSecure { text += "; Secure" }
        if let life { text += "; Max-Age=\(life)" }
        return Field("Set-Cookie", text)
    }

    /// `cookie-octet`, any number of them.
    private static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { octet in
            switch octet {
            case 0x21, 0x23...0x2B, 0x2D...0x3A, 0x3C...0x5B, 0x5D...0x7E: true
            default: false
            }
        }
    }
}
