import Bytes
import CFaultVFS
import Family
import SQLite
import Testing
import Wire

@testable import Store
@testable import StoreSQLite

@Suite("A code is dead once it was used, product.md (invites are single-use)", .bothEngines)
struct RedemptionTests {
    let world: World
    let home: World.Home
    let code: String

    private static let unknown = Rejection(.codeUnknown, ErrorCode.codeUnknown.sentence)
    private static let minute: Int64 = 60_000
    private let victim = World.nonce(1)
    private let stranger = World.nonce(2)

    init() throws {
        world = try World()
        home = try world.home()
        code = try #require(try world.invite(home, .guest, name: "Gus").code)
    }

    private func redeem(_ nonce: String) throws -> SessionCreated {
        #expect(try world.reader.refusal(ofCode: code, nonce: nonce) == nil)
        guard case .token(let created) = try world.store.perform(.redeem(code: code, nonce: nonce, name: "Gus")).0.get() else { throw Unexpected() }
        return created
    }

    /// The reader and the writer both answer as to a code that never was.
    private func expectUnknown(_ code: String, _ nonce: String, _ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation) throws {
        #expect(try world.reader.refusal(ofCode: code, nonce: nonce) == Self.unknown, comment, sourceLocation: location)
        #expect(
            try world.store.perform(.redeem(code: code, nonce: nonce, name: "Gus")).0 == .failure(Self.unknown), comment, sourceLocation: location)
    }

    @Test("P10 a code makes a session once; with the same nonce it makes another, and the first one ends")
    func repeats() throws {
        let first = try redeem(victim)
        #expect(first.token.utf8.count == 43)
        #expect(first.role == .guest)
        #expect(first.endedSession == nil)
        let signIn = try #require(try world.reader.signIn(token: first.token))
        #expect(signIn.isRedemptionOpen)
        let typed = code.lowercased().replacing("-", with: " ")
        guard case .token(let again) = try world.store.perform(.redeem(code: typed, nonce: victim, name: "gús")).0.get() else { throw Unexpected() }
        #expect(again.member == first.member)
        #expect(again.token != first.token)
        #expect(again.endedSession == signIn.session)
        #expect(try world.reader.signIn(token: first.token) == nil)
        #expect(try world.reader.signIn(token: again.token)?.person == signIn.person)
    }

    @Test("Nobody else opens a used code: neither by another nonce nor by the ids that changes show")
    func thief() throws {
        let created = try redeem(victim)
        try expectUnknown(code, stranger)
        try expectUnknown(code, "\(World.client(of: created.member))")
        try expectUnknown(code, "")
        #expect(try world.reader.signIn(token: created.token) != nil)
    }

    @Test("The first use of the token ends the repetition, also for the nonce's owner, and after a restart")
    func closes() throws {
        let created = try redeem(victim)
        let session = try #require(try world.reader.signIn(token: created.token)).session
        #expect(try world.store.closeRedemption(session: session) == nil)
        try expectUnknown(code, victim)
        try expectUnknown(code, stranger)
        let signIn = try #require(try world.reader.signIn(token: created.token))
        #expect(!signIn.isRedemptionOpen, "the writer is asked once")
        try world.reopen()
        try expectUnknown(code, victim)
        #expect(try world.reader.signIn(token: created.token)?.session == session)
    }

    @Test("Closing an ended session's redemption leaves that of the session in its place")
    func closesLate() throws {
        let first = try #require(try world.reader.signIn(token: try redeem(victim).token)).session
        let again = try redeem(victim)
        #expect(try world.store.closeRedemption(session: first) == nil)
        #expect(try world.reader.signIn(token: again.token)?.isRedemptionOpen == true)
        _ = try redeem(victim)
    }

    @Test("The repetition ends 10 minutes after the first redemption, also when it was repeated; the token stays good")
    func window() throws {
        _ = try redeem(victim)
        world.surroundings.now += 5 * Self.minute
        _ = try redeem(victim)
        world.surroundings.now += 5 * Self.minute - 1
        try world.reopen()
        let last = try redeem(victim)
        world.surroundings.now += 1
        try expectUnknown(code, victim)
        #expect(try world.reader.signIn(token: last.token) != nil)
    }

    @Test("The repetition ends with the code's 7 days")
    func lastMoment() throws {
        world.surroundings.now += 7 * Surroundings.day - 1
        _ = try redeem(victim)
        world.surroundings.now += 1
        try expectUnknown(code, victim)
    }

    @Test("A token that the operator made needs no closing")
    func operatorsToken() throws {
        guard case .token(let created) = try world.store.perform(.token(member: home.parent)).0.get() else { throw Unexpected() }
        #expect(try world.reader.signIn(token: created.token)?.isRedemptionOpen == false)
    }

    @Test("Codes that are unknown, mistyped, expired, used, or of a removed member get one answer, from the reader and the writer")
    func oneAnswer() throws {
        for typed in ["", "x", "00000-00000-00000-00000", String(repeating: "0", count: 21), code + "0"] { try expectUnknown(typed, victim, "\(typed)") }
        let removed = try world.invite(home, .athlete, name: "Rem", born: "2000-05-05")
        let used = try world.invite(home, .guest, name: "Ula")
        let usedCode = try #require(used.code)
        _ = try world.store.perform(.redeem(code: usedCode, nonce: victim, name: "Ula")).0.get()
        for guest in [removed, used] {
            try world.mutate(home, home.parent, delete(.member, guest.member, base: 1))
            try expectUnknown(try #require(guest.code), victim)
        }
        world.surroundings.now += 7 * Surroundings.day
        try expectUnknown(code, victim)
    }

    // MARK: The step from version 6

    /// A database of version 6 with a code that is open, one that was redeemed, and that one's session.
    private static func makeOld(_ path: String, vfs: String? = nil, open: String, used: String) throws {
        let database = try Database(path: path, mode: .readWriteCreate, vfs: vfs)
        try database.execute("PRAGMA journal_mode = WAL")
        try Schema.migrate(database, epoch: "e", at: 0, steps: Array(Schema.migrations.prefix(6)))
        try database.execute("INSERT INTO sessions (key, hash, person, created_at) VALUES (4, x'00', 1, 0)")
        for (key, code) in [open, used].enumerated() {
            let hash = try #require(InviteCode.hash(code))
            try database.execute(
                """
                INSERT INTO invites (key, hash, family, member, created_at, expires_at) VALUES (\(key), x'\(Hex.encode(hash))', 1, zeroblob(16), 0, 9000)
                """)
        }
        try database.execute("UPDATE invites SET redeemed_at = 5, redeemed_client = zeroblob(16), session = 4 WHERE key = 1")
    }

    private static let open = "00000-00000-00000-0000A"
    private static let used = "00000-00000-00000-0000B"

    @Test("A database from before keeps its open codes, and its used ones are dead, wherever the first start is killed", .sqliteOnly("It needs SQLite's file layer"))
    func migrates() throws {
        let disk = FaultDisk()
        let surroundings = Surroundings()
        surroundings.now = 100
        var operation = 1
        while true {
            #expect(faultvfs_reset(disk.name) == 0)
            try Self.makeOld("huddle.db", vfs: disk.name, open: Self.open, used: Self.used)
            faultvfs_crash_at(disk.name, operation, FAULTVFS_RANDOM, UInt64(operation))
            // Throws where the kill meets it.
            let isPast = disk.takesMoreThanOneStep(surroundings)
            let isLast = isPast || faultvfs_crashed(disk.name) == 0
            faultvfs_crash_now(disk.name, FAULTVFS_RANDOM, UInt64(operation))
            #expect(faultvfs_restart(disk.name) == 0)
            let world = try World(path: "huddle.db", vfs: disk.name, surroundings: surroundings)
            for nonce in [World.nonce(1), "\(Identifier(high: 0, low: 0))"] {
                #expect(try world.reader.refusal(ofCode: Self.open, nonce: nonce) == nil, "operation \(operation)")
                #expect(try world.reader.refusal(ofCode: Self.used, nonce: nonce) == Self.unknown, "operation \(operation)")
            }
            #expect(try world.query("SELECT count(*) FROM sessions") == 1, "operation \(operation)")
            if isLast { break }
            operation += 1
        }
        #expect(operation > 4)
    }
}
