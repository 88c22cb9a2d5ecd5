import Glibc
import Posix
import TestSupport
import Testing

@Suite("Socket: non-blocking listeners, results instead of signals", .serialized)
struct SocketTests {
    /// Accepts one connection, waiting for it.
    private func accept(_ listener: borrowing FileDescriptor) throws -> FileDescriptor {
        let ready = try Poll.wait(listener.raw, .readable, timeoutMilliseconds: 10_000)
        #expect(ready.contains(.readable))
        guard let socket = try Socket.accept(on: listener.raw) else { throw Errno.timedOut }
        return socket
    }

    private func receive(_ raw: Int32, count: Int = 100) throws -> (result: IOResult, octets: [UInt8]) {
        var octets = [UInt8](repeating: 0, count: count)
        let result = try octets.withUnsafeMutableBytes { try Socket.receive(raw, into: $0) }
        guard case .done(let count) = result else { return (result, []) }
        return (result, Array(octets[..<count]))
    }

    @Test("Octets cross a TCP connection both ways, small ones immediately", arguments: ["127.0.0.1", "localhost"])
    func tcp(host: String) throws {
        let listener = try Socket.listenTCP(host: host, port: 0)
        let port = try SocketAddress.local(of: listener.raw).port
        #expect(port != 0)
        let nobody = try Socket.accept(on: listener.raw) == nil
        #expect(nobody)
        let client = try Socket.connectTCP(host: host, port: port)
        let server = try accept(listener)
        #expect(try Socket.sendsAtOnce(client.raw))
        #expect(try Socket.sendsAtOnce(server.raw), "inherited from the listener")
        #expect(fcntl(server.raw, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(server.raw, F_GETFD) & FD_CLOEXEC != 0)
        #expect(try SocketAddress.peer(of: client.raw).port == port)
        #expect(try receive(server.raw).result == .wouldBlock)
        try Socket.sendAll(client.raw, Array("hello".utf8))
        _ = try Poll.wait(server.raw, .readable, timeoutMilliseconds: 10_000)
        #expect(try receive(server.raw).octets == Array("hello".utf8))
        try Socket.sendAll(server.raw, [1])
        #expect(try receive(client.raw).octets == [1])
        try Socket.finishSending(client.raw)
        _ = try Poll.wait(server.raw, .readable, timeoutMilliseconds: 10_000)
        #expect(try receive(server.raw).result == .endOfStream)
    }

    @Test("A used port and a port without a listener are reported")
    func refused() throws {
        func freePort() throws -> UInt16 {
            let listener = try Socket.listenTCP(host: "127.0.0.1", port: 0)
            let port = try SocketAddress.local(of: listener.raw).port
            #expect(failure { () throws(Errno) in _ = try Socket.listenTCP(host: "127.0.0.1", port: port) } == .addressInUse)
            return port
        }
        let port = try freePort()
        #expect(eventually { failure { () throws(Errno) in _ = try Socket.connectTCP(host: "127.0.0.1", port: port) } == .connectionRefused })
        let unknown = failure { () throws(Errno) in _ = try Socket.listenTCP(host: "no such host", port: 0) }
        #expect((unknown?.code ?? 0) < 0)
    }

    @Test("A connection begun without waiting is finished later")
    func nonBlockingConnect() throws {
        let listener = try Socket.listenTCP(host: "127.0.0.1", port: 0)
        let client = try Socket.startConnecting(to: SocketAddress.local(of: listener.raw))
        _ = try Poll.wait(client.raw, .writable, timeoutMilliseconds: 10_000)
        try Socket.finishConnecting(client.raw)
        #expect(fcntl(client.raw, F_GETFL) & O_NONBLOCK != 0)
        _ = try accept(listener)
    }

    @Test("A Unix listener's file has exactly the requested mode, and replaces that of a dead process", arguments: [0o600, 0o666] as [UInt32])
    func unix(mode: UInt32) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/socket"
        do { _ = try Socket.listenUnix(path: path, mode: mode) }
        #expect(try Files.status(path)?.kind == .socket, "the name outlives its listener")
        #expect(eventually { failure { () throws(Errno) in _ = try Socket.connectUnix(path: path) } == .connectionRefused })
        let listener = try Socket.listenUnix(path: path, mode: mode)
        #expect(try Files.status(path)?.mode == mode)
        let client = try Socket.connectUnix(path: path)
        let server = try accept(listener)
        try Socket.sendAll(client.raw, [5])
        #expect(try receive(server.raw).octets == [5])
        #expect(failure { () throws(Errno) in _ = try Socket.listenUnix(path: path) } == .addressInUse)
    }

    @Test("A Unix listener never removes a file that is not a socket, and refuses names above 107 octets")
    func unixRefusals() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/file"
        try Files.write([1], to: path)
        #expect(failure { () throws(Errno) in _ = try Socket.listenUnix(path: path) } == .exists)
        #expect(try Files.read(path) == [1])
        let stem = folder.path + "/"
        let longest = stem + String(repeating: "x", count: 107 - stem.utf8.count)
        _ = try Socket.listenUnix(path: longest)
        #expect(failure { () throws(Errno) in _ = try Socket.listenUnix(path: longest + "x") } == .nameTooLong)
        #expect(failure { () throws(Errno) in _ = try Socket.connectUnix(path: folder.path + "/none") } == .noEntry)
    }

    @Test("A full socket returns would-block, a peer that left is an error, never a signal")
    func full() throws {
        var pair = try Socket.Pair()
        let sender = pair.takeFirst()
        let chunk = [UInt8](repeating: 1, count: 65_536)
        var sent = 0
        while case .done(let count) = try chunk.withUnsafeBytes({ try Socket.send(sender.raw, $0) }) { sent += count }
        #expect(sent > 0)
        _ = pair.takeSecond()
        let error = failure { () throws(Errno) in try Socket.sendAll(sender.raw, [1]) }
        #expect(error?.isPeerGone == true)
    }

    @Test("Pieces are sent in order with one call")
    func pieces() throws {
        var pair = try Socket.Pair()
        let sender = pair.takeFirst()
        let receiver = pair.takeSecond()
        var head: [UInt8] = [1, 2]
        var tail: [UInt8] = [3, 4, 5]
        let result = try head.withUnsafeMutableBytes { first in
            try tail.withUnsafeMutableBytes { second in
                var list = [
                    iovec(iov_base: first.baseAddress, iov_len: first.count), iovec(iov_base: second.baseAddress, iov_len: second.count),
                ]
                return try list.withUnsafeMutableBufferPointer { try Socket.send(sender.raw, pieces: $0) }
            }
        }
        #expect(result == .done(5))
        #expect(try receive(receiver.raw).octets == [1, 2, 3, 4, 5])
    }

    @Test("A reset is thrown by the next receive")
    func reset() throws {
        let listener = try Socket.listenTCP(host: "127.0.0.1", port: 0)
        func connectAndReset() throws -> FileDescriptor {
            let client = try Socket.connectTCP(host: "127.0.0.1", port: SocketAddress.local(of: listener.raw).port)
            let server = try accept(listener)
            try Socket.resetWhenClosed(client.raw)
            return server
        }
        let server = try connectAndReset()
        _ = try Poll.wait(server.raw, .readable, timeoutMilliseconds: 10_000)
        let error = failure { () throws(Errno) in
            let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
            defer { space.deallocate() }
            _ = try Socket.receive(server.raw, into: space)
        }
        #expect(error?.code == ECONNRESET)
    }

    @Test("A blocking receive gives up after its time")
    func receiveTimeout() throws {
        var pair = try Socket.Pair(blocking: true)
        let socket = pair.takeFirst()
        try Socket.setReceiveTimeout(socket.raw, milliseconds: 1)
        #expect(try receive(socket.raw).result == .wouldBlock)
    }
}

@Suite("SocketAddress: numeric hosts and ports")
struct SocketAddressTests {
    @Test("Numeric hosts of both families are read and written back", arguments: [
        ("127.0.0.1", "127.0.0.1:80"), ("0.0.0.0", "0.0.0.0:80"), ("::1", "[::1]:80"), ("::", "[::]:80"),
    ])
    func numeric(host: String, text: String) throws {
        let address = try #require(SocketAddress(host: host, port: 80))
        #expect(address.description == text)
        #expect(address == SocketAddress(host: host, port: 80))
        #expect(address != SocketAddress(host: host, port: 81))
    }

    @Test("Names and invalid texts are not numeric hosts", arguments: ["localhost", "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "::g"])
    func notNumeric(host: String) {
        #expect(SocketAddress(host: host, port: 1) == nil)
    }

    @Test("HOST:PORT is split as people write it", arguments: [
        ("127.0.0.1:8787", "127.0.0.1", 8_787), ("localhost:0", "localhost", 0), ("[::1]:65535", "::1", 65_535),
    ] as [(String, String, UInt16)])
    func split(text: String, host: String, port: UInt16) throws {
        let parts = try #require(SocketAddress.split(text))
        #expect(parts.host == host)
        #expect(parts.port == port)
    }

    @Test("Other texts are not split", arguments: ["", ":", "host", "host:", ":80", "host:65536", "host:-1", "host:+1", "::1:80", "host:8 0", "[]:1"])
    func notSplit(text: String) {
        #expect(SocketAddress.split(text) == nil)
    }
}
