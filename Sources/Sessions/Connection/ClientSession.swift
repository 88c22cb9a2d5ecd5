package import Bytes
package import Family
package import Posix
package import Sync
internal import TLS
package import Wire

/// A sync engine with a connection: carries out the engine's actions, and waits for all of its descriptors together.
///
/// Confined to one thread: its owner calls `turn` repeatedly, with further descriptors to wait for (a terminal,
/// signals) if it has any. Other threads use `waker`.
///
///     let session = try ClientSession(address, configuration)
///     session.start()
///     while running { for event in try session.turn() { … } }
package final class ClientSession {
    package let address: ServerAddress
    package private(set) var engine: SyncEngine
    package let waker: ClientWaker
    /// The reason why the last connection could not be opened, or ended, for people.
    package private(set) var lastFailure: String?

    /// Whether to measure the server's response time; set it before `start`.
    package var measuresLag = false

    private var connection: ClientConnection?
    /// Kept across connections, so that later ones resume its TLS session.
    private var trust: TLSClientContext?
    private var connectAt: Int64?
    private var wakeAt: Int64?
    private var events: [SessionEvent] = []
    private var durable: DurableSide?
    /// The cache and its changes, while only the data of the first screen was read.
    private var first: (place: CachePlace, configuration: SyncEngine.Configuration, changes: [Change], isAlone: Bool)?
    /// The display settings, if there is no cache.
    private var chosen: [ViewSetting: String] = [:]

    /// - Parameters:
    ///   - cache: the location of the cache; its content is in the engine when this returns.
    ///   - isAlone: whether to store nothing if another program has that cache, instead of storing beside it.
    ///   - showsFirst: whether, until `start`, the engine holds only the data of the first screen, which takes a few
    ///     milliseconds to read regardless of the size of the cache; until then the engine may only be read.
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

    /// The stored changes, in order, for a `Timeline`.
    package var keptChanges: [Change] { durable?.keptChanges ?? first?.changes ?? [] }

    /// A display setting; `nil` until the user chooses one.
    package func value(of setting: ViewSetting) -> String? { durable?.settings[setting] ?? chosen[setting] }

    /// Stores a display setting; `nil` deletes it.
    package func set(_ setting: ViewSetting, to value: String?) {
        if durable == nil { chosen[setting] = value } else { durable?.set(setting, to: value) }
    }

    /// Whether pending mutations survive the program.
    package var keepsWhatWaits: Bool { durable?.keepsWhatWaits ?? false }

    /// Returns notices about the cache for the user, each once.
    package func takeWarnings() -> [String] { durable?.takeWarnings() ?? [] }

    /// The server's response time, in whole seconds; 0 if it is not noticeable.
    package var lagSeconds: Int { connection?.lagSeconds ?? 0 }

    /// Connects. If only the data of the first screen was read, everything is read now, and the caller must read the
    /// whole state again.
    package func start() {
        if let first {
            self.first = nil
            engine = SyncEngine(first.configuration)
            durable = DurableSide(first.place, restoring: &engine, isAlone: first.isAlone)
        }
        carryOut(engine.start(now: now))
    }

    /// Starts again with a family, after a stop asked the user to choose one.
    package func choose(_ family: Identifier) {
        engine.choose(family)
        start()
    }

    /// Requests a batch of operations; see `SyncEngine.perform`.
    package func perform(_ operations: [Operation], accepting overlap: OverlapOverride? = nil) throws(Rejection) -> Int64 {
        let (mutation, actions) = try engine.perform(operations, accepting: overlap, at: Clock.wallMilliseconds(), now: now)
        carryOut(actions)
        return mutation
    }

    /// Requests the undo of a change; see `SyncEngine.undo`.
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
    /// - Returns: the number of operations; `nil` for a draft that is gone, or that has a single operation.
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

    /// Reports the member's reading position to the server, unless the server knows it already.
    package func markRead(upTo sequence: Int64) throws(Rejection) {
        guard let operation = engine.readOperation(upTo: sequence) else { return }
        _ = try perform([operation])
    }

    /// Requests data that only the server has; see `SyncEngine.ask`.
    ///
    /// - Returns: the number of the request; `nil` outside the room.
    package func ask(_ make: (Int64) -> ClientFrame) -> Int64? {
        guard let (request, actions) = engine.ask(now: now, make) else { return nil }
        carryOut(actions)
        return request
    }

    /// Reports that the person has seen all reminders so far.
    package func seeReminders() {
        guard !engine.reminders.isEmpty else { return }
        carryOut(engine.see(engine.reminders.map(\.key), now: now))
    }

    /// Sends the person's activity to the others, if the server passes it on.
    package func tell(_ activity: Activity) {
        guard engine.isJoined, engine.features.contains(.activity) else { return }
        carryOut([.send(.activity(activity))])
    }

    /// Ends the session everywhere, and with the answer what is kept of it on this machine; see `SyncEngine.signOut`.
    package func signOut() { carryOut(engine.signOut(now: now)) }

    package func setContext(_ context: Context) { carryOut(engine.setContext(context, now: now)) }

    /// Connects immediately instead of waiting for the next attempt.
    package func hurry() {
        if connectAt != nil { connectAt = now }
    }

    /// Closes the connection and does not reconnect. Pending mutations stay in the engine.
    package func leave() {
        connection?.close(code: CloseCode.normal.rawValue)
        connection = nil
        connectAt = nil
        wakeAt = nil
        durable?.save(engine)
    }

    /// Waits until something happens, or until `deadline`, and handles everything that is due.
    ///
    /// - Parameters:
    ///   - deadline: a time of `Clock.monotonicMilliseconds`; `nil` waits without limit.
    ///   - others: further descriptors to wait for; `ready` of each is filled in.
    /// - Returns: the events in order; may be empty.
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
        // Pending events are returned without waiting.
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

    /// Passes a connection's events to the engine, until the engine leaves that connection.
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
        // This comes before any octet leaves, so that the cache knows which mutations were sent, even if the program is
        // killed.
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
