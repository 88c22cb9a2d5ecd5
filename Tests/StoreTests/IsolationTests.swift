import Bytes
import Family
import Store
import Testing
import Wire

@Suite("Isolated, guarantees.md; permissions in the writer, semantics.md", .bothEngines)
struct IsolationTests {
    let world: World
    let ours: World.Home
    let theirs: World.Home

    init() throws {
        world = try World()
        ours = try world.home("Rivera")
        theirs = try world.home("Other")
    }

    @Test("R001 R023 a record of another family and one that is nowhere get the same answer, octet for octet")
    func guesses() throws {
        let id = world.newID()
        try world.mutate(theirs, theirs.parent, school(id, "Baylor"))
        func tries() throws -> [[UInt8]] {
            let client = world.newID()
            return try [
                update(.school, id, base: 1, ["name": .text("X")]), delete(.school, id, base: 1), restore(.school, id, base: 1),
                update(.event, id, base: 1, ["name": .text("X")]), delete(.member, id, base: 1),
                create(.message, world.newID(), ["text": .text("x"), "about": .link(.school, id)]),
            ].enumerated().map { index, operation in
                var operation = operation
                // The same record ids in both rounds, so that frames can be compared.
                if case .create = operation.action { operation = Operation(kind: operation.kind, id: client, action: operation.action) }
                let frame = try world.mutate(ours, ours.parent, operation, mutation: Int64(index + 1), client: client).frame
                return String(decoding: frame, as: UTF8.self).replacing(client.description, with: "C").utf8.map { $0 }
            }
        }
        let whileThere = try tries()
        try world.change { try $0.records.remove(family: 2, id) }
        #expect(try tries() == whileThere)
        for frame in whileThere { #expect(!String(decoding: frame, as: UTF8.self).contains("Baylor")) }
    }

    @Test("an id that another family uses is free for us")
    func idsAreThefamilys() throws {
        let id = world.newID()
        try world.mutate(theirs, theirs.parent, school(id, "Baylor"))
        #expect(try world.mutate(ours, ours.parent, school(id, "Rice")).code == nil)
        #expect(try world.record(ours, id).fields.text("name") == "Rice")
        #expect(try world.record(theirs, id).fields.text("name") == "Baylor")
    }

    @Test("a stranger's mutation is not_found whether the family exists or not, and leaves nothing behind")
    func strangers() throws {
        let stranger = theirs.parent
        let nowhere = World.Home(family: world.newID(), parent: stranger)
        let client = world.newID()
        let operation = message(world.newID(), "Hi")
        let existing = try world.mutate(ours, stranger, operation, mutation: 1, client: client)
        let missing = try world.mutate(nowhere, stranger, operation, mutation: 1, client: client)
        #expect(existing.code == .notFound)
        #expect(existing.frame == missing.frame)
        #expect(try world.count("clients") == 0)
        #expect(try world.count("receipts") == 0)
    }

    @Test("R003 a member without the right to write gets a refusal, and nothing changes")
    func permissions() throws {
        let leo = try world.athlete(ours)
        let mia = try world.athlete(ours, name: "Mia")
        let guest = try world.member(ours, .guest, name: "Gus")
        let event = world.newID()
        let text = world.newID()
        try world.mutate(ours, ours.parent, camp(event, athlete: leo), message(text, "Hi"))
        let before = try world.snapshot(ours)
        let refused: [(Identifier, Operation)] = [
            (mia, update(.event, event, base: 1, ["name": .text("X")])),
            (mia, camp(world.newID(), athlete: leo)),
            (mia, delete(.event, event, base: 1)),
            (guest, message(world.newID(), "Hi")),
            (guest, school(world.newID(), "Rice")),
            (leo, update(.message, text, base: 1, ["text": .text("X")])),
            (leo, update(.family, ours.family, base: 1, ["name": .text("X")])),
            (leo, update(.member, ours.parent, base: 1, ["name": .text("X")])),
            (leo, delete(.member, mia, base: 1)),
            (ours.parent, update(.member, leo, base: 1, ["parent_access": .text("view")])),
            (ours.parent, create(.member, world.newID(), ["name": .text("X"), "role": .text("guest")])),
            (ours.parent, delete(.family, ours.family, base: 1)),
        ]
        for (member, operation) in refused {
            #expect(try world.mutate(ours, member, operation).code == .notAllowed, "\(operation)")
        }
        #expect(try world.snapshot(ours) == before)
    }

    @Test("P08 parents edit an athlete's records until the athlete, from 16 on, says view", arguments: [
        ("2010-11-21", true), ("2010-11-22", false),
    ])
    func parentAccess(born: String, isSixteen: Bool) throws {
        let leo = try world.athlete(ours, born: born)
        let event = world.newID()
        try world.mutate(ours, leo, camp(event), context: .athlete(leo))
        let setting = try world.mutate(ours, leo, update(.member, leo, base: 1, ["parent_access": .text("view")]))
        #expect((setting.code == nil) == isSixteen)
        let edit = try world.mutate(ours, ours.parent, update(.event, event, base: 1, ["name": .text("X")]))
        #expect((edit.code == nil) == !isSixteen)
        guard case .joined(let state) = try world.join(ours, ours.parent) else { throw Unexpected() }
        #expect(state.athletes == [Athlete(member: leo, parentAccess: isSixteen ? .view : .edit)])
    }

    @Test("P08 a family's own zone decides on which day an athlete turns 16")
    func birthdaysAreLocal() throws {
        // 04:30 UTC on the 22nd is still the 21st in New York.
        world.surroundings.now += 16 * 3_600_000 + 1_800_000
        for (zone, isSixteen) in [("UTC", true), ("America/New_York", false)] {
            let home = try world.home("Zone", zone: zone)
            let leo = try world.athlete(home, born: "2010-11-22")
            let answer = try world.mutate(home, leo, update(.member, leo, base: 1, ["parent_access": .text("view")]))
            #expect((answer.code == nil) == isSixteen, "\(zone)")
        }
    }
}
