import Bytes
import CFaultVFS
import EngineScripts
import Family
import Ledger
import Rooms
import Server
import Store
import StoreSQLite
import Sync
import Synchronization
import TestSupport
import WebSocket
import Wire

/// Server, disk, links and members of one simulation: one seed, one thread, no sleep.
///
/// The server is the real hub and the real store over a disk that forgets unsynced writes. The work of a machine's
/// threads (commits, reads, receipts) happens here at times that the seed chooses.
final class World {
    let seed: UInt64
    var dice: WorldRandom
    var scheduler = Scheduler()
    private(set) var violations: [String] = []
    /// The longest delay of a piece of a frame, in milliseconds.
    var delay: Int64 = 40

    private let disk: String
    private let engines: NodeEngines?
    private var server: ServerLife?
    private var links: [Link] = []
    private var nextLink = 0
    private(set) var families: [SimulatedFamily] = []
    private(set) var clients: [SimulatedClient] = []
    private var undos: Int64 = 0
    private let undoer = Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_0DD0)
    private(set) var crashes = 0
    /// The clients that reported a difference.
    private(set) var differences = 0
    /// The number of times that a room read changes from the log because it was not notified of them.
    private(set) var missingReads = 0
    private(set) var cuts = 0

    private static let made = Atomic<Int>(0)

    /// Everything that the server ever sent, checked against the disk after each crash.
    private var saidChanges: [Identifier: [Int64: [UInt8]]] = [:]
    private var saidAcks: [(family: Identifier, client: Identifier, mutation: Int64, sequence: Int64)] = []
    /// The state of each family at each sequence, computed from the log.
    private var twins: [Identifier: Twin] = [:]

    /// - Parameters:
    ///   - liesAboutSync: whether the disk makes nothing durable, although it reports success.
    ///   - engines: engines in JavaScript for some of the seats.
    init(seed: UInt64, liesAboutSync: Bool = false, engines: NodeEngines? = nil) throws {
        self.seed = seed
        self.engines = engines
        dice = WorldRandom(seed: seed)
        // Suites run in parallel, and two of them may use the same seed.
        disk = "simulation-\(seed)-\(Self.made.add(1, ordering: .relaxed).newValue)"
        guard faultvfs_register(disk) == 0 else { throw SimulationError.setUp("the fault VFS cannot be registered") }
        try foundFamilies()
        startServer()
        if liesAboutSync { faultvfs_lie_about_sync(disk, 1) }
    }

    deinit {
        server?.end()
        faultvfs_remove(disk)
    }

    enum SimulationError: Error { case setUp(String) }

    func check(_ holds: Bool, _ promise: @autoclosure () -> String) {
        if !holds { violations.append("seed \(seed), time \(scheduler.now): \(promise())") }
    }

    /// The events of this world, as text for people.
    var summary: String {
        let refused = clients.reduce(0) { $0 + $1.refused.count }
        let asked = clients.reduce(0) { $0 + $1.asked.count }
        let heads = families.map { twins[$0.id]?.head ?? 0 }
        let undone = families.reduce(0) { $0 + (twins[$1.id]?.undone ?? 0) }
        return "\(asked) asked, \(undone) of \(undos) undone, \(refused) refused, heads \(heads), \(crashes) crashes, \(cuts) cuts, \(nextLink) links, \(missingReads) gaps"
    }

    func identifier() -> Identifier {
        .version7(milliseconds: scheduler.now, random: (dice.next(), dice.next()))
    }

    /// Cuts a frame into pieces that arrive together.
    func pieces(_ octets: [UInt8]) -> [[UInt8]] {
        guard octets.count > 1, dice.one(in: 3) else { return [octets] }
        let cut = Int(dice.number(1...Int64(octets.count - 1)))
        return [Array(octets[..<cut]), Array(octets[cut...])]
    }

    // MARK: Creation

    private var environment: StoreEnvironment {
        StoreEnvironment(
            now: { [unowned self] in 1_780_000_000_000 + scheduler.now },
            random: { [unowned self] count in (0..<count).map { _ in UInt8(truncatingIfNeeded: dice.next()) } },
            localDate: { _, _ in "2026-06-01" }, rules: RuleEnvironment(zoneExists: { _ in true }))
    }

    private func openStore() throws -> FamilyStore { try FamilyStore(path: "huddle.db", vfs: disk, environment: environment) }

    private func foundFamilies() throws {
        let store = try openStore()
        for mark in ["<alder>", "<birch>"] {
            guard case .success(.family(let made)) = try store.perform(.createFamily(name: "\(mark) family", zone: "UTC", parent: "\(mark) one")).0,
                case .success(.invited(let athlete)) = try store.perform(
                    .invite(NewInvite(family: made.family, name: "\(mark) athlete", role: .athlete, born: "2009-01-01", by: made.member))).0
            else { throw SimulationError.setUp("no family") }
            try store.approve(athlete.member, in: made.family, by: made.member)
            let family = SimulatedFamily(id: made.family, athlete: athlete.member, parent: made.member, mark: mark)
            families.append(family)
            twins[family.id] = Twin()
            for title in ["grades", "video"] { try addDocument(title, of: family, store) }
            for (index, member) in [made.member, made.member, athlete.member].enumerated() {
                guard case .success(.token(let session)) = try store.perform(.token(member: member)).0 else {
                    throw SimulationError.setUp("no token")
                }
                clients.append(
                    SimulatedClient(
                        name: "\(mark) \(index)", family: family, token: session.token, client: identifier(), seed: dice.next(),
                        slowness: index == 1 ? dice.number(0...30) : 0, engines: index == 1 ? nil : engines))
            }
        }
        for family in families {
            family.strangersMarks = families.filter { $0 !== family }.map { Array($0.mark.utf8) }
        }
    }

    /// Its file is assumed to exist, as after a finished upload.
    private func addDocument(_ title: String, of family: SimulatedFamily, _ store: FamilyStore) throws {
        let kind = Kind.document.declaration
        let fields = [("type", "transcript"), ("title", "\(family.mark) \(title)")].compactMap { name, text in
            kind.index(of: name).map { FieldPatch.Assignment(field: $0, value: .text(text)) }
        }
        let document = NewDocument(
            id: identifier(), family: family.id, member: family.parent, athlete: family.athlete,
            fields: FieldPatch(assignments: fields.sorted { $0.field < $1.field }),
            file: .init(name: "a.pdf", type: "application/pdf", octets: 1_000, sha256: String(repeating: "ab", count: 32)))
        guard case .success = try store.addDocument(document).0 else { throw SimulationError.setUp("no document") }
    }

    /// The kinds of which some family has or had a record that a client changed or created.
    var kinds: Set<Kind> { families.reduce(into: []) { $0.formUnion(twins[$1.id]?.touchedKinds ?? []) } }

    /// A member signs in on another device, with the token of an existing one.
    func addDevice() {
        guard let owner = dice.pick(clients) else { return }
        let device = SimulatedClient(
            name: "\(owner.name)+\(clients.count)", family: owner.family, token: owner.engine.configuration.token, client: identifier(),
            seed: dice.next(), slowness: 0, engines: clients.count.isMultiple(of: 2) ? engines : nil)
        clients.append(device)
        device.start(in: self)
        for _ in 0..<5 { scheduler.after(dice.number(0...2_000)) { device.act(in: $0) } }
    }

    // MARK: Starts and crashes

    private func startServer() {
        do {
            let store = try openStore()
            let life = ServerLife(store: store, reader: try StoreReader(path: "huddle.db", vfs: disk, environment: environment))
            server = life
            tick(life)
        } catch {
            check(false, "durable: the server does not start after a crash: \(error)")
            return
        }
        checkDisk()
    }

    private func tick(_ life: ServerLife) {
        guard life === server else { return }
        life.hub.tick(now: scheduler.now)
        perform(life)
        scheduler.after(100) { $0.tick(life) }
    }

    /// The power fails: unsynced writes may be lost, all connections end without a close.
    func crash(afterDowntime downtime: Int64) {
        guard server != nil else { return }
        crashes += 1
        if faultvfs_crashed(disk) == 0 { faultvfs_crash_now(disk, mode(), dice.next()) }
        server?.end()
        server = nil
        for link in links { cut(link) }
        scheduler.after(max(1, downtime)) { world in
            let open = faultvfs_restart(world.disk)
            world.check(open == 0, "\(open) handles are open on the disk of a server that is gone")
            world.startServer()
        }
    }

    /// The power will soon fail in the middle of a write or sync.
    func armCrash() {
        faultvfs_crash_at(disk, Int(dice.number(1...12)), mode(), dice.next())
    }

    private func mode() -> faultvfs_mode { [FAULTVFS_LOSE, FAULTVFS_KEEP, FAULTVFS_RANDOM][Int(dice.number(0...2))] }

    /// A parent undoes any change, directly at the server. Some undos are sent twice, as after a lost response.
    func undoSomething() {
        guard let life = server, let family = dice.pick(families), let head = twins[family.id]?.head, head > 3 else { return }
        undos += 1
        let sequence = dice.number(max(3, head - 8)...head)
        let mutation = Mutation(client: undoer, id: undos, body: .undo(sequence: sequence))
        let proposal = Proposal(family: family.id, member: family.parent, context: .all, mutation: mutation, session: .max)
        life.proposals += dice.one(in: 4) ? [proposal, proposal] : [proposal]
        perform(life)
    }

    // MARK: Links

    func connect(_ client: SimulatedClient) -> Link? {
        guard let server, !dice.one(in: 6) else { return nil }
        nextLink += 1
        let link = Link(number: nextLink, client: client, slowness: client.slowness)
        link.session = server.hub.opened(now: scheduler.now)
        links.append(link)
        return link
    }

    func cut(_ link: Link) {
        guard link.isOpen else { return }
        link.cut()
        links.removeAll { $0 === link }
        if let session = link.session, let server {
            link.session = nil
            server.hub.closed(session)
            perform(server)
        }
        scheduler.after(dice.number(0...200)) { [unowned client = link.client] world in client.lost(link, nil, in: world) }
    }

    func cutOne() {
        guard let link = dice.pick(links) else { return }
        cuts += 1
        cut(link)
    }

    func serverReceived(_ event: LinkEvent, on link: Link) {
        guard let server, let session = link.session else { return }
        switch event {
        case .text(let octets): octets.withUnsafeBytes { server.hub.received($0, from: session, now: scheduler.now) }
        case .close: cut(link)
        case .broken: check(false, "the server got octets that are no WebSocket frames")
        }
        perform(server)
    }

    func reportDrained() {
        guard let server else { return }
        while server.hub.reportDrained({ id in links.first { $0.session == id }?.queuedAtServer ?? 0 == 0 }) { perform(server) }
    }

    // MARK: Effects

    private func perform(_ life: ServerLife) {
        while true {
            let effects = life.hub.takeEffects()
            if effects.isEmpty { break }
            for effect in effects { perform(effect, life) }
        }
        if !life.proposals.isEmpty, !life.isCommitPlanned {
            life.isCommitPlanned = true
            scheduler.after(dice.number(0...8)) { $0.commit(life) }
        }
        // An empty outbox is reported in the same tick.
        if life.hub.reportDrained({ id in links.first { $0.session == id }?.queuedAtServer ?? 0 == 0 }) { perform(life) }
    }

    private func perform(_ effect: Effect, _ life: ServerLife) {
        switch effect {
        case .send(let id, let octets):
            guard let link = links.first(where: { $0.session == id }) else { return }
            noteSaid(octets, to: link.client)
            guard link.queuedAtServer + octets.count <= life.hub.limits.outboxOctets else {
                cut(link)
                return
            }
            link.sendDown(.text, octets, in: self)
        case .close(let id, let code, _, _):
            guard let link = links.first(where: { $0.session == id }) else { return }
            link.session = nil
            link.sendDown(.close, [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)], in: self)
            life.hub.closed(id)
        case .propose(let proposal): life.proposals.append(proposal)
        case .read(let id, let request):
            scheduler.after(dice.number(0...15)) { $0.read(id, request, life) }
        case .readMissing(let family, let sequence):
            missingReads += 1
            scheduler.after(dice.number(0...15)) { $0.readMissing(family, after: sequence, life) }
        case .noteAccess(let access): life.accesses.append(access)
        case .renew(let sessions): life.renewals += sessions
        case .noteDifference: differences += 1
        case .command, .signInByName, .account, .endSession, .endSessions, .endFeed, .seeReminder, .note: break
        }
    }

    private func commit(_ life: ServerLife) {
        guard life === server, let store = life.store else { return }
        life.isCommitPlanned = false
        let batch = Array(life.proposals.prefix(FamilyStore.maxBatch))
        life.proposals.removeFirst(batch.count)
        do throws(StoreFailure) {
            try store.note(life.accesses)
            try store.renew(sessions: life.renewals)
            life.accesses = []
            life.renewals = []
            let results = try store.commit(batch)
            // The receipts cross to the reactor a little later; a crash in between keeps the change and loses the ack.
            life.receiptsAt = max(life.receiptsAt, scheduler.now) + dice.number(0...6)
            scheduler.after(life.receiptsAt - scheduler.now) { world in
                guard life === world.server else { return }
                world.report(results, to: life)
            }
        } catch {
            crash(afterDowntime: dice.number(10...2_000))
            return
        }
        if !life.proposals.isEmpty {
            life.isCommitPlanned = true
            scheduler.after(dice.number(0...8)) { $0.commit(life) }
        }
    }

    /// Reports a commit to the hub. Sometimes a change comes late, after others, or twice: rooms follow the log, not
    /// the report.
    private func report(_ results: [CommitResult], to life: ServerLife) {
        var heard: [CommitResult] = []
        for result in results {
            guard case .change = result, dice.one(in: 12) else {
                heard.append(result)
                continue
            }
            if dice.one(in: 2) { heard.append(result) }
            scheduler.after(dice.number(1...200)) { world in
                guard life === world.server else { return }
                life.hub.committed([result])
                world.perform(life)
            }
        }
        life.hub.committed(heard)
        perform(life)
    }

    private func readMissing(_ family: Identifier, after sequence: Int64, _ life: ServerLife) {
        guard life === server, let reader = life.reader else { return }
        let answer: MissingAnswer
        do throws(StoreFailure) { answer = try reader.missing(family: family, after: sequence) } catch {
            crash(afterDowntime: dice.number(10...2_000))
            return
        }
        scheduler.after(dice.number(0...10)) { world in
            guard life === world.server else { return }
            life.hub.answeredMissing(family, after: sequence, answer)
            world.perform(life)
        }
    }

    private func read(_ id: SessionID, _ request: ReadRequest, _ life: ServerLife) {
        guard life === server, let reader = life.reader else { return }
        let answer: ReadAnswer
        do throws(StoreFailure) { answer = try reader.answer(request) } catch {
            crash(afterDowntime: dice.number(10...2_000))
            return
        }
        scheduler.after(dice.number(0...10)) { world in
            guard life === world.server else { return }
            life.hub.answered(id, answer, time: world.scheduler.now)
            world.perform(life)
        }
    }

    // MARK: Promises

    /// Records everything that left the server, and compares it with earlier output.
    private func noteSaid(_ octets: [UInt8], to client: SimulatedClient) {
        guard let frame = try? octets.withUnsafeBytes({ raw throws(Rejection) in try ServerFrame.decode(raw) }) else {
            check(false, "the server sent what is no frame")
            return
        }
        let family = client.family.id
        switch frame {
        case .change(let change):
            if let before = saidChanges[family]?[change.sequence] {
                check(before == octets, "ordered: sequence \(change.sequence) was sent in two ways")
            } else {
                saidChanges[family, default: [:]][change.sequence] = octets
            }
        case .ack(let ack):
            if let sequence = ack.sequence { saidAcks.append((family, client.client, ack.mutation, sequence)) }
        default: break
        }
    }

    /// After each start: the log contains everything that was ever sent, without gaps, and each mutation once.
    private func checkDisk() {
        guard let reader = server?.reader else { return }
        do {
            for family in families {
                let log = try log(of: family.id, reader: reader)
                check(log.map(\.sequence) == Array(1...Int64(max(1, log.count))).prefix(log.count).map { $0 }, "ordered: the log has a gap")
                for (sequence, octets) in saidChanges[family.id] ?? [:] {
                    check(
                        sequence <= log.count && log[Int(sequence) - 1].octets == octets,
                        "durable: change \(sequence) was acknowledged and is not in the log")
                }
                var seen: Set<String> = []
                for entry in log {
                    guard let client = entry.change.client, let mutation = entry.change.mutation else { continue }
                    check(seen.insert("\(client) \(mutation)").inserted, "exactly-once: mutation \(mutation) stands twice in the log")
                }
                for ack in saidAcks where ack.family == family.id {
                    check(
                        ack.sequence <= log.count && log[Int(ack.sequence) - 1].change.client == ack.client
                            && log[Int(ack.sequence) - 1].change.mutation == ack.mutation,
                        "durable: mutation \(ack.mutation) was acknowledged and is not in the log")
                }
                for entry in log { twins[family.id]?.apply(entry.change) }
            }
        } catch {
            check(false, "the log cannot be read: \(error)")
        }
    }

    private func log(of family: Identifier, reader: StoreReader) throws -> [(sequence: Int64, octets: [UInt8], change: Change)] {
        var entries: [(sequence: Int64, octets: [UInt8], change: Change)] = []
        while true {
            let page = try reader.changes(family: family, after: entries.last?.sequence ?? 0, maxOctets: 1 << 20)
            for frame in page.frames {
                guard case .change(let change) = try frame.frame.withUnsafeBytes({ raw throws(Rejection) in try ServerFrame.decode(raw) })
                else { throw SimulationError.setUp("the log holds what is no change") }
                entries.append((frame.sequence, frame.frame, change))
            }
            if page.reachedEnd { return entries }
        }
    }

    /// `resumable`, `seamless`: a client's records equal the log's state at its cursor, in whatever way it got there.
    func checkState(of client: SimulatedClient) {
        guard !client.isSpoiled else { return }
        guard let cursor = client.engine.cursor, client.engine.phase == .live || client.engine.phase == .syncing else { return }
        catchUpTwin(client.family.id, to: cursor.sequence)
        guard let state = twins[client.family.id]?.state(at: cursor.sequence) else { return }
        check(
            client.engine.confirmedRecords == state,
            "resumable: \(client.name) at \(cursor.sequence) holds something else than the log makes: \(Twin.difference(client.engine.confirmedRecords, state))")
        check(
            client.engine.checksum == StateChecksum(state.values),
            "verifiable: \(client.name) at \(cursor.sequence) has another checksum than the records that the log makes")
        if cursor.sequence % 8 == 0, let page = try? server?.reader?.changes(family: client.family.id, after: cursor.sequence, maxOctets: 1),
            page.reachedEnd, page.frames.isEmpty
        {
            check(page.checksum == client.engine.checksum, "verifiable: \(client.name) at \(cursor.sequence) has another checksum than the store")
        }
        // `nothing lost at the client`: each mutation is pending, done, or a draft.
        let waiting = Set(client.engine.pending.map(\.id))
        let drafts = Set(client.engine.drafts.map(\.id))
        for (mutation, operations) in client.asked {
            // Of a refused reading position nothing remains.
            if !operations.isEmpty, operations.allSatisfy({ $0.kind == .readingPosition }) { continue }
            let places = (waiting.contains(mutation) ? 1 : 0) + (drafts.contains(mutation) ? 1 : 0)
                + (client.acknowledged[mutation] != nil && !waiting.contains(mutation) ? 1 : 0)
            check(places == 1, "nothing lost at the client: mutation \(mutation) of \(client.name) is in \(places) places")
        }
    }

    private func catchUpTwin(_ family: Identifier, to sequence: Int64) {
        guard let reader = server?.reader, let head = twins[family]?.head, head < sequence else { return }
        guard let log = try? log(of: family, reader: reader) else { return }
        for entry in log { twins[family]?.apply(entry.change) }
    }

    // MARK: The end

    /// Lets everything recover: no cuts, no crashes, until all are live and nothing waits.
    func settle() -> Bool {
        faultvfs_crash_at(disk, 0, FAULTVFS_LOSE, 0)
        for _ in 0..<200_000 {
            let isSettled = server != nil && clients.allSatisfy { $0.engine.phase == .live && $0.engine.pending.isEmpty && !$0.isSpoiled }
                && Set(clients.map { "\($0.family.mark) \($0.engine.cursor?.sequence ?? -1)" }).count == families.count
            if isSettled, everythingIsSaid() { return true }
            guard let action = scheduler.next() else { return false }
            action(self)
        }
        return false
    }

    /// Whether the clients, whose cursors agree, have been sent every change in the log. The last one can still be on
    /// its way if its author has gone, so that no client waits for its result.
    private func everythingIsSaid() -> Bool {
        guard let reader = server?.reader else { return false }
        return families.allSatisfy { family in
            guard let cursor = clients.first(where: { $0.family === family })?.engine.cursor else { return true }
            return (try? reader.changes(family: family.id, after: cursor.sequence, maxOctets: 1))?.frames.isEmpty ?? false
        }
    }

    /// All clients agree with each other, with the log, and with the snapshot for a new client.
    func checkAgreement() {
        guard let reader = server?.reader else { return }
        checkDisk()
        for family in families {
            let members = clients.filter { $0.family === family }
            guard let first = members.first else { continue }
            for other in members.dropFirst() {
                check(other.engine.confirmedRecords == first.engine.confirmedRecords, "\(other.name) and \(first.name) differ at the end")
            }
            do {
                var records: [Identifier: Record] = [:]
                let snapshot = try reader.snapshot(family: family.id) { $0 }
                for client in members {
                    check(client.engine.checksum == snapshot.verification.checksum, "verifiable: \(client.name) has another checksum than the store")
                }
                for part in snapshot.parts { for record in part.records { records[record.id] = record } }
                check(records == first.engine.confirmedRecords, "seamless: the snapshot differs: \(Twin.difference(first.engine.confirmedRecords, records))")
            } catch {
                check(false, "the snapshot cannot be read: \(error)")
            }
            for client in members {
                for record in client.shown {
                    check(
                        twins[family.id]?.everHeld(record) ?? false,
                        "no lost update: a conflict showed \(client.name) version \(record.version) of \(record.kind) \(record.id), which was never committed")
                }
                for (mutation, ack) in client.acknowledged {
                    guard let sequence = ack.sequence else { continue }
                    check(
                        twins[family.id]?.author(of: sequence) == Twin.Author(client: client.client, mutation: mutation),
                        "durable: \(client.name) got a receipt that \(mutation) is \(sequence)")
                }
            }
            for violation in twins[family.id]?.lostUpdates(members) ?? [] { check(false, "no lost update: \(violation)") }
            for violation in twins[family.id]?.falseUndos ?? [] { check(false, "undo: \(violation)") }
            for violation in twins[family.id]?.brokenPlans(everybody: [family.parent, family.athlete]) ?? [] { check(false, violation) }
        }
    }
}

/// The server between two crashes.
private final class ServerLife {
    let hub = Hub(limits: Limits(), serverVersion: "simulated", checksumPace: ChecksumPace(interval: 300, changes: 7))
    /// `nil` after a power failure; events scheduled for this life may still hold on to it.
    private(set) var store: FamilyStore?
    private(set) var reader: StoreReader?
    var proposals: [Proposal] = []
    var accesses: [AccessNote] = []
    var renewals: [Int64] = []
    var isCommitPlanned = false
    var receiptsAt: Int64 = 0

    init(store: FamilyStore, reader: StoreReader) {
        self.store = store
        self.reader = reader
    }

    func end() {
        store = nil
        reader = nil
    }
}
