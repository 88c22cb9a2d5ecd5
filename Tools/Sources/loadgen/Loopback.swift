import Posix

/// Load is for this machine only.
enum Loopback {
    /// The address of a target, if it is one of 127.0.0.0/8 ("localhost" stands for 127.0.0.1); `nil` for every other.
    static func address(host: String, port: UInt16) -> SocketAddress? {
        let numeric = host == "localhost" ? "127.0.0.1" : host
        // The address is read as an address first: a name may begin with "127." too.
        guard let address = SocketAddress(host: numeric, port: port), numeric.hasPrefix("127.") else { return nil }
        return address
    }
}
