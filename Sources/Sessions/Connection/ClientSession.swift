package import Bytes
package import Family
package import Posix
package import Sync
internal import TLS
package import Wire

/// A sync engine with a connection: does what the engine asks for, and waits for everything at once.
///
/// Confined to one thread: its owner calls `turn` again and again, with descriptors of its own to wait for (a terminal, signals) if
/// it has any. Other threads use `waker`.
///
///     let session = try ClientSession(address, configuration)
///     session.start()
///     while running { for event in try session.turn() { … } }
package final class ClientSession {
    package let address: ServerAddress
    package private(set) var engine: SyncEngine
    package let waker: ClientWaker
    /// Why the last connection could not be opened or ended, for people.
    package private(set) var lastFailure: String?

    /// Whether it is measured how slow the server is to answer; before `start`.
    package var measuresLag = false

    private var connection: ClientConnection?
    /// Kept from connection to connection, so that the later ones resume its TLS session.
    private var trust: TLSClientContext?
    private var connectAt: Int64?
    private var wakeAt: Int64?
    private var events: [SessionEvent] = []
    private var durable: DurableSide?
    /// Where only what the first screen shows was read.
    private var first: (place: CachePlace, configuration: SyncEngine.Configuration, changes: [Change], isAlone: Bool)?
    /// How the person likes to see things, where nothing is kept.
    private var chosen: [ViewSetting: String] = [:]

    /// - Parameters:
    ///   - cache: where to keep what is known and what waits; what is kept there is in the engine when this returns.
    ///   - isAlone: whether nothing is kept where another program has that cache, instead of beside it.
    ///   - showsFirst: whether until `start` only that much of it is in the engine as the first screen shows, which takes a few milliseconds
    ///     however much there is; the engine is only to be looked at until then.
    package init(
        _ address: ServerAddress, _ configuration: SyncEngine.Configuration, cache: CachePlace? = nil, isAlone: Bool = false, showsFirst: Bool = false
    ) throws(Errno) {
        self.address = address
        engine = SyncEngine(configuration)
        waker = try ClientWaker()
        guard let cache else { return }
        if showsFirst, let found = Cache.firstScreen(cache) {
            engine.restore(found.state)
            first = (cache, configuration, found.changes, isAlone)
        } else {
            durable = DurableSide(cache, restoring: &engine, isAlone: isAlone)
        }
    }

    /// The cache, while this session may write to it.
    package var cache: Cache? { durable?.cache }

    /// Changes that were kept, in order, for a `Timeline`.
    package var keptChanges: [Change] { durable?.keptChanges ?? first?.changes ?? [] }

    /// How the person likes to see something; `nil` until they chose.
    package func value(of setting: ViewSetting) -> String? { durable?.settings[setting] ?? chosen[setting] }

    /// Keeps how the person likes to see something; `nil` forgets it.
    package func set(_ setting: ViewSetting, to value: String?) {
        if durable == nil { chosen[setting] = value } else { durable?.set(setting, to: value) }
    }

    /// Whether what waits outlasts the program.
    package var keepsWhatWaits: Bool { durable?.keepsWhatWaits ?? false }

    /// What a person should know of the cache, each once.
    package func takeWarnings() -> [String] { durable?.takeWarnings() ?? [] }

    /// How slow the server is to answer, in whole seconds; 0 when nobody notices.
    package var lagSeconds: Int { connection?.lagSeconds ?? 0 }

    /// Connects. Where only what the first screen shows was read, all is read now: look at everything anew.
    package func start() {
        if let first {
            self.first = nil
            engine = SyncEngine(first.configuration)
            durable = DurableSide(first.place, restoring: &engine, isAlone: first.isAlone)
        }
        carryOut(engine.start(now: now))
    }

    /// Begins again with the family that a stop asked for.
    package func choose(_ family: Identifier) {
        engine.choose(family)
        start()
    }

    /// Asks for a batch of operations; see `SyncEngine.perform`.
    package func perform(_ operations: [Operation], accepting overlap: OverlapOverride? = nil) throws(Rejection) -> Int64 {
        let (mutation, actions) = try engine.perform(operations, accepting: overlap, at: Clock.wallMilliseconds(), now: now)
        carryOut(actions)
        return mutation
    }

    /// Asks to take back a change; see `SyncEngine.undo`.
    package func undo(_ sequence: Int64, accepting overlap: OverlapOverride? = nil) throws(Rejection) -> Int64 {
        let (mutation, actions) = try engine.undo(sequence, accepting: overlap, at: Clock.wallMilliseconds(), now: now)
        carryOut(actions)
        return mutation
    }

    /// Sends a draft again; see `SyncEngine.retry`.
    package func retry(draft id: Int64, accepting overlap: OverlapOverride? = nil) throws(Rejection) -> Int64? {
        guard let (mutation, actions) = try engine.retry(draft: id, accepting: overlap, at: Clock.wallMilliseconds(), now: now) else {
            return nil
        }
        carryOut(actions)
        return mutation
    }

    /// Sends the operations of a draft one by one; see `SyncEngine.split`.
    ///
    /// - Returns: how many; `nil` for a draft that is gone, or that is one thing.
    package func split(draft id: Int64) throws(Rejection) -> Int? {
        guard let (mutations, actions) = try engine.split(draft: id, at: Clock.wallMilliseconds(), now: now) else { return nil }
        carryOut(actions)
        durable?.save(engine)
        return mutations.count
    }

    package func drop(draft id: Int64) -> Draft? {
        defer { durable?.save(engine) }
        return engine.drop(draft: id)
    }

    /// Decides a conflict; see `SyncEngine.resolve`.
    package func resolve(
        _ sides: ConflictSides, _ choices: [Int: ConflictChoice], whole: ConflictChoice? = nil
    ) throws(Rejection) -> Int64? {
        let (mutation, actions) = try engine.resolve(sides, choices, whole: whole, at: Clock.wallMilliseconds(), now: now)
        carryOut(actions)
        durable?.save(engine)
        return mutation
    }

    /// Tells the server how far its member has read; nothing when that is known already.
    package func markRead(upTo sequence: Int64) throws(Rejection) {
        guard let operation = engine.readOperation(upTo: sequence) else { return }
        _ = try perform([operation])
    }

    /// Asks what only the server knows; see `SyncEngine.ask`.
    ///
    /// - Returns: the number of the request; `nil` while not in the room.
    package func ask(_ make: (Int64) -> ClientFrame) -> Int64? {
        guard let (request, actions) = engine.ask(now: now, make) else { return nil }
        carryOut(actions)
        return request
    }

    package func setContext(_ context: Context) { carryOut(engine.setContext(context, now: now)) }

    /// Tries to connect at once instead of waiting for the next attempt.
    package func hurry() {
        if connectAt != nil { connectAt = now }
    }

    /// Closes the connection and forgets to come back. Pending mutations stay in the engine.
    package func leave() {
        connection?.close(code: CloseCode.normal.rawValue)
        connection = nil
        connectAt = nil
        wakeAt = nil
        durable?.save(engine)
    }

    /// Waits until something happens, or until `deadline`, and does what is due.
    ///
    /// - Parameters:
    ///   - deadline: of `Clock.monotonicMilliseconds`; `nil` waits for ever.
    ///   - others: further descriptors to wait for; `ready` of each is filled in.
    /// - Returns: what happened, in order; may be nothing.
    package func turn(until deadline: Int64? = nil, waitingFor others: inout [Poll.Item]) throws(Errno) -> [SessionEvent] {
        var items = others
        items.append(Poll.Item(waker.raw, .readable))
        if let item = connection?.item { items.append(item) }
        let connectionPlace = items.count - 1
        _ = try Poll.wait(&items, timeoutMilliseconds: timeout(deadline))
        for place in others.indices { others[place].ready = items[place].ready }

        if items[others.count].ready != [] {
            for command in waker.take() { command(self) }
        }
        if connectionPlace > others.count, items[connectionPlace].ready != [], let connection {
            take(connection.ready(now: now), from: connection)
        }
        if let connection { take(connection.timeout(now: now), from: connection) }
        if let due = connectAt, due <= now {
            connectAt = nil
            connect()
        }
        if let due = wakeAt, due <= now {
            wakeAt = nil
            carryOut(engine.timerFired(now: now))
        }
        durable?.save(engine)
        defer { events = [] }
        return events
    }

    package func turn(until deadline: Int64? = nil) throws(Errno) -> [SessionEvent] {
        var none: [Poll.Item] = []
        return try turn(until: deadline, waitingFor: &none)
    }

    private var now: Int64 { Clock.monotonicMilliseconds() }

    private func timeout(_ deadline: Int64?) -> Int {
        // What happened already is told at once.
        guard events.isEmpty else { return 0 }
        guard let due = [deadline, connectAt, wakeAt, connection?.deadline].compactMap(\.self).min() else { return -1 }
        return Int(clamping: max(due - now, 0))
    }

    private func connect() {
        do throws(ConnectionFailure) {
            if trust == nil { trust = try ClientConnection.trust(for: address) }
            connection = try ClientConnection(address, trust: trust, measuresLag: measuresLag, now: now)
        } catch {
            lastFailure = error.message
            carryOut(engine.disconnected(closeCode: nil, now: now))
        }
    }

    /// Hands a connection's events to the engine, until the engine leaves that connection.
    private func take(_ happened: [ConnectionEvent], from source: ClientConnection) {
        for event in happened {
            guard connection === source else { return }
            switch event {
            case .opened: carryOut(engine.connected(now: now))
            case .frame(let frame): carryOut(engine.receive(frame, now: now))
            case .closed(let code, let reason):
                connection = nil
                lastFailure = reason
                carryOut(engine.disconnected(closeCode: code, now: now))
            }
        }
    }

    private func carryOut(_ actions: [SyncAction]) {
        // Before anything leaves: what is sent is known to have been sent, however the program ends.
        let more = durable?.follow(actions, &engine, now: now) ?? []
        for action in actions + more {
            switch action {
            case .send(let frame): connection?.send(frame)
            case .connect(let after): connectAt = now + after
            case .disconnect(let code):
                connection?.close(code: code)
                connection = nil
            case .wake(let after): wakeAt = now + after
            case .changed(let ids): events.append(.changed(ids))
            case .replaced: events.append(.replaced)
            case .notify(let notice):
                if case .live = notice { lastFailure = nil }
                events.append(.notice(notice))
            case .stop(let reason):
                connectAt = nil
                events.append(.stopped(reason))
            }
        }
    }
}

@available(*, unavailable) extension ClientSession: Sendable {}
