import Bytes
import CFaultVFS
import Family
import SQLite
import TestSupport
import Testing
import Wire

@testable import Store
@testable import StoreSQLite

@Suite("Lists, pages and purges go by keys that any engine has", .bothEngines)
struct KeyTests {
    let world: World
    let home: World.Home

    init() throws {
        world = try World()
        home = try world.home()
    }

    /// Three accesses in one moment are given to the log in this order, the largest and the smallest apart.
    private static func looks(_ home: World.Home, _ athlete: Identifier) -> [AccessNote] {
        [2, 9, 1].map {
            AccessNote(family: home.family, athlete: athlete, member: home.parent, subject: .document, record: Identifier(high: 1, low: $0))
        }
    }

    @Test("Entries of the access log that have one moment stand in the order of their content, on pages of any size")
    func accesses() throws {
        let leo = try world.athlete(home)
        try world.store.note(Self.looks(home, leo) + [AccessNote(family: home.family, athlete: leo, member: home.parent, subject: .context)])
        world.surroundings.now += 1
        try world.store.note([AccessNote(family: home.family, athlete: leo, member: leo, subject: .context)])
        for limit in 1...5 {
            var found: [UInt64] = []
            var before: String?
            repeat {
                let request = AccessLogRequest(request: 1, before: before, limit: limit)
                let page = try world.reader.accessLog(family: home.family, member: home.parent, request).get()
                found += page.entries.map { $0.member == leo ? 77 : $0.record?.low ?? 0 }
                before = page.next
            } while before != nil
            #expect(found == [77, 9, 2, 1, 0], "limit \(limit)")
        }
    }

    @Test("Entries of the access log go family by family, in portions, and only those that are old enough")
    func purgesAccesses() throws {
        let homes = try [home] + (0..<3).map { try world.home("Home \($0)") }
        let athletes = try homes.map { [try world.athlete($0), try world.athlete($0, name: "Mia")] }
        for (home, athletes) in zip(homes, athletes) { for athlete in athletes { try world.store.note(Self.looks(home, athlete)) } }
        world.surroundings.now += 100 * Surroundings.day
        for (home, athletes) in zip(homes, athletes) { try world.store.note(Self.looks(home, athletes[0])) }
        world.surroundings.now += 300 * Surroundings.day
        let limit = world.surroundings.now - AccessRow.retention
        func purge(after: Int64, count: Int, families: Int) throws -> PurgedPortion<Int64> {
            guard case .done(let portion) = try world.store.transaction({ _ in
                try world.store.accesses.purge(before: limit, afterFamily: after, count: count, families: families)
            }) else { throw Unexpected() }
            return portion
        }
        let keys = try world.reader.reading { try world.reader.engine.families.all().map(\.key) }
        // Three entries of one moment go together.
        let first = try purge(after: 0, count: 2, families: 9)
        #expect(first.count == 3 && first.next == 0 && !first.isLast)
        let second = try purge(after: first.next, count: 100, families: 2)
        #expect(second.count == 3 + 6 && second.next == keys[1] && !second.isLast)
        let third = try purge(after: second.next, count: 100, families: 9)
        #expect(third.count == 2 * 6 && third.isLast)
        let left = try world.reader.reading {
            var left = 0
            for key in keys { try world.reader.engine.accesses.forEach(family: key) { _ in left += 1 } }
            return left
        }
        #expect(left == 4 * 3)
        #expect(try world.purge().accesses == 0)
    }

    @Test("Receipts go in the order of their mutation ids, and a floor never rises over an id whose receipt is young")
    func purgesReceipts() throws {
        let early = world.proposal(home, home.parent, [message(world.newID(), "Ten")], mutation: 10)
        let answer = try world.commit(early)
        world.surroundings.now += 10 * Surroundings.day
        let late = world.proposal(home, home.parent, [message(world.newID(), "Five")], mutation: 5)
        try _ = world.commit(late)
        world.surroundings.now += 25 * Surroundings.day
        #expect(try world.purge().receipts == 0)
        #expect(try world.commit(early).frame == answer.frame)
        #expect(try world.mutate(home, home.parent, message(world.newID(), "Seven"), mutation: 7).sequence != nil)
        world.surroundings.now += 10 * Surroundings.day
        // Seven is young, and ten stays with it.
        #expect(try world.purge().receipts == 1)
        #expect(try world.commit(late).code == .mutationExpired)
        #expect(try world.commit(early).frame == answer.frame)
        world.surroundings.now += 31 * Surroundings.day
        #expect(try world.purge().receipts == 2)
        #expect(try world.commit(early).code == .mutationExpired)
    }

    @Test("A portion of receipts ends with its receipts or its clients, and the next one continues after it")
    func portionsOfReceipts() throws {
        let clients = (0..<4).map { _ in world.newID() }
        for client in clients { for _ in 0..<3 { try world.mutate(home, home.parent, message(world.newID(), "Hi"), client: client) } }
        world.surroundings.now += 31 * Surroundings.day
        func purge(after: ClientMark, count: Int, clients: Int) throws -> PurgedPortion<ClientMark> {
            guard case .done(let portion) = try world.store.transaction({ _ in
                try world.store.receipts.purge(before: world.surroundings.now, after: after, count: count, clients: clients)
            }) else { throw Unexpected() }
            return portion
        }
        let first = try purge(after: .beginning, count: 2, clients: 9)
        #expect(first.count == 2 && first.next == .beginning && !first.isLast)
        let second = try purge(after: first.next, count: 100, clients: 2)
        #expect(second.count == 1 + 3 && !second.isLast)
        let third = try purge(after: second.next, count: 4, clients: 9)
        #expect(third.count == 4 && !third.isLast)
        let last = try purge(after: third.next, count: 4, clients: 9)
        #expect(last.count == 2 && last.isLast)
    }

    @Test("Of the receipts that count, those of the smallest ids go, whichever came first")
    func boundsRefusals() throws {
        func refuse(_ ids: [Int64]) throws -> [Answer] {
            try world.commit(ids.map { world.refused(home, home.parent, "{\"x\":\($0)}", mutation: $0) })
        }
        // The larger ids come first.
        var newest: [Answer] = []
        for start in stride(from: Int64(1_001), through: 1, by: -200) { newest = try refuse((start..<start + 200).map { $0 }) + newest }
        let probe = try refuse([1_200])
        #expect(probe[0].code == .unknownField && probe[0].frame == newest[1_199].frame)
        #expect(try refuse([1])[0].code == .mutationExpired)
    }

    @Test("Deleted records that have one moment go in the order of their ids")
    func purgesRecords() throws {
        let ids = [5, 2, 9, 1].map { Identifier(high: 7, low: $0) }
        for id in ids { try world.mutate(home, home.parent, school(id, "Rice")) }
        try world.mutate(home, home.parent, operations: ids.map { delete(.school, $0, base: 1) })
        world.surroundings.now += 31 * Surroundings.day
        var gone: [UInt64] = []
        var isFinished = false
        while !isFinished {
            isFinished = try world.store.maintain().isFinished
            let purged = try world.reader.reading { try world.reader.engine.records.purged(family: 1).map(\.id.low) }
            gone += purged.filter { !gone.contains($0) }
        }
        #expect(gone == [1, 2, 5, 9])
    }

    @Test("Links are listed by their time and id, and openings by their number, however many have no row")
    func shares() throws {
        let leo = try world.athlete(home)
        let document = world.newID()
        try world.add(world.document(home, leo, id: document))
        var links: [Identifier] = []
        for _ in 0..<4 {
            let school = world.newID()
            try world.mutate(home, home.parent, StoreTests.school(school, "Rice"))
            let share = NewShare(family: home.family, member: home.parent, document: document, school: school)
            links.append(try world.store.share(share).0.get().link.id)
        }
        let sorted = Array(links.sorted().reversed())
        #expect(try world.reader.shares(family: home.family, document: document).map(\.id) == sorted)
        #expect(try world.reader.shares(family: home.family).map(\.id) == sorted)
        world.surroundings.now += 1
        let school = world.newID()
        try world.mutate(home, home.parent, StoreTests.school(school, "Brook"))
        let later = try world.store.share(NewShare(family: home.family, member: home.parent, document: document, school: school)).0.get().link.id
        #expect(try world.reader.shares(family: home.family).map(\.id) == [later] + sorted)
        func note(_ openings: ShareOpenings) throws {
            guard case .done = try world.store.transaction({ _ in
                try world.store.shares.note(family: 1, link: later, openings, limit: 4)
            }) else { throw Unexpected() }
        }
        try note(ShareOpenings(what: .page, count: 7, rows: 2, first: 100, last: 200))
        // A clock that went back.
        try note(ShareOpenings(what: .download, count: 1, rows: 1, first: 50, last: 50))
        try note(ShareOpenings(what: .page, count: 1, rows: 0, first: 60, last: 60))
        try note(ShareOpenings(what: .page, count: 3, rows: 2, first: 300, last: 300))
        let visits = try world.reader.visits(family: home.family, link: later)
        #expect(visits.map(\.at) == [300, 300, 50, 200])
        #expect(visits.map(\.what) == [.page, .page, .download, .page])
        let link = try #require(try world.reader.shares(family: home.family).first)
        #expect(link.views == 11 && link.downloads == 1 && link.lastOpenedAt == 300)
    }

    // MARK: SQLite

    @Test("Each list and each portion of a purge walks an index that begins with the family and sorts nothing", .sqliteOnly("It asks SQLite for its plans"))
    func plans() throws {
        for (sql, index) in [
            (ListStatements.kindQuery, "records_by_kind (family=? AND kind=? AND id>?)"),
            (ListStatements.upcomingQuery, "records_by_start (family=? AND kind=? AND start>?)"),
            (ListStatements.commentQuery, "comments (family=? AND about=? AND (created_seq,id)<(?,?))"),
            (SQLiteRecords.dueQuery, "deleted_records (family=? AND deleted_at>? AND deleted_at<?)"),
            (AccessLogTable.pageQuery, "accesses_by_athlete (family=? AND athlete=? AND at<?)"),
            (AccessLogTable.excessQuery, "accesses_by_athlete (family=? AND athlete=?)"),
            (AccessLogTable.nextAthleteQuery, "accesses_by_athlete (family=? AND athlete>?)"),
            (ReceiptTable.nextClientQuery, "sqlite_autoindex_receipts_1 ((family,client)>(?,?))"),
            (ReceiptTable.keptQuery, "kept_receipts (family=? AND client=?)"),
            (ShareTable.linksQuery(ofDocument: true), "share_links_by_document (family=? AND document=?)"),
            (ShareTable.linksQuery(ofDocument: false), "share_links_by_time (family=?)"),
            (PeopleTable.inviteQuery, "sqlite_autoindex_invites_1 (family=? AND id=?)"),
            (PeopleTable.pendingQuery, "pending_invites (family=?)"),
            (PeopleTable.idleSessionsQuery, "sessions_by_use (used_at<?)"),
            (PeopleTable.endedSessionsQuery, "sessions_by_end (ends_at<?)"),
            (PeopleTable.recentQuery, "invites_by_time (family=? AND created_at>?)"),
        ] {
            let plan = try world.plan(sql)
            #expect(plan.contains("INDEX \(index)"), "\(sql): \(plan)")
            #expect(!plan.contains("TEMP B-TREE"), "\(sql): \(plan)")
        }
    }

    /// Steps before `keys`.
    private static var before: Int { Schema.migrations.firstIndex(of: Schema.keys) ?? 0 }

    /// A statement of an earlier step.
    private static func statement(_ head: String) -> String {
        for step in Schema.migrations.prefix(before) {
            guard let start = step.firstRange(of: head)?.lowerBound, let end = step[start...].firstIndex(of: ";") else { continue }
            return String(step[start...end])
        }
        return "no statement \(head)"
    }

    /// Makes a database of this program what the step before `keys` made.
    static let takenBack = """
        \(InviteMigrationTests.takenBack)
        DROP INDEX records_by_kind; \(statement("CREATE INDEX records_by_kind"))
        DROP INDEX deleted_records; \(statement("CREATE INDEX deleted_records"))
        DROP INDEX kept_receipts; \(statement("CREATE INDEX kept_receipts"))
        DROP INDEX accesses_by_athlete; \(statement("CREATE INDEX accesses_by_athlete"))
        DROP INDEX memberships_by_person; \(statement("CREATE INDEX memberships_by_person"))
        DROP INDEX share_links_by_time;
        DROP INDEX share_links_by_document; \(statement("CREATE INDEX share_links_by_document"))
        \(statement("CREATE TABLE share_views"))
        \(statement("CREATE INDEX share_views_by_link"))
        INSERT INTO share_views (link, at, what)
            SELECT l.key, v.at, v.what FROM share_visits v JOIN share_links l ON l.family = v.family AND l.id = v.link ORDER BY v.number, l.key;
        DROP TABLE share_visits;
        PRAGMA user_version = \(before);
        """

    @Test("The test takes a database back to exactly what the steps before made", .sqliteOnly("It is a step of its schema"))
    func takesBack() throws {
        // SQLite puts names of renamed tables into quotes.
        let schema = "SELECT group_concat(replace(sql, '\"', ''), char(10)) FROM (SELECT sql FROM sqlite_schema ORDER BY name)"
        try Database(path: world.path, mode: .readWrite).execute(Self.takenBack)
        let folder = try TemporaryFolder()
        let old = try Database(path: folder.path + "/old.db", mode: .readWriteCreate)
        try Schema.migrate(old, epoch: "e", at: 0, steps: Array(Schema.migrations.prefix(Self.before)))
        #expect(try Database(path: world.path, mode: .readOnly).prepare(schema).one { $0.text(0) } == old.prepare(schema).one { $0.text(0) })
    }

    @Test("A database from before keeps its lists and logs, wherever the first start is killed", .sqliteOnly("It is a step of its schema"), arguments: [
        (FAULTVFS_LOSE, 0), (FAULTVFS_RANDOM, 1), (FAULTVFS_KILL, 0),
    ] as [(faultvfs_mode, UInt64)])
    func migrates(mode: faultvfs_mode, seed: UInt64) throws {
        let disk = FaultDisk()
        var operation = 1
        while true {
            #expect(faultvfs_reset(disk.name) == 0)
            let surroundings = Surroundings()
            let home: World.Home, before: Lists
            do {
                let world = try disk.world(surroundings)
                home = try world.home()
                try Self.fill(world, home)
                before = try Lists(world, home)
                _ = try world.store.truncateLog()
            }
            #expect(before.visits.map(\.count) == [3, 2] && before.schools.count == 2 && before.accesses.count == 3)
            try Database(path: "huddle.db", mode: .readWrite, vfs: disk.name).execute(Self.takenBack)
            faultvfs_crash_at(disk.name, operation, mode, seed &+ UInt64(operation))
            // Throws where the kill meets it.
            let isPast = disk.takesMoreThanOneStep(surroundings)
            let isLast = isPast || faultvfs_crashed(disk.name) == 0
            faultvfs_crash_now(disk.name, mode, seed &+ UInt64(operation))
            #expect(faultvfs_restart(disk.name) == 0)
            let world = try disk.world(surroundings)
            #expect(try Lists(world, home) == before, "operation \(operation)")
            #expect(try world.query("SELECT user_version FROM pragma_user_version") == Schema.version, "operation \(operation)")
            // The numbers continue where the counts are.
            let link = try #require(before.links.last)
            var notes = UsageNotes()
            notes.add(ShareVisit(family: home.family, link: link, what: .page), at: 0)
            try world.store.write(notes, now: 0)
            #expect(try world.reader.visits(family: home.family, link: link).count == before.visits[before.visits.count - 1].count + 1)
            if isLast { break }
            operation += 1
        }
        #expect(operation > 4)
    }

    /// The lists that the step touches, as readers return them.
    private struct Lists: Equatable {
        var schools: [Identifier]
        var accesses: [AccessRow] = []
        var links: [Identifier]
        var visits: [[Int64]]
        var memberships: [Identifier]

        init(_ world: World, _ home: World.Home) throws {
            let page = try world.page(home, ListRequest(request: 1, kind: .school, before: nil, limit: 9, counts: true)).get()
            schools = page.records.map(\.id)
            let links = try world.reader.shares(family: home.family).map(\.id)
            self.links = links
            visits = try links.map { try world.reader.visits(family: home.family, link: $0).map(\.at) }
            memberships = try world.signIn(home.parent).memberships.map(\.member)
            var accesses: [AccessRow] = []
            try world.reader.reading { try world.reader.engine.accesses.forEach(family: 1) { accesses.append($0) } }
            self.accesses = accesses
        }
    }

    private static func fill(_ world: World, _ home: World.Home) throws {
        let leo = try world.athlete(home)
        let document = world.newID(), gone = world.newID()
        try world.add(world.document(home, leo, id: document))
        var schools: [Identifier] = []
        for name in ["Rice", "Brook"] {
            schools.append(world.newID())
            try world.mutate(home, home.parent, school(schools[schools.count - 1], name))
        }
        try world.mutate(home, home.parent, school(gone, "Gone"))
        try world.mutate(home, home.parent, delete(.school, gone, base: 1))
        try world.store.note(looks(home, leo))
        for (place, school) in schools.enumerated() {
            world.surroundings.now += 1
            let share = NewShare(family: home.family, member: home.parent, document: document, school: school)
            let link = try world.store.share(share).0.get().link.id
            var notes = UsageNotes()
            for time in 0...place + 1 { notes.add(ShareVisit(family: home.family, link: link, what: time == 1 ? .download : .page), at: Int64(time)) }
            try world.store.write(notes, now: 100)
        }
    }
}
