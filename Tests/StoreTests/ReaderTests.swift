import Bytes
import Family
import Posix
import SQLite
@testable import Store
@testable import StoreSQLite
import Testing
import Wire

@Suite("Resumable, seamless and epoch, guarantees.md", .bothEngines)
struct ReaderTests {
    let world: World
    let home: World.Home

    init() throws {
        world = try World()
        home = try world.home()
    }

    private func say(_ count: Int) throws {
        for number in 0..<count {
            world.surroundings.now += 1
            try world.mutate(home, home.parent, message(world.newID(), "Message \(number)"))
        }
    }

    private func resume(_ cursor: Cursor?) throws -> JoinState.Resume {
        guard case .joined(let state) = try world.join(home, home.parent, cursor: cursor) else { throw Unexpected() }
        return state.resume
    }

    @Test("P01 a token gives its person with every family, name and role; another gives nothing", arguments: [
        "", "x", String(repeating: "A", count: 43),
    ])
    func signsIn(unknown: String) throws {
        let signIn = try world.signIn(home.parent)
        #expect(signIn.memberships == [Membership(family: home.family, name: "Rivera", member: home.parent, role: .parent)])
        #expect(try world.reader.signIn(token: unknown) == nil)
    }

    @Test("joining answers with role, epoch, head and athletes")
    func joins() throws {
        let leo = try world.athlete(home)
        guard case .joined(let state) = try world.join(home, home.parent) else { throw Unexpected() }
        #expect(state.role == .parent)
        #expect(state.member == home.parent)
        #expect(state.epoch == Cursor.epoch(of: home.family, database: world.store.epoch))
        #expect(state.epoch.utf8.count == 32)
        #expect(state.head == 2)
        #expect(state.athletes == [Athlete(member: leo, parentAccess: .edit)])
        #expect(state.age == nil)
        guard case .joined(let own) = try world.join(home, leo) else { throw Unexpected() }
        #expect(own.age == 16)
    }

    @Test("a stranger's join is not_found, whether the family exists or not")
    func strangers() throws {
        let other = try world.home("Other")
        let person = try world.signIn(other.parent).person
        let join = Join(family: home.family, client: world.newID(), cursor: Cursor(epoch: world.store.epoch, sequence: 99))
        let existing = try world.reader.join(person: person, join)
        let missing = try world.reader.join(person: person, Join(family: world.newID(), client: world.newID()))
        guard case .refused(let rejection) = existing else { throw Unexpected() }
        #expect(rejection.code == .notFound)
        #expect(existing == missing)
    }

    @Test("a cursor resumes, is reset with its reason, or is from the future")
    func cursors() throws {
        try say(3)
        let epoch = Cursor.epoch(of: home.family, database: world.store.epoch)
        #expect(try resume(nil) == .snapshot)
        #expect(try resume(Cursor(epoch: epoch, sequence: 0)) == .changes(after: 0))
        #expect(try resume(Cursor(epoch: epoch, sequence: 4)) == .changes(after: 4))
        #expect(try resume(Cursor(epoch: "00", sequence: 2)) == .reset(.epochChanged))
        #expect(try resume(Cursor(epoch: "00", sequence: 99)) == .reset(.epochChanged), "another epoch's numbers say nothing")
        guard case .refused(let ahead) = try world.join(home, home.parent, cursor: Cursor(epoch: epoch, sequence: 5)) else {
            throw Unexpected()
        }
        #expect(ahead.code == .cursorAhead)
        try world.change { try $0.families.raiseFloor(family: 1, to: 3) }
        #expect(try resume(Cursor(epoch: epoch, sequence: 2)) == .reset(.logTrimmed))
        #expect(try resume(Cursor(epoch: epoch, sequence: 3)) == .changes(after: 3))
    }

    @Test("a cursor of another family of the database, or of the database itself (0.1.0), is reset")
    func foreignCursors() throws {
        try say(3)
        let other = try world.home("Other")
        for epoch in [Cursor.epoch(of: other.family, database: world.store.epoch), world.store.epoch] {
            for sequence in [0, 2, 99] as [Int64] {
                #expect(try resume(Cursor(epoch: epoch, sequence: sequence)) == .reset(.epochChanged))
            }
        }
    }

    @Test("the epoch is the database's own and stays when it is opened again")
    func epochs() throws {
        let epoch = world.store.epoch
        try world.reopen()
        #expect(world.store.epoch == epoch)
        #expect(world.reader.epoch == epoch)
        #expect(try World(seed: 2).store.epoch != epoch)
    }

    @Test("changes come in order, octet for octet as they were sent, within the bound, until the end is reached")
    func pagesOfChanges() throws {
        var sent: [[UInt8]] = []
        for number in 0..<20 {
            let answer = try world.mutate(home, home.parent, message(world.newID(), "Message \(number)"))
            sent.append(try #require(answer.committed?.frame))
        }
        var got: [[UInt8]] = []
        var after: Int64 = 1
        var pages = 0
        while true {
            let page = try world.reader.changes(family: home.family, after: after, maxOctets: 1000)
            #expect(page.frames.count == 1 || page.frames.reduce(0) { $0 + $1.frame.count } <= 1000)
            got += page.frames.map(\.frame)
            pages += 1
            if page.reachedEnd { break }
            after = try #require(page.frames.last?.sequence)
        }
        #expect(got == sent)
        #expect(pages > 3)
        let none = try world.reader.changes(family: home.family, after: 21, maxOctets: 1000)
        #expect(none.frames.isEmpty && none.reachedEnd)
        let least = try world.reader.changes(family: home.family, after: 0, maxOctets: 0)
        #expect(least.frames.count == 1 && !least.reachedEnd)
    }

    @Test("a snapshot's frames are of 64 KiB at most and hold every record once")
    func snapshotFrames() throws {
        for number in 0..<300 {
            let notes = Value.text(String(repeating: "\"é\n", count: number * 3))
            try world.mutate(home, home.parent, create(.school, world.newID(), ["name": .text("School \(number)"), "notes": notes]))
        }
        let snapshot = try world.frames(home)
        #expect(snapshot.parts.count > 3)
        for frame in snapshot.parts { #expect(frame.count <= StoreReader.snapshotFrameOctets) }
        #expect(try world.snapshot(home).records.count == 302)
        #expect(snapshot.sequence == 301)
    }

    @Test("a record wider than a frame gets one of its own")
    func wideRecords() throws {
        let text = Value.text(String(repeating: "\u{1F3CA}", count: 10_000))
        try world.mutate(
            home, home.parent, school(world.newID(), "A"),
            create(.coach, world.newID(), ["first_name": .text("J"), "last_name": .text("D"), "notes": text]))
        let leo = try world.athlete(home)
        let widest = world.newID()
        try world.mutate(
            home, home.parent,
            create(.event, widest, athlete: leo, [
                "type": .text("camp"), "name": .text("N"), "start_date": .text("2026-12-05"), "description": text,
                "performance_notes": text,
            ]))
        let records = try world.snapshot(home).records
        #expect(records.count == 6)
        #expect(records[widest]?.fields["performance_notes"] == text)
        let wide = try world.frames(home).parts.filter { $0.count > StoreReader.snapshotFrameOctets }
        #expect(wide.count == 1)
        guard case .snapshot(_, let alone, _)? = try wide.first.map(decode) else { throw Unexpected() }
        #expect(alone.map(\.id) == [widest])
    }

    @Test("SQLite's log is cut to nothing when idle, and a reader in the way is not waited for", .sqliteOnly("It is about its write-ahead log"))
    func truncatesLog() throws {
        try say(20)
        let log = world.path + "-wal"
        #expect(try Files.status(log)?.size ?? 0 > 0)
        let other = try Database(path: world.path, mode: .readOnly)
        try other.execute("BEGIN; SELECT count(*) FROM log")
        try say(1)
        let start = Clock.monotonicMilliseconds()
        #expect(try world.store.truncateLog() == false)
        #expect(Clock.monotonicMilliseconds() - start < 4000, "the busy timeout is five seconds")
        try other.execute("COMMIT")
        #expect(try world.store.truncateLog())
        #expect(try Files.status(log)?.size == 0)
        try say(1)
    }

    @Test("SQLite's log stays small under writes, when checkpoints are called for and when they are not", .sqliteOnly("It is about its write-ahead log"), arguments: [true, false])
    func boundsLog(isCalledFor: Bool) throws {
        let text = String(repeating: "x", count: 400)
        for _ in 0..<500 {
            _ = try world.commit((0..<32).map { _ in world.proposal(home, home.parent, [message(world.newID(), text)]) })
            if isCalledFor { try world.store.checkpointIfDue() }
        }
        let size = try #require(try Files.status(world.path + "-wal")).size
        #expect(size < (isCalledFor ? 2 : 4) * DatabaseConnection.checkpointPages * 4_096)
        #expect(try Files.status(world.path)?.size ?? 0 > 4 << 20)
    }

    @Test("A checkpoint is due by the pages of the log since the last one, and waits for readers when the log is long")
    func plansCheckpoints() {
        var plan = CheckpointPlan()
        func look(_ pages: Int) -> String {
            plan.look(pages)
            return plan.isOverdue ? "overdue" : plan.isDue ? plan.isRestartDue ? "restart" : "due" : "not due"
        }
        #expect(look(1_999) == "not due")
        #expect(look(2_000) == "due")
        plan.didCheckpoint(isRestart: false)
        // Nobody was in the way: the log begins again.
        #expect(look(30) == "not due")
        #expect(look(2_000) == "due")
        #expect(look(4_000) == "overdue")
        plan.didCheckpoint(isRestart: false)
        #expect(look(5_999) == "not due")
        #expect(look(6_000) == "due")
        #expect(look(6_144) == "restart")
        plan.didCheckpoint(isRestart: true)
        // In vain.
        #expect(look(8_143) == "not due")
        #expect(look(8_144) == "due")
        plan.didCheckpoint(isRestart: false)
        #expect(look(10_144) == "restart")
        plan.didCheckpoint(isRestart: true)
        #expect(look(5) == "not due")
    }

    @Test("a snapshot and the changes after it equal the log")
    func snapshotAgreesWithLog() throws {
        try say(5)
        let snapshot = try world.snapshot(home)
        #expect(snapshot.sequence == 6)
        #expect(snapshot.records == (try Twin(world.log(home)).records))
    }

    @Test("P49 of messages a snapshot holds the newest; pages hold all, newest first, each once")
    func messages() throws {
        let world = try World { $0.limits.snapshotMessages = 10 }
        let home = try world.home()
        var ids: [Identifier] = []
        for number in 0..<25 {
            // Some share a millisecond.
            if number % 3 == 0 { world.surroundings.now += 1 }
            ids.append(world.newID())
            try world.mutate(home, home.parent, message(ids[number], "\(number)"))
        }
        try world.mutate(home, home.parent, delete(.message, ids[3], base: 1))
        let other = try world.home("Other")
        try world.mutate(other, other.parent, message(world.newID(), "theirs"))
        let kept = try world.snapshot(home).records.values.filter { $0.kind == .message }.map(\.id)
        #expect(Set(kept) == Set(ids.suffix(10)))

        var listed: [Identifier] = []
        var mark: String?
        var pages = 0
        repeat {
            let page = try world.page(home, ListRequest(request: 9, kind: .message, before: mark, limit: 7)).get()
            #expect(page.request == 9)
            #expect(page.records.count <= 7)
            listed += page.records.map(\.id)
            mark = page.next
            pages += 1
        } while mark != nil
        #expect(listed == ids.filter { $0 != ids[3] }.reversed())
        #expect(pages == 4)
    }

    @Test("one list reads a bounded part of the log, at the bound and above it, and the mark continues from there", arguments: [9, 10])
    func boundsWalk(schools: Int) throws {
        world.reader.walkedChanges = 10
        try say(1)
        for _ in 0..<schools { try world.mutate(home, home.parent, create(.school, world.newID(), ["name": .text("School")])) }
        var listed = 0
        var pages: [Int] = []
        var mark: String?
        repeat {
            let page = try world.page(home, ListRequest(request: 1, kind: .message, before: mark, limit: 5)).get()
            listed += page.records.count
            pages.append(page.records.count)
            mark = page.next
            try #require(pages.count < 20, "the marks do not end")
        } while mark != nil
        #expect(listed == 1)
        // Ten changes are looked at: with nine schools the message is the tenth, with ten it is past the bound.
        #expect(pages.first == (schools == 9 ? 1 : 0))
        #expect(try world.snapshot(home).records.values.contains { $0.kind == .message } == (schools == 9))
    }

    @Test("the requests of a list are bounded and checked")
    func listBounds() throws {
        func ask(_ kind: Kind, before: String? = nil, limit: Int = 10) throws -> Result<Page, Rejection> {
            try world.page(home, ListRequest(request: 1, kind: kind, before: before, limit: limit))
        }
        try say(3)
        #expect(throws: Rejection.self) { try ask(.family).get() }
        for mark in ["", "x", "!!!!", String(repeating: "A", count: 33), home.family.description] {
            guard case .failure(let rejection) = try ask(.message, before: mark) else { throw Unexpected() }
            #expect(rejection.field == "before")
        }
        for (limit, count) in [(Int.min, 1), (0, 1), (Int.max, 3)] {
            #expect(try ask(.message, limit: limit).get().records.count == count)
        }
    }
}
