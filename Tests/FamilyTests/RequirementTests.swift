import Bytes
import Family
import Testing

/// The numbered requirements that the declarations and the rules keep by themselves, each by its number.
@Suite("Requirements kept by declarations and rules")
struct RequirementTests {
    private func event(_ values: KeyValuePairs<String, Value?>) -> (fields: Fields, rejection: Rejection?) {
        var all: KeyValuePairs<String, Value?> { ["type": .text("camp"), "name": .text("Camp"), "start_date": .text("2026-04-15")] }
        let environment = machineZones()
        var fields = fields(.event, all)
        for (name, value) in values { fields[name] = value }
        Validation.applyDefaults(&fields, environment: environment, context: { .nobody })
        do {
            try Validation.check(fields, operation: 0, id: id(1), environment: environment)
            return (fields, nil)
        } catch {
            return (fields, error)
        }
    }

    @Test("R056 R057 a missing value of a new event is named in the words of the requirement", arguments: [
        ("type", "Event type is required"), ("name", "Event name is required"), ("start_date", "Start date is required"),
    ])
    func required(_ field: String, _ sentence: String) {
        #expect(event([field: nil]).rejection?.message == sentence)
        #expect(event([field: nil]).rejection?.field == field)
        #expect(refusalOfUpdate(.event, [field: nil])?.message == sentence)
    }

    @Test("R057 an end before the start is refused, the same day is good")
    func endBeforeStart() {
        #expect(event(["end_date": .text("2026-04-14")]).rejection?.message == "End date must be after start date")
        #expect(event(["end_date": .text("2026-04-15")]).rejection == nil)
    }

    @Test("R060 a link that is none is refused in the words of the requirement")
    func url() {
        #expect(refusal(.event, "url", .text("example"))?.message == "Please enter a valid URL (e.g., https://...)")
    }

    @Test("R062 the end date is the start date when it is not given, and is not overwritten")
    func endDate() {
        #expect(event([:]).fields.text("end_date") == "2026-04-15")
        #expect(event(["end_date": .text("2026-04-20")]).fields.text("end_date") == "2026-04-20")
    }

    @Test("R063 P19 the end time is an hour after the start; past midnight the end date moves on instead of wrapping")
    func endTime() {
        #expect(event(["start_time": .text("09:00")]).fields.text("end_time") == "10:00")
        let late = event(["start_time": .text("23:30")])
        #expect(late.fields.text("end_time") == "00:30")
        #expect(late.fields.text("end_date") == "2026-04-16")
        #expect(late.rejection == nil)
    }

    @Test("R064 a new event is neither registered nor attended")
    func flags() {
        #expect(event([:]).fields["registered"] == .flag(false))
        #expect(event([:]).fields["attended"] == .flag(false))
    }

    @Test("R066 names have up to 255 characters and are stored as they are")
    func names() throws {
        let long = String(repeating: "ż", count: 255)
        #expect(try canonical(.event, "name", .text(long)) == .text(long))
        #expect(refusal(.event, "name", .text(long + "x"))?.code == .tooLong)
    }

    @Test("R067 R115 past dates are good, and so is a cost of nothing", arguments: ["1999-12-31", "2026-04-15", "2999-01-01"])
    func pastDates(_ date: String) throws {
        #expect(event(["start_date": .text(date), "end_date": nil]).rejection == nil)
        #expect(try canonical(.event, "cost", .text("0")) == .text("0.00"))
        #expect(refusal(.event, "cost", .text("-0.01"))?.code == .outOfRange)
        #expect(refusal(.event, "cost", .text("free"))?.code == .invalid)
    }

    @Test("R067 P20 costs are exact: no binary rounding is ever visible", arguments: ["0.10", "0.29", "1.15", "70.07", "999999999.99"])
    func exactCosts(_ cost: String) throws {
        #expect(try canonical(.event, "cost", .text(cost)) == .text(cost))
    }

    @Test("R068 a state has at most two letters and is stored in upper case", arguments: [("ny", "NY"), ("Tx", "TX"), ("n", "N")])
    func state(_ typed: String, _ kept: String) throws {
        #expect(try canonical(.event, "state", .text(typed)) == .text(kept))
        #expect(refusal(.event, "state", .text(typed + "xx"))?.code == .invalid)
    }

    @Test("R073 a school that is not listed is a name in host; no word stands for an id")
    func host() throws {
        #expect(try canonical(.event, "host", .text("Elite Baseball Academy")) == .text("Elite Baseball Academy"))
        for sentinel in ["other", "none", ""] { #expect(refusal(.event, "school_id", .text(sentinel))?.code == .invalid) }
        #expect(event(["host": .text("Elite"), "school_id": nil]).rejection == nil)
    }

    @Test("R074 a school needs a name, its location may be left out")
    func school() {
        #expect(created(.school, ["name": .text("Rice")]).rejection == nil)
        #expect(created(.school, ["location": .text("Houston")]).rejection?.message == "School name is required")
    }

    @Test("R050 R089 attended can be set on past events, and taken back")
    func attended() throws {
        let past = event(["start_date": .text("2020-04-15"), "end_date": nil, "registered": .flag(true)]).fields
        let attended = Merge.apply(patch(.event, ["attended": .flag(true)]), to: past, resolve: { _, _ in nil })
        #expect(attended.fields["attended"] == .flag(true))
        try Validation.check(attended.fields, operation: 0, id: id(1), environment: earth)
        let back = Merge.apply(patch(.event, ["attended": .flag(false)]), to: attended.fields, resolve: { _, _ in nil })
        #expect(back.fields == past)
    }

    @Test("R095 R157 any subset of fields can be changed, others stay", arguments: [Kind.event, .tripItem, .metric, .trip, .document])
    func subsets(_ kind: Kind) {
        for field in kind.declaration.fields where !field.isServerOnly && !field.isRequired {
            #expect(refusalOfUpdate(kind, [field.name: nil]) == nil, "\(kind.name).\(field.name)")
        }
    }

    @Test("R103 R105 a coach leaves an event by an edit of the set; the others keep name and role as they were")
    func coachesPresent() {
        let al = SetElement(id: id(1), name: "Al Bo", role: "Head coach")
        let cy = SetElement(id: id(2), name: "Cy Dee", role: "Scout")
        var held = event([:]).fields
        held["coaches_present"] = .set([al, cy])
        let edit = FieldPatch(setEdits: [.init(field: Kind.event.field("coaches_present"), remove: [id(2)])])
        // Nobody is known any more by another name or role.
        #expect(Merge.apply(edit, to: held, resolve: { _, id in SetElement(id: id, name: "New") }).fields.set("coaches_present") == [al])
    }

    @Test("R110 metrics, events, trips, their items, interactions and documents can be deleted", arguments: [
        Kind.metric, .event, .trip, .tripItem, .interaction, .document, .message, .school, .coach,
    ])
    func deleted(_ kind: Kind) { #expect(kind.declaration.isDeletedByMutation) }

    @Test("R163 an item needs a title; an empty text is not a title; without an end it lasts all day")
    func itemTitle() throws {
        #expect(created(.tripItem, ["trip_id": .reference(id(5)), "start_time": .text("2026-07-02T10:00")]).rejection?.message == "Title is required")
        #expect(try canonical(.tripItem, "description", .text("  ")) == nil)
        #expect(TripItemSpan(fields(.tripItem, ["start_time": .text("2026-07-02T10:00")]), machineZones())?.end == nil)
    }

    @Test("Every sentence of a refusal ends with a full stop, but for the words of the requirements", arguments: [
        (ErrorCode.notAllowed, "Guests read", "Guests read."), (.notAllowed, "Guests read.", "Guests read."), (.invalid, "Which one?", "Which one?"),
        (.required, "Event name is required", "Event name is required"), (.invalid, "Please enter a valid number", "Please enter a valid number"),
        (.endBeforeStart, "End date must be after start date", "End date must be after start date"), (.invalid, "", ""),
    ])
    func fullStops(_ code: ErrorCode, _ said: String, _ sentence: String) {
        #expect(Rejection(code, said).message == sentence)
    }

    @Test("Zones that do not exist are refused, those with half hours are good", arguments: [
        (Kind.trip, "time_zone"), (.tripItem, "start_zone"), (.tripItem, "end_zone"), (.interaction, "time_zone"), (.event, "time_zone"),
    ])
    func zones(_ kind: Kind, _ field: String) throws {
        for (zone, exists) in [("Asia/Kolkata", true), ("Asia/Kathmandu", true), ("Australia/Lord_Howe", true), ("Mars/Base", false)] {
            var operation = Operation(kind: kind, id: id(1), action: .update(base: 1, merge: .none, patch: patch(kind, [field: .text(zone)])))
            var rejection: Rejection?
            do { try Validation.canonicalize(&operation, index: 0, environment: machineZones()) } catch { rejection = error }
            #expect((rejection == nil) == exists, "\(zone)")
            #expect(rejection == nil || rejection?.field == field)
        }
    }

    @Test("Shift and copy are for what has dates to move, by at most ten years", arguments: Kind.allCases)
    func shiftAndCopy(_ kind: Kind) {
        func code(_ action: Operation.Action) -> ErrorCode? {
            var operation = Operation(kind: kind, id: id(1), action: action)
            do {
                try Validation.canonicalize(&operation, index: 0, environment: earth)
                return nil
            } catch {
                return error.code
            }
        }
        let shifts = [Kind.trip, .tripItem, .event].contains(kind)
        let copies = [Kind.trip, .event].contains(kind)
        for days in [-3_660, -1, 1, 3_660] {
            #expect(code(.shift(base: 1, days: days)) == (shifts ? nil : .invalid))
            #expect(code(.copy(from: id(2), days: days)) == (copies ? nil : .invalid))
        }
        for days in [0, 3_661, -3_661, Int.min, Int.max] where shifts { #expect(code(.shift(base: 1, days: days)) == .outOfRange) }
        for days in [3_661, -3_661, Int.min] where copies { #expect(code(.copy(from: id(2), days: days)) == .outOfRange) }
        if copies { #expect(code(.copy(from: id(2), days: 0)) == nil) }
    }

    private func refusalOfUpdate(_ kind: Kind, _ values: KeyValuePairs<String, Value?>) -> Rejection? {
        var operation = Operation(kind: kind, id: id(1), action: .update(base: 1, merge: .none, patch: patch(kind, values)))
        do {
            try Validation.canonicalize(&operation, index: 0, environment: earth)
            return nil
        } catch {
            return error
        }
    }
}
