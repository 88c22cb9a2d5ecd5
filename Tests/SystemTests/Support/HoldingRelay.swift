import Posix
import Testing

/// A relay between one client and a server. It holds back the client's octets once it is live, so that another client can be quicker.
final class HoldingRelay {
    private let listener: FileDescriptor
    private let server: UInt16
    let url: String

    init(_ server: RunningServer) throws {
        self.server = server.port
        listener = try Socket.listenTCP(host: "127.0.0.1", port: 0)
        url = "ws://\(try SocketAddress.local(of: listener.raw))"
    }

    /// Relays one connection to its end; `meanwhile` is done when the client has sent its first frame after `live`, before the
    /// server gets it.
    func relay(_ meanwhile: () throws -> Void) throws {
        let deadline = Clock.monotonicMilliseconds() + 20_000
        var items = [Poll.Item(listener.raw, .readable)]
        guard try Poll.wait(&items, timeoutMilliseconds: 10_000) > 0, let client = try Socket.accept(on: listener.raw) else {
            throw Unexpected("nobody connects")
        }
        let upstream = try Socket.connectTCP(host: "127.0.0.1", port: server)
        // Frames of a server are not masked, so that the word can be seen.
        let live = Array(#""type":"live""#.utf8)
        var heard: [UInt8] = []
        var isLive = false
        var isHolding = true
        while true {
            // The client must not learn what the other one does.
            let fromServer = isLive && isHolding ? [] : [Poll.Item(upstream.raw, .readable)]
            var items = [Poll.Item(client.raw, .readable)] + fromServer
            let left = Int(deadline - Clock.monotonicMilliseconds())
            guard left > 0, try Poll.wait(&items, timeoutMilliseconds: left) > 0 else { throw Unexpected("the relay waits for nothing") }
            if items.count > 1, items[1].ready != [] {
                guard let octets = try receive(upstream.raw) else { return }
                if !isLive {
                    heard += octets
                    isLive = heard.indices.contains { heard[$0...].starts(with: live) }
                    heard = heard.suffix(live.count)
                }
                guard try send(client.raw, octets) else { return }
            }
            if items[0].ready != [] {
                guard let octets = try receive(client.raw) else { return }
                if isLive, isHolding {
                    try meanwhile()
                    isHolding = false
                }
                try Socket.sendAll(upstream.raw, octets)
            }
        }
    }

    /// - Returns: whether somebody is there to get it.
    private func send(_ raw: Int32, _ octets: [UInt8]) throws(Errno) -> Bool {
        do throws(Errno) { try Socket.sendAll(raw, octets) } catch {
            guard error.isPeerGone else { throw error }
            return false
        }
        return true
    }

    /// - Returns: `nil` at the end of the stream, also when a program has ended with something unread, which resets the connection.
    private func receive(_ raw: Int32) throws -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let result: IOResult
        do {
            result = try buffer.withUnsafeMutableBytes { try Socket.receive(raw, into: $0) }
        } catch let error as Errno where error.isPeerGone {
            return nil
        }
        return switch result {
        case .done(let count): Array(buffer[..<count])
        case .wouldBlock: []
        case .endOfStream: nil
        }
    }
}
