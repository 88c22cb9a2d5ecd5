internal import Terminal

/// The address of a server, as people write it: `ws://host:8787`, `wss://host`, `http://host:8787`, or just
/// `host:8787`.
package struct ServerAddress: Hashable, Sendable {
    package let host: String
    package let port: UInt16
    /// The path of the WebSocket, `/ws` unless the URL names another.
    package let target: String
    package let isSecure: Bool
    /// The path of a PEM file with the certificates to trust if the connection is secure; `nil` trusts the system's
    /// certificates.
    package var authorities: String?

    /// - Throws: a sentence about the error in the URL.
    package init(_ text: String) throws(AddressError) {
        var rest = Substring(text)
        var secure = false
        if let colon = text.range(of: "://") {
            switch text[..<colon.lowerBound].lowercased() {
            case "ws", "http": secure = false
            case "wss", "https": secure = true
            default: throw AddressError("'\(text.printable)' isn't a server address. Example: ws://HOST:PORT")
            }
            rest = text[colon.upperBound...]
        }
        isSecure = secure
        let slash = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        let authority = rest[..<slash]
        let path = rest[slash...]
        guard !path.contains("#"), path.isEmpty || path.first == "/", path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw AddressError("'\(text.printable)' isn't a server address: the path cannot be used. Example: ws://HOST:PORT")
        }
        target = path.isEmpty || path == "/" ? "/ws" : String(path)

        var name = authority
        var number: UInt16 = secure ? 443 : 80
        // The colons of an IPv6 address are inside brackets.
        let end = authority.lastIndex(of: "]") ?? authority.startIndex
        if let colon = authority[end...].lastIndex(of: ":") {
            guard let parsed = UInt16(authority[authority.index(after: colon)...]), parsed > 0 else {
                throw AddressError("'\(text.printable)' isn't a server address: the port is a number from 1 to 65535.")
            }
            number = parsed
            name = authority[..<colon]
        }
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "@") }) else {
            throw AddressError("'\(text.printable)' isn't a server address. Example: ws://HOST:PORT")
        }
        host = String(name)
        port = number
    }

    /// Whether everything that is sent stays on this machine.
    package var isOnThisMachine: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// The value of the `Host` field.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }
}

extension ServerAddress: CustomStringConvertible {
    package var description: String { "\(isSecure ? "wss" : "ws")://\(authority)\(target == "/ws" ? "" : target)" }
}

/// The error in a server's address, in one sentence.
package struct AddressError: Error, Hashable, Sendable {
    package let message: String

    init(_ message: String) { self.message = message }
}

extension String {
    fileprivate func range(of part: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(part) { return start..<index(start, offsetBy: part.count) }
            start = index(after: start)
        }
        return nil
    }
}
