import Bytes
import ClientWorld
@testable import Documents
import Family
import Posix
import SQLite
@testable import Sessions
@testable import Sync
import Testing
import Wire

@Suite("Cache: the data that a client stores on its machine")
struct CacheTests {
    /// An engine that is live and has every kind of data, offline at the end.
    static func fullEngine(_ durable: inout DurableSide, _ engine: inout SyncEngine) throws {
        var actions = engine.start(now: 0)
        func feed(_ more: [SyncAction]) {
            actions += more
        }
        feed(engine.connected(now: 0))
        feed(engine.receive(World.welcome(), now: 0))
        feed(engine.receive(World.joined(10, byChanges: false), now: 0))
        feed(engine.receive(.snapshot(sequence: 10, records: [World.school(20, "Ohio", version: 3), World.school(21, "Iowa")]), now: 0))
        feed(engine.receive(.snapshotEnd(sequence: 10), now: 0))
        feed(engine.receive(.live(sequence: 10), now: 0))
        feed(engine.receive(World.change(11, [World.created(22, "Utah")]), now: 0))
        _ = durable.follow(actions, &engine, now: 0)
        let (refused, sent) = try engine.perform([World.update(20, base: 3, ["name": .text("Mine")])], at: 1, now: 0)
        _ = durable.follow(sent, &engine, now: 0)
        let conflict = Conflict(
            record: World.school(20, "Theirs", version: 4),
            fields: [.init(field: World.field(.school, "name"), base: .text("Ohio"), yours: .text("Mine"), theirs: .text("Theirs"), member: World.athlete, at: 9)])
        _ = durable.follow(engine.receive(.reject(mutation: refused, Rejection(.conflict, "Maya changed it.", operation: 0, conflict: conflict)), now: 0), &engine, now: 0)
        _ = durable.follow(try engine.perform([World.create(30, "Under way")], at: 2, now: 0).actions, &engine, now: 0)
        _ = durable.follow(engine.disconnected(closeCode: nil, now: 0), &engine, now: 0)
        _ = durable.follow(try engine.perform([World.create(31, "Waiting"), World.update(21, base: 1, ["notes": .text("two\nlines")])], at: 3, now: 0).actions, &engine, now: 0)
        _ = durable.follow(try engine.undo(9, at: 4, now: 0).actions, &engine, now: 0)
    }

    @Test("A restarted client has everything as it was, and sends a mutation that was in flight again unchanged")
    func roundTrip() throws {
        let home = try CacheFixture()
        var engine = SyncEngine(World.configuration())
        var durable = DurableSide(home.place, restoring: &engine)
        try Self.fullEngine(&durable, &engine)
        durable.save(engine)
        #expect(durable.keepsWhatWaits && durable.takeWarnings() == [])
        let before = engine
        durable = try Self.other()
        var again = SyncEngine(World.configuration(seed: 7))
        durable = DurableSide(home.place, restoring: &again)
        #expect(again.confirmedRecords == before.confirmedRecords && again.cursor == Cursor(epoch: "e1", sequence: 11))
        #expect(again.pending.map(\.id) == before.pending.map(\.id) && again.pending.map(\.body) == before.pending.map(\.body))
        #expect(again.pending.map(\.state) == [.resend, .unsent, .unsent])
        #expect(again.drafts == before.drafts && again.member == World.parent && again.role == .parent)
        #expect(again.records(of: .school) == before.records(of: .school))
        #expect(durable.keptChanges.map(\.sequence) == [11])
        let sent = (again.start(now: 0) + World.resume(&again, at: 11)).sent
        guard case .join(let join)? = sent.dropFirst().first else { throw Unexpected() }
        #expect(join.cursor == Cursor(epoch: "e1", sequence: 11) && join.client == World.client)
        #expect(sent.compactMap { if case .mutation(let id, _, _) = $0 { id } else { nil } } == before.pending.prefix(3).map(\.id))
    }

    /// - Parameter sql: the damage to the cache between two programs.
    /// - Returns: the engine that resumes, its actions after the checksum, and a change that waited in the cache.
    private func resumed(after sql: String, _ checksum: StateChecksum) throws -> (SyncEngine, [SyncAction], waiting: Int64) {
        let home = try CacheFixture()
        let records = [World.school(20, "Ohio", version: 3), World.school(21, "Iowa")]
        let unsent = StateChecksum(1_234)
        var engine = SyncEngine(World.configuration())
        var durable = DurableSide(home.place, restoring: &engine)
        var actions = engine.start(now: 0) + engine.connected(now: 0) + engine.receive(World.welcome(), now: 0)
        actions += engine.receive(World.joined(10, byChanges: false), now: 0)
        actions += engine.receive(.snapshot(sequence: 10, records: records), now: 0)
        let sums = SnapshotVerification(checksum: StateChecksum(records) + unsent, unsent: unsent)
        actions += engine.receive(.snapshotEnd(sequence: 10, verification: sums), now: 0)
        actions += engine.receive(.live(sequence: 10, checksum: sums.checksum), now: 0)
        actions += engine.receive(World.change(11, [World.created(22, "Utah")]), now: 0)
        _ = durable.follow(actions, &engine, now: 0)
        let (waiting, sent) = try engine.perform([World.update(20, base: 3, ["name": .text("Mine")])], at: 1, now: 0)
        _ = durable.follow(sent, &engine, now: 0)
        durable.save(engine)
        durable = try Self.other()
        try Database(path: home.file, mode: .readWrite).execute(sql)
        var again = SyncEngine(World.configuration(seed: 7))
        durable = DurableSide(home.place, restoring: &again)
        _ = again.start(now: 0)
        _ = again.connected(now: 0)
        _ = again.receive(World.welcome(), now: 0)
        _ = again.receive(World.joined(11, byChanges: true), now: 0)
        let told = again.receive(.live(sequence: 11, checksum: checksum), now: 0)
        return (again, told, waiting)
    }

    /// The checksum of the records in the cache at sequence 11, and of those that the snapshot left out.
    private var kept: StateChecksum {
        StateChecksum([World.school(20, "", version: 3), World.school(21, ""), World.school(22, "")]) + StateChecksum(1_234)
    }

    @Test("The cache stores the checksum of the left-out records with the cursor, so its records can be compared")
    func checksum() throws {
        let (engine, actions, waiting) = try resumed(after: "", kept)
        #expect(engine.phase == .live && engine.faultCount == 0)
        #expect(actions.sentMutations == [waiting])
    }

    @Test("A client detects a missing or different record in its cache, loads everything again, and keeps pending changes", arguments: [
        "DELETE FROM record WHERE id = x'00000000000070008000000000000015'",
        "UPDATE record SET body = CAST(replace(CAST(body AS TEXT), '\"version\":1', '\"version\":2') AS BLOB)",
    ])
    func damagedRecords(sql: String) throws {
        let (engine, actions, waiting) = try resumed(after: sql, kept)
        #expect(actions.notices == [.fault(.differs(sequence: 11))] && actions.disconnects == [CloseCode.normal.rawValue])
        #expect(engine.cursor == nil && engine.pending.map(\.id) == [waiting])
    }

    @Test("A cache moved on by an older program has no such checksum: the client loads everything again, without a report", arguments: [
        "DELETE FROM meta WHERE name = 'unsent'", "UPDATE meta SET value = '9 1234' WHERE name = 'unsent'",
        "UPDATE meta SET value = '11 4294967296' WHERE name = 'unsent'", "UPDATE meta SET value = 'x' WHERE name = 'unsent'",
    ])
    func olderCache(sql: String) throws {
        let (engine, actions, _) = try resumed(after: sql, kept)
        #expect(actions.notices == [] && actions.disconnects == [CloseCode.normal.rawValue])
        #expect(engine.cursor == nil && engine.faultCount == 0)
    }

    struct Unexpected: Error {}

    /// A durable side of an unused folder, to replace and release another one.
    static func other() throws -> DurableSide {
        var engine = SyncEngine(World.configuration())
        return DurableSide(CachePlace(root: "/nonexistent", try ServerAddress("ws://none:1"), token: "x", family: nil), restoring: &engine)
    }

    @Test("No other user may read the cache, and no file contains the token")
    func privacy() throws {
        let home = try CacheFixture()
        var engine = SyncEngine(World.configuration())
        var durable = DurableSide(home.place, restoring: &engine)
        try Self.fullEngine(&durable, &engine)
        durable.save(engine)
        var files = 0
        func check(_ path: String) throws {
            let status = try #require(try Files.status(path))
            #expect(status.mode & 0o077 == 0, "\(path)")
            if status.kind == .folder {
                for name in try Files.list(path) { try check(path + "/" + name) }
            } else {
                files += 1
                #expect(!String(decoding: try Files.read(path), as: UTF8.self).contains("secret-token"))
                #expect(!path.contains("secret-token"))
            }
        }
        try check(home.path + "/state/huddle")
        #expect(files >= 2)
    }

    @Test("R040 R124 R127 Display settings are there at the next start, also for a second process, and in a cache from before settings")
    func settings() throws {
        let home = try CacheFixture()
        var engine = SyncEngine(World.configuration())
        var durable = DurableSide(home.place, restoring: &engine)
        // Before the member is known.
        durable.set(.eventsSortBy, to: "name")
        try Self.fullEngine(&durable, &engine)
        durable.set(.documentsViewMode, to: "list")
        durable.set(.documentsSortBy, to: "oldest")
        durable.set(.documentsSortBy, to: nil)
        var other = SyncEngine(World.configuration(seed: 2))
        var second = DurableSide(home.place, restoring: &other)
        #expect(second.cache?.isBeside == true && second.settings == [.eventsSortBy: "name", .documentsViewMode: "list"])
        second.set(.documentsViewMode, to: "grid")
        #expect(second.settings[.documentsViewMode] == "grid")
        durable = try Self.other()
        #expect(durable.settings == [:])
        var again = SyncEngine(World.configuration(seed: 3))
        durable = DurableSide(home.place, restoring: &again)
        #expect(durable.settings == [.eventsSortBy: "name", .documentsViewMode: "list"], "the second process has no say")
        durable.set(.documentsViewMode, to: String(repeating: "x", count: 1_000))
        durable = try Self.other()
        do {
            let database = try Database(path: home.file, mode: .readWrite)
            try database.execute("INSERT INTO setting VALUES ('of a newer program', 'x')")
        }
        var newer = SyncEngine(World.configuration(seed: 5))
        durable = DurableSide(home.place, restoring: &newer)
        #expect(durable.settings[.documentsViewMode]?.count == 200 && durable.settings.count == 2)
        durable = try Self.other()
        do {
            let database = try Database(path: home.file, mode: .readWrite)
            try database.execute("DROP TABLE setting")
        }
        #expect(Cache.look(home.place, World.parent) != nil)
        var old = SyncEngine(World.configuration(seed: 4))
        durable = DurableSide(home.place, restoring: &old)
        #expect(durable.settings == [:] && durable.takeWarnings() == [] && old.cursor != nil)
        durable.set(.eventsSortBy, to: "name")
        #expect(durable.cache?.settings() == [.eventsSortBy: "name"])
    }

    @Test("A second process reads the cache and stores its own changes beside it, including unsent input; the next process alone takes over all of it, once")
    func second() throws {
        let home = try CacheFixture()
        var engine = SyncEngine(World.configuration())
        var durable = DurableSide(home.place, restoring: &engine)
        try Self.fullEngine(&durable, &engine)
        durable.save(engine)
        try durable.cache?.keep(Cache.Place(text: "here"), of: "room")
        try durable.cache?.keep(Cache.Place(text: "{a}"), of: "form 1")
        try durable.cache?.keep(input: "first line")
        try durable.cache?.keep(FileTransfer(.download(.init(document: World.id(5), octets: 9, sha256: "ab")), path: "/tmp/one"), number: 1)
        func beside(_ seed: UInt64) -> (SyncEngine, DurableSide) {
            var engine = SyncEngine(World.configuration(seed: seed))
            let side = DurableSide(home.place, restoring: &engine)
            return (engine, side)
        }
        do {
            var (other, second) = beside(2)
            #expect(other.confirmedRecords == engine.confirmedRecords && other.pending.isEmpty && other.drafts.isEmpty)
            #expect(second.keepsWhatWaits && second.takeWarnings() == [])
            _ = second.follow(try other.perform([World.create(77, "Beside")], at: 9, now: 0).actions, &other, now: 0)
            second.save(other)
            #expect(try second.cache?.input() == ["first line"])
            try second.cache?.keep(Cache.Place(text: "there"), of: "room")
            try second.cache?.keep(Cache.Place(text: "{b}"), of: "form 1")
            try second.cache?.keep(Cache.Place(text: "[1]"), of: "kept")
            try second.cache?.keep(input: "second line")
            try second.cache?.keep(FileTransfer(.download(.init(document: World.id(6), octets: 9, sha256: "cd")), path: "/tmp/two"), number: 1)
            // Another process beside both at the same time, and the second one killed and started again.
            var (fourth, third) = beside(3)
            _ = third.follow(try fourth.perform([World.create(78, "Beside, too")], at: 10, now: 0).actions, &fourth, now: 0)
            third.save(fourth)
            second = try Self.other()
            (other, second) = beside(4)
            #expect(other.pending.map(\.operations.first?.id) == [World.id(77)] && other.confirmedRecords == engine.confirmedRecords)
        }
        // For a process that only reads: all of it, the first one's before.
        #expect(Cache.look(home.place, World.parent, withWaiting: true)?.state.pending.count == engine.pending.count + 2)
        #expect(Cache.lookTransfers(home.place, World.parent).map(\.transfer.path) == ["/tmp/one", "/tmp/two"])
        let before = engine
        let left = try Files.list(home.folder + "/beside").map { (folder: home.folder + "/beside/" + $0, files: try Self.files(home.folder + "/beside/" + $0)) }
        #expect(left.count == 2)
        for round in 0..<3 {
            durable = try Self.other()
            // The state after a kill between the takeover and the removal.
            if round == 1 {
                for (folder, files) in left {
                    try Files.makeFolders(folder)
                    for (name, octets) in files { try Files.write(octets, to: folder + "/" + name) }
                }
            }
            var (alone, last) = beside(5)
            #expect(alone.pending.map(\.id) == (before.pending.map(\.id) + alone.pending.suffix(2).map(\.id)))
            #expect(alone.pending.suffix(2).map(\.operations.first?.id) == [World.id(77), World.id(78)], "in the order in which they were asked for, each once")
            #expect(alone.drafts == before.drafts && alone.configuration.client == World.client)
            #expect(try last.cache?.conversations().mapValues(\.text) == ["room": "here\nthere", "form 1": "{a}", "form 2": "{b}", "kept": "[1]"])
            #expect(try last.cache?.input() == ["first line", "second line"])
            #expect(try last.cache?.transfers().map(\.transfer.path) == ["/tmp/one", "/tmp/two"])
            #expect(try Files.list(home.folder + "/beside").isEmpty)
            last.save(alone)
            durable = last
        }
    }

    private static func files(_ folder: String) throws -> [(String, [UInt8])] {
        try Files.list(folder).filter { !$0.hasSuffix("-shm") }.map { ($0, try Files.read(folder + "/" + $0)) }
    }

    @Test("Changes taken over are shown as they result in the order in which they are sent")
    func order() throws {
        func renamed(_ id: Int64, _ name: String) -> PendingMutation {
            PendingMutation(id: id, body: .operations([World.update(20, base: 3, ["name": .text(name)])]), overlap: nil, at: id)
        }
        var here = SavedState(client: World.client, family: World.id(1), member: World.parent)
        here.cursor = Cursor(epoch: "e1", sequence: 10)
        here.records = [World.school(20, "Ohio", version: 3)]
        var beside = here
        (here.pending, beside.pending) = ([renamed(50, "First")], [renamed(100, "Second")])
        var engine = SyncEngine(World.configuration())
        engine.restore(here)
        #expect(engine.record(World.id(20))?.fields.text("name") == "First")
        let isOwn = engine.takeOver(beside)
        #expect(isOwn == true)
        #expect(engine.pending.map(\.id) == [50, 100])
        #expect(engine.record(World.id(20))?.fields.text("name") == "Second")
    }

    @Test("A write of several values is stored completely or not at all, and the previous values stay")
    func atOnce() throws {
        let home = try CacheFixture()
        var engine = SyncEngine(World.configuration())
        var durable = DurableSide(home.place, restoring: &engine)
        try Self.fullEngine(&durable, &engine)
        let cache = try #require(durable.cache)
        try cache.keep(["form 9": .init(text: "{9}"), "room": .init(text: "a")], input: ["one"])
        try cache.database.execute("CREATE TRIGGER full BEFORE INSERT ON conversation WHEN NEW.text = 'full' BEGIN SELECT RAISE(ABORT, 'full'); END")
        #expect(throws: (any Error).self) { try cache.keep(["form 9": .init(), "form 1": .init(text: "{9}"), "room": .init(text: "full")], input: ["two"]) }
        #expect(try cache.conversations().mapValues(\.text) == ["form 9": "{9}", "room": "a"])
        #expect(try cache.input() == ["one"])
        try cache.keep(["form 9": .init(), "form 1": .init(text: "{9}"), "room": .init(text: "b")], input: ["two", ""])
        #expect(try cache.conversations().mapValues(\.text) == ["form 1": "{9}", "room": "b"])
        #expect(try cache.input() == ["one", "two"])
    }

    @Test("Changes under another client id wait until no change here is pending, so that none is sent twice")
    func otherClient() throws {
        var engine = SyncEngine(World.configuration())
        _ = engine.start(now: 0)
        _ = try engine.perform([World.create(70, "Mine")], at: 1, now: 0)
        var left = SavedState(client: World.id(99), family: World.id(1), member: World.parent)
        var theirs = SyncEngine(World.configuration(seed: 9))
        _ = try theirs.perform([World.create(71, "Theirs")], at: 2, now: 0)
        left.pending = theirs.pending
        let refused = engine.takeOver(left)
        #expect(refused == nil && engine.pending.count == 1)
        var empty = SyncEngine(World.configuration())
        let isOwn = empty.takeOver(left)
        #expect(isOwn == false && empty.configuration.client == World.id(99) && empty.pending.count == 1)
    }

    @Test("Two programs that ran side by side: neither overwrites the other's texts", arguments: [
        ("room", "", "b", "room", "b"), ("room", "a", "", "room", "a"), ("room", "a", "b", "room", "a\nb"), ("room", "a", "a", "room", "a"),
        ("form 1", "{}", "{1}", "form 2", "{1}"), ("upload 3", "{}", "{1}", "upload 1", "{1}"), ("kept", "[1]", "[2,3]", "kept", "[1,2,3]"),
        ("kept", "[]", "[2]", "kept", "[]\n[2]"),
        // The texts were taken over before.
        ("room", "a\nb", "b", "room", "a\nb"), ("form 1", "{1}", "{1}", "form 1", "{1}"), ("kept", "[1,2,3]", "[2,3]", "kept", "[1,2,3]"),
    ])
    func merged(name: String, here: String, there: String, place: String, text: String) {
        let answer = Cache.merged(name, Cache.Place(text: there), into: [name: Cache.Place(text: here, place: "p")])
        #expect(answer.name == place && answer.place.text == text)
    }

    @Test("A file from a newer program, or a damaged one, is set aside, and its pending changes are taken over", arguments: [
        "newer", "garbage in the records", "record without a meaning", "no database at all",
    ])
    func setAside(how: String) throws {
        let home = try CacheFixture()
        do {
            var engine = SyncEngine(World.configuration())
            var durable = DurableSide(home.place, restoring: &engine)
            try Self.fullEngine(&durable, &engine)
            durable.save(engine)
        }
        do {
            let database = try Database(path: home.file, mode: .readWrite)
            switch how {
            case "newer": try database.execute("PRAGMA user_version = 2; ALTER TABLE record RENAME TO thing")
            case "garbage in the records": try database.execute("UPDATE record SET body = x'00ff'")
            case "record without a meaning": try database.execute("UPDATE record SET body = CAST('{\"kind\":\"comet\"}' AS BLOB)")
            default: break
            }
        }
        let isLost = how == "no database at all"
        if isLost {
            for suffix in ["-wal", "-shm"] { try Files.remove(home.file + suffix) }
            try Files.write(Array("This is no database, and never was one. ".utf8), to: home.file)
        }
        var engine = SyncEngine(World.configuration(seed: 2))
        var durable = DurableSide(home.place, restoring: &engine)
        let warnings = durable.takeWarnings()
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains(isLost ? "no change that waited could be read" : "4 of your changes that waited in it were taken over") == true, "\(warnings)")
        #expect(warnings.first?.contains(how == "newer" ? "newer huddle" : "is damaged") == true, "\(warnings)")
        #expect(Files.exists(home.folder + "/set-aside.sqlite"))
        #expect(engine.cursor == nil && engine.pending.count == (isLost ? 0 : 3) && engine.drafts.count == (isLost ? 0 : 1))
        // The changes taken over are stored again, and the next start has no warning.
        durable.save(engine)
        durable = try Self.other()
        var next = SyncEngine(World.configuration(seed: 3))
        durable = DurableSide(home.place, restoring: &next)
        #expect(durable.takeWarnings() == [] && next.pending.map(\.id) == engine.pending.map(\.id))
    }

    @Test("Signing out or removal deletes everything; an unknown sign-in keeps the author's own changes", arguments: [
        (StopReason.signedOut, false), (.closed(4500), false), (.closed(4501), false), (.tokenUnknown, true),
    ])
    func wiped(reason: StopReason, isKept: Bool) throws {
        let home = try CacheFixture()
        var engine = SyncEngine(World.configuration())
        var durable = DurableSide(home.place, restoring: &engine)
        try Self.fullEngine(&durable, &engine)
        durable.save(engine)
        _ = durable.follow([.stop(reason)], &engine, now: 0)
        #expect(home.place.member == nil)
        #expect(Files.exists(home.file) == isKept)
        guard isKept else { return }
        let octets = try Files.read(home.file) + ((try? Files.read(home.file + "-wal")) ?? [])
        #expect(!String(decoding: octets, as: UTF8.self).contains("Utah"), "the family's records are gone from the file as well")
        // Signed in again, with another token.
        let place = CachePlace(root: home.path + "/state/huddle", try ServerAddress("ws://host:8787"), token: "new", family: nil)
        var next = SyncEngine(World.configuration(seed: 4))
        var again = DurableSide(place, restoring: &next)
        #expect(next.pending.isEmpty)
        _ = again.follow(next.start(now: 0), &next, now: 0)
        for frame in [World.welcome(), World.joined(12, byChanges: false)] {
            if case .welcome = frame { _ = again.follow(next.connected(now: 0), &next, now: 0) }
            _ = again.follow(next.receive(frame, now: 0), &next, now: 0)
        }
        #expect(next.pending.count == 3 && next.drafts.count == 1 && again.keepsWhatWaits)
    }

    @Test("A full or broken disk is reported once, stops nothing, and unwritten state is written later")
    func failing() throws {
        let home = try CacheFixture()
        var engine = SyncEngine(World.configuration())
        var durable = DurableSide(home.place, restoring: &engine)
        try Self.fullEngine(&durable, &engine)
        durable.save(engine)
        let blocker = try Database(path: home.file, mode: .readWrite, busyMilliseconds: 10)
        try blocker.execute("BEGIN IMMEDIATE")
        _ = durable.follow(try engine.perform([World.create(40, "Late")], at: 5, now: 0).actions, &engine, now: 0)
        #expect(!durable.keepsWhatWaits)
        durable.save(engine)
        #expect(durable.takeWarnings().count == 1)
        try blocker.execute("ROLLBACK")
        durable.save(engine)
        #expect(durable.keepsWhatWaits && durable.takeWarnings() == [])
        durable = try Self.other()
        var next = SyncEngine(World.configuration(seed: 3))
        _ = DurableSide(home.place, restoring: &next)
        #expect(next.pending.count == 4 && next.name(40) == "Late")
    }

    @Test("The cache stores unsent input, the reading position, and the history of the input")
    func typing() throws {
        let home = try CacheFixture()
        let cache = try Cache.open(home.place, World.parent).cache
        try cache.keep(.init(text: "half a sen", place: "message 12"), of: "family")
        try cache.keep(.init(text: "x"), of: "event 3")
        try cache.keep(.init(), of: "event 3")
        #expect(try cache.conversations() == ["family": .init(text: "half a sen", place: "message 12")])
        for number in 1...1_010 { try cache.keep(input: "line \(number)") }
        let lines = try cache.input()
        #expect(lines.count == 1_000 && lines.first == "line 11" && lines.last == "line 1010")
    }

    @Test("The number of stored changes is bounded")
    func bounded() throws {
        let home = try CacheFixture()
        var engine = SyncEngine(World.configuration())
        var durable = DurableSide(home.place, restoring: &engine)
        try Self.fullEngine(&durable, &engine)
        _ = durable.follow(World.resume(&engine, at: 11), &engine, now: 0)
        for sequence in 12...Int64(1_200) {
            _ = durable.follow(engine.receive(World.change(sequence, [World.created(UInt64(1_000 + sequence), "S")]), now: 0), &engine, now: 0)
            if sequence % 7 == 0 { durable.save(engine) }
        }
        durable.save(engine)
        durable = try Self.other()
        var next = SyncEngine(World.configuration(seed: 3))
        durable = DurableSide(home.place, restoring: &next)
        #expect(durable.keptChanges.last?.sequence == 1_200 && (500...560).contains(durable.keptChanges.count))
        #expect(next.confirmedRecords.count == 1_192)
    }
}
