import Bytes
import Crypto
import Dates
import Family
import FrameCheck
import Posix
import Queries
import SQLite
import Store
import StoreSQLite
import StoreMemory
import TestSupport
import Testing
import Wire

/// The world around a store: a clock moved by hand, randomness with a seed, three zones.
final class Surroundings {
    /// 2026-11-21 12:00 UTC.
    var now: Int64 = 1_795_262_400_000
    var random: SplitMix64
    var limits = Limits()
    /// `nil`: the server sends no mail.
    var mail: MailTerms?

    init(seed: UInt64 = 1) { random = SplitMix64(seed: seed) }

    static let day: Int64 = 86_400_000

    /// The zones are the machine's: dates are tested where they live.
    private var zones = ZoneCatalogue { try? Files.read("/usr/share/zoneinfo/" + $0.text) }

    private func rules(_ zone: String) -> ZoneRules? { ZoneName(zone).flatMap { try? zones.rules($0) } }

    var environment: StoreEnvironment {
        StoreEnvironment(
            now: { self.now }, random: { count in (0..<count).map { _ in UInt8(truncatingIfNeeded: self.random.next()) } },
            localDate: { self.rules($0)?.localDate(at: $1).description },
            rules: RuleEnvironment(zone: self.rules), limits: limits, mail: mail)
    }
}

/// A store and a reader of one database, with short ways to use them.
final class World {
    let surroundings: Surroundings
    let path: String
    let vfs: String?
    /// The database, if it is one in memory.
    let memory: MemoryDatabase?
    private let folder: TemporaryFolder?
    private(set) var store: FamilyStore
    private(set) var reader: StoreReader
    private var mutations: [Identifier: Int64] = [:]
    private var ids: UInt64 = 0

    /// In a folder of its own, on the engine of the test (`BothEngines`).
    init(seed: UInt64 = 1, configure: (Surroundings) -> Void = { _ in }) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        surroundings = Surroundings(seed: seed)
        configure(surroundings)
        path = DataFolder.databasePath(in: folder.path)
        vfs = nil
        switch EngineKind.current {
        case .sqlite:
            memory = nil
            store = try FamilyStore(path: path, environment: surroundings.environment)
            reader = try StoreReader(path: path, environment: surroundings.environment)
        case .memory:
            let memory = MemoryDatabase(random: surroundings.environment.random)
            self.memory = memory
            store = try FamilyStore(MemoryEngine(memory), environment: surroundings.environment)
            reader = StoreReader(MemoryReader(memory), environment: surroundings.environment)
        }
    }

    /// In memory.
    init(inMemory surroundings: Surroundings) throws {
        self.surroundings = surroundings
        (folder, path, vfs) = (nil, "", nil)
        let memory = MemoryDatabase(random: surroundings.environment.random)
        self.memory = memory
        store = try FamilyStore(MemoryEngine(memory), environment: surroundings.environment)
        reader = StoreReader(MemoryReader(memory), environment: surroundings.environment)
    }

    /// On a file layer of the test's own.
    init(path: String, vfs: String?, surroundings: Surroundings) throws {
        self.surroundings = surroundings
        folder = nil
        self.path = path
        self.vfs = vfs
        memory = nil
        store = try FamilyStore(path: path, vfs: vfs, environment: surroundings.environment)
        reader = try StoreReader(path: path, vfs: vfs, environment: surroundings.environment)
    }

    /// Where the files of documents are.
    var blobsPath: String { (folder?.path ?? "/nowhere") + "/blobs" }
    var uploadsPath: String { (folder?.path ?? "/nowhere") + "/uploads" }

    /// As after a restart of the server.
    func reopen() throws {
        if let memory {
            store = try FamilyStore(MemoryEngine(memory), environment: surroundings.environment)
        } else {
            store = try FamilyStore(path: path, vfs: vfs, environment: surroundings.environment)
        }
        reader = try openReader()
    }

    /// One more reader of the database.
    func openReader(sharedListings: SharedListingCache = SharedListingCache()) throws -> StoreReader {
        if let memory { return StoreReader(MemoryReader(memory), environment: surroundings.environment, sharedListings: sharedListings) }
        return try StoreReader(path: path, vfs: vfs, environment: surroundings.environment, sharedListings: sharedListings)
    }

    /// A check of the database.
    func openCheck() throws -> StoreCheck {
        if let memory { return StoreCheck(MemoryReader(memory)) }
        return try StoreCheck(path: path, vfs: vfs)
    }

    // MARK: People

    struct Home {
        var family: Identifier
        var parent: Identifier
    }

    func home(_ name: String = "Rivera", zone: String = "UTC") throws -> Home {
        let (result, _) = try store.perform(.createFamily(name: name, zone: zone, parent: "Ana"))
        guard case .family(let created) = try result.get() else { throw Unexpected() }
        return Home(family: created.family, member: created.member)
    }

    func invite(
        _ home: Home, _ role: Role, name: String = "Leo", born: String? = nil
    ) throws -> Invited {
        let invite = NewInvite(family: home.family, name: name, role: role, born: born, by: home.parent)
        guard case .invited(let invited) = try store.perform(.invite(invite)).0.get() else { throw Unexpected() }
        return invited
    }

    /// A parent or guest who is in the family already.
    func member(_ home: Home, _ role: Role, name: String = "Leo") throws -> Identifier {
        try store.enroll(name, role, in: home.family, by: home.parent).0.get()
    }

    /// An athlete of sixteen, unless another birth date is given.
    func athlete(_ home: Home, name: String = "Leo", born: String = "2010-05-05") throws -> Identifier {
        let athlete = try invite(home, .athlete, name: name, born: born).member
        // Of 13 to 17; at another age it is refused.
        _ = try store.approve(athlete, in: home.family, by: home.parent)
        return athlete
    }

    // MARK: Mutations

    /// A fresh id, the same in each run.
    func newID() -> Identifier {
        ids += 1
        return Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_0000 | ids)
    }

    /// A secret of the client that redeems a code.
    static func nonce(_ number: Int) -> String { String(repeating: "0", count: 31) + "\(number)" }

    /// The client that a member uses where a test names none.
    static func client(of member: Identifier) -> Identifier { Identifier(high: member.high ^ 0xC11E, low: member.low) }

    func proposal(
        _ home: Home, _ member: Identifier, _ operations: [Operation], mutation: Int64? = nil, client: Identifier? = nil,
        context: Context = .all, session: UInt64 = 7
    ) -> Proposal {
        let client = client ?? Self.client(of: member)
        let number = mutation ?? (mutations[client] ?? 0) + 1
        mutations[client] = max(mutations[client] ?? 0, number)
        return Proposal(
            family: home.family, member: member, context: context,
            mutation: Mutation(client: client, id: number, operations: operations), session: session)
    }

    /// A frame that its reader refused.
    func refused(
        _ home: Home, _ member: Identifier, _ frame: String, mutation: Int64? = nil, client: Identifier? = nil, session: UInt64 = 7
    ) -> Proposal {
        var proposal = proposal(home, member, [], mutation: mutation, client: client, session: session)
        proposal.refused = RefusedFrame(
            Rejection(.unknownField, "School has no such field", operation: 0, field: "x"), octets: Array(frame.utf8))
        return proposal
    }

    @discardableResult
    func mutate(
        _ home: Home, _ member: Identifier, _ operations: Operation..., mutation: Int64? = nil, client: Identifier? = nil,
        context: Context = .all
    ) throws -> Answer {
        try commit(proposal(home, member, operations, mutation: mutation, client: client, context: context))
    }

    @discardableResult
    func mutate(_ home: Home, _ member: Identifier, operations: [Operation]) throws -> Answer {
        try commit(proposal(home, member, operations))
    }

    func commit(_ proposal: Proposal) throws -> Answer {
        let answers = try commit([proposal])
        return try #require(answers.first)
    }

    func commit(_ proposals: [Proposal]) throws -> [Answer] {
        try Answer.gather(try store.commit(proposals))
    }

    // MARK: What is there

    /// A snapshot in the frames that a client gets.
    func frames(_ home: Home) throws -> Snapshot<[UInt8]> {
        try reader.snapshot(family: home.family) { ServerFrame.snapshot(sequence: $0.sequence, records: $0.records).encode() }
    }

    /// Every record of a snapshot, by id.
    func snapshot(_ home: Home) throws -> (sequence: Int64, records: [Identifier: Record]) {
        let snapshot = try frames(home)
        var records: [Identifier: Record] = [:]
        for frame in snapshot.parts {
            guard case .snapshot(let sequence, let chunk, _) = try decode(frame) else { throw Unexpected() }
            #expect(sequence == snapshot.sequence)
            for record in chunk { #expect(records.updateValue(record, forKey: record.id) == nil, "twice in a snapshot") }
        }
        return (snapshot.sequence, records)
    }

    /// A page as somebody sees it who looks at everyone's season.
    func page(_ home: Home, _ request: ListRequest, context: Context = .all) throws -> Result<Page, Rejection> {
        do {
            let query = try request.query(context: context)
            switch try reader.page(family: home.family, query, request) {
            case .failure(let rejection): return .failure(rejection)
            case .success(let page):
                guard case .page(let page) = try travelled(.page(page)) else { throw Unexpected() }
                return .success(page)
            }
        } catch let error as Rejection {
            return .failure(error)
        }
    }

    func record(_ home: Home, _ id: Identifier) throws -> Record {
        try #require(try snapshot(home).records[id])
    }

    /// The log from a sequence on.
    func log(_ home: Home, after: Int64 = 0) throws -> [Change] {
        try reader.changes(family: home.family, after: after, maxOctets: .max).frames.map { sequence, frame in
            guard case .change(let change) = try decode(frame) else { throw Unexpected() }
            #expect(change.sequence == sequence)
            return change
        }
    }

    /// How many rows a table has, on either engine.
    func count(_ table: String) throws -> Int {
        try memory.map { $0.committed.count(table) } ?? Int(try query("SELECT count(*) FROM \(table)"))
    }

    /// The result of one SQL query, on a connection of its own.
    func query(_ sql: String) throws -> Int64 {
        try Database(path: path, mode: .readOnly, vfs: vfs).prepare(sql).first { row throws(SQLiteError) in row.int64(0) } ?? -1
    }
}

extension World.Home {
    init(family: Identifier, member: Identifier) { self.init(family: family, parent: member) }
}

/// A test met what it did not prepare for.
struct Unexpected: Error {}

func decode(_ frame: [UInt8]) throws -> ServerFrame {
    if FrameSample.isDue, let problem = FrameCheck.problem(frame) { Issue.record("A frame of the store \(problem)") }
    return try frame.withUnsafeBytes { try ServerFrame.decode($0) }
}

/// A frame as a client reads it.
func travelled(_ frame: ServerFrame) throws -> ServerFrame { try decode(frame.encode()) }

/// The outcome of one proposal.
struct Answer {
    var frame: [UInt8]
    var ack: Ack?
    var rejection: Rejection?
    var change: Change?
    var committed: CommittedChange?

    /// The answers of one commit, in order.
    static func gather(_ results: [CommitResult]) throws -> [Answer] {
        var answers: [Answer] = []
        for result in results {
            switch result {
            case .receipt(let receipt):
                var answer = Answer(frame: receipt.frame)
                switch try decode(receipt.frame) {
                case .ack(let ack): answer.ack = ack
                case .reject(_, let rejection): answer.rejection = rejection
                default: throw Unexpected()
                }
                answers.append(answer)
            case .change(let committed):
                guard case .change(let change) = try decode(committed.frame) else { throw Unexpected() }
                #expect(change.sequence == committed.sequence)
                #expect(answers.last?.ack?.sequence == committed.sequence, "a change follows its own ack")
                answers[answers.count - 1].change = change
                answers[answers.count - 1].committed = committed
            }
        }
        return answers
    }

    var code: ErrorCode? { rejection?.code }
    var sequence: Int64? { ack?.sequence }
    var versions: [Int64] { ack?.records.map(\.version) ?? [] }
}

// MARK: Short ways to say operations

extension Kind {
    func field(_ name: String) -> Int {
        guard let index = declaration.index(of: name) else { preconditionFailure("no field \(name)") }
        return index
    }
}

func patch(_ kind: Kind, _ values: KeyValuePairs<String, Value?>) -> FieldPatch {
    FieldPatch(assignments: values.map { .init(field: kind.field($0.key), value: $0.value) }.sorted { $0.field < $1.field })
}

func create(_ kind: Kind, _ id: Identifier, athlete: Identifier? = nil, _ values: KeyValuePairs<String, Value?>) -> Operation {
    Operation(kind: kind, id: id, action: .create(athlete: athlete, patch: patch(kind, values)))
}

func update(
    _ kind: Kind, _ id: Identifier, base: Int64, merge: MergeMode = .none, _ values: KeyValuePairs<String, Value?>
) -> Operation {
    Operation(kind: kind, id: id, action: .update(base: base, merge: merge, patch: patch(kind, values)))
}

func editSet(
    _ kind: Kind, _ id: Identifier, base: Int64, _ field: String, add: [Identifier] = [], remove: [Identifier] = []
) -> Operation {
    let edit = FieldPatch.SetEdit(field: kind.field(field), add: add, remove: remove)
    return Operation(kind: kind, id: id, action: .update(base: base, merge: .none, patch: FieldPatch(setEdits: [edit])))
}

func delete(_ kind: Kind, _ id: Identifier, base: Int64) -> Operation { Operation(kind: kind, id: id, action: .delete(base: base)) }

func restore(_ kind: Kind, _ id: Identifier, base: Int64) -> Operation { Operation(kind: kind, id: id, action: .restore(base: base)) }

func message(_ id: Identifier, _ text: String) -> Operation { create(.message, id, ["text": .text(text)]) }

func school(_ id: Identifier, _ name: String) -> Operation { create(.school, id, ["name": .text(name)]) }

func coach(_ id: Identifier, _ first: String, _ last: String, role: String? = nil) -> Operation {
    create(.coach, id, ["first_name": .text(first), "last_name": .text(last), "role": role.map(Value.text)])
}

func camp(_ id: Identifier, athlete: Identifier? = nil, name: String = "Fall Camp", date: String = "2026-12-05") -> Operation {
    create(.event, id, athlete: athlete, ["type": .text("camp"), "name": .text(name), "start_date": .text(date)])
}


extension World {
    /// One round of what time has come for.
    @discardableResult
    func purge() throws -> Purged {
        guard case .purged(let purged) = try store.perform(.purge).0.get() else { throw Unexpected() }
        return purged
    }

    /// Changes the database behind the store's back, as purges and damage do, and opens it again.
    func damage(_ sql: String) throws {
        try Database(path: path, mode: .readWrite, vfs: vfs).execute(sql)
        try reopen()
    }

    /// A session for a member, and who they are by it.
    func signIn(_ member: Identifier) throws -> SignIn {
        guard case .token(let created) = try store.perform(.token(member: member)).0.get() else { throw Unexpected() }
        return try #require(try reader.signIn(token: created.token))
    }

    func join(_ home: Home, _ member: Identifier, cursor: Cursor? = nil) throws -> JoinAnswer {
        let person = try signIn(member).person
        return try reader.join(
            person: person, Join(family: home.family, client: Self.client(of: member), cursor: cursor))
    }
}
