import Blobs
import Bytes
import CFaultVFS
import Family
import MemoryDisk
import Posix
import Queries
import SQLite
import Testing
import Wire

@testable import Store
@testable import StoreSQLite

/// A database that the program of an earlier version wrote, with the mutations that it answered (`Fixtures/make.py`).
private struct OldDatabase: Sendable, CustomTestStringConvertible {
    /// A mutation as its client sent it and the server answered it.
    struct Answered: Sendable {
        let proposal: Proposal
        let answer: [UInt8]
    }

    let name: String
    /// The version of its tables.
    let version: Int
    private let sql: String
    let answered: [Answered]
    let family: Identifier
    let parent: Identifier
    /// Of a session of that parent.
    let token: String
    /// Of a share link that has been opened twice; "" where there are none.
    let shareToken: String
    var testDescription: String { name }

    init(_ name: String, file: String = #filePath) throws {
        self.name = name
        version = Int(name.split(separator: "-").last ?? "") ?? 1
        // A database of a program after version 12 is that of version 12, with the steps that followed and rows in what they brought (`LaterRows`).
        let path = file.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/Fixtures/" + (version > 12 ? "version-12" : name)
        sql = String(decoding: try Files.read(path + ".sql"), as: UTF8.self)
        let lines = String(decoding: try Files.read(path + ".answers"), as: UTF8.self).split(separator: "\n")
            .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        let head = try #require(lines.first)
        family = try #require(Identifier(head[1]))
        parent = try #require(Identifier(head[2]))
        token = head[3]
        shareToken = String(head[4].drop { $0 == "/" }.dropFirst(2))
        answered = try lines.dropFirst().map { line in
            let (family, member, client) = try (#require(Identifier(line[0])), #require(Identifier(line[1])), #require(Identifier(line[2])))
            guard case .mutation(let id, let body, let overlap) = try ClientFrame.decode(Array(line[3].utf8), limits: Limits()) else { throw Unexpected() }
            let mutation = Mutation(client: client, id: id, body: body, overlap: overlap)
            return Answered(proposal: Proposal(family: family, member: member, context: .all, mutation: mutation, session: 7), answer: Array(line[4].utf8))
        }
    }

    /// Makes the file on a disk, as that program left it, all of it synced. Returns the time of its last change.
    @discardableResult
    func write(on disk: FaultDisk) throws -> Int64 {
        let database = try Database(path: "huddle.db", mode: .readWriteCreate, vfs: disk.name)
        try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;" + sql)
        for step in stride(from: 13, through: version, by: 1) {
            try database.execute("BEGIN; \(Schema.migrations[step - 1]); PRAGMA user_version = \(step); COMMIT")
            if let rows = LaterRows.sql[step] { try database.execute(rows) }
        }
        let time = try #require(try database.prepare("SELECT max(at) FROM log").first { row throws(SQLiteError) in row.int64(0) })
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return time
    }
}

/// Rows in what the steps after version 12 brought, as the programs of then wrote them.
private enum LaterRows {
    private static let parent = """
        (SELECT m.member FROM memberships m JOIN records r ON r.family = m.family AND r.id = m.member
        WHERE m.family = 1 AND CAST(r.fields AS TEXT) ->> '$.role' = 'parent' ORDER BY m.key LIMIT 1)
        """
    private static let person = "(SELECT person FROM memberships WHERE member = \(parent))"
    private static let now = "(SELECT max(at) FROM log)"

    /// By the version in which the tables are.
    static let sql: [Int: String] = [
        13: """
            UPDATE share_links SET views = views + 1;
            INSERT INTO share_visits (family, link, number, at, what) SELECT family, id, views + downloads, created_at + 5, 'page' FROM share_links;
            """,
        14: """
            INSERT INTO invites (family, id, member, role, name, email, inviter, created_at, expires_at, state, payload, bound)
                SELECT 1, x'0191000000007000800000000000a001', x'0191000000007000800000000000a002', 'guest', 'Ruth', 'ruth@example.org', \(parent),
                \(now), \(now) + 604800000, 'pending', x'0102', 1;
            INSERT INTO codes (hash, family, member, created_at, expires_at, invite)
                SELECT x'a1', 1, x'0191000000007000800000000000a002', \(now), \(now) + 604800000, x'0191000000007000800000000000a001';
            INSERT INTO invites (family, id, member, role, name, created_at, expires_at, state, payload, bound)
                SELECT 2, x'0191000000007000800000000000a003', x'0191000000007000800000000000a004', 'parent', 'Gone', \(now), \(now) + 1, 'withdrawn', x'', 1;
            """,
        15: """
            INSERT INTO audit (family, number, at, act, origin, member, about, count, detail)
                SELECT 1, 1, \(now), 'family_created', 'host', NULL, \(parent), 1, NULL UNION ALL
                SELECT 1, 2, \(now), 'invited', 'member', \(parent), x'0191000000007000800000000000a002', 1, 'guest' UNION ALL
                SELECT 1, 3, \(now), 'sign_in_failed', 'server', NULL, \(parent), 7, NULL;
            UPDATE invites SET ends_on = '2099-12-31' WHERE role = 'guest' AND state = 'pending';
            UPDATE memberships SET ends_on = '2099-12-31' WHERE EXISTS (SELECT 1 FROM records r
                WHERE r.family = memberships.family AND r.id = memberships.member AND CAST(r.fields AS TEXT) ->> '$.role' = 'guest');
            UPDATE memberships SET consent_digest = zeroblob(32), consent_person = \(person) WHERE consent_at IS NOT NULL;
            """,
        16: """
            INSERT INTO sessions (hash, person, created_at, used_at, id, kind, name, ends_at, checked_at, scope, athletes)
                SELECT x'b1', \(person), \(now), \(now), x'0191000000007000800000000000b001', 'token', 'Export', \(now) + 8640000000, NULL, 'read', x'';
            INSERT INTO codes (hash, family, member, created_at, expires_at, maker)
                SELECT x'b2', 1, \(parent), \(now), \(now) + 600000, key FROM sessions WHERE person = \(person) AND scope IS NULL LIMIT 1;
            """,
        17: """
            INSERT INTO credentials (person, name, folded, hash, factor, step)
                SELECT \(person), 'Ana', x'616e61', '$argon2id$v=19$m=64,t=1,p=1$BwcHBwcHBwcHBwcHBwcHBw$AAAA', x'0102', 5;
            INSERT INTO recovery_codes (person, hash) SELECT \(person), x'c1' UNION ALL SELECT \(person), x'c2';
            INSERT INTO known_devices (hash, person, used_at) SELECT x'c3', \(person), \(now);
            INSERT INTO codes (hash, family, member, created_at, expires_at, recovery, recovery_by)
                SELECT x'c4', 1, \(parent), \(now), \(now) + 600000, 'parent', \(parent);
            UPDATE people SET recovered_at = 1, recovered_by = 'host' WHERE key = \(person);
            """,
        18: """
            INSERT INTO passkeys (credential, id, person, algorithm, public_key, counter, name, created_at, used_at)
                SELECT x'd1', x'0191000000007000800000000000d001', \(person), -8, x'd2', 3, 'Phone', \(now), \(now);
            UPDATE people SET handle = zeroblob(32) WHERE key = \(person);
            """,
        19: """
            INSERT INTO quotas (family, name, value) VALUES (1, 'connections', 64), (1, 'files', 1073741824);
            INSERT INTO audit (family, number, at, act, origin, member, about, count, detail)
                SELECT 1, max(number) + 1, \(now), 'quota_set', 'host', NULL, NULL, 1, 'connections 64' FROM audit WHERE family = 1;
            """,
        20: """
            INSERT INTO mail_addresses (person, address, folded, pending, code_hash, code_expires_at, recovery_hash, recovery_expires_at)
                SELECT \(person), 'Ana@example.org', 'ana@example.org', 'ana@example.net', x'e1', \(now) + 1800000, x'e2', \(now) + 1800000;
            INSERT INTO outbox (name, kind, person, family, about, address, subject, body, created_at, due_at, expires_at, tries)
                SELECT 'invite-1', 'invite', \(person), 1, id, email, 'Your code', 'The code is here.', \(now), \(now), \(now) + 86400000, 2
                FROM invites WHERE family = 1 AND state = 'pending' AND email IS NOT NULL;
            UPDATE invites SET mail = 'waiting' WHERE family = 1 AND state = 'pending' AND email IS NOT NULL;
            """,
        21: """
            INSERT INTO calendar_feeds (family, id, member, token_hash, name, scope, subjects, kinds, detail, alarms, created_at, fetches, fetched_at, program)
                SELECT 1, x'0191000000007000800000000000e001', \(parent), x'e3', 'Phone', 'all', x'', 6, 'busy', 1, \(now), 7, \(now), 'iOS' UNION ALL
                SELECT 1, x'0191000000007000800000000000e002', \(parent), x'e4', 'Mine', 'mine', \(parent), 6, 'full', 0, \(now), 0, NULL, '';
            """,
        22: """
            INSERT INTO erasures (key, uuid, requested_at, begun_at, state, ended_at)
                SELECT max(key) + 1, x'0191000000007000800000000000f001', \(now) - 1209600000, \(now) - 1000, 'done', \(now) FROM families;
            """,
    ]
}

/// A start of today's program on an old database, and all that can be seen after it.
private struct Upgrade {
    let old: OldDatabase
    let disk = FaultDisk()
    let blobs: BlobFolder
    let uploads: UploadFolder
    let now: Int64

    init(_ name: String) throws {
        old = try OldDatabase(name)
        now = try old.write(on: disk) + 60_000
        let files = MemoryDisk(root: "/data")
        blobs = BlobFolder(path: "/data/blobs", disk: files)
        uploads = UploadFolder(path: "/data/uploads", disk: files)
        try uploads.prepare()
        for content in ["Transcript, first version\n", "Transcript, second version\n", "Notes\n"] {
            for family in Set(old.answered.map(\.proposal.family)) where name != "0.1.0" { _ = try blobs.put(Array(content.utf8), family: family) }
        }
    }

    /// The old database again, on an empty disk.
    func restore() throws {
        #expect(faultvfs_reset(disk.name) == 0)
        try old.write(on: disk)
    }

    /// Each start draws the same numbers.
    func start() throws -> World {
        let surroundings = Surroundings()
        surroundings.now = now
        return try disk.world(surroundings)
    }

    /// The version in the file, as the next start finds it.
    func version() throws -> Int {
        let database = try Database(path: "huddle.db", mode: .readOnly, vfs: disk.name)
        return Int(try database.prepare("PRAGMA user_version").first { row throws(SQLiteError) in row.int64(0) } ?? -1)
    }

    /// How many rows each table has, as far as it is there.
    func rows() throws -> [String: Int64] {
        let database = try Database(path: "huddle.db", mode: .readOnly, vfs: disk.name)
        var tables: [String] = []
        try database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'").forEach { row throws(SQLiteError) in tables.append(row.text(0)) }
        return Dictionary(uniqueKeysWithValues: try tables.map { table in
            (table, try database.prepare("SELECT count(*) FROM \(table)").first { row throws(SQLiteError) in row.int64(0) } ?? -1)
        })
    }

    /// Every row of every table and the tables themselves, as lines.
    func content() throws -> [String] {
        let database = try Database(path: "huddle.db", mode: .readOnly, vfs: disk.name)
        func lines(_ sql: String) throws -> [String] {
            var lines: [String] = []
            try database.prepare(sql).forEach { row throws(SQLiteError) in lines.append(row.text(0)) }
            return lines
        }
        var all = try lines("SELECT name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY name")
        for table in try lines("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
            let columns = try lines("SELECT 'quote(\"' || name || '\")' FROM pragma_table_info('\(table)') ORDER BY cid").joined(separator: " || ',' || ")
            all += try lines("SELECT '\(table) ' || \(columns) FROM \"\(table)\" ORDER BY 1")
        }
        return all
    }

    /// The frames of readers for the members of each family.
    func seen(_ world: World) throws -> [[UInt8]] {
        var frames: [[UInt8]] = []
        func keep(_ frame: ServerFrame) { frames.append(frame.encode()) }
        var families: [Identifier] = []
        try Database(path: "huddle.db", mode: .readOnly, vfs: disk.name).prepare("SELECT uuid FROM families ORDER BY key").forEach { row throws(SQLiteError) in
            if let halves = row.identifierHalves(0) { families.append(Identifier(high: halves.high, low: halves.low)) }
        }
        #expect(families.count == 3)
        for family in families {
            let home = World.Home(family: family, parent: family)
            let (_, records) = try world.snapshot(home)
            frames += try world.frames(home).parts
            frames += try world.reader.changes(family: family, after: 0, maxOctets: .max).frames.map(\.frame)
            let members = records.values.filter { $0.kind == .member }.sorted { "\($0.id)" < "\($1.id)" }
            let parent = try #require(members.first { $0.fields.text("role") == "parent" }?.id)
            for kind in Kind.allCases {
                for isDeleted in [false, true] {
                    switch try world.page(home, ListRequest(request: 1, kind: kind, limit: 200, counts: true, deleted: isDeleted)) {
                    case .success(let page): keep(.page(page))
                    case .failure(let rejection): keep(.error(rejection, request: 1))
                    }
                }
                if case .success(let answer) = try world.reader.statistics(family: family, StatisticsRequest(request: 1, kind: kind), athlete: nil) { keep(.statistics(answer)) }
            }
            for record in [nil] + records.values.sorted(by: { "\($0.id)" < "\($1.id)" }).map({ HistoryRequest.Target(kind: $0.kind, id: $0.id) }) {
                switch try world.reader.history(family: family, member: parent, HistoryRequest(request: 1, record: record, limit: 200)) {
                case .success(let page): keep(.history(page))
                case .failure(let rejection): keep(.error(rejection, request: 1))
                }
            }
            keep(.digest(try world.reader.digest(family: family, member: parent, DigestRequest(request: 1, after: 3))))
            keep(.accessLog(try world.reader.accessLog(family: family, member: parent, AccessLogRequest(request: 1, limit: 200)).get()))
            for share in try world.reader.shares(family: family) {
                frames.append(Array("\(share) \(try world.reader.visits(family: family, link: share.id))".utf8))
            }
        }
        let signIn = try #require(try world.reader.signIn(token: old.token), "the session is gone")
        #expect(signIn.memberships.map(\.family) == [old.family])
        if !old.shareToken.isEmpty { #expect(try world.reader.share(token: old.shareToken)?.document.fileName == "t.txt") }
        return frames
    }

    func check() throws -> CheckReport {
        try StoreCheck(path: "huddle.db", vfs: disk.name).run(blobs: blobs, uploads: uploads, isDeep: true, now: now)
    }

    /// A receipt without the record of a conflict, which is shown as it is now, not as it was then.
    private static func comparable(_ frame: [UInt8]) throws -> [UInt8] {
        guard case .reject(let mutation, var rejection) = try ServerFrame.decode(frame), rejection.conflict != nil else { return frame }
        rejection.conflict = nil
        return ServerFrame.reject(mutation: mutation, rejection).encode()
    }

    /// The mutations that get another answer than they got then: both answers.
    func changedAnswers(_ world: World) throws -> [String] {
        var changed: [String] = []
        var rest = old.answered[...]
        while !rest.isEmpty {
            let part = rest.prefix(32)
            rest = rest.dropFirst(32)
            // Sentences of earlier versions are repeated as they were, so that no frame is compared with today's catalogue.
            let frames = try world.store.commit(part.map(\.proposal)).compactMap { result -> [UInt8]? in
                guard case .receipt(let receipt) = result else { return nil }
                return receipt.frame
            }
            #expect(frames.count == part.count)
            for (answered, frame) in zip(part, frames) where try Self.comparable(frame) != Self.comparable(answered.answer) {
                changed.append("\(String(decoding: answered.answer, as: UTF8.self))\n\(String(decoding: frame, as: UTF8.self))")
            }
        }
        return changed
    }
}

/// `HUDDLE_SWEEP=all swift test --filter MigrationTests` kills at every operation of the disk; otherwise about twelve of each sweep are chosen.
@Suite("Databases of earlier versions")
struct MigrationTests {
    /// Version 1, the version of the day on which the second fixture was made, and each one after it.
    static let names = ["0.1.0", "version-12"] + (13..<Int(Schema.version)).map { "version-\($0)" }

    @Test("The database of each later version has rows in what its step brought")
    func content() {
        for version in 13..<Int(Schema.version) { #expect(LaterRows.sql[version] != nil, "version \(version)") }
    }

    /// A later version is killed in the step that follows it alone, in the way that leaves most to chance: the steps after it are killed with the fixtures.
    static let kills: [(String, faultvfs_mode)] = names.flatMap { name in
        let isFixture = !name.hasPrefix("version-") || name == "version-12" || Environment.value("HUDDLE_SWEEP") == "all"
        return (isFixture ? [FAULTVFS_LOSE, FAULTVFS_RANDOM, FAULTVFS_KILL] : [FAULTVFS_RANDOM]).map { (name, $0) }
    }

    @Test("A database of an earlier version is whole after its first start, shows the content of its log, answers again, and continues", arguments: names)
    func upgrades(name: String) throws {
        let upgrade = try Upgrade(name)
        let before = try upgrade.version()
        #expect(before == upgrade.old.version && before <= Int(Schema.version))
        let rows = try upgrade.rows()
        let world = try upgrade.start()
        if before > 12 {
            let after = try upgrade.rows()
            // Until version 14 an invite was its code.
            for (table, count) in rows where table != "invites" || before > 13 { #expect(after[table] == count, "\(table)") }
            let filled = ["invites", "codes", "audit", "sessions", "credentials", "recovery_codes", "known_devices", "passkeys", "quotas", "mail_addresses", "outbox", "calendar_feeds", "erasures"]
            for table in filled where rows[table] != nil { #expect(rows[table] ?? 0 > 0, "\(table)") }
        }
        #expect(try upgrade.version() == Int(Schema.version))
        let report = try upgrade.check()
        #expect(report.findings == [])
        #expect(report.families == 3 && report.documents == (before == 1 ? 0 : 6) && report.records > 60, "\(report)")
        let seen = try upgrade.seen(world)
        let changed = try upgrade.changedAnswers(world)
        #expect(changed == [])
        #expect(try upgrade.seen(world) == seen)

        // A restart changes nothing; new changes continue where the old ones ended.
        try world.reopen()
        #expect(try upgrade.seen(world) == seen)
        let home = World.Home(family: upgrade.old.family, parent: upgrade.old.parent)
        let (sequence, records) = try world.snapshot(home)
        let (newTrip, newSchool) = (world.newID(), world.newID())
        let event = try #require(records.values.first { $0.kind == .event && !$0.isDeleted })
        let answer = try world.mutate(
            home, home.parent, school(newSchool, "Rice"), create(.trip, newTrip, ["name": .text("Tour"), "start_date": .text("2027-06-01")]),
            update(.event, event.id, base: event.version, ["city": .text("Utica")]), message(world.newID(), "On we go."))
        #expect(answer.sequence == sequence + 1)
        #expect(try upgrade.check().findings == [])
    }

    @Test("Killed or without power anywhere in the first start, a database of an earlier version becomes what it becomes without", arguments: kills)
    func killed(name: String, mode: faultvfs_mode) throws {
        let upgrade = try Upgrade(name)
        let first = try upgrade.version()
        let start = faultvfs_operations(upgrade.disk.name)
        let (content, seen) = try {
            let world = try upgrade.start()
            let seen = try upgrade.seen(world)
            return (try upgrade.content(), seen)
        }()
        let count = Int(faultvfs_operations(upgrade.disk.name) - start)
        #expect(count > (first < Int(Schema.version) ? 12 : 1))

        /// Lets the start end at an operation, and looks at what the next one makes of it.
        ///
        /// - Returns: the version in which it was interrupted.
        func kill(at operation: Int, seed: UInt64? = nil) throws -> Int {
            try upgrade.restore()
            faultvfs_crash_at(upgrade.disk.name, operation, mode, seed ?? UInt64(operation))
            // Throws where the kill meets it.
            _ = try? upgrade.start()
            #expect(faultvfs_crashed(upgrade.disk.name) == 1, "operation \(operation)")
            #expect(faultvfs_restart(upgrade.disk.name) == 0, "operation \(operation)")
            let version = try upgrade.version()
            let world = try upgrade.start()
            let after = try upgrade.content()
            #expect(after == content, "operation \(operation): \(zip(after, content).first { $0 != $1 }.map { "\($0)" } ?? "")")
            #expect(try upgrade.check().findings == [], "operation \(operation)")
            let changed = try upgrade.changedAnswers(world)
            #expect(changed == [], "operation \(operation)")
            #expect(try upgrade.seen(world) == seen, "operation \(operation)")
            return version
        }

        let isWhole = Environment.value("HUDDLE_SWEEP") == "all"
        let isFixture = isWhole || upgrade.old.version <= 12
        let step = isWhole ? 1 : max(count / (isFixture ? 12 : 2), 1)
        var found: [(operation: Int, version: Int)] = []
        for operation in stride(from: 1 + Int(mode.rawValue) * step / 4, through: count, by: step) {
            found.append((operation, try kill(at: operation)))
        }
        // No step is left out, however few operations it has.
        for version in first..<(isFixture ? Int(Schema.version) : first + 1) {
            while !found.contains(where: { $0.version == version }) {
                let below = found.last { $0.version < version }?.operation ?? 0
                let above = found.first { $0.version > version }?.operation ?? count + 1
                guard above - below > 1 else {
                    // A short step is one write and one sync, and chance decides what is left of the write.
                    search: for seed in 1..<(mode == FAULTVFS_RANDOM ? 21 : 1) as Range<UInt64> {
                        for operation in max(below, 1)...min(above, count) {
                            found.append((operation, try kill(at: operation, seed: seed)))
                            if found.last?.version == version { break search }
                        }
                    }
                    found.sort { $0.operation < $1.operation }
                    if found.contains(where: { $0.version == version }) { break }
                    Issue.record("No operation was found that interrupts the step from version \(version).")
                    break
                }
                let middle = (below + above) / 2
                found.append((middle, try kill(at: middle)))
                found.sort { $0.operation < $1.operation }
            }
        }
    }

    /// Each fixture, on a disk that is full, that refuses a write, and that fails a sync; `HUDDLE_SWEEP=all`: each version.
    static let faults: [(String, Int32)] = (Environment.value("HUDDLE_SWEEP") == "all" ? names : Array(names.prefix(2))).flatMap { name in
        [FaultTests.full, FaultTests.writeError, FaultTests.syncError].map { (name, $0) }
    }

    @Test("Where the disk is full or fails anywhere in the first start, the start says so, and the next one makes of the database what it becomes without", arguments: faults)
    func failing(name: String, code: Int32) throws {
        let upgrade = try Upgrade(name)
        let start = faultvfs_operations(upgrade.disk.name)
        let content = try {
            let world = try upgrade.start()
            return try withExtendedLifetime(world) { try upgrade.content() }
        }()
        let count = Int(faultvfs_operations(upgrade.disk.name) - start)
        var refused = 0
        for operation in stride(from: 1, through: count, by: Environment.value("HUDDLE_SWEEP") == "all" ? 1 : max(count / 6, 1)) {
            try upgrade.restore()
            let before = faultvfs_failures(upgrade.disk.name)
            // A disk that is full stays so; after another failure the power may be gone as well.
            faultvfs_fail_at(upgrade.disk.name, operation, code, code == FaultTests.full ? -1 : 1)
            do {
                _ = try upgrade.start()
            } catch let failure as StoreFailure {
                refused += 1
                #expect(!failure.message.isEmpty)
            }
            #expect(faultvfs_failures(upgrade.disk.name) > before || operation > count / 2, "operation \(operation)")
            if code != FaultTests.full { faultvfs_crash_now(upgrade.disk.name, FAULTVFS_LOSE, 0) }
            #expect(faultvfs_restart(upgrade.disk.name) == 0, "operation \(operation)")
            let world = try upgrade.start()
            let after = try withExtendedLifetime(world) { try upgrade.content() }
            #expect(after == content, "operation \(operation): \(zip(after, content).first { $0 != $1 }.map { "\($0)" } ?? "")")
            #expect(try upgrade.check().findings == [], "operation \(operation)")
        }
        #expect(refused >= 1, "\(refused) of \(count) operations")
    }
}
