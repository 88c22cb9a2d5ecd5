import Accounts
import Blobs
import Bytes
import CFaultVFS
import Crypto
import Family
import MemoryDisk
import Posix
import SQLite
import StoreMemory
import TestSupport
import Testing
import Wire

@testable import Store
@testable import StoreSQLite

/// A family with a secret in every place that takes a text, beside another family with one of the same people.
private struct DeletedFamily {
    static let secret = "Xylophone"

    let world: World
    let home: World.Home
    let other: World.Home
    let leo: Identifier
    let guest: Identifier
    let mine: SignIn
    let token: String
    let shareToken: String
    let inviteCode: String
    /// Of a member of both families.
    let both: SignIn

    init(_ world: World, other: World.Home? = nil, rounds: Int = 1) throws {
        self.world = world
        let secret = Self.secret
        self.other = try other ?? world.home("Birch")
        home = try world.home("The \(secret)s")
        leo = try world.athlete(home, name: "\(secret) Leo")
        guest = try world.member(home, .guest, name: "\(secret) Gus")
        mine = try world.signIn(home.parent)
        var text: Value { .text("\(secret) \(String(repeating: "wood ", count: 40))") }
        let (school, coach, event, trip) = (world.newID(), world.newID(), world.newID(), world.newID())
        let made = try world.mutate(
            home, home.parent, StoreTests.school(school, "\(secret) College"), StoreTests.coach(coach, secret, "Smith"),
            create(.event, event, athlete: leo, ["type": .text("camp"), "name": text, "start_date": .text("2026-12-05"), "description": text]),
            create(.trip, trip, ["name": text, "start_date": .text("2026-12-05"), "end_date": .text("2026-12-06"), "notes": text]),
            create(
                .metric, world.newID(), athlete: leo, ["metric_type": .text("other"), "value": .text("1"), "label": .text(secret), "unit": .text("m")]),
            create(
                .interaction, world.newID(), athlete: leo,
                ["interaction_type": .text("email"), "direction": .text("outbound"), "content": text, "school_id": .reference(school)]),
            create(.tripItem, world.newID(), ["trip_id": .reference(trip), "title": .text(secret), "start_time": .text("2026-12-05T10:00"), "description": text]),
            message(world.newID(), "\(secret) said hello"))
        #expect(made.code == nil, "\(String(describing: made.rejection))")
        // Old versions, tombstones and rows that grew, which SQLite moves from page to page.
        for round in 0..<rounds {
            var last: [(Identifier, Int64)] = []
            for number in 0..<12 {
                let id = world.newID()
                try world.mutate(home, home.parent, StoreTests.school(id, "\(secret) \(round)-\(number)"))
                try world.mutate(
                    home, home.parent,
                    update(.school, id, base: 1, ["notes": .text(String(repeating: "\(secret) ", count: 5 + 37 * number))]))
                try world.mutate(self.other, self.other.parent, StoreTests.school(world.newID(), "Birch \(round)-\(number)"))
                last.append((id, 2))
            }
            for (id, base) in last.prefix(4) { try world.mutate(home, home.parent, delete(.school, id, base: base)) }
        }
        let document = world.newID()
        try world.add(world.document(home, leo, id: document, title: "\(secret) transcript"))
        shareToken = try world.store.share(
            NewShare(family: home.family, member: home.parent, document: document, school: school, life: nil)).0.get().token
        var notes = UsageNotes()
        notes.add(AccessNote(family: home.family, athlete: leo, member: guest, subject: .context), at: 0)
        if let link = try world.reader.share(token: shareToken)?.link {
            notes.add(ShareVisit(family: home.family, link: link, what: .page), at: 0)
        }
        try world.store.write(notes, now: 0)
        let cost = try #require(PasswordHash.Cost(memory: 64, passes: 1, lanes: 1))
        let hash = try #require(PasswordHash.make(Array("correct horse".utf8), salt: [UInt8](repeating: 7, count: 16), cost: cost))
        _ = try world.store.setPassword(try SignInName("\(secret).ana"), hash, by: mine.session).get()
        _ = try world.store.makeRecoveryCodes(by: mine.session).get()
        _ = try world.store.addPasskey(
            Passkey(credential: Array(secret.utf8), algorithm: -8, key: Array(secret.utf8), counter: 1), name: "\(secret) phone", by: mine.session).get()
        // A new password ends what the person had before.
        token = try world.store.makeToken(
            NewToken(id: world.newID(), nonce: World.nonce(3), name: "\(secret) export", scope: .read, days: 365, athletes: []), by: mine.session).get().token
        let invited = NewInvite(family: home.family.description, name: "\(secret) Ruth", role: .guest, email: "\(secret)@example.org", by: home.parent)
        inviteCode = try #require(try world.store.perform(.make(invited)).0.get().code)
        both = try Self.join(world, home, self.other)
    }

    /// A person who is a guest in both families.
    private static func join(_ world: World, _ home: World.Home, _ other: World.Home) throws -> SignIn {
        let there = try world.signIn(try world.member(other, .guest, name: "Kim"))
        let invite = NewInvite(family: home.family.description, name: "Kim", role: .guest, by: home.parent)
        let code = try #require(try world.store.perform(.make(invite)).0.get().code)
        _ = try world.store.join(code: code, nonce: World.nonce(5), name: "Kim", session: there.session).0.get()
        return there
    }

    /// Octets in which nothing of the family may be left, in either case.
    static var traces: [[UInt8]] { [secret, secret.lowercased()].map { Array($0.utf8) } }

    func request() throws -> FamilyDeletion {
        let (answer, _) = try world.ask(.request(name: " the  XYLOPHONES "), home, mine.session)
        return try #require(try answer.get())
    }
}

extension World {
    fileprivate func ask(
        _ act: DeletionRequest.Act, _ home: Home, _ session: Int64, by member: Identifier? = nil
    ) throws -> (Result<FamilyDeletion?, Rejection>, [CommitResult]) {
        try store.perform(DeletionCommand(act, family: home.family, by: .member(member ?? home.parent, session: session)))
    }

    /// The rows of every table that belongs to a family or to its people, but the trace that stays.
    fileprivate func rows() throws -> [String: Int] {
        let tables = FamilyTable.erasedTables.filter { $0 != "outlines" } + ["families", "memberships", "codes", "invites", "sessions", "credentials", "passkeys"]
        return Dictionary(uniqueKeysWithValues: try tables.map { ($0, try count($0)) })
    }
}

@Suite("Deleting a family: request, 14 days, erasure", .bothEngines)
struct FamilyDeletionTests {
    let world: World

    init() throws { world = try World() }

    /// SQL that makes a database of this program what the step before `familyDeletion` made.
    static let takenBack = """
        DROP INDEX families_by_deletion;
        ALTER TABLE families DROP COLUMN deletion_due;
        ALTER TABLE families DROP COLUMN deletion_at;
        ALTER TABLE families DROP COLUMN deletion_by;
        DROP TABLE erasures;
        """

    @Test("A parent asks, every member sees the day in the family's record, and another parent takes it back; both can be repeated")
    func request() throws {
        let home = try world.home("Rivera", zone: "Pacific/Auckland")
        let ben = try world.member(home, .parent, name: "Ben")
        let (ana, bens) = (try world.signIn(home.parent), try world.signIn(ben))
        let (answer, changes) = try world.ask(.request(name: "RIVERA"), home, ana.session)
        let deletion = try #require(try answer.get())
        #expect(deletion == FamilyDeletion(requestedAt: world.surroundings.now, by: home.parent, dueAt: world.surroundings.now + 14 * Surroundings.day))
        guard case .change(let change)? = changes.first else { throw Unexpected() }
        #expect(changes.count == 1 && change.change.member == home.parent)
        // 12:00 UTC on the 21st of November is the 22nd in Auckland.
        #expect(try world.record(home, home.family).fields.text("deletion_date") == "2026-12-06")
        #expect(try world.log(home).last == change.change)
        world.surroundings.now += Surroundings.day
        let again = try world.ask(.request(name: "Rivera"), home, bens.session, by: ben)
        #expect(try again.0.get() == deletion && again.1.isEmpty)
        #expect(try world.ask(.show, home, bens.session, by: ben).0.get() == deletion)
        #expect(try world.reader.deletion(of: home.family) == deletion)
        let kept = try world.ask(.withdraw, home, bens.session, by: ben)
        #expect(try kept.0.get() == nil && kept.1.count == 1)
        #expect(try world.record(home, home.family).fields.text("deletion_date") == nil)
        #expect(try world.ask(.withdraw, home, bens.session, by: ben).1.isEmpty)
        let acts = try world.stored { try $0.audits.entries(family: 1, of: nil, before: .max, limit: 2).map(\.entry) }
        #expect(acts.map(\.act) == ["deletion_withdrawn", "deletion_requested"] && acts.map(\.author) == [.member(ben), .member(home.parent)])
        world.surroundings.now += 30 * Surroundings.day
        try world.purge()
        #expect(try world.count("families") == 1 && world.count("erasures") == 0)
    }

    @Test("Only parents ask and withdraw, with the family's name, in a session that is their own, and checked within 10 minutes if it can be")
    func rights() throws {
        let doomed = try DeletedFamily(world)
        let home = doomed.home
        func code(_ act: DeletionRequest.Act, _ session: Int64, by member: Identifier? = nil, in family: World.Home? = nil) throws -> ErrorCode? {
            try world.ask(act, family ?? home, session, by: member).0.failure?.code
        }
        let name = DeletionRequest.Act.request(name: "The Xylophones")
        #expect(try code(name, doomed.mine.session) == nil)
        #expect(try code(.withdraw, doomed.mine.session) == nil)
        for wrong in ["", "Xylophones", "The Xylophones!", "Birch"] {
            let refused = try world.ask(.request(name: wrong), home, doomed.mine.session).0.failure
            #expect(refused?.code == .invalid && refused?.field == "name")
        }
        let gus = try world.signIn(doomed.guest)
        for act in [name, .withdraw] {
            #expect(try code(act, gus.session, by: doomed.guest) == .notAllowed)
            #expect(try code(act, doomed.mine.session, by: doomed.guest) == .notFound, "the session of somebody else")
            #expect(try code(act, doomed.mine.session, in: doomed.other) == .notFound, "a stranger")
            #expect(try code(act, 99_999) == .notSignedIn)
            let token = try #require(try world.reader.signIn(token: doomed.token))
            #expect(try code(act, token.session) == .notAllowed)
        }
        #expect(try code(.show, gus.session, by: doomed.guest) == nil)
        world.surroundings.now += 600_000
        #expect(try code(name, doomed.mine.session) == .confirmFirst)
        #expect(try code(.withdraw, doomed.mine.session) == nil, "keeping needs no check")
        #expect(try world.store.recordCheck(session: doomed.mine.session) == nil)
        #expect(try code(name, doomed.mine.session) == nil)
    }

    @Test("No mutation writes the day, and no undo touches it")
    func serverOnly() throws {
        let home = try world.home()
        let ana = try world.signIn(home.parent)
        #expect(try world.mutate(home, home.parent, update(.family, home.family, base: 1, ["deletion_date": .text("2030-01-01")])).code != nil)
        let (_, changes) = try world.ask(.request(name: "Rivera"), home, ana.session)
        guard case .change(let change)? = changes.first else { throw Unexpected() }
        var undo = world.proposal(home, home.parent, [])
        undo.mutation.body = .undo(sequence: change.sequence)
        #expect(try world.commit(undo).code == .notUndoable)
        #expect(try world.mutate(home, home.parent, update(.family, home.family, base: 2, ["name": .text("Rivers")])).code == nil)
        #expect(try world.record(home, home.family).fields.text("deletion_date") == "2026-12-05")
    }

    @Test("The host asks and withdraws without a session; the family's own id stands for the host")
    func host() throws {
        let home = try world.home()
        let (answer, changes) = try world.store.perform(DeletionCommand(.request(name: "Rivera"), family: home.family, by: .host))
        guard case .change(let change)? = changes.first else { throw Unexpected() }
        #expect(try answer.get()?.by == nil && change.change.member == home.family)
        #expect(try world.store.perform(DeletionCommand(.withdraw, family: home.family, by: .host)).1.count == 1)
        #expect(try world.stored { try $0.audits.entries(family: 1, of: nil, before: .max, limit: 2).map(\.entry.author) } == [.host, .host])
        #expect(try world.store.perform(DeletionCommand(.withdraw, family: world.newID(), by: .host)).0.failure?.code == .notFound)
    }

    @Test("At the end of 14 days nothing of the family opens, its rows go, and so do people who are in no other family; others stay as they are")
    func erases() throws {
        let birch = try world.home("Birch")
        try world.mutate(birch, birch.parent, message(world.newID(), "Hello"))
        let before = try world.rows()
        let doomed = try DeletedFamily(world, other: birch, rounds: 2)
        let deletion = try doomed.request()
        let log = try world.log(birch)
        world.surroundings.now = deletion.dueAt - 1
        try world.purge()
        #expect(try world.reader.signIn(token: doomed.token) != nil && world.count("families") == 2)
        let position = try world.stored { try $0.log.newestPosition() }
        world.surroundings.now += 1
        _ = world.store.takeEndedSessions()
        try world.purge()
        #expect(try world.count("families") == 1)
        #expect(Set(world.store.takeEndedSessions()).contains(doomed.mine.session))
        #expect(world.store.takeNotices().contains(.erased(doomed.home.family)))
        #expect(try world.reader.signIn(token: doomed.token) == nil)
        #expect(try world.reader.share(token: doomed.shareToken) == nil)
        #expect(try world.store.perform(.redeem(code: doomed.inviteCode, nonce: World.nonce(9), name: "Xylophone Ruth")).0.failure?.code == .codeUnknown)
        #expect(try world.mutate(doomed.home, doomed.home.parent, message(world.newID(), "Hello?")).code == .notFound)
        // The person of both families keeps the session and the other family.
        #expect(try world.stored { try $0.people.memberships(ofPerson: doomed.both.person).map(\.familyID) } == [birch.family])
        #expect(try world.stored { try $0.people.hasSession(key: doomed.both.session) })
        #expect(try world.log(birch) == log)
        for (table, count) in before {
            let left = try world.rows()[table] ?? 0
            switch table {
            // Changes of the other family in the meantime, and its guest.
            case "records", "log", "history", "receipts", "audit", "memberships", "sessions", "invites", "codes", "clients": continue
            default: #expect(left == count, "\(table)")
            }
        }
        for table in ["records", "log", "history", "audit"] where world.memory == nil {
            #expect(try world.query("SELECT count(*) FROM \(table) WHERE family <> 1") == 0, "\(table)")
        }
        #expect(try world.count("erasures") == 1 && world.reader.erasures(all: true).map(\.state) == [.files])
        #expect(try world.stored { try $0.log.newestPosition() } >= position, "no position is given twice")
        guard case .page(let page) = try world.reader.follow(after: 0) else { throw Unexpected() }
        #expect(page.reachedEnd && page.items.allSatisfy { item in if case .change(let change) = item { change.family == birch.family } else { false } })
        // The key is never given again, also to a family that is made now.
        let next = try world.home("Maple")
        #expect(try world.stored { try $0.families.find(next.family)?.key } == 3)
        let erasure = try #require(try world.reader.erasures(all: false).first)
        #expect(try world.store.didEraseFiles(erasure))
        #expect(try world.reader.erasures(all: false).isEmpty && world.reader.erasures(all: true).first?.endedAt == world.surroundings.now)
    }

    @Test("A restart between any two portions continues, and the family never comes back")
    func portions() throws {
        let doomed = try DeletedFamily(world, rounds: 4)
        world.surroundings.now = try doomed.request().dueAt
        var portions = 0
        var isGone = false
        while try world.reader.erasures(all: true).first?.state != .files {
            let portion = try world.store.maintain()
            portions += 1
            if try !world.reader.erasures(all: true).isEmpty { isGone = true }
            let found = try world.stored { try $0.families.find(doomed.home.family) }
            #expect(isGone == (found == nil))
            // A start begins a round again, so it takes some portions to come to the next one of the erasure.
            if portion.isFinished || portions % 12 == 0 { try world.reopen() }
            try #require(portions < 2_000)
        }
        #expect(try world.count("families") == 1)
        #expect(portions > 20)
    }

    @Test("A transaction whose COMMIT has no answer, or that has to run again, leaves the same", arguments: [
        MemoryDatabase.Fault.again, .unknownAndDone, .unknownAndLost,
    ])
    func unknown(fault: MemoryDatabase.Fault) throws {
        guard let memory = world.memory else { return }
        let home = try world.home()
        let ana = try world.signIn(home.parent)
        memory.fail(at: 1, of: .commit, fault)
        let (answer, changes) = try world.ask(.request(name: "Rivera"), home, ana.session)
        #expect(try answer.get() != nil && changes.count == 1)
        world.surroundings.now = try #require(try world.reader.deletion(of: home.family)).dueAt
        for commit in 1...12 {
            memory.fail(at: commit, of: .commit, fault)
            try world.purge()
        }
        #expect(try world.count("families") == 0 && world.count("memberships") == 0 && world.count("records") == 0)
    }

    @Test("An import of the family is refused while it is erased, and afterwards brings the family without the request")
    func importsAgain() throws {
        let home = try world.home()
        let ana = try world.signIn(home.parent)
        try world.mutate(home, home.parent, message(world.newID(), "Hello"))
        let deletion = try #require(try world.ask(.request(name: "Rivera"), home, ana.session).0.get())
        let folder = try TemporaryFolder()
        let path = folder.path + "/family.tar"
        let blobs = BlobFolder(path: folder.path + "/blobs")
        let written = try Files.create(path)
        let manifest = try world.reader.export(home.family, to: written.raw, blobs: blobs, isPrivate: true).get()
        func load() throws -> Result<(ArchiveManifest, ImportOutcome), ArchiveError> {
            let file = try Files.openForReading(path)
            return try FamilyArchive.read(file.raw, reader: world.reader, blobs: blobs) { step throws(ArchiveError) in
                let refusal: Rejection?
                do throws(StoreFailure) { refusal = try world.store.perform(step) } catch { throw .stopped }
                if let refusal { throw .refused(refusal) }
            }
        }
        world.surroundings.now = deletion.dueAt
        try world.purge()
        let refused = try load().failure
        #expect(refused?.rejection.code == .busy, "\(String(describing: refused))")
        let erasure = try #require(try world.reader.erasures(all: false).first)
        #expect(try world.store.didEraseFiles(erasure))
        #expect(try load().get().1 == .imported)
        #expect(try world.record(home, home.family).fields.text("deletion_date") == nil)
        #expect(try world.reader.deletion(of: home.family) == nil)
        let last = try #require(try world.log(home).last)
        #expect(last.sequence == manifest.head + 1 && last.member == home.family)
        #expect(try world.openCheck().run(blobs: blobs, uploads: UploadFolder(path: folder.path + "/uploads"), isDeep: true, now: world.surroundings.now).findings == [])
        world.surroundings.now += 30 * Surroundings.day
        try world.purge()
        #expect(try world.count("families") == 1)
    }
}

/// `HUDDLE_SWEEP=all` kills at every operation; otherwise at about twelve of each mode.
@Suite("Nothing of an erased family is left in any file of the database")
struct ErasedOctetsTests {
    /// Files of a disk, by name, with the traces that are in them.
    private static func traces(_ files: [String: [UInt8]]) -> [String] {
        files.filter { file in DeletedFamily.traces.contains { file.value.holds($0) } }.keys.sorted()
    }

    private static func files(in folder: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try Files.list(folder) where name.hasPrefix("huddle.db") { files[name] = try Files.read("\(folder)/\(name)") }
        return files
    }

    @Test("After the erasure no file has an octet of it, although SQLite moved its rows, and the check finds nothing")
    func searches() throws {
        let folder = try TemporaryFolder()
        let surroundings = Surroundings()
        let path = DataFolder.databasePath(in: folder.path)
        let world = try World(path: path, vfs: nil, surroundings: surroundings)
        let doomed = try DeletedFamily(world, rounds: 12)
        #expect(try !Self.traces(Self.files(in: folder.path)).isEmpty)
        surroundings.now = try doomed.request().dueAt
        try world.purge()
        #expect(try world.reader.erasures(all: true).map(\.state) == [.files])
        #expect(try Self.traces(Self.files(in: folder.path)) == [])
        let blobs = BlobFolder(path: "/data/blobs", disk: MemoryDisk(root: "/data"))
        let uploads = UploadFolder(path: "/data/uploads", disk: MemoryDisk(root: "/data"))
        try uploads.prepare()
        #expect(try world.openCheck().run(blobs: blobs, uploads: uploads, isDeep: true, now: surroundings.now).findings == [])
        // Changes continue in pages that the writer had in its memory before.
        for number in 0..<50 { try world.mutate(doomed.other, doomed.other.parent, StoreTests.school(world.newID(), "Maple \(number)")) }
        #expect(try world.store.truncateLog())
        #expect(try Self.traces(Self.files(in: folder.path)) == [])
        try world.reopen()
        #expect(try world.snapshot(doomed.other).records.count > 50)
    }

    @Test("A reader that holds a snapshot lets scrubbing wait, for a round at most, and it continues afterwards")
    func waits() throws {
        let folder = try TemporaryFolder()
        let surroundings = Surroundings()
        let world = try World(path: DataFolder.databasePath(in: folder.path), vfs: nil, surroundings: surroundings)
        let doomed = try DeletedFamily(world)
        surroundings.now = try doomed.request().dueAt
        let reader = try Database(path: world.path, mode: .readOnly)
        try reader.execute("BEGIN; SELECT count(*) FROM records")
        try world.purge()
        #expect(try world.reader.erasures(all: true).map(\.state) == [.pages])
        try reader.execute("COMMIT")
        try world.purge()
        #expect(try world.reader.erasures(all: true).map(\.state) == [.files])
    }

    @Test("Killed or without power anywhere in the erasure, the next start finishes it and other families are whole", arguments: [
        FAULTVFS_LOSE, FAULTVFS_RANDOM, FAULTVFS_KILL,
    ])
    func killed(mode: faultvfs_mode) throws {
        let disk = FaultDisk()
        let surroundings = Surroundings()
        /// The families of the start, with the erasure due.
        func prepare() throws -> (World, DeletedFamily) {
            surroundings.random = SplitMix64(seed: 1)
            surroundings.now = Surroundings().now
            let world = try disk.world(surroundings)
            let doomed = try DeletedFamily(world)
            surroundings.now = try doomed.request().dueAt
            return (world, doomed)
        }
        let total = try {
            let (world, _) = try prepare()
            let start = faultvfs_operations(disk.name)
            try world.purge()
            return Int(faultvfs_operations(disk.name) - start)
        }()
        #expect(total > 40)
        let step = Environment.value("HUDDLE_SWEEP") == "all" ? 1 : max(total / 12, 1)
        for operation in stride(from: 1 + Int(mode.rawValue) * step / 4, through: total, by: step) {
            #expect(faultvfs_reset(disk.name) == 0)
            let (birch, home, log) = try {
                let (world, doomed) = try prepare()
                let log = try world.log(doomed.other)
                faultvfs_crash_at(disk.name, operation, mode, UInt64(operation))
                // Throws where the kill meets it.
                _ = try? world.purge()
                return (doomed.other, doomed.home, log)
            }()
            faultvfs_crash_now(disk.name, mode, UInt64(operation))
            #expect(faultvfs_restart(disk.name) == 0, "operation \(operation)")
            let world = try disk.world(surroundings)
            try world.purge()
            #expect(try world.reader.erasures(all: true).map(\.state) == [.files], "operation \(operation)")
            #expect(try world.log(birch) == log && world.stored { try $0.families.find(home.family) } == nil, "operation \(operation)")
            #expect(try world.openCheck().run(
                blobs: BlobFolder(path: "/data/blobs", disk: MemoryDisk(root: "/data")),
                uploads: UploadFolder(path: "/data/uploads", disk: MemoryDisk(root: "/data")), isDeep: false, now: surroundings.now).findings == [])
            // A copy has every page as it is, free space included.
            let folder = try TemporaryFolder()
            _ = try StoreCopy.make(of: "huddle.db", at: folder.path + "/huddle.db", vfs: (disk.name, nil))
            #expect(try Self.traces(Self.files(in: folder.path)) == [], "operation \(operation)")
        }
    }

    @Test("A full disk, or a write that fails, loses nothing: the erasure continues when there is room again")
    func full() throws {
        let disk = FaultDisk()
        let surroundings = Surroundings()
        let world = try disk.world(surroundings)
        let doomed = try DeletedFamily(world)
        surroundings.now = try doomed.request().dueAt
        for operation in 1..<12 {
            faultvfs_fail_at(disk.name, operation, FaultTests.full, 1)
            try world.purge()
        }
        faultvfs_fail_at(disk.name, 0, FaultTests.full, 0)
        try world.purge()
        #expect(try world.reader.erasures(all: true).map(\.state) == [.files])
    }
}
