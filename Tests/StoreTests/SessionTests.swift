import Bytes
import CFaultVFS
import Dates
import Family
import SQLite
import TestSupport
import Testing
import Wire

@testable import Store
@testable import StoreSQLite

@Suite("Sessions of an account: named, listed, ended, bounded, and their checks", .bothEngines)
struct SessionTests {
    let world: World
    let home: World.Home

    init() throws {
        world = try World()
        home = try world.home()
    }

    // MARK: Short words

    private func token(_ member: Identifier? = nil) throws -> String {
        guard case .token(let created) = try world.store.perform(.token(member: member ?? home.parent)).0.get() else { throw Unexpected() }
        return created.token
    }

    private func signIn(_ token: String) throws -> SignIn { try #require(try world.reader.signIn(token: token)) }

    private func listed(_ signIn: SignIn) throws -> [AccountSession] { try world.reader.sessions(ofPerson: signIn.person, current: signIn.session) }

    /// - Returns: why it was refused; `nil` when it was done.
    private func end(_ signIn: SignIn, _ choice: SessionsEnd.Choice) throws -> Rejection? {
        try world.store.revoke([.sessions(SessionsEnd(session: signIn.session, choice))])[0]
    }

    private func code<Value>(_ result: Result<Value, Rejection>) -> ErrorCode? { if case .failure(let rejection) = result { rejection.code } else { nil } }

    // MARK: Lists and names

    @Test("A person sees their own sessions alone, with kind, name and days; the one that asks is marked")
    func lists() throws {
        let first = try signIn(try token())
        world.surroundings.now += 3 * Surroundings.day
        let made = try world.store.openSession(beside: first.session, kind: .browser, name: "Ana's phone").get()
        let stranger = try signIn(try token(try world.member(home, .guest, name: "Gus")))
        let second = try signIn(made.token)
        let sessions = try listed(second)
        #expect(sessions.count == 2)
        let browser = try #require(sessions.first { $0.id == made.id })
        #expect(browser.kind == .browser && browser.name == "Ana's phone" && browser.isCurrent && browser.scope == nil)
        #expect("\(browser.createdOn)" == "2026-11-24" && browser.usedOn == browser.createdOn && browser.endsOn.days - browser.createdOn.days == 400)
        let terminal = try #require(sessions.first { $0.id != made.id })
        #expect(terminal.kind == .terminal && terminal.name.isEmpty && !terminal.isCurrent && "\(terminal.createdOn)" == "2026-11-21")
        #expect(try listed(stranger).count == 1)
        #expect(second.person == first.person && stranger.person != first.person)
    }

    @Test("A session is renamed by its person alone; a name is short and shown")
    func renames() throws {
        let mine = try signIn(try token())
        let id = try listed(mine)[0].id
        #expect(try world.store.renameSession(id, to: "  Kitchen  ", by: mine.session).get().map(\.name) == ["Kitchen"])
        for (name, expected) in [("", ErrorCode.required), ("   ", .required), (String(repeating: "a", count: 61), .tooLong), ("a\u{1}b", .invalid), ("a\u{202E}b", .invalid)] {
            #expect(code(try world.store.renameSession(id, to: name, by: mine.session)) == expected, "\(name)")
        }
        #expect(try world.store.renameSession(id, to: String(repeating: "ü", count: 60), by: mine.session).get().count == 1)
        let stranger = try signIn(try token(try world.member(home, .guest, name: "Gus")))
        #expect(code(try world.store.renameSession(id, to: "Mine now", by: stranger.session)) == .notFound)
        #expect(code(try world.store.renameSession(world.newID(), to: "Nobody's", by: mine.session)) == .notFound)
        #expect(code(try world.store.renameSession(id, to: "Late", by: 99_999)) == .notSignedIn)
    }

    // MARK: Ends

    @Test("A session ends by its id; another person's does not; the keys of ended sessions are handed over once")
    func endsOne() throws {
        let mine = try signIn(try token()), other = try token()
        let stranger = try signIn(try token(try world.member(home, .guest, name: "Gus")))
        let target = try #require(try listed(mine).first { !$0.isCurrent })
        #expect(try end(stranger, .one(target.id))?.code == .notFound)
        #expect(try world.reader.signIn(token: other) != nil)
        let key = try signIn(other).session
        #expect(try end(mine, .one(target.id)) == nil)
        #expect(try world.reader.signIn(token: other) == nil)
        #expect(world.store.takeEndedSessions() == [key])
        #expect(world.store.takeEndedSessions() == [])
        #expect(try end(mine, .one(target.id))?.code == .notFound, "an ended session is a session of nobody")
    }

    @Test("All others end in one transaction, and nothing of other people does; a session that has ended ends nothing")
    func endsOthers() throws {
        let mine = try signIn(try token())
        let others = try (0..<3).map { _ in try token() }
        let keys = Set(try others.map { try signIn($0).session })
        let stranger = try token(try world.member(home, .guest, name: "Gus"))
        #expect(try end(mine, .others) == nil)
        #expect(Set(world.store.takeEndedSessions()) == keys)
        #expect(try others.allSatisfy { try world.reader.signIn(token: $0) == nil })
        #expect(try listed(mine).map(\.isCurrent) == [true])
        #expect(try world.reader.signIn(token: stranger) != nil)
        #expect(try end(mine, .others) == nil, "with nobody else it does nothing")
        #expect(try world.store.revoke([.session(mine.session)]) == [nil])
        let again = try token()
        #expect(try end(mine, .others)?.code == .notSignedIn)
        #expect(try world.reader.signIn(token: again) != nil)
    }

    @Test("A person of before with very many sessions can end them all")
    func endsMany() throws {
        let mine = try signIn(try token())
        _ = try world.store.account { _ in
            let row = try #require(try world.store.people.session(key: mine.session))
            for number in 0..<400 {
                var row = row
                row.id = world.newID()
                _ = try world.store.people.addSession(row, hash: Array("\(number)".utf8))
            }
        }.get()
        #expect(try end(mine, .others) == nil)
        #expect(try world.count("sessions") == 1)
    }

    @Test("The hundred-and-first session ends the one that nobody used for the longest time, not the newest")
    func bounded() throws {
        var tokens: [String] = []
        for _ in 0..<AccountSession.most {
            tokens.append(try token())
            world.surroundings.now += 1_000
        }
        try world.store.renew(sessions: [try signIn(tokens[0]).session])
        _ = world.store.takeEndedSessions()
        let second = try signIn(tokens[1]).session
        let last = try token()
        #expect(world.store.takeEndedSessions() == [second])
        #expect(try world.reader.signIn(token: tokens[0]) != nil && world.reader.signIn(token: tokens[1]) == nil)
        #expect(try listed(try signIn(last)).count == AccountSession.most)
    }

    @Test("On a device that is not the person's a session ends after 24 hours, in use or not")
    func brief() throws {
        let mine = try signIn(try token())
        let made = try world.store.openSession(beside: mine.session, kind: .browser, isBrief: true).get()
        world.surroundings.now += 86_400_000 - 1
        try world.store.renew(sessions: [try signIn(made.token).session])
        #expect(try world.reader.signIn(token: made.token) != nil)
        world.surroundings.now += 1
        #expect(try world.reader.signIn(token: made.token) == nil)
        #expect(try world.purge().sessions == 1)
    }

    @Test("A session that has ended makes no other")
    func endedMakesNothing() throws {
        let mine = try signIn(try token())
        #expect(try world.store.revoke([.session(mine.session)]) == [nil])
        #expect(code(try world.store.openSession(beside: mine.session, kind: .browser)) == .notSignedIn)
        let other = try signIn(try token())
        world.surroundings.now += 91 * Surroundings.day
        #expect(code(try world.store.openSession(beside: other.session, kind: .browser)) == .notSignedIn, "neither does one that nobody used")
    }

    // MARK: Checks

    @Test("A person who has a password or passkey needs a check to remove a member; the refusal is not recorded, so the same mutation goes after the check")
    func removing() throws {
        let mine = try signIn(try token())
        let guest = try world.member(home, .guest, name: "Gus"), other = try world.member(home, .guest, name: "Gil")
        func proposal(_ member: Identifier, mutation: Int64) throws -> Proposal {
            let version = try world.record(home, member).version
            var proposal = world.proposal(home, home.parent, [Operation(kind: .member, id: member, action: .delete(base: version))], mutation: mutation)
            proposal.account = mine.session
            return proposal
        }
        // Nothing can be shown, so nothing has to be.
        #expect(try world.commit(proposal(other, mutation: 1)).ack != nil)
        _ = try world.store.account { _ in try world.store.people.setHasCredential(true, person: mine.person) }.get()
        #expect(try world.commit(proposal(guest, mutation: 2)).rejection?.code == .confirmFirst)
        #expect(try world.store.recordCheck(session: mine.session) == nil)
        #expect(try world.commit(proposal(guest, mutation: 2)).ack != nil)
        // Others are changed, and oneself is removed, without it.
        world.surroundings.now += 3_600_000
        let leaving = try signIn(try token(try world.member(home, .parent, name: "Bea")))
        _ = try world.store.account { _ in try world.store.people.setHasCredential(true, person: leaving.person) }.get()
        let bea = try #require(leaving.memberships.first).member
        var own = world.proposal(home, bea, [Operation(kind: .member, id: bea, action: .delete(base: try world.record(home, bea).version))])
        own.account = leaving.session
        #expect(try world.commit(own).ack != nil)
    }

    @Test("A person with a password or passkey needs a check within 10 minutes, in the session that asks; a person without one is not locked out")
    func checks() throws {
        let mine = try signIn(try token()), other = try signIn(try token())
        func required(_ session: Int64) throws -> ErrorCode? { code(try world.store.account { try world.store.requireCheck(session: session, at: $0) }) }
        #expect(try required(mine.session) == nil, "nothing can be checked")
        _ = try world.store.account { _ in try world.store.people.setHasCredential(true, person: mine.person) }.get()
        #expect(try required(mine.session) == .confirmFirst)
        #expect(try world.store.recordCheck(session: mine.session) == nil)
        #expect(try required(mine.session) == nil)
        #expect(try required(other.session) == .confirmFirst, "a check in one session says nothing of another")
        world.surroundings.now += 600_000 - 1
        #expect(try required(mine.session) == nil)
        world.surroundings.now += 1
        #expect(try required(mine.session) == .confirmFirst)
        let made = try world.store.openSession(NewSession(person: mine.person, kind: .browser, isChecked: true)).get()
        #expect(try required(made.session) == nil, "a sign-in with the password is a check")
        world.surroundings.now -= 3_600_000
        #expect(try required(made.session) == .confirmFirst, "a check in the future is none")
        _ = try world.store.account { _ in try world.store.people.setHasCredential(false, person: mine.person) }.get()
        #expect(try required(other.session) == nil)
        #expect(try world.store.recordCheck(session: 99_999)?.code == .notSignedIn)
        #expect(try required(99_999) == .notSignedIn)
    }

    // MARK: The step

    /// SQL that takes the step `sessions` back.
    static let takenBack = """
        \(AccountPasswordTests.takenBack)
        DROP INDEX sessions_by_id;
        DROP INDEX sessions_by_end;
        DROP INDEX codes_by_maker;
        \(["id", "kind", "name", "ends_at", "checked_at", "scope", "athletes"].map { "ALTER TABLE sessions DROP COLUMN \($0);" }.joined(separator: "\n"))
        ALTER TABLE codes DROP COLUMN maker;
        ALTER TABLE people DROP COLUMN has_credential;
        """

    @Test("A database of before keeps its sessions: each gets an id of its own, and ends 400 days after its beginning", .sqliteOnly("It is a step of its schema"))
    func migrates() throws {
        let folder = try TemporaryFolder()
        let path = DataFolder.databasePath(in: folder.path)
        let surroundings = Surroundings()
        do {
            let database = try Database(path: path, mode: .readWriteCreate)
            try database.execute("PRAGMA journal_mode = WAL")
            let before = try #require(Schema.migrations.firstIndex(of: Schema.sessions))
            try Schema.migrate(database, epoch: "e", at: 0, steps: Array(Schema.migrations.prefix(before)))
            for key in 1...2 {
                try database.execute(
                    "INSERT INTO sessions (key, hash, person, created_at, used_at) VALUES (\(key), x'\(String(repeating: "0\(key)", count: 32))', 1, \(surroundings.now), \(surroundings.now))")
            }
        }
        let world = try World(path: path, vfs: nil, surroundings: surroundings)
        let sessions = try world.reader.sessions(ofPerson: 1, current: 1)
        #expect(Set(sessions.map(\.id)).count == 2 && sessions.allSatisfy { $0.kind == .terminal && $0.name.isEmpty })
        #expect(sessions.allSatisfy { $0.endsOn.days - $0.createdOn.days == 400 } && sessions.count { $0.isCurrent } == 1)
    }
}
