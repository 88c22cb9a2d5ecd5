package import Posix

/// A place where a listener accepts connections.
package enum ListenPlace: Equatable, Sendable {
    case address(host: String, port: UInt16)
    /// A Unix socket.
    case path(String)

    /// The permission bits of a Unix socket: its owner and the group of the process may connect.
    static let mode: UInt32 = 0o660

    /// Reads `HOST:PORT`, or an absolute path.
    package init?(_ text: String) {
        if text.hasPrefix("/") {
            self = .path(text)
        } else {
            guard let (host, port) = SocketAddress.split(text) else { return nil }
            self = .address(host: host, port: port)
        }
    }
}

/// The addresses at which a server accepts connections.
package struct ServerAddresses: Sendable {
    package var plain: SocketAddress
    package var secure: SocketAddress?
    package var redirect: SocketAddress?
    /// `HOST:PORT`, or the path of a Unix socket.
    package var metrics: String?
}
