import Bytes
import ClientWorld
import EngineScripts
import Family
import JSON
import Sync
import TestSupport
import Wire

/// Two Swift engines with a naive server: random requests, cuts, refusals, restarts, lost entries. Every input, action
/// and changed member of the state becomes a line, for an engine in another language to follow.
struct RandomWorld {
    private var random: SplitMix64
    private var server = NaiveServer()
    private var seats: [Seat] = []
    private var now: Int64 = 1_000
    private var nextID: UInt64 = 1_000
    private(set) var steps = 0
    private(set) var lines: [UInt8] = []
    /// The inputs that were used, by name.
    private(set) var inputs: [String: Int] = [:]

    private struct Seat {
        var engine: ScriptedEngine
        var configuration: SyncEngine.Configuration
        /// Frames on their way from the server.
        var down: [ServerFrame] = []
        var isConnected = false
        var isJoined = false
        var wantsConnection = false
        /// The last saved state, for a restart.
        var looked: Set<Int64> = []
    }

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        for school in [World.school(20, "Ohio", version: 3), World.school(21, "Iowa")] { server.records[school.id] = school }
        server.records[World.id(60)] = World.event(["name": .text("Camp"), "start_date": .text("2026-12-01")])
        for (number, client) in [World.client, World.other].enumerated() {
            var configuration = SyncEngine.Configuration(token: "t", client: client, family: World.family, seed: seed &* 2 &+ UInt64(number))
            configuration.isQuiet = one(in: 4)
            configuration.returnsToContext = one(in: 2)
            seats.append(Seat(engine: ScriptedEngine(configuration), configuration: configuration))
            begin(number)
            take(number, .start)
        }
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func one(in sides: Int) -> Bool { number(1...sides) == 1 }

    // MARK: Lines

    private mutating func begin(_ seat: Int) {
        let configuration = seats[seat].configuration
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("seat")
        writer.integer(seat)
        writer.key("configuration")
        EngineScript.write(configuration, to: &writer)
        writer.endObject()
        lines += writer.octets + [UInt8(ascii: "\n")]
    }

    private mutating func take(_ seat: Int, _ input: EngineInput) {
        steps += 1
        // Sometimes no clock was set, or it was set to a time that no id can hold.
        let at: Int64 = one(in: 12) ? 0 : 1_790_000_000_000 + now
        guard let outcome = try? seats[seat].engine.take(input, at: at, now: now) else { return }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("seat")
        writer.integer(seat)
        writer.key("at")
        writer.integer(now)
        writer.key("utc")
        writer.integer(at)
        input.write(to: &writer)
        if let result = outcome.result {
            writer.key("result")
            writer.raw(result)
        }
        writer.key("expect")
        writer.raw(EngineScriptWriter.octets(outcome.actions))
        writer.key("state")
        writer.raw(seats[seat].engine.changes())
        writer.endObject()
        lines += writer.octets + [UInt8(ascii: "\n")]
        inputs["\(input)".prefix { $0 != "(" }.description, default: 0] += 1
        perform(seat, outcome.actions)
    }

    private mutating func perform(_ seat: Int, _ actions: [SyncAction]) {
        for action in actions {
            switch action {
            case .send(let frame): receive(frame, from: seat)
            case .connect: seats[seat].wantsConnection = true
            case .disconnect, .stop: disconnect(seat)
            case .wake, .changed, .replaced, .notify: break
            }
        }
    }

    private mutating func disconnect(_ seat: Int) {
        seats[seat].isConnected = false
        seats[seat].isJoined = false
        seats[seat].down = []
    }

    // MARK: The server

    private mutating func receive(_ frame: ClientFrame, from seat: Int) {
        switch frame {
        case .signIn:
            if one(in: 30) { return seats[seat].down.append(.error(Rejection(.busy, "Busy", retryAfter: Int64(number(0...3_000))), request: nil)) }
            seats[seat].down.append(World.welcome(features: one(in: 5) ? [] : Feature.allCases))
        case .join(let join):
            if join.context != nil, one(in: 8) {
                return seats[seat].down.append(.error(Rejection(.notFound, "No such athlete", field: "context"), request: nil))
            }
            seats[seat].isJoined = true
            seats[seat].down += server.join(join)
        case .mutation(let id, .operations(let operations), _): mutate(id, operations, from: seat)
        case .mutation(let id, .undo, _): seats[seat].down.append(.reject(mutation: id, Rejection(.contradicted, "Later", sequence: server.head + 1)))
        case .context(let context), .tagged(.context(let context), _): seats[seat].down.append(.context(context))
        case .list(let list): seats[seat].down.append(.error(Rejection(.busy, "Busy", retryAfter: 100), request: list.request))
        case .signOut: seats[seat].down.append(.signedOut)
        default: break
        }
    }

    private mutating func mutate(_ id: Int64, _ operations: [Operation], from seat: Int) {
        let client = seats[seat].engine.engine.configuration.client
        if one(in: 15) { return seats[seat].down.append(.reject(mutation: id, Rejection(.busy, "Busy", retryAfter: Int64(number(0...2_000))))) }
        if one(in: 20) { return seats[seat].down.append(.reject(mutation: id, Rejection(.required, "A name is required", operation: 0, kind: .school, field: "name"))) }
        let (answer, change) = server.mutate(client, id, operations)
        let isAckFirst = one(in: 2)
        if isAckFirst { seats[seat].down.append(Self.filled(answer, operations)) }
        if let change { for other in seats.indices where seats[other].isJoined { seats[other].down.append(.change(change)) } }
        if !isAckFirst { seats[seat].down.append(Self.filled(answer, operations)) }
        if change != nil, one(in: 3) {
            for other in seats.indices where seats[other].isJoined { seats[other].down.append(.checksum(sequence: server.head, server.checksum)) }
        }
    }

    /// The fields in conflict, which the naive server does not work out.
    private static func filled(_ answer: ServerFrame, _ operations: [Operation]) -> ServerFrame {
        guard case .reject(let id, var rejection) = answer, var conflict = rejection.conflict else { return answer }
        let place = operations.firstIndex { $0.id == conflict.record.id }
        rejection.operation = place
        guard !conflict.record.isDeleted, let place, case .update(_, _, let patch) = operations[place].action else { return .reject(mutation: id, rejection) }
        conflict.fields = patch.assignments.filter { $0.value != conflict.record.fields[$0.field] }.map {
            Conflict.Field(field: $0.field, base: nil, yours: $0.value, theirs: conflict.record.fields[$0.field], member: World.athlete, at: 9)
        }
        rejection.conflict = conflict
        return .reject(mutation: id, rejection)
    }

    // MARK: Events

    /// Runs a number of random events.
    mutating func run(_ count: Int) {
        for _ in 0..<count {
            now += Int64(one(in: 40) ? number(1_000...40_000) : number(0...200))
            let seat = number(0...1)
            switch number(0...99) {
            case 0...44: deliver(seat)
            case 45...69: take(seat, .perform(operations(seat), one(in: 15) ? OverlapOverride(reason: "Known", pairs: [OverlapPair(World.id(20), World.id(21))]) : nil))
            case 70...73: cut(seat)
            case 74...77: take(seat, .timer)
            case 78...82: decide(seat)
            case 83: take(seat, .undo(Int64(number(1...9)), nil))
            case 84: take(seat, .context(one(in: 2) ? .all : .athlete(World.athlete)))
            case 85: take(seat, .receive(odd(seat).encode()))
            case 86: spoil(seat)
            case 87: restart(seat)
            case 88: take(seat, .read(server.head))
            case 89: ask(seat)
            case 90: if one(in: 4) { take(seat, .rejoin) }
            case 91: restoreBackup()
            case 92: if one(in: 4) { take(seat, .signOut) }
            default: deliver(seat)
            }
            if seats[seat].engine.engine.phase == .stopped, one(in: 3) { take(seat, .start) }
        }
        for seat in seats.indices { take(seat, .save) }
    }

    private mutating func deliver(_ seat: Int) {
        if seats[seat].wantsConnection, !seats[seat].isConnected {
            seats[seat].wantsConnection = false
            guard !one(in: 6) else { return take(seat, .disconnected(nil)) }
            seats[seat].isConnected = true
            return take(seat, .connected)
        }
        for _ in 0..<number(1...4) where !seats[seat].down.isEmpty {
            let frame = seats[seat].down.removeFirst()
            take(seat, .receive(frame.encode()))
        }
    }

    private mutating func cut(_ seat: Int) {
        guard seats[seat].isConnected else { return }
        disconnect(seat)
        let codes: [UInt16?] = [nil, 1001, 1006, 1009, 1011, 4000, 4502, 4001]
        take(seat, .disconnected(codes[number(0...codes.count - 1)]))
    }

    /// Frames that a server may send at any time, or must not send.
    private mutating func odd(_ seat: Int) -> ServerFrame {
        switch number(0...10) {
        case 10: .activity(MemberActivity(member: World.athlete, one(in: 2) ? Activity(.typing) : Activity(.looking, .init(kind: .event, id: World.id(12)))))
        case 0: .presence(Presence(member: World.athlete, connections: number(0...2), context: .all))
        case 1: .role(.parent)
        case 2: .drain(retryAfter: Int64(number(0...70_000)))
        case 3:
            .upload(
                UploadProgress(
                    id: World.id(UInt64(number(700...702))), member: World.parent, athlete: World.athlete, title: "A", octets: 1, total: 2,
                    state: one(in: 2) ? .running : .finished))
        case 4: .live(sequence: Int64(number(0...20)))
        case 5: .snapshot(sequence: 1, records: [])
        case 6: .ack(Ack(mutation: Int64(number(1...5)), sequence: nil, records: []))
        case 7: World.change(server.head + Int64(number(0...2)), [])
        case 8: .error(Rejection(.cursorAhead, "Ahead"), request: nil)
        default: .checksum(sequence: server.head, server.checksum)
        }
    }

    /// Loses the last entry of a change on its way.
    private mutating func spoil(_ seat: Int) {
        guard let index = seats[seat].down.firstIndex(where: { if case .change = $0 { true } else { false } }),
            case .change(var change) = seats[seat].down[index], !change.entries.isEmpty
        else { return }
        change.entries.removeLast()
        seats[seat].down[index] = .change(change)
    }

    /// The program ends and begins again with what it stored.
    private mutating func restart(_ seat: Int) {
        take(seat, .save)
        guard var saved = seats[seat].engine.engine.savedState else { return }
        saved.records = Array(seats[seat].engine.engine.confirmedRecords.values)
        saved.pending = saved.pending.map(\.asSaved)
        disconnect(seat)
        let wasWith = seats[seat].engine.engine.configuration.client
        seats[seat].configuration.client = wasWith
        seats[seat].engine = ScriptedEngine(seats[seat].configuration)
        seats[seat].looked = []
        begin(seat)
        if one(in: 3) {
            // Beside another program, whose work is taken over later.
            take(seat, .start)
            take(seat, .perform([World.create(nextNumber(), "Beside")], nil))
            take(seat, one(in: 2) ? .takeOver(saved) : .adopt(saved))
            return
        }
        take(seat, .restore(saved))
        seats[seat].wantsConnection = false
        take(seat, .start)
    }

    private mutating func restoreBackup() {
        guard one(in: 3) else { return }
        server.epoch = "e\(number(2...4))"
        for seat in seats.indices where seats[seat].isConnected {
            disconnect(seat)
            take(seat, .disconnected(1012))
        }
    }

    private mutating func ask(_ seat: Int) {
        take(seat, .ask(ClientFrame.list(ListRequest(request: 0, kind: .message, limit: 5)).encode()))
    }

    private mutating func decide(_ seat: Int) {
        guard let draft = seats[seat].engine.engine.drafts.randomElement(using: &random) else { return }
        switch number(0...5) {
        case 0: take(seat, .retry(draft.id, nil))
        case 1: take(seat, .split(draft.id))
        case 2: take(seat, .drop(draft.id))
        default:
            take(seat, .look(draft.id))
            guard let sides = seats[seat].engine.engine.conflict(of: draft.id) else { return }
            var choices: [String: ConflictChoice] = [:]
            for field in sides.contested where one(in: 2) {
                let all: [ConflictChoice] = [.yours, .theirs, .both, .value(.text("Third"))]
                let name = sides.record.kind.declaration.fields[field.field].name
                choices[name] = all[number(0...(field.yours?.isText ?? true ? 3 : 2))]
            }
            take(seat, .resolve(draft.id, sides.record.kind, choices, whole: one(in: 4) ? nil : one(in: 2) ? .yours : .theirs))
        }
    }

    // MARK: Requests

    private mutating func nextNumber() -> UInt64 {
        nextID += 1
        return nextID
    }

    private mutating func operations(_ seat: Int) -> [Operation] { (0..<(one(in: 5) ? number(2...3) : 1)).map { _ in operation(seat) } }

    private mutating func operation(_ seat: Int) -> Operation {
        let engine = seats[seat].engine.engine
        let known = Array(Set(engine.confirmedRecords.keys).union(engine.pending.flatMap { $0.operations.map(\.id) })).sorted()
        guard !one(in: 5), let id = known.randomElement(using: &random), let record = engine.record(id) else { return creation() }
        // Sometimes not the version that is shown.
        let base = one(in: 10) ? max(record.version - 1, 0) : record.version
        if record.isDeleted { return Operation(kind: record.kind, id: id, action: .restore(base: base)) }
        switch number(0...9) {
        case 0: return Operation(kind: record.kind, id: id, action: .delete(base: base))
        case 1: return Operation(kind: record.kind, id: id, action: .shift(base: base, days: number(-400...400)))
        case 2 where record.kind == .event || record.kind == .trip:
            return Operation(kind: record.kind, id: World.id(nextNumber()), action: .copy(from: id, days: number(0...30)))
        default: return Operation(kind: record.kind, id: id, action: .update(base: base, merge: one(in: 3) ? .none : .disjoint, patch: patch(record.kind)))
        }
    }

    private mutating func creation() -> Operation {
        let kinds: [Kind] = [.school, .school, .coach, .event, .metric, .message, .trip, .tripItem, .interaction]
        let kind = kinds[number(0...kinds.count - 1)]
        var patch = patch(kind)
        patch.setEdits = []
        return Operation(kind: kind, id: World.id(nextNumber()), action: .create(athlete: one(in: 3) ? World.athlete : nil, patch: patch))
    }

    private mutating func patch(_ kind: Kind) -> FieldPatch {
        var patch = FieldPatch()
        for (index, field) in kind.declaration.fields.enumerated() where one(in: 4) {
            if case .set = field.type, one(in: 2) {
                let ids = (0..<3).map { _ in World.id(UInt64(number(1_000...1_012))) }
                patch.setEdits.append(.init(field: index, add: one(in: 4) ? [] : [ids[0]], remove: one(in: 2) || ids[0] == ids[1] ? [] : [ids[1]]))
                if patch.setEdits.last?.add == [], patch.setEdits.last?.remove == [] { patch.setEdits.removeLast() }
            } else {
                patch.assignments.append(.init(field: index, value: one(in: 6) ? nil : value(field.type)))
            }
        }
        return patch
    }

    private mutating func value(_ type: FieldType) -> Value? {
        let texts = ["a", "B b", "\u{E4}\u{1F600}\u{2028}", "line\nand\ttab \"quoted\" \\ \u{7F}", "", "e\u{301}"]
        switch type {
        case .choice(let words, _): return .text(words[number(0...words.count - 1)])
        case .flag: return .flag(one(in: 2))
        case .integer: return .integer(Int64(number(1...20)))
        case .decimal, .measure: return .text(["0.5", "0.50", "00.5", "-0", "0", "12.345", "x"][number(0...6)])
        case .date: return .text(["2026-12-01", "2028-02-29", "9999-12-31", "0001-01-01", "2026-02-30"][number(0...4)])
        case .localDateTime: return .text(["2026-12-01T10:00", "2027-02-28T23:59", "2026-12-01T24:00"][number(0...2)])
        case .reference: return .reference(World.id(UInt64(number(1_000...1_012))))
        case .link: return .link(.event, World.id(60))
        case .set: return .set([SetElement(id: World.id(UInt64(number(1_000...1_005)))), SetElement(id: World.id(UInt64(number(1_006...1_012))))])
        case .json: return .json(Array(#"{"a":[1,"b",null,true],"c":{}}"#.utf8))
        default: return .text(texts[number(0...texts.count - 1)])
        }
    }
}

extension Value {
    fileprivate var isText: Bool { if case .text = self { true } else { false } }
}
