import Bytes
import Family
import SQLite
import StoreMemory
import TestSupport
import Testing
import Wire

@testable import Store
@testable import StoreSQLite

@Suite("The audit log: every act leaves an entry, in its own transaction (issue 15, Members)", .bothEngines)
struct AuditTests {
    let world: World
    let home: World.Home

    init() throws {
        world = try World()
        home = try world.home()
    }

    /// SQL that makes a database of this program what the step before `people` made.
    static let takenBack = """
        DROP INDEX memberships_with_end;
        ALTER TABLE invites DROP COLUMN ends_on;
        ALTER TABLE memberships DROP COLUMN ends_on;
        ALTER TABLE memberships DROP COLUMN consent_person;
        ALTER TABLE memberships DROP COLUMN consent_digest;
        DROP TABLE audit;
        PRAGMA user_version = \(Schema.migrations.firstIndex(of: Schema.people) ?? 0);
        """

    // MARK: Short words

    /// An entry as "act author about detail", with the names of the members.
    private func words(_ entry: Audit.Entry, _ names: [Identifier: String]) -> String {
        func name(_ id: Identifier) -> String { names[id] ?? "somebody" }
        let author = switch entry.author {
        case .member(let member): name(member)
        case .host: "host"
        case .server: "server"
        }
        return [entry.act, author, entry.about.map(name) ?? "-", entry.count == 1 ? nil : "\(entry.count)", entry.detail].compactMap { $0 }.joined(separator: " ")
    }

    private func page(_ member: Identifier? = nil, before: String? = nil, limit: Int = 100, own: Bool = false, in home: World.Home? = nil) throws -> Result<AuditPage, Rejection> {
        let home = home ?? self.home
        let answer = try world.reader.audit(
            family: home.family, member: member ?? home.parent, AuditRequest(request: 9, before: before, limit: limit, isOwn: own))
        guard case .success(let page) = answer else { return answer }
        guard case .audit(let read) = try travelled(.audit(page)) else { throw Unexpected() }
        return .success(read)
    }

    /// The acts since the last call, the oldest first.
    private func entries(_ member: Identifier? = nil, in home: World.Home? = nil) throws -> [Audit.Entry] {
        try page(member, in: home).get().entries.reversed()
    }

    private func redeem(_ code: String?, _ name: String, nonce: String = World.nonce(1)) throws -> SessionCreated {
        guard case .token(let created) = try world.store.perform(.redeem(code: try #require(code), nonce: nonce, name: name)).0.get() else { throw Unexpected() }
        return created
    }

    /// The integer of the person who is a member.
    private func person(of member: Identifier) throws -> Int64 {
        try #require(try world.reader.reading { try world.reader.engine.people.membership(member)?.person })
    }

    private func token(_ member: Identifier) throws -> SessionCreated {
        guard case .token(let created) = try world.store.perform(.token(member: member)).0.get() else { throw Unexpected() }
        return created
    }

    private func update(_ member: Identifier, _ field: String, _ value: String) throws -> Operation {
        let version = try world.record(home, member).version
        return Operation(kind: .member, id: member, action: .update(base: version, merge: .none, patch: patch(.member, [field: .text(value)])))
    }

    // MARK: Accounts

    @Test("Another session, a token, its end and the end of all others are entered for the person who does it")
    func accounts() throws {
        let mine = try #require(try world.reader.signIn(token: try token(home.parent).token))
        let before = try entries().count
        _ = try world.store.openSession(beside: mine.session, kind: .browser, name: "Phone").get()
        let new = NewToken(id: world.newID(), nonce: World.nonce(3), name: "Calendar", scope: .read, days: 30)
        _ = try world.store.makeToken(new, by: mine.session).get()
        _ = try world.store.makeToken(new, by: mine.session).get()
        #expect(try world.store.revoke([.sessions(SessionsEnd(session: mine.session, .one(new.id)))]) == [nil])
        #expect(try world.store.revoke([.sessions(SessionsEnd(session: mine.session, .others))]) == [nil])
        #expect(try world.store.revoke([.sessions(SessionsEnd(session: mine.session, .others))]) == [nil])
        let names = [home.parent: "Ana"]
        #expect(try entries().dropFirst(before).map { words($0, names) } == [
            "signed_in Ana Ana browser", "token_created Ana Ana Calendar", "token_revoked Ana Ana Calendar", "sessions_ended Ana Ana",
        ], "a request that is repeated and an end that ends nothing leave nothing")
    }

    @Test("A device that another one let in is entered as a device, not as an accepted invite")
    func device() throws {
        let mine = try #require(try world.reader.signIn(token: try token(home.parent).token))
        let code = try world.store.makeDeviceCode(by: mine.session).get().code
        let before = try entries().count
        _ = try redeem(code, "")
        _ = try redeem(code, "")
        #expect(try entries().dropFirst(before).map(\.act) == ["device_added", "signed_in"])
    }

    // MARK: Acts

    @Test("A session that the host makes is entered in every family of the person, and in no other")
    func hostToken() throws {
        let other = try world.home("Other")
        _ = try token(home.parent)
        #expect(try entries().map(\.act) == ["family_created", "token_by_host"])
        let last = try #require(try entries().last)
        #expect(last.author == .host && last.about == home.parent && last.at == world.surroundings.now)
        #expect(try entries(in: other).map(\.act) == ["family_created"])
    }

    @Test("Each act about members, sessions and copies leaves one entry with its author and its subject")
    func acts() throws {
        let made = try world.store.perform(
            .make(NewInvite(
                family: "\(home.family)", name: "Gus", role: .guest, email: "gus@example.org", by: home.parent, origin: .session(id: world.newID(), nonce: World.nonce(5))))
        ).0.get()
        let gus = made.invite.member
        let lost = try world.invite(home, .guest, name: "Lou")
        let listed = try world.reader.invites(family: home.family, member: home.parent).get()
        let id = try #require(listed.first { $0.name == "Lou" }?.id)
        for _ in 0..<2 { _ = try world.store.perform(.withdraw(id, family: home.family, by: home.parent)).0.get() }
        let joined = try redeem(made.code, "Gus")
        _ = try redeem(made.code, "Gus")
        let leo = try world.athlete(home, born: "2009-05-05")
        let maya = try world.member(home, .parent, name: "Maya")
        try world.mutate(home, home.parent, update(gus, "role", "parent"))
        try world.mutate(home, leo, update(leo, "parent_access", "view"))
        try world.mutate(home, home.parent, update(gus, "name", "August"))
        try world.mutate(home, maya, delete(.member, maya, base: 1))
        try world.mutate(home, home.parent, restore(.member, maya, base: 2))
        try world.mutate(home, home.parent, delete(.member, maya, base: 3))
        let session = try token(leo)
        _ = try world.store.perform(.signOut(token: session.token)).0.get()
        _ = try world.store.perform(.signOut(token: session.token)).0.get()
        _ = try world.store.perform(.signOut(token: joined.token)).0.get()
        #expect(try world.store.note(ExportNote(family: home.family, athletes: [leo], isPrivate: true)) == nil)
        let names = [home.parent: "Ana", gus: "Gus", leo: "Leo", maya: "Maya", lost.member: "Lou"]
        #expect(try entries().map { words($0, names) } == [
            "family_created host Ana", "invited Ana Gus guest", "invited host Lou guest", "invite_withdrawn Ana Lou", "invite_accepted Gus Gus",
            "signed_in Gus Gus code", "invited host Leo athlete", "consent_given Ana Leo huddle-consent-2",
            "role_changed Ana Gus parent", "parent_access_changed Leo Leo view", "member_left Maya Maya",
            "member_restored Ana Maya", "member_removed Ana Maya", "token_by_host host Leo", "sessions_ended Leo Leo", "exported host - private",
        ])
    }

    @Test("A share link and its end are entered with the athlete whose document it opens; an end that was before is not an act")
    func shares() throws {
        let leo = try world.athlete(home)
        let document = world.newID(), college = world.newID()
        try world.add(world.document(home, leo, id: document))
        try world.mutate(home, home.parent, school(college, "Rice"))
        let link = try world.store.share(NewShare(family: home.family, member: home.parent, document: document, school: college)).0.get().link.id
        let end = Revocation.share(ShareEnd(family: home.family, member: home.parent, document: document, link: link))
        for _ in 0..<2 { #expect(try world.store.revoke([end]) == [nil]) }
        let names = [home.parent: "Ana", leo: "Leo"]
        #expect(try entries().suffix(2).map { words($0, names) } == ["shared Ana Leo", "share_ended Ana Leo"])
    }

    @Test("A refusal leaves no entry, and neither does a repeated request")
    func refusals() throws {
        let leo = try world.athlete(home)
        let before = try world.count("audit")
        #expect(try world.mutate(home, leo, update(home.parent, "role", "guest")).code == .notAllowed)
        #expect(try world.mutate(home, home.parent, update(home.parent, "role", "guest")).code != nil, "the last parent stays")
        #expect(try world.store.perform(.token(member: world.newID())).0.failure?.code == .notFound)
        #expect(try world.store.perform(.redeem(code: "00000-00000-00000-00000", nonce: World.nonce(1))).0.failure?.code == .codeUnknown)
        #expect(try world.store.note(ExportNote(family: world.newID(), athletes: [], isPrivate: false))?.code == .notFound)
        #expect(try world.count("audit") == before)
        let mutation = world.proposal(home, home.parent, [try update(leo, "role", "guest")])
        for _ in 0..<2 { #expect(try world.commit(mutation).code == nil) }
        #expect(try world.count("audit") == before + 1)
    }

    @Test("An act of a person is entered in each family that the person is in now, and in none that the person has left")
    func person() throws {
        let second = try world.home("Second"), third = try world.home("Third")
        let person = try person(of: try token(home.parent).member)
        func enter(_ act: Audit.Act, by author: Audit.Author? = nil, count: Int = 1, detail: String? = nil) throws {
            guard case .done = try world.store.transaction({ _ in
                try world.store.audit(act, person: person, by: author, count: count, detail: detail, at: world.surroundings.now)
            }) else { throw Unexpected() }
        }
        try enter(.passkeyAdded, detail: String(repeating: "k", count: 500))
        #expect(try entries().last?.author == .member(home.parent))
        #expect(try entries().last?.detail == String(repeating: "k", count: Audit.detailLength))
        for other in [second, third] { #expect(try entries(in: other).map(\.act) == ["family_created"]) }
    }

    @Test("Failed sign-ins within an hour are one entry with their count, and the next hour has another one")
    func failures() throws {
        let person = try person(of: try token(home.parent).member)
        for (wait, count) in [(0, 1), (60_000, 5), (3_500_000, 2), (200_000, 4), (10, 1)] as [(Int64, Int)] {
            world.surroundings.now += wait
            guard case .done = try world.store.transaction({ _ in
                try world.store.audit(.signInFailed, person: person, by: .server, count: count, at: world.surroundings.now)
            }) else { throw Unexpected() }
        }
        #expect(try entries().suffix(2).map { "\($0.act) \($0.count)" } == ["sign_in_failed 8", "sign_in_failed 5"])
        #expect(try entries().last?.author == .server)
    }

    // MARK: Readers

    @Test("Parents read all entries, every other member their own acts and those that concern them; a former member and a stranger read nothing")
    func readers() throws {
        let leo = try world.athlete(home), gus = try world.member(home, .guest, name: "Gus")
        let other = try world.home("Other")
        _ = try token(leo)
        try world.mutate(home, home.parent, update(gus, "role", "parent"))
        try world.mutate(home, home.parent, update(gus, "role", "guest"))
        #expect(try entries().count == 6)
        #expect(try entries(leo).map(\.act) == ["invited", "consent_given", "token_by_host"])
        #expect(try entries(gus).map(\.act) == ["role_changed", "role_changed"])
        let own = try page(own: true).get().entries
        #expect(own.map(\.act) == ["role_changed", "role_changed", "consent_given", "family_created"])
        try world.mutate(home, home.parent, delete(.member, gus, base: 3))
        for member in [gus, other.parent, world.newID()] { #expect(try page(member).failure?.code == .notFound) }
    }

    @Test("Pages of any size give each entry once, and a mark that no page gave is refused", arguments: [1, 2, 3, 7, 100])
    func pages(limit: Int) throws {
        let leo = try world.athlete(home)
        for _ in 0..<4 { _ = try token(leo) }
        for (member, expected) in [(home.parent, 7), (leo, 6)] {
            var found: [Audit.Entry] = []
            var mark: String?
            repeat {
                let page = try page(member, before: mark, limit: limit).get()
                #expect(page.entries.count <= limit)
                found += page.entries
                mark = page.next
            } while mark != nil
            let all = try entries(member)
            #expect(found.count == expected && Array(found.reversed()) == all)
        }
        for mark in ["", "0", "-1", "x", "01", "99999999999999999999", "1.0"] {
            let answer = try page(before: mark)
            #expect(answer.failure?.code == .invalid && answer.failure?.field == "before", "\(mark)")
        }
    }

    @Test("No code, token, e-mail address, birth date, nonce or name is in the log", .sqliteOnly("It looks into the rows"))
    func secrets() throws {
        let made = try world.store.perform(
            .make(NewInvite(
                family: "\(home.family)", name: "Quentin", role: .guest, email: "quentin@example.org", by: home.parent,
                origin: .session(id: world.newID(), nonce: World.nonce(5))))
        ).0.get()
        let created = try redeem(made.code, "Quentin")
        _ = try world.athlete(home, name: "Leocadia", born: "2009-05-05")
        for secret in [try #require(made.code), created.token, "quentin", "2009", World.nonce(5), World.nonce(1), "Leocadia"] {
            let found = try world.query(
                "SELECT count(*) FROM audit WHERE instr(lower(act || origin || coalesce(detail, '') || hex(coalesce(member, x'')) || hex(coalesce(about, x''))), lower('\(secret)')) > 0")
            #expect(found == 0, "\(secret)")
        }
    }

    // MARK: Bounds

    @Test("Entries go after two years, family by family and in portions, and younger ones stay")
    func purges() throws {
        let homes = try [home, world.home("Second"), world.home("Third")]
        for home in homes { for _ in 0..<2 { _ = try token(home.parent) } }
        world.surroundings.now += 100 * Surroundings.day
        for home in homes { _ = try token(home.parent) }
        world.surroundings.now += Audit.retention - 50 * Surroundings.day
        let keys = try world.reader.reading { try world.reader.engine.families.all().map(\.key) }
        func purge(after: Int64, count: Int, families: Int) throws -> PurgedPortion<Int64> {
            let limit = world.surroundings.now - Audit.retention
            guard case .done(let portion) = try world.store.transaction({ _ in
                try world.store.audits.purge(before: limit, afterFamily: after, count: count, families: families)
            }) else { throw Unexpected() }
            return portion
        }
        let first = try purge(after: 0, count: 2, families: 9)
        #expect(first.count == 2 && first.next == 0 && !first.isLast)
        let second = try purge(after: first.next, count: 100, families: 2)
        #expect(second.count == 1 + 3 && second.next == keys[1] && !second.isLast)
        #expect(try world.purge().accesses == 3, "the round of maintenance does the rest")
        for home in homes { #expect(try entries(in: home).map(\.act) == ["token_by_host"]) }
        _ = try token(home.parent)
        #expect(try entries().count == 2)
    }

    @Test("A family that fills its log loses the oldest entries and nothing else")
    func bounded() throws {
        let other = try world.home("Other")
        let key = try #require(try world.reader.reading { try world.reader.engine.families.find(home.family)?.key })
        guard case .done = try world.store.transaction({ _ in
            for number in 0..<2_500 {
                try world.store.audits.append(
                    family: key, Audit.Entry(at: Int64(number), act: "shared", author: .member(home.parent), detail: "\(number)"), limit: 1_200)
            }
        }) else { throw Unexpected() }
        let count = try world.count("audit") - 1
        #expect((1_200...2_200).contains(count), "\(count)")
        #expect(try entries().last?.detail == "2499")
        #expect(try entries(in: other).count == 1)
    }

    @Test("Each list and portion walks an index and sorts nothing", .sqliteOnly("It asks SQLite for its plans"))
    func plans() throws {
        for (sql, index) in [
            (AuditTable.pageQuery, "PRIMARY KEY (family=? AND number<?)"), (AuditTable.oldestQuery, "PRIMARY KEY (family=?)"),
            (AuditTable.authorQuery, "INDEX audit_by_author (family=? AND member=? AND number<?)"),
            (AuditTable.subjectQuery, "INDEX audit_by_subject (family=? AND about=? AND number<?)"),
            (AuditTable.failureQuery, "INDEX audit_failures (family=? AND about=? AND at>?)"),
        ] {
            let plan = try world.plan(sql)
            #expect(plan.contains(index) && !plan.contains("TEMP B-TREE"), "\(sql): \(plan)")
        }
    }
}

@Suite("The audit log where the database fails")
struct AuditFailureTests {
    @Test("An act whose COMMIT has no answer, or that runs again, has one entry; an act that did not happen has none", arguments: [
        MemoryDatabase.Fault.again, .unknownAndDone, .unknownAndLost, .full,
    ])
    func commits(fault: MemoryDatabase.Fault) throws {
        let world = try World(inMemory: Surroundings())
        let memory = try #require(world.memory)
        let home = try world.home()
        let before = try world.count("audit")
        memory.fail(at: 1, of: .commit, fault)
        let answer = try world.store.perform(.token(member: home.parent)).0
        if case .full = fault {
            #expect(answer.failure?.code == .storageFull)
            #expect(try world.count("audit") == before)
        } else {
            #expect(answer.failure == nil)
            #expect(try world.count("audit") == before + 1)
        }
    }
}
