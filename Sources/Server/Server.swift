package import Family
import Dates
package import Posix
import Reactor
package import Store
import TLS

/// What `huddled serve` was asked to do.
package struct ServerOptions: Sendable {
    package var dataFolder: String
    package var host: String
    package var port: UInt16
    package var limits: Limits

    package init(dataFolder: String, host: String, port: UInt16, limits: Limits = Limits()) {
        self.dataFolder = dataFolder
        self.host = host
        self.port = port
        self.limits = limits
    }
}

/// Why the server did not start, or had to stop: one sentence for the person who started it.
package struct ServerError: Error {
    package let sentence: String

    package init(_ sentence: String) { self.sentence = sentence }
}

/// A server in this process, from the thread that it does not run on.
struct RunningServer: Sendable {
    let address: SocketAddress
    let events: Mailbox<ShardEvent>

    /// As SIGTERM.
    func stop() { events.put(.stopAsked) }
}

/// One shard with its listeners and signals, from start to drained.
package enum HuddleServer {
    /// Milliseconds between looks at what can be done while little happens.
    static let maintenanceInterval: Int64 = 600_000

    /// Serves until SIGTERM or SIGINT. Call it before any other thread exists.
    ///
    /// - Parameters:
    ///   - ready: called once with the address, when clients can connect.
    /// - Throws: a sentence; nothing is left running.
    package static func run(_ options: ServerOptions, log: Log, ready: (SocketAddress) -> Void) throws(ServerError) {
        try run(options, log: log, database: nil) { ready($0.address) }
    }

    /// - Parameter database: a file on another layer of SQLite's than the system's, for tests of storage that fails.
    static func run(
        _ options: ServerOptions, log: Log, database: (path: String, vfs: String)?, ready: (RunningServer) -> Void
    ) throws(ServerError) {
        // Before the first thread, so that every thread inherits it and the signals arrive at the descriptor alone.
        let signals = [Signals.terminate, Signals.interrupt]
        Signals.block(signals)
        Signals.ignoreBrokenPipes()
        var limits = options.limits
        if let most = try? Environment.raiseOpenFiles(), most - reservedFiles < limits.connections {
            limits.connections = max(1, most - reservedFiles)
            log(.warning, "connections_limited", [.init("open_files", most), .init("connections", limits.connections)])
        }

        let folder = try claim(options.dataFolder)
        let listener = try listen(options)
        let adminListener = try listen(folder)
        do {
            let reactor = try Reactor()
            let address = try SocketAddress.local(of: listener.raw)
            let events = Mailbox<ShardEvent>(waker: reactor.waker)
            let path = database?.path ?? folder.databasePath
            let store = try Store(
                path: path, vfs: database?.vfs, environment: environment(limits), mark: database == nil ? folder.markPath : nil)
            if let reason = store.epochRenewal { log(.warning, "epoch_renewed", [.init("reason", reason)]) }
            let readers = ReaderPool(events: events, log: log)
            defer { readers.stop() }
            for _ in 0..<ReaderPool.threads {
                readers.start(try StoreReader(path: path, vfs: database?.vfs, environment: environment(limits)))
            }
            let writer = WriterThread(store: store, environment: environment(limits), events: events)
            let shard = Shard(
                reactor: reactor, limits: limits, log: log, serverVersion: HuddleVersion.text, events: events, writer: writer,
                readers: readers)
            reactor.setHooks(shard)
            defer { shard.closeAll() }
            let door = try Listener(
                reactor: reactor, descriptor: listener,
                refused: { log(.warning, "accept_paused", [.init("errno", $0.name)]) }, accepted: { shard.accept(Transport($0)) })
            let adminDoor = try Listener(reactor: reactor, descriptor: adminListener, accepted: { shard.didConnect(admin: $0) })
            shard.whenEnding = {
                door.close()
                adminDoor.close()
            }
            let bell = try SignalChannel(signals, reactor: reactor) { shard.startDrain() }
            let metronome = Metronome(reactor: reactor, shard: shard)
            metronome.start()
            log(.info, "started", [.init("version", HuddleVersion.text), .init("listen", address.description)])
            ready(RunningServer(address: address, events: events))
            reactor.run()
            withExtendedLifetime((bell, metronome, door, adminDoor)) {}
            try? Files.remove(folder.socketPath)
            if shard.isWriterDone { writer.join() }
            if let failure = shard.failure { throw ServerError("The storage failed: \(failure). Nothing that was confirmed is lost.") }
            log(.info, "stopped")
        } catch let error as ServerError {
            throw error
        } catch {
            throw ServerError("\(error)")
        }
    }

    /// Descriptors that are not clients': database, log, sockets, standard streams, and those of commands.
    private static let reservedFiles = 100

    private static func claim(_ path: String) throws(ServerError) -> DataFolder {
        do throws(DataFolderError) {
            return try DataFolder(path: path)
        } catch {
            switch error {
            case .inUse: throw ServerError("\(path) is served by another huddled already. Stop that one first, or choose another --data.")
            case .failed(let errno): throw ServerError("\(path) cannot be used: \(errno.text). Choose another --data, or mend its rights.")
            }
        }
    }

    private static func listen(_ folder: borrowing DataFolder) throws(ServerError) -> FileDescriptor {
        do throws(Errno) {
            return try Socket.listenUnix(path: folder.socketPath)
        } catch {
            if error == .nameTooLong {
                throw ServerError("The path of \(folder.path) is too long for a socket in it. Choose a shorter --data.")
            }
            throw ServerError("Cannot listen on \(folder.socketPath): \(error.text). Remove it, or choose another --data.")
        }
    }

    private static func listen(_ options: ServerOptions) throws(ServerError) -> FileDescriptor {
        do throws(Errno) {
            return try Socket.listenTCP(host: options.host, port: options.port)
        } catch {
            let place = "\(options.host):\(options.port)"
            if error == .addressInUse {
                throw ServerError("\(place) is taken by another program. Stop it, or choose another --listen HOST:PORT.")
            }
            throw ServerError("Cannot listen on \(place): \(error.text). Choose another --listen HOST:PORT.")
        }
    }

    /// The machine's clock, randomness and zone data. Each user makes its own: the zones that it read stay with it.
    package static func environment(_ limits: Limits) -> StoreEnvironment { MachineEnvironment.make(limits) }
}

/// SIGTERM and SIGINT as an input of the reactor.
private final class SignalChannel: Channel {
    private let descriptor: SignalDescriptor
    private let action: () -> Void

    init(_ signals: [Int32], reactor: Reactor, action: @escaping () -> Void) throws(Errno) {
        descriptor = try SignalDescriptor(signals)
        self.action = action
        super.init()
        _ = try reactor.add(fd: descriptor.raw, interest: .readable, channel: self)
    }

    override func ready(_ events: ReadyEvents) {
        while let signal = try? descriptor.next(), signal != 0 { action() }
    }
}

/// The shard's regular work.
private final class Metronome: TimerTarget {
    private let reactor: Reactor
    private let shard: Shard

    private enum Kind: Int {
        case second
        case maintenance
    }

    init(reactor: Reactor, shard: Shard) {
        self.reactor = reactor
        self.shard = shard
        super.init()
    }

    func start() {
        schedule(.second)
        schedule(.maintenance)
    }

    private func schedule(_ kind: Kind) {
        _ = reactor.schedule(afterMilliseconds: interval(kind), self, kind: kind.rawValue)
    }

    private func interval(_ kind: Kind) -> Int64 {
        switch kind {
        case .second: shard.isEnding ? 100 : 1_000
        case .maintenance: HuddleServer.maintenanceInterval
        }
    }

    override func timerFired(kind: Int) {
        guard let kind = Kind(rawValue: kind) else { return }
        switch kind {
        case .second: shard.everySecond(now: reactor.now)
        case .maintenance: shard.maintain()
        }
        schedule(kind)
    }
}
