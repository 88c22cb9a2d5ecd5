import Bytes
import Family
import Ledger
import Store
import Testing
import Wire

@Suite("Documents, semantics.md (Data)", .bothEngines)
struct DocumentTests {
    let world: World
    let home: World.Home
    let leo: Identifier

    init() throws {
        world = try World()
        home = try world.home()
        leo = try world.athlete(home)
    }

    private func document(_ id: Identifier, replaces: Identifier? = nil, by: Identifier? = nil, title: Value? = .text("Transcript")) -> NewDocument {
        NewDocument(
            id: id, family: home.family, member: by ?? home.parent, athlete: leo, replaces: replaces,
            fields: patch(.document, ["type": .text("transcript"), "title": title]),
            file: .init(name: "t.pdf", type: "application/pdf", octets: 1_234, sha256: String(repeating: "ab", count: 32)))
    }

    private func add(_ document: NewDocument) throws -> Int64 { try world.store.addDocument(document).0.get() }

    private func current() throws -> [Identifier] {
        try world.snapshot(home).records.values
            .filter { $0.kind == .document && !$0.isDeleted && $0.fields.flag("is_current") }.map(\.id).sorted()
    }

    @Test("P44 a new version joins its chain at the head, also if it names an older one; the older ones stay")
    func chains() throws {
        let ids = (0..<3).map { _ in world.newID() }
        #expect(try add(document(ids[0])) == 1)
        #expect(try add(document(ids[1], replaces: ids[0])) == 2)
        // Stale: the author did not know of the second.
        #expect(try add(document(ids[2], replaces: ids[0])) == 3)
        #expect(try current() == [ids[2]])
        let last = try world.record(home, ids[2])
        #expect(last.fields.reference("replaces") == ids[1] && last.athlete == leo && last.fields.reference("uploaded_by") == home.parent)
        #expect(last.fields["octets"] == .integer(1_234))
        let twin = Twin(try world.log(home))
        #expect(try twin.faults == [] && twin.records == world.snapshot(home).records)
    }

    @Test("R142 deleting the newest version makes the one before it current; a restore or an undo reverts that")
    func deletes() throws {
        let one = world.newID(), two = world.newID()
        _ = try add(document(one))
        _ = try add(document(two, replaces: one))
        let deletion = try world.mutate(home, home.parent, delete(.document, two, base: 1))
        #expect(try current() == [one])
        _ = try world.undo(home, home.parent, try #require(deletion.sequence))
        #expect(try current() == [two])
        try world.mutate(home, home.parent, delete(.document, two, base: 3))
        try world.mutate(home, home.parent, restore(.document, two, base: 4))
        #expect(try current() == [two])
        // After a newer upload in the meantime, the restored document is an older version with a number of its own.
        try world.mutate(home, home.parent, delete(.document, two, base: 5))
        let three = world.newID()
        #expect(try add(document(three, replaces: one)) == 3)
        try world.mutate(home, home.parent, restore(.document, two, base: 6))
        #expect(try current() == [three])
    }

    @Test("a member without the right to write an athlete's records may not upload for them, and a mutation never creates a document")
    func rights() throws {
        let mia = try world.athlete(home, name: "Mia")
        let gus = try world.member(home, .guest, name: "Gus")
        for member in [mia, gus] {
            #expect(throws: Rejection.self) { try add(document(world.newID(), by: member)) }
        }
        #expect(try add(document(world.newID(), by: leo)) == 1)
        let bare = create(.document, world.newID(), athlete: leo, ["type": .text("resume"), "title": .text("R")])
        #expect(try world.mutate(home, home.parent, bare).code == .notAllowed)
    }

    @Test("a document that breaks a rule leaves nothing behind: no title, an unknown predecessor, another athlete's, the same id")
    func refusals() throws {
        let one = world.newID()
        _ = try add(document(one))
        let before = try world.snapshot(home)
        func code(_ document: NewDocument) throws -> ErrorCode? {
            if case .failure(let rejection) = try world.store.addDocument(document).0 { return rejection.code }
            return nil
        }
        #expect(try code(document(world.newID(), title: nil)) == .required)
        #expect(try code(document(world.newID(), replaces: world.newID())) == .unknownReference)
        var same = document(one)
        same.file.sha256 = String(repeating: "cd", count: 32)
        #expect(try code(same) == .alreadyExists)
        var other = document(world.newID(), replaces: one)
        other.athlete = try world.athlete(home, name: "Mia")
        #expect(try code(other) == .unknownReference)
        other.family = world.newID()
        #expect(try code(other) == .notFound)
        let after = try world.snapshot(home)
        #expect(after.records.filter { before.records[$0.key] != nil } == before.records)
        #expect(after.sequence == before.sequence + 1, "Mia's invitation alone")
    }
}

@Suite("Rights act immediately, guarantees.md (isolated)", .bothEngines)
struct RightsTests {
    @Test("after an athlete lets parents only view, no parent's edit is accepted, also in the same commit")
    func parentAccess() throws {
        let world = try World()
        let home = try world.home()
        let leo = try world.athlete(home)
        let event = world.newID()
        try world.mutate(home, home.parent, camp(event, athlete: leo))
        func rename(_ base: Int64) -> Proposal { world.proposal(home, home.parent, [update(.event, event, base: base, ["name": .text("By Ana \(base)")])]) }
        let view = world.proposal(home, leo, [update(.member, leo, base: 1, ["parent_access": .text("view")])])
        let answers = try world.commit([rename(1), view, rename(2)])
        #expect(answers.map(\.code) == [nil, nil, .notAllowed])
        // Rooms receive the change of a member's rights, so that a join under way is read again.
        #expect(answers[1].committed?.members.map(\.member) == [leo])
        #expect(answers[0].committed?.members.isEmpty == true)
    }

    @Test("a deletion of a deleted document is refused with the tombstone, and its retry gets the same answer")
    func deletesTwice() throws {
        let world = try World()
        let home = try world.home()
        let id = world.newID()
        try world.mutate(home, home.parent, school(id, "Rice"))
        try world.mutate(home, home.parent, delete(.school, id, base: 1))
        let again = world.proposal(home, home.parent, [delete(.school, id, base: 2)])
        let first = try world.commit(again)
        #expect(first.code == .conflict && first.rejection?.conflict?.record.isDeleted == true)
        #expect(try world.commit(again).frame == first.frame)
        try world.mutate(home, home.parent, restore(.school, id, base: 2))
        let later = try world.commit(again)
        #expect(later.code == .conflict && later.rejection?.message == first.rejection?.message)
        #expect(later.rejection?.conflict?.record == (try world.record(home, id)))
    }
}
