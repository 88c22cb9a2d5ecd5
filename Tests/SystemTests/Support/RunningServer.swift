import Family
import Posix
import Sessions
import TestSupport
import Testing

/// A running `huddled serve` on loopback. It is killed when the last reference goes.
final class RunningServer {
    let folder: String
    private(set) var port: UInt16 = 0
    /// Where it speaks TLS, when its options say so.
    private(set) var securePort: UInt16 = 0
    private(set) var child: ChildProcess
    private let options: [String]
    private let launcher: [String]
    private let kept: TemporaryFolder?

    /// Starts it on a free port and waits until it takes connections.
    ///
    /// - Parameters:
    ///   - listen: what `--listen` says; the port that counts is the one that it prints.
    ///   - launcher: a program that runs what it is given after words of its own.
    ///   - errors: where its log goes.
    ///   - kept: is there as long as the server is.
    init(_ folder: String, options: [String] = [], listen: String = "127.0.0.1:0", launcher: [String] = [], errors: ChildProcess.Stream = .nothing, keeping kept: TemporaryFolder? = nil) throws {
        self.folder = folder
        self.options = options
        self.launcher = launcher
        self.kept = kept
        child = try Self.start(folder, listen, options, launcher, errors)
        port = try Self.ready(child, folder)
        if options.contains("--tls-cert") { securePort = try readSecurePort() }
    }

    /// The port in the second line.
    private func readSecurePort() throws -> UInt16 {
        let line = try child.readLine(timeoutMilliseconds: 10_000) ?? ""
        let head = "Encrypted at wss://"
        try #require(line.hasPrefix(head) && line.hasSuffix("/ws"), "\(line)")
        return try #require(SocketAddress.split(String(line.dropFirst(head.count).dropLast(3)))).port
    }

    var url: String { "ws://127.0.0.1:\(port)" }

    func address() throws -> ServerAddress { try ServerAddress(url) }

    /// - Parameter authorities: a file of certificates to trust.
    func secureAddress(host: String = "localhost", trusting authorities: String) throws -> ServerAddress {
        var address = try ServerAddress("wss://\(host):\(securePort)")
        address.authorities = authorities
        return address
    }

    /// How many descriptors the process has open.
    func descriptors() throws -> Int { try Files.list("/proc/\(child.pid)/fd").count }

    /// Memory of the process that is not swapped out, KiB.
    func residentKiB() throws -> Int {
        let status = String(decoding: try Files.read("/proc/\(child.pid)/status"), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) })
    }

    /// Ends it as a power cut would, and waits for its end.
    func kill() throws {
        child.kill(Signals.kill)
        #expect(try child.wait(timeoutMilliseconds: 10_000) == .killed(signal: Signals.kill))
    }

    /// Starts it again: same folder, same port.
    func restart() throws {
        var attempts = 0
        while true {
            attempts += 1
            child = try Self.start(folder, "127.0.0.1:\(port)", options, launcher, .nothing)
            do {
                guard try Self.ready(child, folder) == port else { throw Unexpected("it listens on another port") }
                return
            } catch {
                // Somebody's outgoing connection may have been given the port while nobody listened there.
                guard attempts < 5, try child.wait(timeoutMilliseconds: 1_000) == .exited(1) else { throw error }
            }
        }
    }

    /// SIGTERM, and its end. Clients that do not answer its goodbye hold it up for two seconds.
    ///
    /// - Parameter work: done after the signal, before waiting for the end.
    /// - Returns: milliseconds that it took.
    @discardableResult
    func stop(_ work: () throws -> Void = {}) throws -> Int64 {
        let start = Clock.monotonicMilliseconds()
        child.kill(Signals.terminate)
        try work()
        let ending = try child.wait(timeoutMilliseconds: 10_000)
        #expect(ending == .exited(0))
        return Clock.monotonicMilliseconds() - start
    }

    private static func start(
        _ folder: String, _ listen: String, _ options: [String], _ launcher: [String], _ errors: ChildProcess.Stream
    ) throws -> ChildProcess {
        try ChildProcess.start(
            launcher + [Programs.path("huddled"), "serve", "--data", folder, "--listen", listen] + options, errors: errors)
    }

    /// The port in the one line that it prints.
    private static func ready(_ child: ChildProcess, _ folder: String) throws -> UInt16 {
        guard let line = try child.readLine(timeoutMilliseconds: 20_000) else {
            throw Unexpected("the server ended before it was ready")
        }
        let head = "Huddle \(HuddleVersion.text) serves \(folder) at ws://"
        try #require(line.hasPrefix(head) && line.hasSuffix("/ws"), "\(line)")
        return try #require(SocketAddress.split(String(line.dropFirst(head.count).dropLast(3)))).port
    }
}
