import CLinux
package import Glibc

/// Stream sockets. Every descriptor created here is closed on exec; each function says whether it blocks.
///
/// Source: POSIX.1-2017 (Sockets), Linux tcp(7), unix(7), accept(2).
package enum Socket {
    /// The largest number of finished handshakes that wait for `accept`; the kernel takes the smaller of this and its
    /// own somaxconn (4096 by default), which is enough when all clients of a season reconnect at the same time.
    package static let defaultBacklog: Int32 = 4_096

    // MARK: Listening

    /// A non-blocking TCP listener. Its connections send small frames immediately (TCP_NODELAY, inherited).
    ///
    /// - Parameters:
    ///   - host: numeric, or a name of this machine such as "localhost"; "0.0.0.0" and "::" are all interfaces.
    ///   - port: 0 lets the kernel choose; `SocketAddress.local(of:)` returns the chosen port.
    /// - Throws: `Errno.addressInUse` if the port is in use.
    package static func listenTCP(host: String, port: UInt16, backlog: Int32 = defaultBacklog) throws(Errno) -> FileDescriptor {
        let address = try first(SocketAddress.resolve(host: host, port: port))
        let socket = try make(address.storage.family, nonBlocking: true)
        // A restart must not wait until connections of the last run leave TIME_WAIT.
        try set(socket.raw, SOL_SOCKET, SO_REUSEADDR, 1)
        try set(socket.raw, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        if address.storage.family == AF_INET6 { try set(socket.raw, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
        guard address.withKernelForm({ bind(socket.raw, $0, $1) }) == 0 else { throw Errno.last("bind") }
        guard listen(socket.raw, backlog) == 0 else { throw Errno.last("listen") }
        return socket
    }

    /// A non-blocking listener at `path`, whose file has exactly `mode` from its first moment on. It replaces a socket
    /// file that a dead process has left.
    ///
    /// - Throws: `.addressInUse` if another process listens there; `.exists` if a file exists there that is not a
    ///   socket; `.nameTooLong` above the 107 octets that unix(7) allows.
    package static func listenUnix(path: String, mode: UInt32 = 0o600, backlog: Int32 = defaultBacklog) throws(Errno) -> FileDescriptor {
        try removeStale(path)
        let socket = try make(AF_UNIX, nonBlocking: true)
        // Linux gives the file the mode of the socket less the umask: it is never more open than requested.
        guard fchmod(socket.raw, mode) == 0 else { throw Errno.last("fchmod") }
        guard try withUnixAddress(path, { bind(socket.raw, $0, $1) }) == 0 else { throw Errno.last("bind") }
        guard chmod(path, mode) == 0 else { throw Errno.last("chmod") }
        guard listen(socket.raw, backlog) == 0 else { throw Errno.last("listen") }
        return socket
    }

    /// The next waiting connection, non-blocking; `nil` if none waits.
    ///
    /// - Throws: `isExhausted` errors if descriptors have run out: stop accepting for a while (see Reactor's
    ///   `Listener`).
    package static func accept(on listener: Int32) throws(Errno) -> FileDescriptor? {
        while true {
            let raw = linux_accept(listener)
            if raw >= 0 { return FileDescriptor(owning: raw) }
            switch errno {
            case EAGAIN: return nil
            // accept(2): these are errors of the waiting connection, which has gone; the next one may be intact.
            case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, ENETUNREACH, EPERM: continue
            default: throw Errno.last("accept4")
            }
        }
    }

    // MARK: Connecting

    /// A blocking connection to the first address of `host` that accepts within the time, with TCP_NODELAY.
    ///
    /// - Throws: `.timedOut`, `.connectionRefused`, a negative code if the name is unknown.
    package static func connectTCP(host: String, port: UInt16, timeoutMilliseconds: Int = 10_000) throws(Errno) -> FileDescriptor {
        var failure = Errno(ECONNREFUSED, "connect")
        for address in try SocketAddress.resolve(host: host, port: port) {
            do throws(Errno) {
                let socket = try startConnecting(to: address)
                guard try Poll.wait(socket.raw, .writable, timeoutMilliseconds: timeoutMilliseconds) != [] else {
                    throw Errno(ETIMEDOUT, "connect")
                }
                try finishConnecting(socket.raw)
                try setBlocking(socket.raw, true)
                return socket
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// Begins a non-blocking connection with TCP_NODELAY: once it is writable, `finishConnecting` returns the result.
    package static func startConnecting(to address: SocketAddress) throws(Errno) -> FileDescriptor {
        let socket = try make(address.storage.family, nonBlocking: true)
        try set(socket.raw, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        let result = address.withKernelForm { connect(socket.raw, $0, $1) }
        // EINTR leaves the attempt running, as EINPROGRESS does.
        guard result == 0 || errno == EINPROGRESS || errno == EINTR else { throw Errno.last("connect") }
        return socket
    }

    /// Throws the error of a connection that `startConnecting` began, once it is writable.
    package static func finishConnecting(_ raw: Int32) throws(Errno) {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(raw, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { throw Errno.last("getsockopt") }
        guard code == 0 else { throw Errno(code, "connect") }
    }

    /// A blocking connection to the listener at `path`.
    package static func connectUnix(path: String) throws(Errno) -> FileDescriptor {
        let socket = try make(AF_UNIX, nonBlocking: false)
        guard try withUnixAddress(path, { address, length in retrying { connect(socket.raw, address, length) } }) == 0 else {
            throw Errno.last("connect")
        }
        return socket
    }

    /// Two connected sockets of this process.
    package struct Pair: ~Copyable {
        private var first: FileDescriptor?
        private var second: FileDescriptor?

        /// A pair of connected Unix stream sockets, both non-blocking unless `blocking`.
        package init(blocking: Bool = false) throws(Errno) {
            var ends: (Int32, Int32) = (-1, -1)
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | (blocking ? 0 : Int32(SOCK_NONBLOCK.rawValue))
            let result = withUnsafeMutableBytes(of: &ends) {
                socketpair(AF_UNIX, kind, 0, $0.assumingMemoryBound(to: Int32.self).baseAddress)
            }
            guard result == 0 else { throw Errno.last("socketpair") }
            first = FileDescriptor(owning: ends.0)
            second = FileDescriptor(owning: ends.1)
        }

        /// One end, once; an end that is not taken is closed with the pair.
        package mutating func takeFirst() -> FileDescriptor { first.takeOnce() }

        /// The other end, once.
        package mutating func takeSecond() -> FileDescriptor { second.takeOnce() }
    }

    // MARK: Moving octets

    /// Receives at most as many octets as `buffer` holds; `buffer` must not be empty.
    package static func receive(_ raw: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> IOResult {
        precondition(buffer.count > 0, "an empty receive would look like the end of the stream")
        let count = retrying { recv(raw, buffer.baseAddress, buffer.count, 0) }
        if count > 0 { return .done(count) }
        if count == 0 { return .endOfStream }
        return try Octets.wouldBlock("recv")
    }

    /// Sends some of `octets`; a peer that has gone causes an error (EPIPE), never a signal.
    package static func send(_ raw: Int32, _ octets: UnsafeRawBufferPointer) throws(Errno) -> IOResult {
        let count = retrying { Glibc.send(raw, octets.baseAddress, octets.count, Int32(MSG_NOSIGNAL)) }
        if count >= 0 { return .done(count) }
        return try Octets.wouldBlock("send")
    }

    /// Sends some of the octets of `pieces`, in order, with one call; at most 1,024 pieces (IOV_MAX).
    package static func send(_ raw: Int32, pieces: UnsafeMutableBufferPointer<iovec>) throws(Errno) -> IOResult {
        var message = msghdr()
        message.msg_iov = pieces.baseAddress
        message.msg_iovlen = pieces.count
        let count = retrying { sendmsg(raw, &message, Int32(MSG_NOSIGNAL)) }
        if count >= 0 { return .done(count) }
        return try Octets.wouldBlock("sendmsg")
    }

    /// Sends all of `octets`, and waits if the socket is non-blocking.
    package static func sendAll(_ raw: Int32, _ octets: [UInt8]) throws(Errno) {
        try octets.span.bytes.withUnsafeBytes { (all) throws(Errno) in
            var left = all
            while !left.isEmpty {
                switch try send(raw, left) {
                case .done(let count): left = UnsafeRawBufferPointer(rebasing: left[count...])
                case .wouldBlock: _ = try Poll.wait(raw, .writable, timeoutMilliseconds: -1)
                case .endOfStream: throw Errno(EPIPE, "send")
                }
            }
        }
    }

    /// Sends all of `octets` over a Unix socket, with a descriptor of which the peer gets a copy.
    package static func sendAll(_ raw: Int32, _ octets: [UInt8], descriptor: Int32) throws(Errno) {
        precondition(!octets.isEmpty, "a descriptor travels with an octet")
        let count = octets.withUnsafeBytes { all in retrying { linux_send_descriptor(raw, all.baseAddress, all.count, descriptor) } }
        guard count > 0 else { throw Errno.last("sendmsg") }
        try sendAll(raw, Array(octets[count...]))
    }

    /// Like `receive`, and also takes a descriptor that came with the octets; a descriptor that is in `descriptor`
    /// already is closed first.
    package static func receive(
        _ raw: Int32, into buffer: UnsafeMutableRawBufferPointer, descriptor: inout FileDescriptor?
    ) throws(Errno) -> IOResult {
        precondition(buffer.count > 0, "an empty receive would look like the end of the stream")
        var got: Int32 = -1
        let count = retrying { linux_receive_descriptor(raw, buffer.baseAddress, buffer.count, &got) }
        if got >= 0 { descriptor = FileDescriptor(owning: got) }
        if count > 0 { return .done(count) }
        if count == 0 { return .endOfStream }
        return try Octets.wouldBlock("recvmsg")
    }

    /// Ends the sending direction; octets already sent still arrive. A peer that has gone already is not an error.
    package static func finishSending(_ raw: Int32) throws(Errno) {
        guard shutdown(raw, Int32(SHUT_WR)) == 0 || errno == ENOTCONN else { throw Errno.last("shutdown") }
    }

    // MARK: Settings

    /// Sets whether calls on `raw` block.
    package static func setBlocking(_ raw: Int32, _ blocking: Bool) throws(Errno) {
        let flags = fcntl(raw, F_GETFL)
        guard flags >= 0 else { throw Errno.last("fcntl") }
        guard fcntl(raw, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK) == 0 else { throw Errno.last("fcntl") }
    }

    /// Sets how long a blocking `receive` waits before it returns `.wouldBlock`; 0 waits without limit.
    package static func setReceiveTimeout(_ raw: Int32, milliseconds: Int) throws(Errno) {
        var time = timeval(tv_sec: milliseconds / 1_000, tv_usec: milliseconds % 1_000 * 1_000)
        guard setsockopt(raw, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size)) == 0 else {
            throw Errno.last("setsockopt")
        }
    }

    /// Asks the kernel for send and receive buffers of about `octets`, for tests of slow readers.
    package static func setBuffers(_ raw: Int32, octets: Int32) throws(Errno) {
        try set(raw, SOL_SOCKET, SO_SNDBUF, octets)
        try set(raw, SOL_SOCKET, SO_RCVBUF, octets)
    }

    /// Whether small writes are sent immediately.
    package static func sendsAtOnce(_ raw: Int32) throws(Errno) -> Bool {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(raw, Int32(IPPROTO_TCP), TCP_NODELAY, &value, &length) == 0 else { throw Errno.last("getsockopt") }
        return value != 0
    }

    /// Makes closing drop unsent octets and reset the connection, so that the peer sees ECONNRESET (for tests).
    package static func resetWhenClosed(_ raw: Int32) throws(Errno) {
        var value = linger(l_onoff: 1, l_linger: 0)
        guard setsockopt(raw, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size)) == 0 else {
            throw Errno.last("setsockopt")
        }
    }

    /// Whether `raw` is a TCP socket that accepts connections.
    ///
    /// - Parameter orUnix: a Unix socket is as good.
    package static func isListening(_ raw: Int32, orUnix: Bool = false) -> Bool {
        func option(_ name: Int32) -> Int32? {
            var value: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(raw, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
        }
        return option(SO_ACCEPTCONN) == 1 && (option(SO_PROTOCOL) == Int32(IPPROTO_TCP) || orUnix && option(SO_DOMAIN) == AF_UNIX)
    }

    /// Whether this kernel supports TLS (`CONFIG_TLS`), for the log.
    ///
    /// Source: Linux Documentation/networking/tls.rst: the protocol can only be attached to connected sockets, so a
    /// kernel that supports it returns ENOTCONN here.
    package static var kernelHasTLS: Bool {
        guard let socket = try? make(AF_INET, nonBlocking: true) else { return false }
        let (option, name): (Int32, [UInt8]) = (31, Array("tls".utf8))  // TCP_ULP of linux/tcp.h
        return setsockopt(socket.raw, Int32(IPPROTO_TCP), option, name, socklen_t(name.count)) == 0 || errno == ENOTCONN
    }

    // MARK: Internals

    private static func make(_ family: Int32, nonBlocking: Bool) throws(Errno) -> FileDescriptor {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | (nonBlocking ? Int32(SOCK_NONBLOCK.rawValue) : 0)
        let raw = socket(family, kind, 0)
        guard raw >= 0 else { throw Errno.last("socket") }
        return FileDescriptor(owning: raw)
    }

    private static func set(_ raw: Int32, _ level: Int32, _ option: Int32, _ value: Int32) throws(Errno) {
        var value = value
        guard setsockopt(raw, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0 else { throw Errno.last("setsockopt") }
    }

    private static func first(_ addresses: [SocketAddress]) throws(Errno) -> SocketAddress {
        guard let address = addresses.first else { throw Errno(EAI_NONAME, "getaddrinfo") }
        return address
    }

    private static func removeStale(_ path: String) throws(Errno) {
        guard let status = try Files.status(path) else { return }
        guard status.kind == .socket else { throw Errno(EEXIST, "bind") }
        do throws(Errno) {
            _ = try connectUnix(path: path)
        } catch .connectionRefused {
            try Files.remove(path)
            return
        }
        throw Errno(EADDRINUSE, "bind")
    }

    private static func withUnixAddress<R>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) throws(Errno) -> R {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let octets = Array(path.utf8)
        // The last octet stays zero: other programs read the name as a C string.
        guard octets.count < MemoryLayout.size(ofValue: address.sun_path) else { throw Errno(ENAMETOOLONG, "bind") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: octets) }
        return withUnsafePointer(to: &address) { pointer in
            body(UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}
