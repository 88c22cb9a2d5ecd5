import Bytes
import ClientWorld
import Family
import Sync
import Testing
import Wire
import Words

@Suite("Timeline: messages, changes in words, days, presence, gaps")
struct TimelineTests {
    static let day: Int64 = 86_400_000

    /// An engine in the room of Dana (the viewer) and Maya, at sequence 10, with an event and one message of a snapshot.
    struct Scene {
        var engine = SyncEngine(World.configuration())
        var timeline = Timeline()
        var now: Int64 = 0

        init(changes: [Change] = []) {
            _ = engine.start(now: 0)
            _ = engine.connected(now: 0)
            _ = engine.receive(World.welcome(), now: 0)
            _ = engine.receive(World.joined(10, byChanges: false), now: 0)
            let records = [
                World.member(World.parent, "Dana"), World.member(World.athlete, "Maya Rivera"),
                World.event(["name": .text("Spring Showcase"), "start_date": .text("2026-04-15")]),
                World.message(500, "Good morning", by: World.athlete, at: 5),
            ]
            _ = engine.receive(.snapshot(sequence: 10, records: records), now: 0)
            _ = engine.receive(.snapshotEnd(sequence: 10), now: 0)
            _ = engine.receive(.live(sequence: 10), now: 0)
            timeline = Timeline(engine, changes: changes)
        }

        mutating func feed(_ actions: [SyncAction]) {
            for action in actions {
                switch action {
                case .changed(let ids): timeline.receive(.changed(ids), engine, at: now)
                case .replaced: timeline.receive(.replaced, engine, at: now)
                case .notify(let notice): timeline.receive(.notice(notice), engine, at: now)
                case .send, .connect, .disconnect, .wake, .stop: break
                }
            }
        }

        mutating func receive(_ frame: ServerFrame) { feed(engine.receive(frame, now: now)) }

        func items(_ scope: TimelineScope = .family, last: Int = .max) -> [TimelineItem] {
            timeline.items(engine, ChangeText(RecordNames(engine)) { _ in "" }, LocalClock(zone: nil), in: scope, last: last)
        }

        var texts: [String] { items().map(\.text) }
    }

    static func said(
        _ sequence: Int64, _ number: UInt64, _ text: String, by author: Identifier = World.athlete, at: Int64? = nil,
        _ more: [String: Value] = [:]
    ) -> Change {
        let record = World.message(number, text, by: author, at: at ?? sequence, more)
        return Change(
            sequence: sequence, at: at ?? sequence, member: author, client: World.other, mutation: sequence,
            entries: [ChangeEntry(kind: .message, id: record.id, version: 1, effect: .create(athlete: nil, fields: record.fields))])
    }

    static func attended(_ sequence: Int64, version: Int64, by author: Identifier = World.athlete) -> Change {
        Change(
            sequence: sequence, at: sequence, member: author, client: World.other, mutation: sequence,
            entries: [
                ChangeEntry(
                    kind: .event, id: World.id(60), version: version,
                    effect: .update(World.patch(.event, ["attended": .flag(true)]).assignments))
            ])
    }

    static func read(_ sequence: Int64, at position: Int64, version: Int64 = 1, by member: Identifier = World.parent) -> Change {
        var fields = Fields(.readingPosition)
        fields["sequence"] = .integer(position)
        let id = ReadingPosition.id(of: member)
        let effect: ChangeEntry.Effect =
            version == 1 ? .create(athlete: nil, fields: fields)
            : .update(World.patch(.readingPosition, ["sequence": .integer(position)]).assignments)
        return Change(
            sequence: sequence, at: sequence, member: member, client: World.other, mutation: sequence,
            entries: [ChangeEntry(kind: .readingPosition, id: id, version: version, effect: effect)])
    }

    @Test("Changes in words are between the messages, in the order of the log")
    func words() throws {
        var scene = Scene()
        scene.receive(.change(Self.said(11, 501, "See you there")))
        scene.receive(.change(Self.attended(12, version: 3, by: World.parent)))
        scene.receive(.change(Self.said(13, 502, "Done", by: World.parent)))
        #expect(
            scene.texts == [
                "Thursday, Jan 1, 1970", "Good morning", "More happened here that is not loaded yet.", "Thursday, Jan 1, 1970",
                "See you there", "Dana marked Spring Showcase attended", "Done",
            ])
        let change = try #require(scene.items().first { $0.kind == .change })
        #expect(change.runs.map(\.style) == [.author, .plain, .record, .plain])
        #expect(change.record == RecordReference(.event, World.id(60)) && change.author == World.parent && change.undoable == 12)
        #expect(scene.items().last?.id == .message(World.id(502)))
    }

    @Test("The viewer's newest message shows who has read it; their older ones, and messages of others, show nobody")
    func readers() {
        var scene = Scene()
        scene.receive(.change(Self.said(11, 501, "First", by: World.parent)))
        scene.receive(.change(Self.said(12, 502, "Second", by: World.parent)))
        #expect(scene.items().allSatisfy { $0.readers.isEmpty })
        scene.receive(.change(Self.read(13, at: 11, by: World.athlete)))
        #expect(scene.items().allSatisfy { $0.readers.isEmpty }, "Maya has read the first one only")
        scene.receive(.change(Self.read(14, at: 12, version: 2, by: World.athlete)))
        #expect(scene.items().filter { !$0.readers.isEmpty }.map(\.text) == ["Second"])
        #expect(scene.items().last { $0.text == "Second" }?.readers == [World.athlete])
        // One's own position says nothing.
        scene.receive(.change(Self.read(15, at: 14)))
        #expect(scene.items().last { $0.text == "Second" }?.readers == [World.athlete])
        scene.receive(.change(Self.said(16, 503, "Third", by: World.parent)))
        #expect(scene.items().allSatisfy { $0.readers.isEmpty })
    }

    @Test("The first change of a family is that it was made")
    func newFamily() {
        let text = ChangeText(RecordNames([World.member(World.parent, "Dana")])) { _ in "" }
        let entries = [
            ChangeEntry(kind: .family, id: World.family, version: 1, effect: .create(athlete: nil, fields: Fields(.family))),
            ChangeEntry(kind: .member, id: World.parent, version: 1, effect: .create(athlete: nil, fields: Fields(.member))),
        ]
        #expect(text.sentence(entries, by: "Dana")?.text == "Dana made the family")
    }

    @Test("A line precedes the first item of each day")
    func days() {
        var scene = Scene()
        scene.receive(.change(Self.said(11, 501, "yesterday", at: Self.day)))
        scene.receive(.change(Self.said(12, 502, "today", at: 2 * Self.day - 1)))
        scene.receive(.change(Self.said(13, 503, "tomorrow", at: 2 * Self.day)))
        #expect(
            scene.texts.suffix(5) == ["Friday, Jan 2, 1970", "yesterday", "today", "Saturday, Jan 3, 1970", "tomorrow"])
        #expect(Set(scene.items().map(\.id)).count == scene.items().count)
    }

    @Test("The viewer's pending message is last until the log gives its position")
    func pending() throws {
        var scene = Scene()
        let words = World.patch(.message, ["text": .text("mine")])
        let operation = Operation(kind: .message, id: World.id(600), action: .create(athlete: nil, patch: words))
        let (mutation, actions) = try scene.engine.perform([operation], at: 3, now: 0)
        scene.feed(actions)
        #expect(scene.items().last?.text == "mine" && scene.items().last?.isPending == true)
        scene.receive(.change(Self.said(11, 501, "theirs")))
        #expect(scene.texts.suffix(2) == ["theirs", "mine"])
        scene.receive(.ack(Ack(mutation: mutation, sequence: 12, records: [.init(id: World.id(600), version: 1)])))
        var own = Self.said(12, 600, "mine", by: World.parent)
        own.client = World.client
        own.mutation = mutation
        scene.receive(.change(own))
        scene.receive(.change(Self.said(13, 502, "later")))
        #expect(scene.texts.suffix(3) == ["theirs", "mine", "later"])
        #expect(scene.items().allSatisfy { !$0.isPending })
        #expect(scene.items().first { $0.text == "mine" }?.undoable == 12)
    }

    @Test("Edited and deleted messages")
    func edits() {
        var scene = Scene()
        scene.receive(.change(Self.said(11, 501, "tpyo")))
        func change(_ sequence: Int64, _ version: Int64, _ effect: ChangeEntry.Effect) -> ServerFrame {
            World.change(sequence, [ChangeEntry(kind: .message, id: World.id(501), version: version, effect: effect)])
        }
        scene.receive(change(12, 2, .update(World.patch(.message, ["text": .text("typo")]).assignments)))
        #expect(scene.items().contains { $0.text == "typo" && $0.isEdited })
        scene.receive(change(13, 3, .delete))
        #expect(!scene.items().contains { $0.id == .message(World.id(501)) })
        #expect(scene.items().last?.text == "Dana deleted a message" && scene.items().last?.undoable == 13)
        scene.receive(change(14, 4, .restore(athlete: nil, fields: World.message(501, "typo", by: World.athlete, at: 11).fields, createdAt: 11, createdBy: World.athlete)))
        #expect(scene.items().contains { $0.text == "typo" })
    }

    @Test("Pages of history fill a gap, which closes at the first change")
    func gaps() throws {
        var scene = Scene()
        scene.receive(.change(Self.said(11, 501, "new")))
        #expect(scene.items().filter { $0.kind == .gap }.map(\.id) == [.gap(before: 11)])
        #expect(scene.timeline.ask(11, request: 1) == .history(HistoryRequest(request: 1, record: nil, before: 11, limit: 100)))
        #expect(scene.timeline.isAsked(11))
        // The connection lost the request: it is made again.
        scene.timeline.receive(.notice(.offline(closeCode: nil, retryAfter: 0)), scene.engine, at: 0)
        #expect(!scene.timeline.isAsked(11))
        _ = scene.timeline.ask(11, request: 1)
        func item(_ change: Change) -> HistoryItem {
            HistoryItem(sequence: change.sequence, at: change.at, member: change.member, isUndoable: false, changes: change.entries.map { .init(entry: $0) })
        }
        // The page contains the snapshot's message again, and an older one that no snapshot had.
        let page = HistoryPage(
            request: 1, entries: [item(Self.attended(10, version: 2)), item(Self.said(5, 500, "Good morning")), item(Self.said(4, 499, "Hi"))], next: 4)
        scene.receive(.history(page))
        #expect(scene.texts == ["More happened here that is not loaded yet.", "Thursday, Jan 1, 1970", "Hi", "Good morning", "Maya Rivera marked Spring Showcase attended", "new"])
        #expect(scene.items().first?.id == .gap(before: 4))
        // A response without a request here changes nothing.
        scene.receive(.history(HistoryPage(request: 77, entries: [item(Self.said(1, 490, "stray"))])))
        _ = scene.timeline.ask(4, request: 2)
        scene.receive(.history(HistoryPage(request: 2, entries: [item(Self.said(2, 498, "First"))])))
        #expect(scene.texts.prefix(3) == ["Thursday, Jan 1, 1970", "First", "Hi"])
        #expect(!scene.items().contains { $0.kind == .gap })
    }

    @Test("A message from history that changed since is shown in its current state")
    func historyOfEdits() {
        var scene = Scene()
        _ = scene.timeline.ask(11, request: 1)
        func item(_ sequence: Int64, _ version: Int64, _ effect: ChangeEntry.Effect, _ number: UInt64) -> HistoryItem {
            HistoryItem(
                sequence: sequence, at: sequence, member: World.athlete, isUndoable: false,
                changes: [.init(entry: ChangeEntry(kind: .message, id: World.id(number), version: version, effect: effect))])
        }
        let fields = World.message(499, "old", by: World.athlete, at: 1).fields
        scene.receive(
            .history(
                HistoryPage(
                    request: 1,
                    entries: [
                        item(9, 2, .delete, 498), item(8, 2, .update(World.patch(.message, ["text": .text("new")]).assignments), 499),
                        item(3, 1, .create(athlete: nil, fields: fields), 499), item(2, 1, .create(athlete: nil, fields: fields), 498),
                    ])))
        #expect(scene.items().filter { $0.kind == .message }.map(\.text) == ["new", "Good morning"])
    }

    @Test("Changes stored by an earlier run leave no gap before the later ones")
    func kept() {
        var scene = Scene(changes: [Self.said(9, 500, "Good morning", at: 5), Self.attended(10, version: 2)])
        scene.receive(.change(Self.said(11, 501, "new")))
        #expect(scene.items().filter { $0.kind == .gap }.map(\.id) == [.gap(before: 9)])
        #expect(scene.texts.suffix(3) == ["Good morning", "Maya Rivera marked Spring Showcase attended", "new"])
        #expect(scene.items().first?.kind == .gap)
    }

    @Test("After the server restored another database, nothing of the old log is shown")
    func reset() {
        var scene = Scene()
        scene.receive(.change(Self.said(11, 501, "lost")))
        scene.feed(scene.engine.disconnected(closeCode: nil, now: 0))
        scene.feed(scene.engine.connected(now: 0))
        scene.receive(World.welcome())
        scene.receive(World.joined(3, byChanges: false, epoch: "e2"))
        scene.receive(.reset(.epochChanged))
        #expect(scene.texts.contains("lost"))
        scene.receive(.snapshot(sequence: 3, records: [World.member(World.parent, "Dana"), World.message(700, "restored", by: World.parent, at: 2)]))
        scene.receive(.snapshotEnd(sequence: 3))
        #expect(scene.items().filter { $0.kind == .message }.map(\.text) == ["restored"])
    }

    @Test("The timeline shows arrivals and departures once each, without the viewer's own")
    func presence() {
        var scene = Scene()
        scene.receive(.presence(Presence(member: World.athlete, connections: 1, context: .all)))
        scene.receive(.presence(Presence(member: World.athlete, connections: 2, context: .all)))
        scene.receive(.presence(Presence(member: World.parent, connections: 1, context: .all)))
        scene.now = Timeline.shortVisit + 1
        scene.receive(.presence(Presence(member: World.athlete, connections: 0, context: .all)))
        scene.receive(.presence(Presence(member: World.athlete, connections: 0, context: .all)))
        #expect(
            scene.items().filter { $0.kind == .presence }.map(\.text) == ["Maya Rivera is here, viewing everyone's season", "Maya Rivera has left"])
    }

    @Test("A visit that is shorter than 10 seconds, as of a command in a shell, leaves no line")
    func visits() {
        var scene = Scene()
        func come(_ connections: Int, at time: Int64, context: Context = .all) {
            scene.now = time
            scene.receive(.presence(Presence(member: World.athlete, connections: connections, context: context)))
        }
        var lines: [String] { scene.items().filter { $0.kind == .presence }.map(\.text) }
        come(1, at: 0)
        come(0, at: 30_000)
        #expect(lines.count == 2)
        come(1, at: 40_000)
        come(1, at: 41_000, context: .athlete(World.athlete))
        #expect(lines.count == 4)
        come(0, at: 50_000)
        #expect(lines == ["Maya Rivera is here, viewing everyone's season", "Maya Rivera has left"])
        come(1, at: 60_000)
        come(0, at: 70_001)
        #expect(lines.count == 4)
    }

    @Test("Activity can be left out: presence, or changes too; messages stay", arguments: [
        (TimelineActivity.all, 3), (.changes, 2), (.none, 1),
    ])
    func activity(_ activity: TimelineActivity, count: Int) {
        var scene = Scene()
        scene.receive(.change(Self.said(11, 501, "hello")))
        scene.receive(.change(Self.attended(12, version: 3)))
        scene.now = 13
        scene.receive(.presence(Presence(member: World.athlete, connections: 1, context: .all)))
        let text = ChangeText(RecordNames(scene.engine)) { _ in "" }
        let items = scene.timeline.items(scene.engine, text, LocalClock(zone: nil), activity: activity)
        let kinds = items.map(\.kind).filter { $0 != .day && $0 != .gap }.suffix(3)
        #expect(Array(kinds.suffix(count)) == [TimelineItem.Kind.message, .change, .presence].prefix(count).map { $0 })
        #expect(kinds.filter { $0 != .message }.count == count - 1)
        let unread = scene.timeline.unread(scene.engine)
        #expect(unread.firstMessage == .message(World.id(500)) && unread.changes == 1)
    }

    @Test("An undo is shown as the change that it undid, and a redo as the change that it repeated")
    func undone() {
        var scene = Scene()
        scene.receive(.change(Self.attended(11, version: 3)))
        func undo(_ sequence: Int64, of earlier: Int64, version: Int64, _ value: Bool) {
            var change = Self.attended(sequence, version: version)
            change.entries[0].effect = .update(World.patch(.event, ["attended": .flag(value)]).assignments)
            change.undoes = earlier
            scene.receive(.change(change))
        }
        undo(12, of: 11, version: 4, false)
        #expect(scene.texts.last == "Maya Rivera undid: marked Spring Showcase attended")
        #expect(scene.items().last?.runs.map(\.style) == [.author, .plain, .plain, .record, .plain])
        undo(13, of: 12, version: 5, true)
        #expect(scene.texts.last == "Maya Rivera redid: marked Spring Showcase attended")
        undo(14, of: 9, version: 6, false)
        #expect(scene.texts.last == "Maya Rivera marked Spring Showcase not attended", "the change is not loaded")
    }

    @Test("Unread items are messages and changes of others after the reading position")
    func unread() {
        var scene = Scene()
        #expect(scene.timeline.unread(scene.engine).messages == 1, "without a position, what came after the viewer")
        scene.receive(.change(Self.read(11, at: 10)))
        #expect(scene.timeline.unread(scene.engine).isEmpty)
        let toDana: [String: Value] = ["mentions": .set([SetElement(id: World.parent, name: "Dana")])]
        scene.receive(.change(Self.attended(12, version: 3)))
        scene.receive(.change(Self.said(13, 501, "@Dana, look", toDana)))
        scene.receive(.change(Self.said(14, 502, "mine", by: World.parent)))
        scene.receive(.change(Self.said(15, 503, "and here")))
        let count = scene.timeline.unread(scene.engine)
        #expect(count.messages == 2 && count.mentions == 1 && count.changes == 1)
        #expect(count.first == .change(sequence: 12, entry: 0))
        #expect(scene.items().filter(\.isUnread).map(\.text) == ["Maya Rivera marked Spring Showcase attended", "@Dana, look", "and here"])
        let mention = scene.items().first(where: \.isMention)
        #expect(mention?.runs == [TextRun("@Dana", .mention), TextRun(", look")])
        scene.receive(.change(Self.read(16, at: 13, version: 2)))
        #expect(scene.timeline.unread(scene.engine).first == .message(World.id(503)))
        scene.receive(.change(Self.read(17, at: 16, version: 3)))
        #expect(scene.timeline.unread(scene.engine).isEmpty)
    }

    @Test("The timeline of one record, or of one athlete, is a part of it")
    func scopes() {
        var scene = Scene()
        scene.receive(.change(Self.said(11, 501, "about it", ["about": .link(.event, World.id(60))])))
        scene.receive(.change(Self.said(12, 502, "about nothing")))
        scene.receive(.change(Self.attended(13, version: 3)))
        for scope in [TimelineScope.record(World.id(60)), .athlete(World.athlete)] {
            #expect(scene.items(scope).filter { $0.kind != .day && $0.kind != .gap }.map(\.text) == ["about it", "Maya Rivera marked Spring Showcase attended"])
            #expect(scene.timeline.unread(scene.engine, in: scope).messages == 1)
        }
        #expect(scene.timeline.unreadByRecord(scene.engine)[RecordReference(.event, World.id(60))]?.messages == 1)
        #expect(scene.items(.record(World.id(61))).allSatisfy { $0.kind == .gap })
        #expect(scene.items(last: 1).map(\.text).last == "Maya Rivera marked Spring Showcase attended")
    }

    @Test("A change of many records is one line, which counts them")
    func batch() {
        var scene = Scene()
        scene.receive(World.change(11, (0..<40).map { World.created(800 + $0, "School \($0)") }))
        let lines = scene.items().filter { $0.kind == .change }
        #expect(lines.map(\.text) == ["Dana added 40 schools"])
    }
}
