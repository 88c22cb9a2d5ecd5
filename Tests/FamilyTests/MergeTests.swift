import Bytes
import Family
import Testing

@Suite("Applying and merging patches (guarantees.md, no lost update)")
struct MergeTests {
    private let coaches = Kind.event.field("coaches_present")
    private let name = Kind.event.field("name")
    private let city = Kind.event.field("city")

    private func resolve(_ kind: Kind, _ id: Identifier) -> SetElement? {
        kind == .coach && id.low & 0xFF < 50 ? SetElement(id: id, name: "Coach \(id.low & 0xFF)", role: "Head") : nil
    }

    private let event = fields(.event, [
        "type": .text("camp"), "name": .text("Camp"), "start_date": .text("2026-04-15"),
        "coaches_present": .set([SetElement(id: id(1), name: "Old name", role: "Old role"), SetElement(id: id(99), name: "Gone")]),
    ])

    @Test("An assignment changes its field and reports the new value and the old one")
    func assignment() {
        let result = Merge.apply(patch(.event, ["name": .text("Big camp"), "city": .text("Łódź")]), to: event, resolve: resolve)
        #expect(result.fields.text("name") == "Big camp")
        #expect(result.changed == [.init(field: name, value: .text("Big camp")), .init(field: city, value: .text("Łódź"))])
        #expect(result.before == [.init(field: name, value: .text("Camp")), .init(field: city, value: nil)])
    }

    @Test("A patch with the present values changes nothing")
    func nothingChanged() {
        let same = Merge.apply(
            FieldPatch(
                assignments: [.init(field: name, value: .text("Camp")), .init(field: city, value: nil)],
                setEdits: [.init(field: coaches, add: [id(1)], remove: [id(7)])]), to: event, resolve: resolve)
        #expect(same.changed.isEmpty && same.before.isEmpty)
        #expect(same.fields == event)
    }

    @Test("Added elements take name and role as they are now, those that stay keep what they had")
    func addition() {
        let result = Merge.apply(FieldPatch(setEdits: [.init(field: coaches, add: [id(2), id(1)], remove: [id(55)])]), to: event, resolve: resolve)
        #expect(result.fields.set("coaches_present") == [
            SetElement(id: id(1), name: "Old name", role: "Old role"), SetElement(id: id(2), name: "Coach 2", role: "Head"),
            SetElement(id: id(99), name: "Gone"),
        ])
        #expect(result.changed.map(\.field) == [coaches])
    }

    @Test("R103 Removing the last element empties the field")
    func removal() {
        let result = Merge.apply(FieldPatch(setEdits: [.init(field: coaches, remove: [id(1), id(99)])]), to: event, resolve: resolve)
        #expect(result.changed == [.init(field: coaches, value: nil)])
        #expect(result.before == [.init(field: coaches, value: event["coaches_present"])])
    }

    @Test("Two people who add at the same time both succeed, in either order")
    func concurrentAdds() {
        let mine = FieldPatch(setEdits: [.init(field: coaches, add: [id(2)])])
        let yours = FieldPatch(setEdits: [.init(field: coaches, add: [id(3)], remove: [id(99)])])
        let first = Merge.apply(yours, to: Merge.apply(mine, to: event, resolve: resolve).fields, resolve: resolve).fields
        let second = Merge.apply(mine, to: Merge.apply(yours, to: event, resolve: resolve).fields, resolve: resolve).fields
        #expect(first == second)
        #expect(first.set("coaches_present").map(\.id) == [id(1), id(2), id(3)])
        #expect(Merge.commutes(mine, .event))
        #expect(Merge.contested(mine, current: first, changedSinceBase: [coaches]).isEmpty)
    }

    @Test("Assigning a whole set keeps the history of those that stay")
    func wholeSet() {
        let whole = FieldPatch(assignments: [.init(field: coaches, value: .set([SetElement(id: id(2)), SetElement(id: id(99))]))])
        #expect(Merge.apply(whole, to: event, resolve: resolve).fields.set("coaches_present") == [
            SetElement(id: id(2), name: "Coach 2", role: "Head"), SetElement(id: id(99), name: "Gone"),
        ])
    }

    @Test("Edits of different fields are not contested, edits of the same are, equal values agree")
    func contest() {
        let edit = patch(.event, ["name": .text("Mine"), "city": .text("Łódź")])
        var current = event
        current["name"] = .text("Theirs")
        #expect(Merge.contested(edit, current: current, changedSinceBase: [Kind.event.field("cost")]).isEmpty)
        #expect(Merge.contested(edit, current: current, changedSinceBase: [name]) == [name])
        current["city"] = .text("Łódź")
        #expect(Merge.contested(edit, current: current, changedSinceBase: [name, city]) == [name])
        current["name"] = .text("Mine")
        #expect(Merge.contested(edit, current: current, changedSinceBase: [name, city]).isEmpty)
    }

    @Test("A field cleared by both sides agrees, cleared by one is contested")
    func clearedContest() {
        let clears = patch(.event, ["city": nil])
        #expect(Merge.contested(clears, current: event, changedSinceBase: [city]).isEmpty)
        var current = event
        current["city"] = .text("Łódź")
        #expect(Merge.contested(clears, current: current, changedSinceBase: [city]) == [city])
    }

    @Test("Whole sets agree when their ids do, whatever names they carry")
    func setContest() {
        let same = FieldPatch(assignments: [.init(field: coaches, value: .set([SetElement(id: id(1)), SetElement(id: id(99))]))])
        #expect(Merge.contested(same, current: event, changedSinceBase: [coaches]).isEmpty)
        let other = FieldPatch(assignments: [.init(field: coaches, value: .set([SetElement(id: id(1))]))])
        #expect(Merge.contested(other, current: event, changedSinceBase: [coaches]) == [coaches])
    }

    @Test("References that are new must be looked up, those that stay must not")
    func introduced() {
        let school = Kind.event.field("school_id")
        let edit = FieldPatch(
            assignments: [.init(field: school, value: .reference(id(20)))], setEdits: [.init(field: coaches, add: [id(1), id(2)], remove: [id(99)])])
        #expect(Merge.introduced(by: edit, to: event) == [
            .init(field: school, kind: .school, id: id(20)), .init(field: coaches, kind: .coach, id: id(2)),
        ])
        var current = event
        current["school_id"] = .reference(id(20))
        #expect(Merge.introduced(by: edit, to: current) == [.init(field: coaches, kind: .coach, id: id(2))])
        let about = FieldPatch(assignments: [.init(field: Kind.message.field("about"), value: .link(.event, id(5)))])
        #expect(Merge.introduced(by: about, to: Fields(.message)) == [.init(field: Kind.message.field("about"), kind: .event, id: id(5))])
        let whole = FieldPatch(assignments: [.init(field: coaches, value: .set([SetElement(id: id(1)), SetElement(id: id(4))]))])
        #expect(Merge.introduced(by: whole, to: event) == [.init(field: coaches, kind: .coach, id: id(4))])
    }
}
