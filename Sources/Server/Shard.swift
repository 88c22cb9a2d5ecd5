import Bytes
import Family
import Ledger
import HTTP1
import Posix
import Reactor
import Rooms
import Store
import TLS
import WebSocket
import Wire

/// A reactor, a writer and a database that share nothing with other shards; a family lives in exactly one.
///
/// Everything here runs on the reactor's thread. The order of a tick is the reactor's (wait, mailbox, ready events, timers) and then
/// `beforeSleep`.
final class Shard: ReactorHooks {
    let reactor: Reactor
    let limits: Limits
    let log: Log
    /// What is served over HTTP.
    let site: HTTPSite
    private let hub: Hub
    private let events: Mailbox<ShardEvent>
    private let writer: WriterThread
    private let readers: ReaderPool
    private let files: FilePool
    private var errands = Errands()
    /// Connections that sent of a file in this tick, and in the one before.
    private var filesSent = 0
    private var filesBefore = 0

    /// By the slot number in a session id.
    private var sessions: [Connection?] = []
    private(set) var connections: [Connection] = []
    private var admins: [UInt64: AdminConnection] = [:]
    private var nextAdmin: UInt64 = 1

    /// Mutations of this tick, for one submission.
    private var proposals: [Proposal] = []
    /// Looks and uses that are not written yet.
    private var usage = UsageNotes()
    /// When they were last given to the writer, milliseconds of `Reactor.now`; `nil` before the first time.
    private var usageWrittenAt: Int64?
    /// Milliseconds between two times: each is a commit.
    static let usageInterval: Int64 = 1_000
    /// Revocations that are not durable yet.
    private var revocations = PendingRevocations()
    /// Share links that have ended, while a look into the database may still find them.
    private var endedLinks = EndedRights<ShareLinkName>()
    /// Connections with something to send.
    private var dirty: [Connection] = []
    private var scratch: [Effect] = []
    /// What messages need while they come and go: memory, and zlib's streams, which no connection holds between two of them.
    let messages = MessagePool()
    private var deflater = SharedDeflater()
    private var isPerforming = false
    private var drain = Drain.no
    /// Connections that are only told that there are too many.
    private var refused = 0
    private var handshakes = HandshakeQueue()
    private var handshakesUnderWay = 0
    private var addresses = AddressCounts()
    private var redemptionRate = AddressRate.redemptions
    private var connectionRate = AddressRate.connections
    private var frameRate = AddressRate.frames
    /// Connections that have more to be read in the next tick, in the order of their turns.
    private var postponed: [Connection] = []
    /// Counts the ticks, round and round: each connection has one portion in each.
    private(set) var tick: UInt32 = 0
    private enum Drain {
        case no
        /// The writer finishes what it has; everyone is told when it has, or at the first time.
        case finishing(tell: Int64, stop: Int64)
        /// Everyone is told; the loop ends when they have gone, or at this time.
        case told(stop: Int64)
    }

    /// Milliseconds from SIGTERM until everyone is told, whether the writer is done or not, and until the loop ends. With what the
    /// process needs around them they stay below the promised five seconds.
    private static let tellTime: Int64 = 2_000
    private static let stopTime: Int64 = 4_000
    /// Octets that may come out of compressed messages in one tick, a message more at most: two milliseconds of inflating and reading,
    /// four messages of the greatest length.
    static let inflatedPerTick = 1_048_576
    /// Connections that may be told at once that there are too many.
    static let maxRefused = 64
    /// Commands that `huddled`'s own processes may have open at once, and milliseconds for each.
    static let maxAdmins = 64
    private static let adminTime: Int64 = 30_000

    /// Exports and imports; set once before the loop runs.
    var transfers: Transfers?
    /// What is being uploaded; set once before the loop runs.
    var uploads: UploadTable?
    /// Called once when the loop is to end: the doors close.
    var whenEnding: () -> Void = {}
    /// Called with true when no further TLS handshake may begin, and with false when some may again.
    var whenHandshakesFull: (Bool) -> Void = { _ in }
    /// The writer's thread has ended, or is about to.
    private(set) var isWriterDone = false
    /// Why the process must end with status 1.
    private(set) var failure: String?

    init(
        reactor: Reactor, limits: Limits, log: Log, site: HTTPSite = HTTPSite(), serverVersion: String, events: Mailbox<ShardEvent>,
        writer: WriterThread, readers: ReaderPool, files: FilePool
    ) {
        self.files = files
        self.site = site
        self.reactor = reactor
        self.limits = limits
        self.log = log
        self.events = events
        self.writer = writer
        self.readers = readers
        hub = Hub(limits: limits, serverVersion: serverVersion)
        super.init()
        site.whenForwardedInVain = {
            log(.warning, "forwarded_ignored", [.init("advice", "name the proxy with --trusted-proxy, or all its clients count as one address")])
        }
    }

    // MARK: The end of a tick

    override func drainMailbox() {
        tick &+= 1
        messages.beginTurn()
        deflater.beginTurn()
        for event in events.drain() {
            switch event {
            case .committed(let results): hub.committed(results)
            case .commanded(let session, let answer): hub.commanded(session, answer)
            case .revoked(let results): for (revocation, rejection) in results { didRevoke(revocation, rejection) }
            case .administered(let number, let answer): admins[number]?.answer(answer)
            case .answered(let session, let answer, let payer, let owed):
                if let payer { hub.charge(payer, owed: owed) }
                hub.answered(session, answer, time: Clock.wallMilliseconds())
            case .missing(let family, let sequence, let answer): hub.answeredMissing(family, after: sequence, answer)
            case .errand(let ticket, let result): errands.end(ticket)?(result)
            case .damaged(let rows): for row in rows { report(row) }
            case .writerStopped: didStopWriter()
            case .writerFailed(let reason):
                isWriterDone = true
                didFail(reason)
            case .stopAsked: startDrain()
            }
            perform()
        }
        readPostponed()
    }

    private func report(_ damaged: DamagedRow) {
        let family = Log.Field("family", damaged.family?.description ?? "unknown")
        switch damaged.row {
        case .change(let sequence): log(.error, "change_damaged", [family, .init("sequence", sequence)])
        case .record(let id): log(.error, "record_damaged", [family, .init("record", id?.description ?? "unknown")])
        }
    }

    /// Whether compressed messages may be read in this tick.
    var mayInflate: Bool { messages.inflated < Shard.inflatedPerTick }

    /// Reads from a connection in the next tick, whether anything arrives or not.
    func postpone(_ connection: Connection) {
        postponed.append(connection)
        reactor.waker.ring()
    }

    /// Those whose turn was over in the last tick come first in this one, and who has had none yet before who has.
    private func readPostponed() {
        guard !postponed.isEmpty else { return }
        let waiting = postponed
        postponed = []
        var still: [Connection] = []
        for connection in waiting {
            if connection.inflates && !mayInflate { still.append(connection) } else { connection.resume() }
        }
        guard !still.isEmpty else { return }
        postponed = still + postponed
        reactor.waker.ring()
    }

    /// The order matters: mutations leave for the disk first, so that the writer works while frames are sent; then everything
    /// that was queued in this tick leaves with one call a socket; then who emptied their outbox is given more of what they
    /// catch up with.
    override func beforeSleep() {
        filesBefore = filesSent
        filesSent = 0
        submitProposals()
        flush()
        shakeHands()
        // One portion a tick: who reads as fast as we send must not keep the others waiting for all of a snapshot.
        if hub.reportDrained({ id in connection(id)?.isFlushed ?? true }) {
            perform()
            flush()
            reactor.waker.ring()
        }
    }

    /// A few steps, after what others wait for has left.
    private func shakeHands() {
        guard !handshakes.isEmpty else { return }
        for _ in 0..<HandshakeQueue.stepsPerTick { handshakes.next()?.shakeHands() }
        flush()
        if !handshakes.isEmpty { reactor.waker.ring() }
    }

    func queueHandshake(_ connection: Connection) { handshakes.append(connection) }

    func didEndHandshake() {
        handshakesUnderWay -= 1
        if handshakesUnderWay == HandshakeQueue.maxUnderWay - 1 { whenHandshakesFull(false) }
    }

    private func submitProposals() {
        writeUsage()
        guard !proposals.isEmpty else { return }
        let refused = writer.submit(proposals)
        proposals = []
        guard !refused.isEmpty else { return }
        hub.refused(Array(refused))
        perform()
    }

    /// Gives what was noted to the writer, at most once a second. While it finds no room there, more is gathered.
    private func writeUsage() {
        guard !usage.isEmpty, reactor.now - (usageWrittenAt ?? .min / 2) >= Shard.usageInterval else { return }
        usageWrittenAt = reactor.now
        let dropped = usage.takeDropped()
        if dropped > 0 { log(.warning, "usage_dropped", [.init("count", dropped)]) }
        if writer.submit(.usage(usage)) { usage = UsageNotes() }
    }

    /// Somebody looked at a document.
    func note(_ access: AccessNote) { usage.add(access, at: Clock.monotonicMilliseconds()) }

    /// Somebody opened a share link.
    func note(_ visit: ShareVisit) { usage.add(visit, at: Clock.monotonicMilliseconds()) }

    /// A session is in use.
    func renew(_ session: Int64) { usage.add(session: session) }

    // MARK: Revocations

    /// Whether a session has ended, although a look into the database may still find it: to be asked of every answer of a reader that found one.
    func hasEnded(_ session: Int64) -> Bool { hub.hasEnded(session) }

    /// The same for a share link.
    func hasEnded(_ link: ShareLinkName) -> Bool { endedLinks.contains(link) }

    /// Ends a share link: from now on it opens nothing.
    ///
    /// - Parameters:
    ///   - end: of somebody who may, as far as a reader knows.
    ///   - then: called on this thread when the end is durable, or why it is not. With `storage_full` the link stays closed, as long as this process
    ///     runs, and the end is tried again until it is durable; with anything else the link goes on.
    func revoke(_ end: ShareEnd, then: @escaping (Rejection?) -> Void) {
        guard endedLinks.begin(end.name) else { return then(.busy) }
        revoke(.share(end), then: then)
    }

    private func revoke(_ revocation: Revocation, then: ((Rejection?) -> Void)? = nil) {
        switch revocations.add(revocation, then) {
        case .submit: if !writer.submit(revocation) { didRevoke(revocation, .busy) }
        case .waits: break
        case .full: then?(.busy)
        }
    }

    private func didRevoke(_ revocation: Revocation, _ rejection: Rejection?) {
        // The disk is full: the right stays taken away, for who asked must be able to rely on that.
        let isKept = rejection?.code == .storageFull
        let answers = isKept ? revocations.postpone(revocation, now: reactor.now) : revocations.end(revocation)
        switch (revocation, rejection) {
        case (.session(let number), nil): hub.endSessions(number)
        case (.session(let number), let rejection?): hub.didNotEnd(number, rejection)
        case (.share(let end), nil): endedLinks.didCommit(end.name)
        case (.share(let end), _?): if !isKept { endedLinks.lift(end.name) }
        }
        for answer in answers { answer(rejection) }
    }

    private func flush() {
        var index = 0
        // Flushing can close a connection, whose leaving can queue presence for others: the list may grow meanwhile.
        while index < dirty.count {
            let connection = dirty[index]
            connection.isDirty = false
            connection.flush()
            index += 1
        }
        dirty.removeAll(keepingCapacity: true)
    }

    /// The compressed frame of a message, made once for all connections in a row that it goes to; `nil` when it is better sent plain.
    func compressed(_ payload: [UInt8]) -> [UInt8]? { deflater.frame(.text, payload, pool: messages) }

    func markDirty(_ connection: Connection) {
        guard !connection.isDirty else { return }
        connection.isDirty = true
        dirty.append(connection)
    }

    // MARK: Effects

    /// Does what the hub asked for. Doing can lead to more (a close ends a session), which is done in the same call.
    private func perform() {
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        while true {
            hub.exchangeEffects(&scratch)
            if scratch.isEmpty { return }
            for effect in scratch { perform(effect) }
            scratch.removeAll(keepingCapacity: true)
        }
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .send(let id, let octets):
            connection(id)?.send(octets)
        case .close(let id, let code, let reason, let dropsQueue):
            connection(id)?.close(code, reason, dropsQueue: dropsQueue)
        case .propose(let proposal): proposals.append(proposal)
        case .read(let id, let request):
            if case .redemption(let code, let nonce) = request, let wait = redemptionRate.take(connection(id)?.group, now: reactor.now) {
                let refusal = Rejection(.rateLimited, "Too many codes come from your network. Try again in a moment.", retryAfter: wait)
                hub.answered(id, .redemption(code: code, nonce: nonce, refusal: refusal), time: 0)
            } else if !readers.submit(id, request, hub.payer(of: id)), !hub.refusedRead(id, request) {
                connection(id)?.fail(.tryAgainLater, "too busy")
                hub.answered(id, .failed, time: 0)
            }
        case .readMissing(let family, let sequence):
            log(.warning, "changes_missing", [.init("family", "\(family)"), .init("after", sequence)])
            if !readers.submitMissing(family, after: sequence) { hub.answeredMissing(family, after: sequence, .failed) }
        case .command(let id, let command):
            if !writer.submit(.command(id, command)) { hub.commanded(id, .rejected(.busy)) }
        case .endSession(let number): revoke(.session(number))
        case .noteAccess(let access): note(access)
        case .renew(let sessions): for session in sessions { renew(session) }
        case .noteDifference(let id, let family, let member, let sequence):
            log(
                .warning, "client_differs",
                [.init("session", id), .init("family", "\(family)"), .init("member", "\(member)"), .init("seq", sequence)])
        case .note(let id, let event, let code): log(.info, event, [.init("session", id), .init("code", code)])
        }
    }

    private func connection(_ id: SessionID) -> Connection? {
        let index = Int(id & 0xFFFF_FFFF)
        guard index < sessions.count, let connection = sessions[index], connection.session == id else { return nil }
        return connection
    }

    // MARK: Errands

    /// Reads the database on a thread of the pool.
    ///
    /// - Parameter then: called on this thread, in a later tick as a rule; `nil` when reading failed or too many wait. It has to see for
    ///   itself whether anybody still wants the answer.
    func read<Answer: Sendable>(
        _ body: @escaping @Sendable (StoreReader) throws(StoreFailure) -> Answer, then: @escaping (Answer?) -> Void
    ) {
        let ticket = errands.begin { then($0 as? Answer) }
        let isTaken = readers.submit(ticket) { reader throws(StoreFailure) in try body(reader) }
        if !isTaken { errands.end(ticket)?(nil) }
    }

    /// Does something that may wait for a disk or takes a while, after everything else of the same key.
    ///
    /// - Parameters:
    ///   - pool: other threads than those for files.
    ///   - then: as of `read`.
    func work<Answer: Sendable>(
        _ key: FilePool.Key, on pool: FilePool? = nil, _ body: @escaping @Sendable () -> Answer, then: @escaping (Answer?) -> Void
    ) {
        let ticket = errands.begin { then($0 as? Answer) }
        if !(pool ?? files).submit(key, { .errand(ticket, body()) }) { errands.end(ticket)?(nil) }
    }

    /// Makes a document whose file is there.
    ///
    /// - Parameter then: called on this thread with its version, or why not; `nil` when too many requests wait, or the server ends.
    func addDocument(_ document: NewDocument, then: @escaping (Result<Int64, Rejection>?) -> Void) {
        write({ store throws(StoreFailure) in try store.addDocument(document) }, then: then)
    }

    /// Asks the writer for something, which the live rooms hear of before `then` does.
    ///
    /// - Parameter then: called on this thread; `nil` when too many requests wait, or the server ends.
    func write<Answer: Sendable>(
        _ body: @escaping @Sendable (Store) throws(StoreFailure) -> (Answer, [CommitResult]), then: @escaping (Answer?) -> Void
    ) {
        let ticket = errands.begin { then($0 as? Answer) }
        let isTaken = writer.submit(
            .errand(ticket) { store throws(StoreFailure) in
                let (answer, results) = try body(store)
                return (answer, results)
            })
        if !isTaken { errands.end(ticket)?(nil) }
    }

    /// Tells a family how far somebody's file is.
    func tell(_ progress: UploadProgress, family: Identifier) {
        hub.uploading(progress, family: family)
        perform()
    }

    /// Octets of a file that one connection may send now: less when many do, so that all of them together hold nobody up for long.
    func portionOfFile() -> Int {
        filesSent += 1
        return min(max(Shard.fileOctetsPerTick / max(filesBefore, 1), Shard.leastPortion), Shard.greatestPortion)
    }

    /// Two mebioctets are a millisecond of copying to a fast network; a portion is not worth its calls below the least, nor better above the
    /// greatest.
    private static let fileOctetsPerTick = 2 << 20
    private static let leastPortion = 65_536
    private static let greatestPortion = 524_288

    // MARK: Connections

    /// One that begins with a TLS handshake.
    func accept(_ descriptor: consuming FileDescriptor, _ certificates: Certificates) {
        do throws(TLSError) {
            let peer = peer(descriptor.raw)
            // A refusal is said through TLS too, but to a few at a time: more of them are not worth their handshakes.
            guard refused < Shard.maxRefused || !isFull && addresses.hasRoom(group(peer), limit: limits.connectionsPerAddress) else {
                log(.warning, "connection_refused", [.init("open", connections.count)])
                return
            }
            accept(try Transport(descriptor, server: certificates.context), peer: peer)
        } catch {
            log(.error, "tls_failed", [.init("reason", error.reason)])
        }
    }

    /// A plain one.
    func accept(_ descriptor: consuming FileDescriptor) {
        let peer = peer(descriptor.raw)
        accept(Transport(descriptor), peer: peer)
    }

    private func peer(_ raw: Int32) -> NetworkAddress? { (try? SocketAddress.peer(of: raw)).flatMap { NetworkAddress($0.host) } }

    /// How a connection counts before it has said anything: a trusted proxy's not at all, until it tells whose it is.
    private func group(_ peer: NetworkAddress?) -> NetworkAddress? {
        guard let peer, !site.trust.contains(peer) else { return nil }
        return AddressCounts.group(peer)
    }

    private var isFull: Bool { connections.count - refused >= limits.connections || isEnding }

    /// - Parameter peer: who is at the other end; `nil` is not counted.
    func accept(_ transport: consuming Transport, peer: NetworkAddress? = nil) {
        let group = group(peer)
        let isFull = isFull
        let isOneTooMany = !isFull && !enter(group)
        if isFull || isOneTooMany {
            log(.warning, "connection_refused", [.init("open", connections.count - refused), .init("limit", isFull ? "all" : "address")])
            guard refused < Shard.maxRefused else { return }
        }
        let connection = Connection(shard: self, transport: transport, peer: peer, now: reactor.now)
        do throws(Errno) {
            try connection.register()
        } catch {
            log(.warning, "connection_refused", [.init("errno", error.name)])
            if !isFull, !isOneTooMany { addresses.leave(group) }
            return
        }
        if !isFull, !isOneTooMany { connection.group = group }
        connection.index = connections.count
        connections.append(connection)
        if connection.isShakingHands {
            handshakesUnderWay += 1
            if handshakesUnderWay == HandshakeQueue.maxUnderWay { whenHandshakesFull(true) }
        }
        if isFull || isOneTooMany {
            refused += 1
            let body = isFull ? "This server is full. Come back in a moment.\n" : "Too many connections come from your network. Close some.\n"
            let fields = [Field("Date", site.date), Field("Retry-After", "5")]
            connection.refuse(ResponseHead.closing(isFull ? 503 : 429, fields, body: body))
        }
    }

    /// Counts a connection to an address.
    ///
    /// - Returns: false, with nothing counted, when it has as many as it may have, or too many new ones came.
    private func enter(_ group: NetworkAddress?) -> Bool {
        guard addresses.hasRoom(group, limit: limits.connectionsPerAddress), connectionRate.take(group, now: reactor.now) == nil else { return false }
        return addresses.enter(group, limit: limits.connectionsPerAddress)
    }

    /// Counts a connection to another address than its socket's: the one that a trusted proxy tells.
    ///
    /// - Returns: false when that address has as many as it may have.
    func move(_ connection: Connection, to address: NetworkAddress?) -> Bool {
        let group = AddressCounts.group(address)
        guard group != connection.group else { return true }
        guard enter(group) else { return false }
        addresses.leave(connection.group)
        connection.group = group
        return true
    }

    /// The longest message that may come in a session, octets; `nil` before there is one.
    func messageLimit(_ session: SessionID?) -> Int {
        session.map { hub.messageLimit($0) } ?? min(limits.signInOctets, limits.messageOctets)
    }

    /// The upgrade is done.
    func didOpen(_ connection: Connection) -> SessionID {
        let id = hub.opened(now: reactor.now)
        let index = Int(id & 0xFFFF_FFFF)
        while sessions.count <= index { sessions.append(nil) }
        sessions[index] = connection
        return id
    }

    func received(_ payload: UnsafeRawBufferPointer, from connection: Connection) {
        guard let session = connection.session else { return }
        // Anybody may send these, on as many connections as they like.
        if !hub.isSignedIn(session), frameRate.take(connection.group, now: reactor.now) != nil {
            return connection.fail(.tryAgainLater, "too many frames come from your network before a sign-in")
        }
        hub.received(payload, from: session, now: reactor.now)
        perform()
    }

    func didEnd(_ session: SessionID) {
        sessions[Int(session & 0xFFFF_FFFF)] = nil
        hub.closed(session)
        perform()
    }

    func didClose(_ connection: Connection) {
        let last = connections.removeLast()
        if last !== connection {
            connections[connection.index] = last
            last.index = connection.index
        }
        if connection.isRefused { refused -= 1 }
        addresses.leave(connection.group)
        if case .told = drain, connections.isEmpty { reactor.stop() }
    }

    /// The loop has ended: nothing stays open.
    func closeAll() {
        for connection in connections { connection.drop() }
        for admin in admins.values { admin.end() }
        // The reactor holds its hooks and the hooks their reactor.
        reactor.setHooks(ReactorHooks())
    }

    // MARK: Admin commands

    func didConnect(admin descriptor: consuming FileDescriptor) {
        guard admins.count < Shard.maxAdmins else {
            log(.warning, "admin_refused", [.init("open", admins.count)])
            return
        }
        let number = nextAdmin
        nextAdmin += 1
        let connection = AdminConnection(shard: self, descriptor: descriptor, number: number)
        guard (try? connection.register()) != nil else { return }
        admins[number] = connection
    }

    func administer(_ number: UInt64, _ request: AdminRequest) {
        if !writer.submit(.admin(number, request)) { admins[number]?.answer(.failure(.busy)) }
    }

    func transfer(_ number: UInt64, _ transfer: Transfer, _ file: consuming FileDescriptor) {
        guard let transfers, !isEnding else {
            admins[number]?.answer(.failure(ArchiveError.stopped.rejection))
            return
        }
        if !transfers.start(number, transfer, file) {
            admins[number]?.answer(.failure(Rejection(.busy, "Another export or import is going on. Try again when it is done.")))
        }
    }

    func didEnd(admin number: UInt64) { admins[number] = nil }

    // MARK: Time

    /// About once a second.
    ///
    /// - Parameter now: milliseconds, `Reactor.now`.
    func everySecond(now: Int64) {
        hub.tick(now: now)
        perform()
        uploads?.sweep(now: now)
        for revocation in revocations.due(now: now) where !writer.submit(revocation) { didRevoke(revocation, .busy) }
        perform()
        for refusal in writer.takeRefusals() {
            log(
                .warning, "writer_queue_full",
                [.init("class", refusal.kind.rawValue), .init("waiting", refusal.waiting), .init("refused", refusal.refused)])
        }
        for refusal in readers.takeRefusals() {
            log(
                .warning, "reader_queue_full",
                [.init("class", refusal.kind.rawValue), .init("waiting", refusal.waiting), .init("refused", refusal.refused)])
        }
        for admin in admins.values where !admin.isTransferring && now - admin.since >= Shard.adminTime { admin.end() }
        switch drain {
        case .no: break
        case .finishing(let tell, let stop): if now >= tell { tellAll(.restarting, Shard.restarting, stop: stop) }
        case .told(let stop): if now >= stop || connections.isEmpty { reactor.stop() }
        }
    }

    /// The loop ends soon.
    var isEnding: Bool {
        if case .no = drain { false } else { true }
    }

    /// Every few minutes: what can be done while little happens.
    func maintain() { _ = writer.submit(.maintenance) }

    // MARK: Ends

    private static let restarting = "the server restarts; come back in a moment"

    /// SIGTERM: takes nothing new, answers what was taken, tells everyone to come back, and stops within 5 seconds.
    func startDrain() {
        guard !isEnding else { return }
        log(.info, "draining", [.init("connections", connections.count)])
        whenEnding()
        site.isDraining = true
        drain = .finishing(tell: reactor.now + Shard.tellTime, stop: reactor.now + Shard.stopTime)
        hub.startDraining()
        submitProposals()
        // What is looked at from now on could not be noted any more, so documents are not given out (`DocumentFileWork`).
        if writer.submit(.stop(usage)) { usage = UsageNotes() }
    }

    private func didStopWriter() {
        isWriterDone = true
        if case .finishing(_, let stop) = drain { tellAll(.restarting, Shard.restarting, stop: stop) }
    }

    private func tellAll(_ code: Wire.CloseCode, _ reason: String, stop: Int64) {
        drain = .told(stop: stop)
        if code == .restarting { hub.spreadReturns() }
        hub.endAll(code, reason)
        perform()
        // Connections that never upgraded have nothing to wait for.
        for connection in connections where !connection.isUpgraded { connection.drop() }
        if connections.isEmpty { reactor.stop() }
    }

    /// A commit or sync failed. Whatever was promised stands on disk; nothing more can be promised.
    private func didFail(_ reason: String) {
        failure = reason
        whenEnding()
        log(.error, "storage_failed", [.init("reason", reason)])
        tellAll(.internalError, "the server lost its storage", stop: reactor.now + 1_000)
    }
}
