import Bytes
import Dates
import Family
import Sync
import Terminal
import Views
import Wire
import Words

// A key of the full screen, from the key to the octets for the terminal, with 5,000 events in the cache: what a person waits for besides kernel
// and terminal. `huddle/FullScreenClient` does the same with each key.
extension BenchCase {
    static var screen: [BenchCase] {
        [
            key("key-room", "a letter typed in the room, drawn", ["x", "backspace"]) { ScreenFixture.room() },
            key("key-name", "a letter of an event's name in the room, found among 5,000, drawn", ["#", "s", "h", "4"] + back(4)) {
                let fixture = ScreenFixture.room()
                fixture.view.candidates[.event] = Completions.all(.event, ScreenFixture.names)
                return fixture
            },
            key("key-season", "the next event of the season, drawn", ["j", "k"]) { ScreenFixture.season() },
            key("key-search", "a letter of a search in the season, drawn", ["s", "h", "o", "w"] + back(4)) {
                let fixture = ScreenFixture.season()
                fixture.press([.character("/")])
                return fixture
            },
            BenchCase(
                name: "screen-start", question: "5,000 events and 500 messages as they come from the cache, made ready and drawn in the room",
                unit: .milliseconds(per: "start"), floor: floor
            ) {
                let state = ScreenFixture.state
                return Work(
                    run: { times in
                        for _ in 0..<times {
                            var engine = SyncEngine(ScreenFixture.configuration)
                            engine.restore(state)
                            use(ScreenFixture.room(engine, RecordNames(engine)).octets.count)
                        }
                    }, floor: comparing)
            },
        ]
    }

    private static func back(_ count: Int) -> [String] { Array(repeating: "backspace", count: count) }

    private static let floor = "a frame of that size filled and compared with one like it"

    private static func comparing(_ times: Int) {
        let before = Canvas(ScreenFixture.size)
        for _ in 0..<times { use(Canvas(ScreenFixture.size).cells == before.cells) }
    }

    private static func key<View>(_ name: String, _ question: String, _ names: [String], _ make: @escaping () -> Screen<View>) -> BenchCase {
        BenchCase(name: name, question: question, unit: .microseconds(per: "key"), perCall: names.count, floor: floor) {
            let fixture = make()
            let keys = names.flatMap { Keymap.keys($0) ?? [] }
            return Work(run: { times in for _ in 0..<times { fixture.press(keys) } }, floor: comparing)
        }
    }
}

/// A view that is typed at.
private final class Screen<View> {
    var view: View
    private let handle: (inout View, InputEvent) -> Void
    private let draw: (View, inout Canvas) -> Void
    private var encoder = FrameEncoder(depth: .palette)
    private(set) var octets: [UInt8] = []

    init(_ view: View, handle: @escaping (inout View, InputEvent) -> Void, draw: @escaping (View, inout Canvas) -> Void) {
        self.view = view
        self.handle = handle
        self.draw = draw
        show()
    }

    func press(_ keys: [Key]) {
        for key in keys {
            handle(&view, .key(key))
            show()
        }
    }

    private func show() {
        var canvas = Canvas(ScreenFixture.size)
        draw(view, &canvas)
        octets.removeAll(keepingCapacity: true)
        encoder.encode(canvas, into: &octets)
        use(octets.count)
    }
}

/// The member in front of the screen, and their view.
private enum ScreenFixture {
    static let size = Size(columns: 120, rows: 40)
    static let configuration = SyncEngine.Configuration(token: "", client: Samples.client, seed: 1)

    static let state: SavedState = {
        var state = SavedState(client: Samples.client, family: Samples.family, member: Samples.member)
        state.cursor = Cursor(epoch: "bench", sequence: 10_000)
        state.records = [record(.member, 1, ["name": .text("Carmen Rivera"), "role": .text("parent")], id: Samples.member)]
        for number in 0..<5_000 {
            let day = "20\(20 + number % 9)-\(number % 12 < 9 ? "0" : "")\(number % 12 + 1)-\(number % 28 < 9 ? "0" : "")\(number % 28 + 1)"
            state.records.append(
                record(.event, 100 + number, [
                    "type": .text(["camp", "showcase", "game"][number % 3]), "name": .text("Spring Showcase \(number) of Łódź"), "start_date": .text(day),
                    "city": .text("Albany"), "state": .text("NY"), "cost": .text("150.00"), "registered": .flag(number % 2 == 0),
                ]))
        }
        for number in 0..<500 {
            state.records.append(record(.message, 6_000 + number, ["text": .text("\(number): " + Samples.text.prefix(number % 150))]))
        }
        return state
    }()

    private static func record(_ kind: Kind, _ number: Int, _ values: [String: Value], id: Identifier? = nil) -> Record {
        var fields = Fields(kind)
        for (name, value) in values { fields[name] = value }
        let at: Int64 = 1_795_262_400_000 + Int64(number) * 60_000
        return Record(
            kind: kind, id: id ?? Samples.record(number), athlete: nil, version: 1, createdAt: at, createdBy: Samples.member, updatedAt: at,
            updatedBy: Samples.member, fields: fields)
    }

    static let engine: SyncEngine = {
        var engine = SyncEngine(configuration)
        engine.restore(state)
        return engine
    }()
    static let names = RecordNames(engine)

    static func room(_ engine: borrowing SyncEngine = engine, _ names: RecordNames = names) -> Screen<RoomView> {
        let clock = LocalClock(zone: nil)
        var room = RoomView(size: size, theme: .dark)
        room.time = { clock.time($0, now: $0) }
        room.name = [Samples.member: "Carmen Rivera"]
        let timeline = Timeline(engine)
        room.show(timeline.items(engine, ChangeText(names) { clock.time($0, now: $0) }, clock, last: 2_000), unread: timeline.unread(engine))
        return Screen(room) { view, input in _ = view.handle(input) } draw: { view, canvas in view.draw(&canvas) }
    }

    static func season() -> Screen<EventsView> {
        let today = CalendarDate("2026-11-21") ?? .first
        var season = EventsView(today: today, theme: .dark, keymap: ViewCommands.defaultKeymap(), firstWeekday: .sunday)
        season.show(names.records(of: .event), context: .all, today: today)
        return Screen(season) { view, input in _ = view.handle(input) } draw: { view, canvas in view.draw(StatusFacts(), &canvas) }
    }
}
