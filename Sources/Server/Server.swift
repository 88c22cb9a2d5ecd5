import Blobs
package import Crypto
package import Family
import Dates
package import HTTP1
package import Mail
package import Posix
import EventLoop
import Rooms
package import Store
import TLS

/// The options of `huddled serve` in the server's form.
package struct ServerOptions: Sendable {
    package var dataFolder: String
    package var host: String
    package var port: UInt16
    package var limits: Limits
    /// A second listener, for TLS.
    package var tls: TLSOptions?
    /// The proxies whose word about clients is trusted, and the web pages that may connect.
    package var trust = ProxyTrust()
    package var origins = OriginPolicy()
    package var health = HealthSettings()
    /// The address at which people reach the server; without it there are no passkeys.
    package var publicURL: PublicURL?
    /// The text to which parents consent.
    package var consent = ConsentText.standard
    /// The source of the web client.
    package var web = WebClientSource.program
    /// Whether the database is copied before a newer program changes its tables.
    package var copiesBeforeUpgrade = true
    /// The cost of new hashes of passwords.
    package var passwordCost = PasswordHash.Cost.standard
    /// Reads the options again, at SIGHUP, on the reactor's thread.
    package var reload: (@Sendable () -> OptionsReload)?
    /// Listening sockets that the service manager opened before this process: `plain` replaces `host` and `port`, `tls`
    /// those of `tls`.
    package var activated: [ServiceManager.ActivatedSocket] = []
    /// A third listener, for HTTP without TLS, which redirects to the encrypted one. Its socket of the service manager
    /// is `redirect`.
    package var redirect: ListenPlace?
    /// The web root of a certificate client, whose challenges that listener serves.
    package var acmeWebRoot: String?
    /// A listener for the server's metrics. Its socket of the service manager is `metrics`.
    package var metrics: ListenPlace?
    /// The mail server; without it there is no mail.
    package var mail: MailServer?

    package init(dataFolder: String, host: String, port: UInt16, limits: Limits = Limits(), tls: TLSOptions? = nil) {
        self.tls = tls
        self.dataFolder = dataFolder
        self.host = host
        self.port = port
        self.limits = limits
    }
}

/// A server in this process, for use from another thread than the server's.
struct RunningServer: Sendable {
    let address: SocketAddress
    let secureAddress: SocketAddress?
    let redirectAddress: SocketAddress?
    /// `HOST:PORT`, or the path of a Unix socket.
    let metricsAddress: String?
    let events: Mailbox<ShardEvent>

    /// Stops as SIGTERM does.
    func stop() { events.put(.stopAsked) }
}

/// One shard with its listeners and signals, from start to drained.
package enum HuddleServer {
    /// The signals that the reactor reads from a descriptor; every thread blocks them.
    static let signals = [Signals.terminate, Signals.interrupt, Signals.hangUp]

    /// Serves until SIGTERM or SIGINT. Call it before any other thread except a `LogThread` exists.
    ///
    /// - Parameters:
    ///   - ready: called once with the addresses, when clients can connect.
    /// - Throws: a sentence; nothing continues to run.
    package static func run(_ options: ServerOptions, log: Log, ready: (ServerAddresses) -> Void) throws(ServerError) {
        try serve(options, log: log) {
            ready(ServerAddresses(plain: $0.address, secure: $0.secureAddress, redirect: $0.redirectAddress, metrics: $0.metricsAddress))
        }
    }

    /// The same, for tests that look inside the server.
    static func serve(_ options: ServerOptions, log: Log, ready: (RunningServer) -> Void) throws(ServerError) {
        // This comes before the first thread, so that every thread inherits it and the signals arrive only at the
        // descriptor.
        Signals.block(signals)
        Signals.ignoreBrokenPipes()
        var limits = options.limits
        if let most = try? Environment.raiseOpenFiles(), most - reservedFiles < limits.connections {
            limits.connections = max(1, most - reservedFiles)
            log(.warning, "connections_limited", [.init("open_files", most), .init("connections", limits.connections)])
        }

        let folder = try claim(options.dataFolder)
        if folder.mode & 0o077 != 0 {
            let mode = String(folder.mode, radix: 8)
            log(.warning, "data_folder_open", [.init("folder", folder.path), .init("mode", mode), .init("advice", "other users of this machine can enter it: chmod 700")])
        }
        let listener = try listen(options.host, options.port, option: "--listen", activated: options.activated.first { $0.name == "plain" })
        let certificates: Certificates? = if let tls = options.tls { try Certificates(tls.certificates, log: log) } else { nil }
        var secureListener: FileDescriptor? = nil
        var secureNumber: Int32?
        if let tls = options.tls {
            let opened = try listen(
                tls.host, tls.port, option: "--listen-tls", activated: options.activated.first { $0.name == "tls" })
            secureNumber = opened.raw
            secureListener = consume opened
        }
        let adminListener = try listen(folder)
        var redirectListener = try listen(options.redirect, "--listen-redirect", activated: options.activated.first { $0.name == "redirect" })
        var metricsListener = try listen(options.metrics, "--metrics", activated: options.activated.first { $0.name == "metrics" })
        do {
            let reactor = try Reactor()
            let address = try SocketAddress.local(of: listener.raw)
            let events = Mailbox<ShardEvent>(waker: reactor.waker)
            let database = ServerDatabase(
                folder, consent: options.consent,
                mail: options.mail.map { (_: MailServer) in MailTerms(publicURL: options.publicURL?.origin.text) { MailServer.isAddress($0) } })
            let store = try database.openStore(limits, copies: options.copiesBeforeUpgrade, log: log)
            let ownQuotas = try store.ownQuotas()
            if let reason = store.epochRenewal { log(.warning, "epoch_renewed", [.init("reason", reason)]) }
            let readers = ReaderPool(events: events, log: log)
            defer { readers.stop() }
            let sharedListings = SharedListingCache()
            for _ in 0..<ReaderPool.threads {
                readers.start(try database.openReader(limits, sharedListings: sharedListings))
            }
            let policy = DiskPolicy()
            let digests = BackgroundWorker()
            defer { digests.stop() }
            let files = FilePool(events: events, disk: policy)
            defer { files.stop() }
            let writer = WriterThread(store: store, environment: environment(limits), events: events, disk: policy, log: log)
            var origins = options.origins
            var hosts = [address.host]
            if let secureNumber { hosts.append(try SocketAddress.local(of: secureNumber).host) }
            origins.publicOrigin = options.publicURL?.origin
            origins.isLoopback = hosts.allSatisfy { NetworkAddress($0)?.isLoopback ?? false }
            let shard = Shard(
                reactor: reactor, limits: limits, log: log, site: HTTPSite(trust: options.trust, origins: origins, web: options.web),
                serverVersion: HuddleVersion.text, events: events, writer: writer, readers: readers, files: files)
            defer { shard.closeAll() }
            let disk = SystemDisk(
                standBack: { policy.standBack() }, pace: { policy.waitToWrite($0) }, wrote: { policy.didWrite($0, nanoseconds: $1) })
            let blobs = BlobFolder(path: folder.blobsPath, disk: disk)
            let transfers = Transfers(database: database, limits: limits, blobs: blobs, writer: writer, events: events)
            defer { transfers.stop() }
            let thumbnails = Thumbnails(
                folder: ThumbnailFolder(path: folder.thumbnailsPath), blobs: blobs, maker: ThumbnailTools.find(log), events: events)
            defer { thumbnails.stop() }
            let sweeper = Sweeper(
                folder: folder.path, database: database, limits: limits, blobs: blobs, thumbnails: thumbnails.folder, uploads: UploadFolder(path: folder.uploadsPath),
                writer: writer, transfers: transfers, log: log)
            defer { sweeper.stop() }
            let hasher = HasherPool(events: events, decoy: HasherPool.randomDecoy(options.passwordCost))
            defer { hasher.stop() }
            shard.accounts.hasher = hasher
            let mailer = options.mail.map { Mailer(server: $0, writer: writer, log: log) }
            defer { mailer?.stop() }
            shard.accounts.sendsMail = mailer != nil
            shard.admin.transfers = transfers
            let probe = MachineProbe(folder: folder.path)
            defer { probe.stop() }
            shard.health.probe = probe
            shard.health.settings = options.health
            if let certificates { shard.health.certificateDays = { certificates.daysLeft } }
            let uploads = UploadTable(
                services: shard.services, limits: limits, reportProgress: shard.hub.report, folder: UploadFolder(path: folder.uploadsPath, disk: disk, assistant: { digests.offer($0) }), blobs: blobs)
            try uploads.load()
            shard.site.add(UploadRoutes.all { [unowned uploads] in uploads })
            shard.tick.uploads = uploads
            uploads.mostOfFamily = { [hub = shard.hub.hub] in hub.quota(.uploads, of: $0) }
            for (family, own) in ownQuotas { shard.hub.hub.setQuotas(own, of: family) }
            shard.admin.live = LiveFigures(
                health: shard.health, hub: shard.hub, workers: shard.workers, table: shard.table, reactor: shard.reactor, uploads: uploads, database: folder.databasePath)
            defer { shard.admin.live = nil }
            shard.accounts.passkeys.party = options.publicURL?.party
            shard.site.add(SessionRoutes.all(shard.services) + TokenRoutes.all(shard.services) + AccountRoutes.all(shard.services) + PasskeyRoutes.all(shard.services) + FamilyRoutes.all(shard.services, FamilyExports(transfers: transfers, folder: folder.path)) + DocumentRoutes.all(shard.services, blobs) + FeedRoutes.all(shard.services) + DAVRoutes.all(shard.services) + QRRoutes.all(shard.services) + [thumbnails.resource(shard.services)])
            let door = try Listener(
                reactor: reactor, descriptor: listener,
                refused: { log(.warning, "accept_paused", [.init("errno", $0.name)]) }, accepted: { shard.acceptor.accept($0) })
            let adminDoor = try Listener(reactor: reactor, descriptor: adminListener, accepted: { shard.admin.accept($0) })
            var secureDoor: Listener?
            var secureAddress: SocketAddress?
            if let certificates, let secureListener = secureListener.take() {
                secureAddress = try SocketAddress.local(of: secureListener.raw)
                secureDoor = try Listener(
                    reactor: reactor, descriptor: secureListener, budget: secureBudget,
                    refused: { log(.warning, "accept_paused", [.init("errno", $0.name)]) },
                    accepted: { shard.acceptor.accept($0, certificates) })
                shard.table.whenHandshakesFull = { [secureDoor] isFull in if isFull { secureDoor?.hold() } else { secureDoor?.resume() } }
                log(
                    .info, "tls",
                    [
                        .init("listen", secureAddress?.description ?? ""), .init("certificates", certificates.context.count),
                        .init("kernel", Socket.kernelHasTLS ? "yes" : "no"),
                    ])
            }
            // These listeners read files on a thread of their own, because the threads of the pool may be busy with
            // uploads.
            let hasSides = options.redirect != nil || options.metrics != nil || options.activated.contains { ["redirect", "metrics"].contains($0.name) }
            let sidePool = FilePool(events: events, threads: hasSides ? 1 : 0, nice: 0, limit: sideJobs)
            defer { sidePool.stop() }
            var (redirectDoor, redirectAddress): (Listener?, SocketAddress?)
            if let listener = redirectListener.take() {
                redirectAddress = try SocketAddress.local(of: listener.raw)
                let site = RedirectSite(workers: shard.workers, pool: sidePool, webRoot: options.acmeWebRoot) { [unowned site = shard.site] in site.origins.hosts }
                let server = ShortHTTPServer(
                    "redirect_refused", reactor: reactor, log: log, bounds: .init(connections: 256, connectionsPerAddress: 16)) { site.answer($0, $1) }
                redirectDoor = try Listener(
                    reactor: reactor, descriptor: listener, refused: { log(.warning, "accept_paused", [.init("errno", $0.name)]) }, accepted: { server.accept($0) })
                log(.info, "redirect", [.init("listen", redirectAddress?.description ?? "")])
            }
            var (metricsDoor, metricsAddress): (Listener?, String?)
            if let listener = metricsListener.take() {
                let local = try? SocketAddress.local(of: listener.raw)
                if case .path(let path) = options.metrics { metricsAddress = path } else { metricsAddress = local?.description }
                let metrics = Metrics(
                    shard, pool: sidePool, database: DataFolder.databasePath(in: folder.path),
                    isLoopback: local.flatMap { NetworkAddress($0.host) }?.isLoopback ?? false)
                metrics.uploads = uploads
                metrics.hashers = hasher
                metrics.mailer = mailer
                let server = ShortHTTPServer("metrics_refused", reactor: reactor, log: log) { metrics.answer($0, $1) }
                metricsDoor = try Listener(
                    reactor: reactor, descriptor: listener, refused: { log(.warning, "accept_paused", [.init("errno", $0.name)]) }, accepted: { server.accept($0) })
                log(.info, "metrics", [.init("listen", metricsAddress ?? "")])
            }
            shard.drain.whenEnding = { [secureDoor, redirectDoor] in
                ServiceManager.notify("STOPPING=1")
                door.close()
                secureDoor?.close()
                redirectDoor?.close()
                adminDoor.close()
            }
            let bell = try SignalChannel(signals, reactor: reactor) { signal in
                guard signal == Signals.hangUp else { return shard.health.end() }
                certificates?.reload()
                if let reload = options.reload { shard.take(reload()) }
            }
            let periodic = PeriodicTasks(reactor: reactor, shard: shard, certificates: certificates, sweeper: sweeper, mailer: mailer)
            periodic.start()
            mailer?.start()
            uploads.resume()
            log(.info, "started", [.init("version", HuddleVersion.text), .init("listen", address.description)])
            ready(
                RunningServer(
                    address: address, secureAddress: secureAddress, redirectAddress: redirectAddress, metricsAddress: metricsAddress, events: events))
            ServiceManager.notify("READY=1")
            reactor.run()
            withExtendedLifetime((bell, periodic, door, secureDoor, adminDoor, redirectDoor, metricsDoor)) {}
            // Not earlier, so that a monitoring program sees the end.
            metricsDoor?.close()
            shard.table.whenHandshakesFull = { _ in }
            shard.drain.whenEnding = {}
            try? Files.remove(folder.socketPath)
            if case .path(let path) = options.metrics, !options.activated.contains(where: { $0.name == "metrics" }) { try? Files.remove(path) }
            mailer?.stop()
            sweeper.stop()
            transfers.stop()
            if shard.drain.isWriterDone { writer.join() }
            if let failure = shard.drain.failure { throw ServerError("The storage failed: \(failure). Nothing that was confirmed is lost.") }
            log(.info, "stopped")
        } catch let error as ServerError {
            throw error
        } catch {
            throw ServerError("\(error)")
        }
    }

    /// The largest number of TLS connections accepted in one tick: creating one costs about 20 µs, and its handshake
    /// waits for its turn anyway.
    private static let secureBudget = 8
    /// The largest number of challenges and metrics pages that wait to be read.
    private static let sideJobs = 64
    /// The descriptors that do not belong to clients: database, log, sockets, standard streams, and those of commands.
    private static let reservedFiles = 100

    private static func claim(_ path: String) throws(ServerError) -> DataFolder {
        do throws(DataFolderError) {
            return try DataFolder(path: path)
        } catch {
            switch error {
            case .inUse: throw ServerError("\(path) is served by another huddled already. Stop that one first, or choose another --data.")
            case .unfinished: throw .unfinishedRestore(path)
            case .failed(let errno): throw ServerError("\(path) cannot be used: \(errno.text). Choose another --data, or fix its permissions.")
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

    /// - Returns: `nil` if the listener is not configured.
    private static func listen(
        _ place: ListenPlace?, _ option: String, activated: ServiceManager.ActivatedSocket?
    ) throws(ServerError) -> FileDescriptor? {
        if let activated {
            guard Socket.isListening(activated.raw, orUnix: true) else {
                throw ServerError("The socket '\(activated.name)' of the service manager does not listen. Check its ListenStream.")
            }
            return FileDescriptor(owning: activated.raw)
        }
        switch place {
        case nil: return nil
        case .address(let host, let port): return try listen(host, port, option: option, activated: nil)
        case .path(let path):
            do throws(Errno) {
                return try Socket.listenUnix(path: path, mode: ListenPlace.mode)
            } catch {
                throw ServerError("Cannot listen on \(path): \(error.text). Choose another \(option).")
            }
        }
    }

    /// - Parameter activated: a socket that the service manager handed over, which is used instead.
    private static func listen(
        _ host: String, _ port: UInt16, option: String, activated: ServiceManager.ActivatedSocket?
    ) throws(ServerError) -> FileDescriptor {
        if let activated {
            guard Socket.isListening(activated.raw) else {
                throw ServerError("The socket '\(activated.name)' of the service manager is not a listening TCP socket. Check its ListenStream.")
            }
            return FileDescriptor(owning: activated.raw)
        }
        do throws(Errno) {
            return try Socket.listenTCP(host: host, port: port)
        } catch {
            let place = "\(host):\(port)"
            if error == .addressInUse {
                throw ServerError("\(place) is in use by another program. Stop it, or choose another \(option) HOST:PORT.")
            }
            throw ServerError("Cannot listen on \(place): \(error.text). Choose another \(option) HOST:PORT.")
        }
    }

    /// The machine's clock, randomness and zone data. Each user of it makes its own, with its own copy of the zones it
    /// has read.
    package static func environment(_ limits: Limits) -> StoreEnvironment { MachineEnvironment.make(limits) }
}

/// SIGTERM, SIGINT and SIGHUP as an input of the reactor.
private final class SignalChannel: Channel {
    private let descriptor: SignalDescriptor
    private let action: (Int32) -> Void

    init(_ signals: [Int32], reactor: Reactor, action: @escaping (Int32) -> Void) throws(Errno) {
        descriptor = try SignalDescriptor(signals)
        self.action = action
        super.init()
        _ = try reactor.add(fd: descriptor.raw, interest: .readable, channel: self)
    }

    override func ready(_ events: ReadyEvents) {
        while let signal = try? descriptor.next(), signal != 0 { action(signal) }
    }
}
