import HTTP1
import Posix
import Testing

@testable import WebSocket

/// A running `wsecho` with a plain blocking client.
final class Program {
    let child: ChildProcess
    let port: UInt16

    /// Products are next to the test bundle, which is this process.
    static func path() throws -> String {
        let own = try #require(CommandLine.arguments.first { $0.hasSuffix(".xctest") || $0.contains(".xctest/") })
        let folder = own.split(separator: "/").prefix { !$0.hasSuffix(".xctest") }.joined(separator: "/")
        return (own.hasPrefix("/") ? "/" : "") + folder + "/wsecho"
    }

    init(_ arguments: [String] = []) throws {
        child = try ChildProcess.start([Self.path(), "--listen", "127.0.0.1:0"] + arguments)
        let line = try #require(try child.readLine())
        let address = try #require(line.hasPrefix("listening on ") ? SocketAddress.split(String(line.dropFirst(13))) : nil)
        #expect(address.host == "127.0.0.1")
        port = address.port
    }

    /// Sends `octets` in one piece and returns the reply until the server ends its side, at most ten seconds later.
    func exchange(_ octets: [UInt8]) throws -> [UInt8] {
        let socket = try Socket.connectTCP(host: "127.0.0.1", port: port)
        try Socket.setBlocking(socket.raw, true)
        try Socket.setReceiveTimeout(socket.raw, milliseconds: 10_000)
        try Socket.sendAll(socket.raw, octets)
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case .done(let count) = try buffer.withUnsafeMutableBytes({ try Socket.receive(socket.raw, into: $0) }) {
            received += buffer[..<count]
        }
        return received
    }

    /// Sends the upgrade and `frames` in one piece; returns the reply to the frames.
    func converse(_ frames: [UInt8]) throws -> [Said] {
        let client = WebSocketClientHandshake(host: "127.0.0.1:\(port)", target: "/any/path?at=all", nonce: [UInt8](0..<16))
        let received = try exchange(client.request + frames)
        let (head, length) = try #require(try ResponseHead.parse(received.span))
        #expect(try client.check(head) == nil)
        return decode([Array(received[length...])], role: .client, limits: WebSocketLimits(maxMessage: 1 << 24, maxFragments: 1))
    }
}

@Suite("wsecho, the program", .serialized)
struct ProgramTests {
    private static func masked(_ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
        var octets: [UInt8] = []
        WebSocketEncoder.append(opcode, payload, isFinal: isFinal, maskKey: 0xA1B2_C3D4, to: &octets)
        return octets
    }

    @Test("The program echoes messages, including frames directly after the upgrade, and the close code")
    func echoes() throws {
        let program = try Program()
        let large = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let frames =
            Self.masked(.text, [UInt8](text: "zażółć")) + Self.masked(.binary, []) + Self.masked(.binary, large, isFinal: false)
            + Self.masked(.ping, [1, 2]) + Self.masked(.continuation, [9]) + Self.masked(.close, [0x10, 0xE1, 0x62])
        let said = try program.converse(frames)
        #expect(said == [
            .message(.text, [UInt8](text: "zażółć")), .message(.binary, []), .pong([1, 2]), .message(.binary, large + [9]),
            .close(4321, ""),
        ])
        // SIGTERM ends it cleanly.
        program.child.kill(Signals.terminate)
        #expect(try program.child.wait(timeoutMilliseconds: 10_000) == .exited(0))
    }

    @Test("The program sends the close code of a violation of the protocol or the limit")
    func fails() throws {
        let program = try Program(["--max-message", "1000"])
        #expect(try program.converse([0xC1, 0x80, 0, 0, 0, 0]) == [.close(1002, "")])
        #expect(try program.converse(Self.masked(.text, [0xFF])) == [.close(1007, "")])
        #expect(try program.converse(Self.masked(.binary, [UInt8](repeating: 1, count: 1001))) == [.close(1009, "")])
        let longest = [UInt8](repeating: 1, count: 1000)
        let said = try program.converse(Self.masked(.binary, longest) + Self.masked(.close, []))
        #expect(said == [.message(.binary, longest), .close(nil, "")])
    }

    @Test("An invalid handshake gets a response and the end", arguments: [
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", 426), ("POST / HTTP/1.1\r\nHost: a\r\n\r\n", 405), ("GET / HTTP/1.1\r\n\r\n", 400),
        ("\u{16}\u{3}\u{1}", 400),
    ])
    func refuses(request: String, status: Int) throws {
        let program = try Program()
        let received = try program.exchange(Array(request.utf8))
        #expect(try ResponseHead.parse(received.span)?.head.status == status)
    }

    @Test("Wrong usage ends with status 2 and a sentence", arguments: [
        [], ["--listen"], ["--listen", "nowhere"], ["--listen", "127.0.0.1:0", "--tls-cert", "a"], ["--listen", "127.0.0.1:0", "more"],
        ["--listen", "127.0.0.1:0", "--max-message", "0"], ["--listen", "127.0.0.1:0", "--compression", "some"], ["--sing"],
    ])
    func usage(arguments: [String]) throws {
        let (ending, output, errors) = try ChildProcess.run([Program.path()] + arguments)
        #expect(ending == .exited(2))
        #expect(output == [])
        #expect(String(decoding: errors, as: UTF8.self).hasPrefix("wsecho: "))
    }

    @Test("Help and version end with status 0", arguments: ["--help", "--version"])
    func help(argument: String) throws {
        let (ending, output, errors) = try ChildProcess.run([Program.path(), argument])
        #expect(ending == .exited(0))
        #expect(!output.isEmpty)
        #expect(errors == [])
    }
}
