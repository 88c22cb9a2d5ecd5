import Glibc

/// The local or remote address of a TCP socket: a numeric host and a port.
package struct SocketAddress: Equatable, Sendable {
    /// "127.0.0.1", "::1"; never a name.
    package let host: String
    package let port: UInt16
    /// The kernel's form, with the number of valid octets.
    let storage: Storage

    /// sockaddr_in6 is the larger of the two families stored here.
    struct Storage: Equatable, Sendable {
        var octets: (UInt64, UInt64, UInt64, UInt32) = (0, 0, 0, 0)
        var length: socklen_t = 0
        var family: Int32 = 0

        static func == (left: Storage, right: Storage) -> Bool {
            left.octets == right.octets && left.length == right.length && left.family == right.family
        }
    }

    /// The address of a numeric host and a port; `nil` if `host` is not an IPv4 or IPv6 address.
    package init?(host: String, port: UInt16) {
        var storage = Storage()
        var four = sockaddr_in()
        var six = sockaddr_in6()
        if inet_pton(AF_INET, host, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            storage.family = AF_INET
            storage.length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutableBytes(of: &storage.octets) { target in withUnsafeBytes(of: four) { target.copyMemory(from: $0) } }
        } else if inet_pton(AF_INET6, host, &six.sin6_addr) == 1 {
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            storage.family = AF_INET6
            storage.length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            withUnsafeMutableBytes(of: &storage.octets) { target in withUnsafeBytes(of: six) { target.copyMemory(from: $0) } }
        } else {
            return nil
        }
        self.host = host
        self.port = port
        self.storage = storage
    }

    /// All addresses of a name or numeric host, best first. Waits for the resolver: not for a reactor's thread.
    ///
    /// - Throws: a negative code of getaddrinfo(3) if the name is unknown.
    package static func resolve(host: String, port: UInt16) throws(Errno) -> [SocketAddress] {
        if let numeric = SocketAddress(host: host, port: port) { return [numeric] }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else { throw code == EAI_SYSTEM ? Errno.last("getaddrinfo") : Errno(code, "getaddrinfo") }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr, let host = numericHost(address, entry.ai_addrlen)?.host,
                let resolved = SocketAddress(host: host, port: port) {
                found.append(resolved)
            }
            next = entry.ai_next
        }
        guard !found.isEmpty else { throw Errno(EAI_NONAME, "getaddrinfo") }
        return found
    }

    /// The local address of `raw`: after listening on port 0, with the port that the kernel chose.
    package static func local(of raw: Int32) throws(Errno) -> SocketAddress {
        try named("getsockname") { getsockname(raw, $0, $1) }
    }

    /// The address of the peer of `raw`.
    package static func peer(of raw: Int32) throws(Errno) -> SocketAddress {
        try named("getpeername") { getpeername(raw, $0, $1) }
    }

    /// Splits "HOST:PORT" or "[IPv6]:PORT" as people write it in arguments; `nil` for anything else.
    package static func split(_ text: String) -> (host: String, port: UInt16)? {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(digits)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        return host.isEmpty ? nil : (String(host), port)
    }

    func withKernelForm<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        var octets = storage.octets
        return withUnsafeBytes(of: &octets) { raw in
            // Never nil: the tuple is not empty.
            raw.withMemoryRebound(to: sockaddr.self) { body($0.baseAddress.unsafelyUnwrapped, storage.length) }
        }
    }

    private static func named(
        _ call: StaticString, _ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) throws(Errno) -> SocketAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let found = try withUnsafeMutablePointer(to: &storage) { (pointer) throws(Errno) in
            let address = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
            guard ask(address, &length) == 0 else { throw Errno.last(call) }
            return numericHost(address, length)
        }
        guard let found, let address = SocketAddress(host: found.host, port: found.port) else { throw Errno(EAFNOSUPPORT, call) }
        return address
    }

    private static func numericHost(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> (host: String, port: UInt16)? {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let code = getnameinfo(
            address, length, &host, socklen_t(host.count), &port, socklen_t(port.count), NI_NUMERICHOST | NI_NUMERICSERV)
        guard code == 0, let number = UInt16(text(port)) else { return nil }
        return (text(host), number)
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension SocketAddress: CustomStringConvertible {
    /// "127.0.0.1:8787", "[::1]:8787".
    package var description: String { storage.family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
