import Bytes
import Family
import JSON
import Wire

/// Makes any frame that our own side may write.
struct RandomFrames {
    var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    mutating func identifier() -> Identifier { Identifier(high: random.next(), low: random.next()) }
    mutating func sequence() -> Int64 { chance(10) ? 9_007_199_254_740_991 : number(1...1_000_000) }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    mutating func optional<Value>(_ value: (inout RandomFrames) -> Value) -> Value? { chance(50) ? value(&self) : nil }

    mutating func list<Value>(_ most: Int, _ value: (inout RandomFrames) -> Value) -> [Value] {
        (0..<Int.random(in: 0...most, using: &random)).map { _ in value(&self) }
    }

    mutating func string(_ most: Int = 40) -> String {
        let alphabet: [Unicode.Scalar] = ["a", "Z", "0", " ", "\"", "\\", "/", "\n", "\t", "\u{1}", "\u{7F}", "ż", "ß", "\u{301}", "語", "😀", "\u{2028}", "\u{10FFFF}"]
        var text = ""
        for _ in 0..<Int.random(in: 0...most, using: &random) { text.unicodeScalars.append(pick(alphabet)) }
        return text
    }

    mutating func word() -> String { String(random.next(), radix: 36) }

    mutating func context() -> Context { chance(50) ? .all : .athlete(identifier()) }

    mutating func value(_ type: FieldType, form: Bool) -> Value {
        switch type {
        case .line, .text, .choice, .decimal, .measure, .date, .time, .localDateTime, .zone, .url, .state: return .text(string())
        case .flag: return .flag(chance(50))
        case .integer: return .integer(Int64(bitPattern: random.next()))
        case .reference: return .reference(identifier())
        case .link: return .link(pick(Kind.allCases), identifier())
        case .set:
            return .set(list(4) { frames in
                form ? SetElement(id: frames.identifier(), name: frames.string(), role: frames.string()) : SetElement(id: frames.identifier())
            })
        case .json:
            return .json(octets(pick(["{}", "{\"a\":[1,2.5,{\"b\":null}]}", "{ \"kept\" : \"as \\u00e9 is\" }"])))
        }
    }

    mutating func fields(_ kind: Kind) -> Fields {
        var fields = Fields(kind)
        for (index, field) in kind.declaration.fields.enumerated() where chance(60) { fields[index] = value(field.type, form: true) }
        return fields
    }

    mutating func assignments(_ kind: Kind, form: Bool) -> [FieldPatch.Assignment] {
        var assignments: [FieldPatch.Assignment] = []
        for (index, field) in kind.declaration.fields.enumerated() where chance(40) {
            assignments.append(.init(field: index, value: chance(20) ? nil : value(field.type, form: form)))
        }
        return assignments
    }

    mutating func patch(_ kind: Kind) -> FieldPatch {
        var patch = FieldPatch(assignments: assignments(kind, form: false))
        for (index, field) in kind.declaration.fields.enumerated() {
            guard case .set = field.type, !patch.assignments.contains(where: { $0.field == index }) else { continue }
            let edit = FieldPatch.SetEdit(field: index, add: list(3) { $0.identifier() }, remove: list(3) { $0.identifier() })
            if !edit.add.isEmpty || !edit.remove.isEmpty { patch.setEdits.append(edit) }
        }
        return patch
    }

    mutating func operation() -> Operation {
        let kind = pick(Kind.allCases)
        let action: Operation.Action
        switch number(0...3) {
        case 0: action = .create(athlete: optional { $0.identifier() }, patch: FieldPatch(assignments: assignments(kind, form: false)))
        case 1: action = .update(base: sequence(), merge: pick(MergeMode.allCases), patch: patch(kind))
        case 2: action = .delete(base: sequence())
        default: action = .restore(base: sequence())
        }
        return Operation(kind: kind, id: identifier(), action: action)
    }

    mutating func clientFrame() -> ClientFrame {
        switch number(0...9) {
        case 0: return .signIn(token: word())
        case 1: return .redeem(code: word(), client: identifier())
        case 2:
            return .join(Join(
                family: identifier(), client: identifier(), context: optional { $0.context() },
                cursor: optional { Cursor(epoch: $0.word(), sequence: $0.number(0...9_007_199_254_740_991)) }))
        case 3: return .context(context())
        case 4:
            return .list(ListRequest(
                request: sequence(), kind: pick(Kind.allCases), before: optional { $0.word() }, limit: Int(number(1...200))))
        case 5: return .signOut
        default: return .mutate(id: sequence(), operations: [operation()] + list(5) { $0.operation() })
        }
    }

    mutating func record() -> Record {
        let kind = pick(Kind.allCases)
        return Record(
            kind: kind, id: identifier(), athlete: optional { $0.identifier() }, version: sequence(), createdAt: number(0...2_000_000_000_000),
            createdBy: identifier(), updatedAt: number(0...2_000_000_000_000), updatedBy: identifier(),
            deletedAt: optional { $0.number(0...2_000_000_000_000) }, fields: fields(kind))
    }

    mutating func entry() -> ChangeEntry {
        let kind = pick(Kind.allCases)
        let effect: ChangeEntry.Effect
        switch number(0...3) {
        case 0: effect = .create(athlete: optional { $0.identifier() }, fields: fields(kind))
        case 1: effect = .update(assignments(kind, form: true))
        case 2: effect = .delete
        default:
            effect = .restore(
                athlete: optional { $0.identifier() }, fields: fields(kind), createdAt: number(0...2_000_000_000_000), createdBy: identifier())
        }
        return ChangeEntry(kind: kind, id: identifier(), version: sequence(), effect: effect)
    }

    mutating func change() -> Change {
        Change(
            sequence: sequence(), at: number(0...2_000_000_000_000), member: identifier(), client: optional { $0.identifier() },
            mutation: optional { $0.sequence() }, entries: list(4) { $0.entry() })
    }

    mutating func conflict() -> Conflict {
        let record = record()
        let fields = record.kind.declaration.fields
        return Conflict(record: record, fields: list(3) { frames in
            let index = Int.random(in: 0..<fields.count, using: &frames.random)
            let type = fields[index].type
            return Conflict.Field(
                field: index, base: frames.optional { $0.value(type, form: true) }, yours: frames.optional { $0.value(type, form: true) },
                theirs: frames.optional { $0.value(type, form: true) }, member: frames.identifier(), at: frames.number(0...2_000_000_000_000))
        })
    }

    mutating func rejection() -> Rejection {
        Rejection(
            pick(ErrorCode.allCases), string(), operation: optional { Int($0.number(0...99)) }, kind: optional { $0.pick(Kind.allCases) },
            id: optional { $0.identifier() }, field: optional { $0.string() }, retryAfter: optional { $0.number(0...60_000) },
            conflict: optional { $0.conflict() })
    }

    mutating func presence() -> Presence { Presence(member: identifier(), connections: Int(number(0...32)), context: context()) }

    mutating func serverFrame() -> ServerFrame {
        switch number(0...17) {
        case 0:
            var limits = Limits()
            limits.pageRecords = Int(number(1...1_000))
            return .welcome(Welcome(
                server: word(), time: number(0...2_000_000_000_000),
                memberships: list(3) {
                    Membership(family: $0.identifier(), name: $0.string(), member: $0.identifier(), role: $0.pick(Role.allCases))
                }, limits: limits))
        case 1: return .token(token: word(), family: identifier(), member: identifier())
        case 2:
            return .joined(Joined(
                epoch: word(), sequence: number(0...1_000), family: identifier(), member: identifier(), role: pick(Role.allCases),
                context: context(), resumesByChanges: chance(50), presence: list(3) { $0.presence() }))
        case 3: return .reset(pick(ResetReason.allCases))
        case 4: return .snapshot(sequence: number(0...1_000), records: list(3) { $0.record() })
        case 5: return .snapshotEnd(sequence: number(0...1_000))
        case 6: return .live(sequence: number(0...1_000))
        case 7:
            return .ack(Ack(
                mutation: sequence(), sequence: optional { $0.sequence() },
                records: list(4) { Ack.Version(id: $0.identifier(), version: $0.sequence()) }))
        case 8, 9: return .reject(mutation: sequence(), rejection())
        case 10: return .presence(presence())
        case 11: return .context(context())
        case 12: return .role(pick(Role.allCases))
        case 13: return .page(request: number(0...1_000), records: list(3) { $0.record() }, next: optional { $0.word() })
        case 14: return .signedOut
        case 15: return .error(rejection(), request: optional { $0.number(0...1_000) })
        default: return .change(change())
        }
    }
}
