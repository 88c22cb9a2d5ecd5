import Bytes
import Family
import Testing

@Suite("Rules of operations and whole records")
struct ValidationTests {
    private func refusal(_ operation: Operation) -> Rejection? {
        var operation = operation
        do {
            try Validation.canonicalize(&operation, index: 2, environment: earth)
            return nil
        } catch {
            return error
        }
    }

    private func violation(_ fields: Fields) -> Rejection? {
        do {
            try Validation.check(fields, operation: 5, id: id(9), environment: earth)
            return nil
        } catch {
            return error
        }
    }

    private let event = fields(.event, ["type": .text("camp"), "name": .text("Camp"), "start_date": .text("2026-04-15")])

    @Test("Families, members and documents are not created by mutations, families not deleted", arguments: [Kind.family, .member, .document])
    func createdByServer(_ kind: Kind) {
        #expect(refusal(Operation(kind: kind, id: id(1), action: .create(athlete: nil, patch: .init())))?.code == .notAllowed)
        let deletion = refusal(Operation(kind: kind, id: id(1), action: .delete(base: 1)))
        let restoration = refusal(Operation(kind: kind, id: id(1), action: .restore(base: 1)))
        #expect(deletion?.code == (kind == .family ? .notAllowed : nil))
        #expect(restoration?.code == (kind == .family ? .notAllowed : nil))
    }

    @Test("An owner is named only for kinds that have one", arguments: [Kind.school, .coach, .message, .trip, .tripItem, .readingPosition, .reminderRule])
    func ownerOnlyForAthleteScope(_ kind: Kind) {
        let rejection = refusal(Operation(kind: kind, id: id(1), action: .create(athlete: id(2), patch: .init())))
        #expect(rejection?.code == .invalid)
        #expect(rejection?.field == "athlete")
        #expect(refusal(Operation(kind: .event, id: id(1), action: .create(athlete: id(2), patch: .init()))) == nil)
    }

    @Test("An update may clear an optional field and never a required one", arguments: Kind.allCases)
    func clearing(_ kind: Kind) {
        for field in kind.declaration.fields {
            let update = Operation(
                kind: kind, id: id(1), action: .update(base: 1, merge: .none, patch: patch(kind, [field.name: nil])))
            let rejection = refusal(update)
            #expect(rejection?.code == (field.isServerOnly ? .notAllowed : field.isRequired ? .required : nil), "\(kind.name).\(field.name)")
            if field.isRequired {
                #expect(rejection?.message == "\(field.label) is required")
                #expect(rejection?.field == field.name)
                #expect(rejection?.operation == 2)
            }
        }
    }

    @Test("Blanks clear like null")
    func blankClears() {
        let update = Operation(
            kind: .event, id: id(1), action: .update(base: 1, merge: .none, patch: patch(.event, ["name": .text("  ")])))
        #expect(refusal(update)?.message == "Event name is required")
    }

    @Test("R056 R057 A new record without a required field is refused by name, the first one first", arguments: [
        ("type", "Event type is required"), ("name", "Event name is required"), ("start_date", "Start date is required"),
    ])
    func required(_ field: String, _ sentence: String) {
        var fields = event
        fields[field] = nil
        let rejection = violation(fields)
        #expect(rejection?.code == .required)
        #expect(rejection?.field == field)
        #expect(rejection?.message == sentence)
        #expect(rejection?.operation == 5)
        #expect(rejection?.id == id(9))
        #expect(violation(event) == nil)
    }

    @Test("Set edits: ids once and in order, only on sets, nothing on both sides, bounded")
    func setEdits() throws {
        func update(_ patch: FieldPatch) -> Operation {
            Operation(kind: .event, id: id(1), action: .update(base: 1, merge: .none, patch: patch))
        }
        let coaches = Kind.event.field("coaches_present")
        var good = update(.init(setEdits: [.init(field: coaches, add: [id(3), id(2), id(3)], remove: [id(5), id(4)])]))
        try Validation.canonicalize(&good, index: 0, environment: earth)
        #expect(good == update(.init(setEdits: [.init(field: coaches, add: [id(2), id(3)], remove: [id(4), id(5)])])))

        #expect(refusal(update(.init(setEdits: [.init(field: coaches, add: [id(1)], remove: [id(1)])])))?.code == .invalid)
        #expect(refusal(update(.init(setEdits: [.init(field: Kind.event.field("name"), add: [id(1)])])))?.code == .invalid)
        #expect(refusal(update(.init(setEdits: [.init(field: coaches, add: (0...100).map { id($0) })])))?.code == .tooMany)
        #expect(refusal(update(.init(setEdits: [.init(field: 999, add: [id(1)])])))?.code == .unknownField)
        let both = FieldPatch(assignments: [.init(field: coaches, value: nil)], setEdits: [.init(field: coaches, add: [id(1)])])
        #expect(refusal(update(both))?.code == .invalid)

        var empty = update(.init(setEdits: [.init(field: coaches)]))
        try Validation.canonicalize(&empty, index: 0, environment: earth)
        #expect(empty == update(.init()))
    }

    @Test("A position that no field has is refused, not a trap")
    func unknownPosition() {
        let patch = FieldPatch(assignments: [.init(field: 999, value: .text("x"))])
        #expect(refusal(Operation(kind: .school, id: id(1), action: .update(base: 1, merge: .none, patch: patch)))?.code == .unknownField)
    }

    @Test("Edits can not make a set larger than its bound")
    func setBoundAfterEdits() {
        var fields = event
        fields["coaches_present"] = .set((1...100).map { SetElement(id: id($0)) })
        #expect(violation(fields) == nil)
        fields["coaches_present"] = .set((1...101).map { SetElement(id: id($0)) })
        #expect(violation(fields)?.code == .tooMany)
        #expect(violation(fields)?.field == "coaches_present")
    }

    @Test("P04 Applying the rules twice changes nothing more")
    func idempotent() throws {
        let typed: KeyValuePairs<String, Value?> = [
            "type": .text("camp"), "name": .text(" Camp "), "cost": .text("150"), "start_date": .text("2026-04-15"), "state": .text("ny"),
            "url": .text("HTTPS://a.b"), "description": .text("a\r\nb"), "coaches_present": .set([SetElement(id: id(2)), SetElement(id: id(1))]),
        ]
        var once = Operation(kind: .event, id: id(1), action: .create(athlete: id(7), patch: patch(.event, typed)))
        try Validation.canonicalize(&once, index: 0, environment: earth)
        var twice = once
        try Validation.canonicalize(&twice, index: 0, environment: earth)
        #expect(once == twice)
    }
}

@Suite("Dates and times of events (product.md, Events)")
struct EventRulesTests {
    private func event(_ values: KeyValuePairs<String, Value?>) -> Fields {
        var event = fields(.event, values)
        event["type"] = .text("camp")
        event["name"] = .text("Camp")
        return event
    }

    @Test("R064 A new event is neither registered nor attended unless it says so")
    func flags() {
        var fields = event(["start_date": .text("2026-04-15"), "attended": .flag(true)])
        Validation.applyDefaults(&fields, environment: earth, context: { .nobody })
        #expect(fields["registered"] == .flag(false))
        #expect(fields["attended"] == .flag(true))
    }

    /// The author's values: start date, end date, start time, end time; and the end that comes out.
    @Test("The end that is not given follows from the start", arguments: [
        ("2026-04-15", nil, nil, nil, "2026-04-15", nil),
        ("2026-04-15", "2026-04-17", nil, nil, "2026-04-17", nil),
        ("2026-04-15", nil, "09:30", nil, "2026-04-15", "10:30"),
        ("2026-04-15", nil, "22:59", nil, "2026-04-15", "23:59"),
        ("2026-04-15", nil, "23:00", nil, "2026-04-16", "00:00"),
        ("2026-12-31", nil, "23:30", nil, "2027-01-01", "00:30"),
        ("2024-02-28", "2024-02-28", "23:30", nil, "2024-02-29", "00:30"),
        ("2026-04-15", "2026-04-17", "23:30", nil, "2026-04-17", "00:30"),
        ("2026-04-15", nil, "09:30", "12:00", "2026-04-15", "12:00"),
        ("2026-04-15", nil, nil, "12:00", "2026-04-15", "12:00"),
        ("9999-12-31", nil, "23:30", nil, "9999-12-31", nil),
    ] as [(String, String?, String?, String?, String, String?)])
    func end(_ start: String, _ end: String?, _ startTime: String?, _ endTime: String?, _ wantedEnd: String, _ wantedTime: String?) throws {
        var fields = event([
            "start_date": .text(start), "end_date": end.map(Value.text), "start_time": startTime.map(Value.text),
            "end_time": endTime.map(Value.text),
        ])
        Validation.applyDefaults(&fields, environment: earth, context: { .nobody })
        #expect(fields.text("end_date") == wantedEnd)
        #expect(fields.text("end_time") == wantedTime)
        try Validation.check(fields, operation: 0, id: id(1), environment: earth)
    }

    @Test("Without a start date nothing is made up, and the missing field is named")
    func noStart() {
        var fields = event(["start_time": .text("09:00")])
        Validation.applyDefaults(&fields, environment: earth, context: { .nobody })
        #expect(fields["end_date"] == nil)
        #expect(throws: Rejection(.required, "Start date is required", operation: 0, kind: .event, id: id(1), field: "start_date")) {
            try Validation.check(fields, operation: 0, id: id(1), environment: earth)
        }
    }

    @Test("R057 P18 The end is not before the start", arguments: [
        ("2026-04-15", "2026-04-15", nil, nil, nil, ""),
        ("2026-04-15", "2026-04-14", nil, nil, "end_date", "End date must be after start date"),
        ("2026-04-15", "2025-12-31", "09:00", "10:00", "end_date", "End date must be after start date"),
        ("2026-04-15", "2026-04-15", "10:00", "10:00", nil, ""),
        ("2026-04-15", "2026-04-15", "10:00", "09:59", "end_time", "End time must be after start time"),
        ("2026-04-15", nil, "10:00", "09:59", "end_time", "End time must be after start time"),
        ("2026-04-15", "2026-04-16", "10:00", "09:59", nil, ""),
        ("2026-04-15", "2026-04-15", nil, "09:59", nil, ""),
    ] as [(String, String?, String?, String?, String?, String)])
    func order(_ start: String, _ end: String?, _ startTime: String?, _ endTime: String?, _ field: String?, _ sentence: String) {
        let fields = event([
            "start_date": .text(start), "end_date": end.map(Value.text), "start_time": startTime.map(Value.text),
            "end_time": endTime.map(Value.text),
        ])
        var rejection: Rejection?
        do { try Validation.check(fields, operation: 1, id: id(1), environment: earth) } catch { rejection = error }
        #expect(rejection?.field == field)
        #expect(rejection?.code == (field == nil ? nil : .endBeforeStart))
        #expect(rejection == nil || rejection?.message == sentence)
    }
}
