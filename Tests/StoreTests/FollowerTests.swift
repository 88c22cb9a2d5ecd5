import Blobs
import Bytes
import CFaultVFS
import Family
import Ledger
import Posix
import SQLite
import StoreMemory
import TestSupport
import Testing
import Wire

@testable import Store
@testable import StoreSQLite

@Suite("Followers of the log of all families: positions, cursors, reloads", .bothEngines)
struct FollowerTests {
    /// SQL that takes a database back to before it had positions and consumers.
    static let takenBack = """
        \(KeyTests.takenBack)
        DROP TABLE consumers; DROP INDEX arrivals; ALTER TABLE families DROP COLUMN arrived; ALTER TABLE families DROP COLUMN arrival;
        ALTER TABLE meta DROP COLUMN position; PRAGMA user_version = \(Schema.migrations.firstIndex(of: Schema.followers) ?? 0);
        """

    /// A client that no archive names.
    private static let phone = Identifier(high: 5, low: 5)
    private static let reminders = ConsumerName("reminders")!

    /// The items that a follower read, in short words: "f.s" is change s of family f, "f.s!" a reload up to it.
    private static func words(_ items: [FollowedItem], _ families: [Identifier]) -> [String] {
        items.map { item in
            switch item {
            case .change(let change): "\(families.firstIndex(of: change.family) ?? -1).\(change.sequence)"
            case .reload(let reload): "\(families.firstIndex(of: reload.family) ?? -1).\(reload.through)! \(reload.reason)"
            }
        }
    }

    private static func page(_ answer: FollowAnswer) throws -> FollowedPage {
        guard case .page(let page) = answer else { throw Unexpected() }
        return page
    }

    /// An archive of a family with some changes, as the steps in which an import gives it to the writer.
    private static func archive(seed: UInt64, into reader: StoreReader, changes: Int = 3) throws -> (family: Identifier, head: Int64, steps: [ImportStep]) {
        let world = try World(seed: seed)
        let home = try world.home("Family \(seed)")
        for _ in 0..<changes { try world.mutate(home, home.parent, message(world.newID(), "Hello")) }
        let folder = try TemporaryFolder()
        let blobs = BlobFolder(path: folder.path + "/blobs")
        let written = try Files.create(folder.path + "/family.tar")
        _ = try world.reader.export(home.family, to: written.raw, blobs: blobs, isPrivate: true).get()
        let file = try Files.openForReading(folder.path + "/family.tar")
        var steps: [ImportStep] = []
        _ = try FamilyArchive.read(file.raw, reader: reader, blobs: blobs) { steps.append($0) }.get()
        return (home.family, try world.snapshot(home).sequence, steps)
    }

    private static func parent(of family: Identifier, _ world: World) throws -> Identifier {
        let records = try world.snapshot(World.Home(family: family, parent: family)).records.values
        return try #require(records.first { $0.kind == .member && $0.fields.text("role") == "parent" }?.id)
    }

    @Test("Changes of all families come in the order of commits, each once, in portions bounded by count and octets")
    func order() throws {
        let world = try World()
        let (one, two) = (try world.home("Rivera"), try world.home("Okafor"))
        for text in ["a", "b"] {
            try world.mutate(one, one.parent, message(world.newID(), text))
            try world.mutate(two, two.parent, message(world.newID(), text))
        }
        let families = [one.family, two.family]
        let all = ["0.1", "1.1", "0.2", "1.2", "0.3", "1.3"]
        let whole = try Self.page(world.reader.follow(after: 0))
        #expect(Self.words(whole.items, families) == all)
        #expect(whole.reachedEnd)
        for case .change(let change) in whole.items {
            let same = try world.reader.changes(family: change.family, after: change.sequence - 1, maxOctets: 1).frames.first?.frame
            #expect(change.frame == same)
        }
        for limit in 1...7 {
            var position: Int64 = 0
            var seen: [String] = []
            while true {
                let page = try Self.page(world.reader.follow(after: position, limit: limit))
                #expect(page.items.count <= limit && page.items.allSatisfy { $0.position > position && $0.position <= page.position })
                seen += Self.words(page.items, families)
                position = page.position
                if page.reachedEnd { break }
            }
            #expect(seen == all, "\(limit)")
        }
        // One octet is less than any frame: each portion has one.
        let small = try Self.page(world.reader.follow(after: 0, maxOctets: 1))
        #expect(Self.words(small.items, families) == ["0.1"] && !small.reachedEnd)
        let end = try Self.page(world.reader.follow(after: whole.position))
        #expect(end.items.isEmpty && end.reachedEnd && end.position == whole.position)
    }

    @Test("A position beyond the log is reported, and so is a cursor that the consumer's cursor cannot move to")
    func ahead() throws {
        let world = try World()
        _ = try world.home()
        let newest = try Self.page(world.reader.follow(after: 0)).position
        guard case .ahead(newest) = try world.reader.follow(after: newest + 1) else { throw Unexpected() }
        _ = try world.store.register(Self.reminders, from: .beginning).get()
        #expect(try world.store.move(Self.reminders, to: newest + 1) == .ahead)
        #expect(try world.store.move(Self.reminders, to: newest) == nil)
        #expect(try world.reader.cursor(of: Self.reminders) == newest)
    }

    @Test("A family is read when its import is complete, at a new position, and then change by change")
    func imported() throws {
        let world = try World()
        let home = try world.home()
        let (family, head, steps) = try Self.archive(seed: 77, into: world.reader)
        let families = [home.family, family]
        #expect(steps.count >= 3)
        for step in steps.dropLast() { #expect(try world.store.perform(step) == nil) }
        try world.mutate(home, home.parent, message(world.newID(), "meanwhile"))
        let before = try Self.page(world.reader.follow(after: 0))
        #expect(Self.words(before.items, families) == ["0.1", "0.2"])
        if let last = steps.last { #expect(try world.store.perform(last) == nil) }
        let after = try Self.page(world.reader.follow(after: before.position))
        #expect(Self.words(after.items, families) == ["1.\(head)! imported"])
        // From the beginning it is the same: the changes of the import have no places of their own.
        #expect(Self.words(try Self.page(world.reader.follow(after: 0)).items, families) == ["0.1", "0.2", "1.\(head)! imported"])
        let parent = try Self.parent(of: family, world)
        try world.mutate(World.Home(family: family, parent: parent), parent, message(Identifier(high: 6, low: 6), "here"), client: Self.phone)
        #expect(Self.words(try Self.page(world.reader.follow(after: after.position)).items, families) == ["1.\(head + 1)"])
    }

    @Test("The positions of an import that is swept are never given again", arguments: [false, true])
    func swept(restarts: Bool) throws {
        let world = try World()
        let home = try world.home()
        let (_, _, steps) = try Self.archive(seed: 78, into: world.reader)
        for step in steps.dropLast() { #expect(try world.store.perform(step) == nil) }
        let passed = try Self.page(world.reader.follow(after: 0))
        #expect(passed.position > 1, "it has passed the rows of the import")
        if restarts { try world.reopen() } else { #expect(try world.store.perform(.abandon) == nil) }
        if restarts { try world.reopen() }
        guard case .page = try world.reader.follow(after: passed.position) else { throw Unexpected() }
        try world.mutate(home, home.parent, message(world.newID(), "after it"))
        #expect(Self.words(try Self.page(world.reader.follow(after: passed.position)).items, [home.family]) == ["0.2"])
    }

    @Test("An import that was given up as the last write does not make the next start think of an older database", .sqliteOnly("The mark is a file beside it"))
    func mark() throws {
        let folder = try TemporaryFolder()
        let surroundings = Surroundings()
        let (path, mark) = (folder.path + "/huddle.db", folder.path + "/huddle.mark")
        func open() throws -> FamilyStore { try FamilyStore(path: path, environment: surroundings.environment, mark: mark) }
        var store = try open()
        _ = try store.perform(.createFamily(name: "Rivera", zone: "UTC", parent: "Ana"))
        let reader = try StoreReader(path: path, environment: surroundings.environment)
        for step in try Self.archive(seed: 79, into: reader).steps.dropLast() { #expect(try store.perform(step) == nil) }
        #expect(try store.perform(.abandon) == nil)
        let epoch = store.epoch
        try store.stop()
        store = try open()
        #expect(store.epochRenewal == nil && store.epoch == epoch)
    }

    @Test("A consumer behind a purge is asked once per family to read its records, and continues after that")
    func trimmed() throws {
        let world = try World()
        let (one, two) = (try world.home("Rivera"), try world.home("Okafor"))
        let id = world.newID()
        try world.mutate(one, one.parent, message(id, "secret"))
        try world.mutate(two, two.parent, message(world.newID(), "kept"))
        try world.mutate(one, one.parent, delete(.message, id, base: 1))
        try world.mutate(one, one.parent, message(world.newID(), "later"))
        world.surroundings.now += 31 * Surroundings.day
        #expect(try world.purge().records == 1)
        let families = [one.family, two.family]
        let page = try Self.page(world.reader.follow(after: 0))
        #expect(Self.words(page.items, families) == ["1.1", "1.2", "0.3! trimmed", "0.4"])
        for case .change(let change) in page.items { #expect(!String(decoding: change.frame, as: UTF8.self).contains("secret")) }
        // A consumer that read them in time is not told.
        #expect(Self.words(try Self.page(world.reader.follow(after: page.position - 1)).items, families) == ["0.4"])
    }

    @Test("A consumer behind compacted changes is asked, too")
    func compacted() throws {
        let world = try World()
        let home = try world.home()
        let id = world.newID()
        try world.mutate(home, home.parent, school(id, "Rice"))
        try world.mutate(home, home.parent, update(.school, id, base: 1, ["name": .text("Rice University")]))
        world.surroundings.now += Int64(world.surroundings.limits.historyAge) + 1_000
        try world.mutate(home, home.parent, message(world.newID(), "a year later"))
        try world.purge()
        let page = try Self.page(world.reader.follow(after: 0))
        #expect(Self.words(page.items, [home.family]).last == "0.4")
        #expect(Self.words(page.items, [home.family]).dropLast().last?.hasSuffix("! trimmed") == true)
    }

    @Test("A cursor survives restarts, moves only forward, and belongs to one consumer")
    func cursors() throws {
        let world = try World()
        let home = try world.home()
        for text in ["a", "b", "c"] { try world.mutate(home, home.parent, message(world.newID(), text)) }
        let push = try #require(ConsumerName("push.web"))
        #expect(try world.reader.cursor(of: push) == nil)
        #expect(try LogFollower(push, from: world.reader) == nil)
        #expect(try world.store.move(push, to: 1) == .unknown)
        #expect(try world.store.register(Self.reminders, from: .beginning) == .success(0))
        #expect(try world.store.register(push, from: .end) == .success(4))
        #expect(try world.store.move(Self.reminders, to: 3) == nil)
        #expect(try world.store.move(Self.reminders, to: 2) == nil)
        #expect(try world.store.register(Self.reminders, from: .end) == .success(3), "it has one already")
        try world.reopen()
        #expect(try world.reader.cursor(of: Self.reminders) == 3)
        let status = try #require(try world.store.logStatus())
        #expect(status.newest == 4 && status.consumers.map(\.name) == ["push.web", "reminders"])
        #expect(status.consumers.map(status.lag) == [0, 1])
        #expect(try world.store.forget(push) == nil)
        #expect(try world.reader.cursor(of: push) == nil)
        for text in ["", "Push", "a b", String(repeating: "a", count: 65)] { #expect(ConsumerName(text) == nil, "\(text)") }
    }

    @Test("A database has at most 64 consumers")
    func bound() throws {
        let world = try World()
        for number in 1...FamilyStore.maxConsumers { _ = try world.store.register(try #require(ConsumerName("c\(number)")), from: .end).get() }
        #expect(try world.store.register(Self.reminders, from: .end) == .failure(.tooMany))
        #expect(try world.store.register(try #require(ConsumerName("c1")), from: .end) == .success(0))
    }

    @Test("A portion that was not confirmed is read again, by the same consumer and after a restart")
    func again() throws {
        let world = try World()
        let home = try world.home()
        for text in ["a", "b"] { try world.mutate(home, home.parent, message(world.newID(), text)) }
        _ = try world.store.register(Self.reminders, from: .beginning)
        func read(_ follower: inout LogFollower) throws -> [String] {
            Self.words(try Self.page(follower.next(from: world.reader, limit: 1)).items, [home.family])
        }
        var follower = try #require(try LogFollower(Self.reminders, from: world.reader))
        #expect(try read(&follower) == ["0.1"])
        #expect(try follower.confirm(in: world.store))
        #expect(try read(&follower) == ["0.2"])
        follower.goBack()
        #expect(try read(&follower) == ["0.2"])
        try world.reopen()
        follower = try #require(try LogFollower(Self.reminders, from: world.reader))
        #expect(try read(&follower) == ["0.2"])
        #expect(try read(&follower) == ["0.3"])
        #expect(try follower.confirm(in: world.store))
        try world.reopen()
        follower = try #require(try LogFollower(Self.reminders, from: world.reader))
        #expect(try read(&follower) == [])
    }

    @Test("huddled check finds a cursor that is ahead of the log, and --repair lets its consumer read everything again")
    func check() throws {
        let world = try World()
        _ = try world.home()
        _ = try world.store.register(Self.reminders, from: .end).get()
        func run() throws -> CheckReport {
            try world.openCheck().run(
                blobs: BlobFolder(path: world.blobsPath), uploads: UploadFolder(path: world.uploadsPath), isDeep: false, now: world.surroundings.now)
        }
        #expect(try run().findings == [])
        _ = try world.store.transaction { _ in try world.store.consumers.move(ConsumerRow(name: "reminders", position: 99, movedAt: 0)) }
        var report = try run()
        #expect(report.findings.map(\.code) == [.cursorAhead] && !report.agrees)
        try report.repair(
            world.store, blobs: BlobFolder(path: world.blobsPath), uploads: UploadFolder(path: world.uploadsPath), now: world.surroundings.now)
        #expect(report.agrees)
        #expect(try run().findings == [])
        #expect(try world.reader.cursor(of: Self.reminders) == 0)
    }

    // MARK: At random

    /// A consumer with results of its own, stored apart from the cursor.
    private struct Diary {
        /// The sequence up to which each family was done.
        var done: [Identifier: Int64] = [:]
        var faults: [String] = []
        var repeated = 0

        mutating func take(_ item: FollowedItem) {
            switch item {
            case .change(let change):
                let last = done[change.family] ?? 0
                if change.sequence <= last { repeated += 1 }
                if change.sequence > last + 1 { faults.append("\(change.sequence) of \(change.family) after \(last)") }
                done[change.family] = max(last, change.sequence)
            case .reload(let reload): done[reload.family] = max(done[reload.family] ?? 0, reload.through)
            }
        }
    }

    @Test(
        "Whatever families, imports, purges and restarts do, a consumer that dies at any moment does each change at least once, in order, none skipped",
        arguments: 1...12 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        let world = try World(seed: seed)
        var homes = [try world.home("Rivera"), try world.home("Okafor")]
        var archives = try (0..<4).map { try Self.archive(seed: seed &* 100 + 50 + UInt64($0), into: world.reader, changes: 1 + $0) }
        /// The steps of the import that is under way, and its family.
        var pending: (family: Identifier, rest: ArraySlice<ImportStep>)?
        var messages: [(home: Int, id: Identifier)] = []
        _ = try world.store.register(Self.reminders, from: .beginning).get()
        var diary = Diary()
        var follower = try #require(try LogFollower(Self.reminders, from: world.reader))
        func follow(_ limit: Int) throws -> Bool {
            let before = follower.position
            let page = try Self.page(follower.next(from: world.reader, limit: limit))
            var last = before
            for item in page.items {
                if item.position <= last { diary.faults.append("position \(item.position) after \(last)") }
                last = item.position
                diary.take(item)
            }
            if page.position < last { diary.faults.append("the portion ends before its last item") }
            return page.reachedEnd
        }
        for _ in 0..<160 {
            switch dice.below(100) {
            case 0..<45:
                let home = dice.below(homes.count)
                let id = world.newID()
                if try world.mutate(homes[home], homes[home].parent, message(id, "Hello"), client: Self.phone).sequence != nil { messages.append((home, id)) }
            case 45..<52:
                guard !messages.isEmpty else { continue }
                let (home, id) = messages.remove(at: dice.below(messages.count))
                try world.mutate(homes[home], homes[home].parent, delete(.message, id, base: 1), client: Self.phone)
            case 52..<56:
                world.surroundings.now += Int64(dice.below(40)) * Surroundings.day
                try world.purge()
            case 56..<68:
                if pending == nil, !archives.isEmpty {
                    let next = archives.removeFirst()
                    pending = (next.family, next.steps[...])
                }
                guard let step = pending?.rest.popFirst(), let family = pending?.family else { continue }
                #expect(try world.store.perform(step) == nil)
                guard pending?.rest.isEmpty == true else { continue }
                homes.append(World.Home(family: family, parent: try Self.parent(of: family, world)))
                pending = nil
            case 68..<70:
                guard pending != nil else { continue }
                #expect(try world.store.perform(.abandon) == nil)
                pending = nil
            case 70..<73:
                // An import that is under way dies with the server.
                try world.reopen()
                pending = nil
                follower = try #require(try LogFollower(Self.reminders, from: world.reader))
            case 73..<80: follower = try #require(try LogFollower(Self.reminders, from: world.reader))
            case 80..<84: follower.goBack()
            case 84..<90: #expect(try follower.confirm(in: world.store))
            default: _ = try follow(1 + dice.below(6))
            }
        }
        while !(try follow(3)) {}
        #expect(diary.faults == [], "seed \(seed)")
        // The twin: each family's own log.
        for home in homes {
            let head = try world.snapshot(home).sequence
            #expect(diary.done[home.family] == head, "seed \(seed): family \(home.family)")
        }
        #expect(diary.done.count == homes.count, "seed \(seed): nothing came of imports that were given up")
    }

    @Test("A cursor is stored once, whichever call of the engine fails", arguments: [MemoryDatabase.Fault.again, .unknownAndDone, .unknownAndLost])
    func failing(_ fault: MemoryDatabase.Fault) throws {
        guard EngineKind.current == .memory else { return }
        for call in 1...5 {
            let world = try World()
            _ = try world.home()
            let memory = try #require(world.memory)
            memory.fail(atCall: call, fault)
            #expect(try world.store.register(Self.reminders, from: .beginning) == .success(0), "call \(call)")
            var follower = try #require(try LogFollower(Self.reminders, from: world.reader))
            _ = try follower.next(from: world.reader)
            memory.fail(atCall: call, fault)
            #expect(try follower.confirm(in: world.store), "call \(call)")
            #expect(try world.reader.cursor(of: Self.reminders) == 1, "call \(call)")
        }
        let world = try World()
        _ = try world.home()
        let memory = try #require(world.memory)
        _ = try world.store.register(Self.reminders, from: .beginning).get()
        var follower = try #require(try LogFollower(Self.reminders, from: world.reader))
        _ = try follower.next(from: world.reader)
        memory.fail(atCall: 1, .full)
        #expect(try !follower.confirm(in: world.store))
        #expect(try follower.confirm(in: world.store), "it is tried again")
    }

    @Test("A database from before is followed from its first change, wherever the first start is killed", .sqliteOnly("It is a step of its schema"), arguments: [
        (FAULTVFS_LOSE, 0), (FAULTVFS_RANDOM, 1), (FAULTVFS_KILL, 0),
    ] as [(faultvfs_mode, UInt64)])
    func migrates(mode: faultvfs_mode, seed: UInt64) throws {
        let disk = FaultDisk()
        var operation = 1
        while true {
            #expect(faultvfs_reset(disk.name) == 0)
            let surroundings = Surroundings()
            let home: World.Home
            do {
                let world = try disk.world(surroundings)
                home = try world.home()
                try world.mutate(home, home.parent, message(world.newID(), "Hello"))
                _ = try world.store.truncateLog()
            }
            try Database(path: "huddle.db", mode: .readWrite, vfs: disk.name).execute(Self.takenBack)
            faultvfs_crash_at(disk.name, operation, mode, seed &+ UInt64(operation))
            let isPast = disk.takesMoreThanOneStep(surroundings)
            let isLast = isPast || faultvfs_crashed(disk.name) == 0
            faultvfs_crash_now(disk.name, mode, seed &+ UInt64(operation))
            #expect(faultvfs_restart(disk.name) == 0)
            let world = try disk.world(surroundings)
            let page = try Self.page(world.reader.follow(after: 0))
            #expect(Self.words(page.items, [home.family]) == ["0.1", "0.2"], "operation \(operation)")
            #expect(try world.store.register(Self.reminders, from: .end) == .success(2), "operation \(operation)")
            if isLast { break }
            operation += 1
        }
        #expect(operation > 4)
    }
}
