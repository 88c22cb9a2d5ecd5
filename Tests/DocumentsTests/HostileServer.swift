import Locks
import Posix
import Synchronization

/// A document server that is as bad as a test requires: each request gets the script's response, on a connection of its
/// own.
final class HostileServer: Sendable {
    struct Request: Sendable {
        /// The method and the path: "PATCH /files/1".
        var line: String
        /// The fields, with names in lower case.
        var fields: [String: String]
        var content: [UInt8]
    }

    let port: UInt16
    private let asked = Lock<[String]>([])
    private let isOver = Atomic<Bool>(false)
    private let thread = Lock<Thread?>(nil)

    /// - Parameter answer: returns the complete response to the n-th request, from 0.
    init(_ answer: @escaping @Sendable (Int, Request) -> String) throws {
        let listener = try Socket.listenTCP(host: "127.0.0.1", port: 0)
        port = try SocketAddress.local(of: listener.raw).port
        let raw = listener.take()
        let started = Thread.start(name: "hostile") { [self] in
            let listener = FileDescriptor(owning: raw)
            var number = 0
            while !isOver.load(ordering: .relaxed) {
                guard (try? Poll.wait(listener.raw, .readable, timeoutMilliseconds: 20)) ?? [] != [], let client = try? Socket.accept(on: listener.raw) else {
                    continue
                }
                guard let request = Self.read(client.raw) else { continue }
                asked.withLock { $0.append(request.line) }
                try? Socket.sendAll(client.raw, Array(answer(number, request).utf8))
                number += 1
            }
        }
        thread.withLock { $0 = started }
    }

    /// The request lines of all requests.
    var lines: [String] { asked.withLock { $0 } }

    func end() {
        isOver.store(true, ordering: .relaxed)
        thread.withLock { $0.take() }?.join()
    }

    private static func read(_ raw: Int32) -> Request? {
        var octets: [UInt8] = []
        var head: [Substring]?
        var fields: [String: String] = [:]
        var start = 0
        while true {
            if head == nil, let end = octets.indices.first(where: { octets[$0...].starts(with: Array("\r\n\r\n".utf8)) }) {
                let lines = String(decoding: octets[..<end], as: UTF8.self).split(separator: "\r\n")
                for line in lines.dropFirst() {
                    let parts = line.split(separator: ":", maxSplits: 1)
                    if parts.count == 2 { fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " }) }
                }
                head = lines
                start = end + 4
            }
            if let first = head?.first, octets.count - start >= fields["content-length"].flatMap({ Int($0) }) ?? 0 {
                let words = first.split(separator: " ")
                return Request(line: words.prefix(2).joined(separator: " "), fields: fields, content: Array(octets[start...]))
            }
            guard (try? Poll.wait(raw, .readable, timeoutMilliseconds: 10_000)) ?? [] != [] else { return nil }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            guard case .done(let count)? = try? buffer.withUnsafeMutableBytes({ try Socket.receive(raw, into: $0) }), count > 0 else { return nil }
            octets += buffer[..<count]
        }
    }

    static func reply(_ status: Int, _ fields: [String] = [], _ content: String = "") -> String {
        (["HTTP/1.1 \(status) X", "Content-Length: \(content.utf8.count)", "Connection: close"] + fields).joined(separator: "\r\n") + "\r\n\r\n" + content
    }
}
