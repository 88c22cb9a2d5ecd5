import Accounts
import Bytes
import CFaultVFS
import Crypto
import Family
import StoreMemory
import TestSupport
import Testing
import Wire

@testable import Store
@testable import StoreSQLite

/// One parent with a session, and their passkeys. No signature is checked here: that is done before the writer.
private struct Owner {
    let world: World
    let home: World.Home
    let mine: SignIn

    init(_ world: World) throws {
        self.world = world
        home = try world.home()
        mine = try world.signIn(home.parent)
    }

    static func passkey(_ number: UInt8, counter: UInt32 = 1) -> Passkey {
        Passkey(credential: [number, 1, 2, 3], algorithm: -8, key: [7, number], counter: counter)
    }

    func add(_ number: UInt8, _ name: String = "Phone", counter: UInt32 = 1, by session: Int64? = nil) throws -> Result<[AccountPasskey], Rejection> {
        try world.store.addPasskey(Self.passkey(number, counter: counter), name: name, by: session ?? mine.session)
    }

    func checked(_ number: UInt8, counter: UInt32) throws -> CheckedPasskey {
        let (row, _) = try #require(try world.reader.passkey(credential: [number, 1, 2, 3]))
        return CheckedPasskey(person: row.person, id: row.id, credential: row.credential, counter: counter)
    }

    func signIn(_ number: UInt8, counter: UInt32) throws -> Result<SessionMade, Rejection> {
        try world.store.signIn(try checked(number, counter: counter), NewSession(person: 0, kind: .browser))
    }

    func entries() throws -> [Audit.Entry] {
        try world.reader.reading {
            let key = try #require(try world.reader.engine.families.find(home.family)?.key)
            return try world.reader.engine.audits.entries(family: key, of: nil, before: .max, limit: 100).reversed().map(\.entry)
        }
    }
}

@Suite("Passkeys in the database: offered, added, used, named, removed", .bothEngines)
struct PasskeyTests {
    private let owner: Owner
    private var world: World { owner.world }

    init() throws { owner = try Owner(try World()) }

    /// SQL that makes a database of this program what the step before `passkeys` made.
    static let takenBack = """
        \(ReminderTests.takenBack)
        \(FamilyDeletionTests.takenBack)
        \(FeedTests.takenBack)
        \(MailAddressTests.takenBack)
        \(HostTests.takenBack)
        DROP INDEX IF EXISTS audit_refusals;
        DROP TRIGGER passkeys_of_person;
        DROP TABLE passkeys;
        ALTER TABLE people DROP COLUMN handle;
        """

    @Test("A person has one handle, of 32 random octets, and an offer names the passkeys that they have")
    func offer() throws {
        let first = try world.store.offerPasskey(by: owner.mine.session).get()
        #expect(first.handle.count == 32 && first.name == "Ana" && first.credentials.isEmpty)
        _ = try owner.add(1).get()
        let second = try world.store.offerPasskey(by: owner.mine.session).get()
        #expect(second.handle == first.handle && second.credentials == [[1, 1, 2, 3]])
        let other = try Owner(world)
        #expect(try world.store.offerPasskey(by: other.mine.session).get().handle != first.handle)
    }

    @Test("A passkey opens a session that counts as checked; its counter and the day of its use are kept over a restart")
    func signsIn() throws {
        _ = try owner.add(1, " Phone ").get()
        #expect(try world.reader.passkeys(ofPerson: owner.mine.person).map(\.name) == ["Phone"])
        #expect(try world.reader.passkeys(ofPerson: owner.mine.person).first?.usedOn == nil)
        let made = try owner.signIn(1, counter: 2).get()
        let signIn = try #require(try world.reader.signIn(token: made.token))
        #expect(signIn.person == owner.mine.person)
        #expect(try world.reader.accountState(ofPerson: signIn.person, session: signIn.session).confirmedUntil != nil)
        try world.reopen()
        let row = try #require(try world.reader.passkey(credential: [1, 1, 2, 3])).0
        #expect(row.counter == 2 && row.account.usedOn != nil)
        #expect(try owner.entries().map(\.act).suffix(2) == ["passkey_added", "signed_in"])
        #expect(try owner.entries().last?.detail == "passkey")
    }

    @Test("A counter that stays or falls when the answer comes to the writer is refused and entered, and opens nothing; 0 is not a counter")
    func counter() throws {
        _ = try owner.add(1).get()
        _ = try owner.add(2, "Without", counter: 0).get()
        let late = try owner.checked(1, counter: 5)
        _ = try owner.signIn(1, counter: 5).get()
        let sessions = try world.count("sessions")
        let new = NewSession(person: 0, kind: .browser)
        #expect(try world.store.signIn(late, new).failure == .passkeyRefused)
        for counter: UInt32 in [5, 4, 0] { #expect(try owner.signIn(1, counter: counter).failure?.code == .passkeyRefused) }
        #expect(try world.count("sessions") == sessions)
        let entry = try #require(try owner.entries().last)
        #expect(entry.act == "passkey_refused" && entry.detail == "counter" && entry.count == 4 && entry.author == .server)
        for _ in 0..<2 { _ = try owner.signIn(2, counter: 0).get() }
        #expect(try owner.signIn(1, counter: .max).failure == nil)
    }

    @Test("A passkey that was removed, of nobody and of somebody who left opens nothing")
    func gone() throws {
        let gus = try world.member(owner.home, .guest, name: "Gus")
        let guest = try world.signIn(gus)
        let list = try owner.add(3, by: guest.session).get()
        let checked = try owner.checked(3, counter: 2)
        try world.mutate(owner.home, owner.home.parent, delete(.member, gus, base: 1))
        #expect(try world.store.signIn(checked, NewSession(person: 0, kind: .browser)).failure?.code == .passkeyRefused)
        #expect(try world.store.removePasskey(list[0].id, by: owner.mine.session).failure?.code == .notFound)
        _ = try owner.add(1).get()
        let mine = try owner.checked(1, counter: 2)
        _ = try world.store.removePasskey(mine.id, by: owner.mine.session).get()
        #expect(try world.store.signIn(mine, NewSession(person: 0, kind: .browser)).failure?.code == .passkeyRefused)
        let foreign = CheckedPasskey(person: guest.person, id: mine.id, credential: mine.credential, counter: 9)
        #expect(try world.store.confirm(foreign, session: owner.mine.session).failure?.code == .passkeyRefused)
    }

    @Test("Adding, being offered one and removing need a check once the person has a passkey; a use of it is the check")
    func confirms() throws {
        let list = try owner.add(1).get()
        world.surroundings.now += 600_000
        #expect(try world.store.offerPasskey(by: owner.mine.session).failure?.code == .confirmFirst)
        #expect(try owner.add(2).failure?.code == .confirmFirst)
        #expect(try world.store.removePasskey(list[0].id, by: owner.mine.session).failure?.code == .confirmFirst)
        #expect(try world.store.renamePasskey(list[0].id, to: "Key", by: owner.mine.session).get().map(\.name) == ["Key"])
        let state = try world.store.confirm(try owner.checked(1, counter: 2), session: owner.mine.session).get()
        #expect(state.confirmedUntil == world.surroundings.now + 600_000)
        #expect(try world.store.removePasskey(list[0].id, by: owner.mine.session).get().passkeys.isEmpty)
        // Without a passkey and a password there is nothing to show.
        world.surroundings.now += 600_000
        _ = try owner.add(2).get()
    }

    @Test("A person has at most 20 passkeys; an identifier that is taken is refused; names follow the rules")
    func limits() throws {
        for number in 0..<20 { _ = try owner.add(UInt8(number), "Key \(number)").get() }
        #expect(try owner.add(20).failure?.code == .tooMany)
        #expect(try world.store.offerPasskey(by: owner.mine.session).failure?.code == .tooMany)
        let ids = try world.reader.passkeys(ofPerson: owner.mine.person).map(\.id)
        _ = try world.store.removePasskey(ids[3], by: owner.mine.session).get()
        #expect(try owner.add(4).failure?.code == .passkeyRefused)
        #expect(try owner.entries().last?.detail == "taken")
        for name in ["", "  ", String(repeating: "x", count: 61), "a\u{202E}b"] {
            #expect(try owner.add(30, name).failure?.field == "name", "\(name)")
        }
        let other = try Owner(world)
        #expect(try other.add(5).failure?.code == .passkeyRefused)
        #expect(try world.store.renamePasskey(ids[0], to: "Mine", by: other.mine.session).failure?.code == .notFound)
    }

    @Test("A new passkey ends the other sessions, and a token for a program may do nothing here")
    func sessions() throws {
        let token = try world.store.makeToken(
            NewToken(id: world.newID(), nonce: World.nonce(3), name: "Export", scope: .write, days: 9), by: owner.mine.session).get()
        let program = try #require(try world.reader.signIn(token: token.token))
        #expect(try owner.add(1, by: program.session).failure?.code == .notAllowed)
        #expect(try world.store.offerPasskey(by: program.session).failure?.code == .notAllowed)
        let other = try world.signIn(owner.home.parent)
        _ = try owner.add(1).get()
        #expect(try owner.add(2, by: other.session).failure?.code == .notSignedIn)
        #expect(try world.reader.signIn(token: token.token) == nil)
    }

    @Test("Refusals of one person, of one reason, within an hour are one entry with a count")
    func refusals() throws {
        let person = owner.mine.person
        for _ in 0..<3 {
            try world.store.noteRefusals([
                PasskeyRefusals(person: person, reason: .origin, count: 2), PasskeyRefusals(person: person, reason: .counter, count: 1),
            ])
        }
        let counts = try owner.entries().filter { $0.act == "passkey_refused" }.map { "\($0.detail ?? "") \($0.count)" }
        #expect(counts.sorted() == ["counter 3", "origin 6"])
        world.surroundings.now += Audit.failureWindow
        try world.store.noteRefusals([PasskeyRefusals(person: person, reason: .origin, count: 1)])
        #expect(try owner.entries().count { $0.act == "passkey_refused" } == 3)
    }

    @Test("The passkeys of a person go with the person; lists walk an index", .sqliteOnly("It is a trigger of its schema"))
    func schema() throws {
        _ = try owner.add(1).get()
        for (sql, index) in [
            (PeopleTable.personPasskeysQuery, "INDEX passkeys_by_person (person=?)"), (PeopleTable.passkeyQuery, "(credential=?)"),
            (AuditTable.refusalQuery, "INDEX audit_refusals (family=? AND about=? AND detail=? AND at>?)"),
        ] {
            let plan = try world.plan(sql)
            #expect(plan.contains(index) && !plan.contains("TEMP B-TREE"), "\(sql): \(plan)")
        }
        try world.damage("DELETE FROM people WHERE key = \(owner.mine.person)")
        #expect(try world.count("passkeys") == 0)
    }

    // MARK: Faults

    @Test("Whichever call of the engine fails, a passkey is added once, and a sign-in opens one session", arguments: [
        MemoryDatabase.Fault.again, .unknownAndDone, .unknownAndLost,
    ])
    func repeated(_ fault: MemoryDatabase.Fault) throws {
        var call = 1
        while true {
            let world = try World(inMemory: Surroundings())
            let owner = try Owner(world)
            let memory = try #require(world.memory)
            memory.fail(at: call, of: nil, fault)
            #expect(try owner.add(1).get().count == 1, "call \(call)")
            let sessions = try world.count("sessions")
            let made = try owner.signIn(1, counter: 2).get()
            #expect(try world.count("sessions") == sessions + 1 && world.count("passkeys") == 1, "call \(call)")
            #expect(try world.reader.signIn(token: made.token) != nil, "call \(call)")
            #expect(try owner.entries().count { $0.act == "passkey_refused" } == 0, "call \(call)")
            if memory.failures == 0 { break }
            call += 1
        }
        #expect(call > 10)
    }
}

@Suite("Passkeys on a disk that fails", .serialized)
struct PasskeyFaultTests {
    /// The answers that arrived, and what they promise.
    private struct Promises {
        var isAdded = false
        var isSignedIn = false

        /// - Throws: where the fault is final.
        mutating func run(_ owner: Owner) throws {
            if !isAdded, case .success = try owner.add(1) { isAdded = true }
            if isAdded, !isSignedIn, case .success = try owner.signIn(1, counter: 9) { isSignedIn = true }
        }

        func hold(in world: World, _ comment: Comment) throws {
            let found = try world.reader.passkey(credential: [1, 1, 2, 3])?.0
            #expect(!isAdded || found != nil, comment)
            #expect(!isSignedIn || found?.counter == 9, comment)
            guard let found else { return }
            #expect(try world.reader.reading { try world.reader.engine.people.hasCredential(person: found.person) }, comment)
            guard found.counter == 9 else { return }
            let checked = CheckedPasskey(person: found.person, id: found.id, credential: found.credential, counter: 9)
            #expect(try world.store.signIn(checked, NewSession(person: 0, kind: .browser)).failure?.code == .passkeyRefused, comment)
        }
    }

    @Test("After a kill or a power failure at any operation of adding and signing in, acknowledged passkeys and counters are there", arguments: [
        FAULTVFS_LOSE.rawValue, FAULTVFS_RANDOM.rawValue, FAULTVFS_KILL.rawValue,
    ])
    func killed(mode: UInt32) throws {
        let mode = faultvfs_mode(rawValue: mode)
        let disk = FaultDisk()
        var operation = 1
        while true {
            #expect(faultvfs_reset(disk.name) == 0)
            let surroundings = Surroundings()
            var promises = Promises()
            do {
                let owner = try Owner(try disk.world(surroundings))
                faultvfs_crash_at(disk.name, operation, mode, 15 &+ UInt64(operation))
                try? promises.run(owner)
            }
            let isLast = faultvfs_crashed(disk.name) == 0
            faultvfs_crash_now(disk.name, mode, 15 &+ UInt64(operation))
            #expect(faultvfs_restart(disk.name) == 0)
            try promises.hold(in: try disk.world(surroundings), "operation \(operation)")
            if isLast {
                #expect(promises.isAdded && promises.isSignedIn)
                break
            }
            operation += 1
        }
        #expect(operation > 4)
    }

    @Test("A full disk refuses adding and signing in as a whole, and both go when there is room")
    func full() throws {
        let disk = FaultDisk()
        var operation = 1
        while true {
            #expect(faultvfs_reset(disk.name) == 0)
            let owner = try Owner(try disk.world(Surroundings()))
            let before = faultvfs_failures(disk.name)
            faultvfs_fail_at(disk.name, operation, FaultTests.full, -1)
            var promises = Promises()
            try promises.run(owner)
            let isLast = faultvfs_failures(disk.name) == before
            #expect(isLast == promises.isSignedIn, "operation \(operation)")
            faultvfs_fail_at(disk.name, 0, FaultTests.full, 0)
            try promises.run(owner)
            #expect(promises.isAdded && promises.isSignedIn, "operation \(operation)")
            try promises.hold(in: owner.world, "operation \(operation)")
            if isLast { break }
            operation += 1
        }
        #expect(operation > 2)
    }

    @Test("After a failed write or sync nothing is promised that a restart does not find", arguments: [FaultTests.writeError, FaultTests.syncError])
    func failing(code: Int32) throws {
        let disk = FaultDisk()
        var operation = 1
        while true {
            #expect(faultvfs_reset(disk.name) == 0)
            let surroundings = Surroundings()
            var promises = Promises()
            var before = 0
            do {
                let owner = try Owner(try disk.world(surroundings))
                before = faultvfs_failures(disk.name)
                faultvfs_fail_at(disk.name, operation, code, 1)
                try? promises.run(owner)
            }
            let isLast = faultvfs_failures(disk.name) == before
            faultvfs_crash_now(disk.name, FAULTVFS_LOSE, 1)
            #expect(faultvfs_restart(disk.name) == 0)
            try promises.hold(in: try disk.world(surroundings), "operation \(operation)")
            if isLast {
                #expect(promises.isAdded && promises.isSignedIn)
                break
            }
            operation += 1
        }
        #expect(operation > 1)
    }
}
