import Bytes
import Family
import JSON
import TestSupport
import Testing
import Wire

@testable import Store

@Suite("The host asks for the deletion of a family", .bothEngines)
struct HostDeletionTests {
    let world: World

    init() throws { world = try World() }

    @Test("By id or by name, with the name of the family; again changes nothing; the withdrawal is the host's as well")
    func requests() throws {
        let home = try world.home()
        let id = home.family.description
        func ask(_ act: HostDeletion.Act, _ family: String) throws -> (Result<JSONTree, Rejection>, [CommitResult]) {
            // As it crosses the admin socket.
            try world.store.perform(HostDeletion.decode(HostDeletion(act, family: family).encode()))
        }
        #expect(try world.reader.answer(.family("Rivera")).get()["deletion_due_at"] == nil)
        for (wrong, code) in [("Nobody", ErrorCode.notFound), ("Rivera", .invalid)] {
            let refused = try ask(.request(name: "Riviera"), wrong)
            #expect(refused.0.failure?.code == code && refused.1.isEmpty)
        }
        let (answer, changes) = try ask(.request(name: "rivera"), "Rivera")
        let tree = try answer.get()
        #expect(changes.count == 1)
        #expect(tree.members.map(\.key) == ["family", "name", "deletion_requested_at", "deletion_due_at"])
        #expect(tree["family"]?.text == id && tree["deletion_due_at"]?.integer == world.surroundings.now + 14 * 86_400_000)
        #expect(try world.reader.answer(.family(id)).get()["deletion_due_at"] == tree["deletion_due_at"])
        let again = try ask(.request(name: "Rivera"), id)
        #expect(try again.0.get() == tree && again.1.isEmpty)
        #expect(try world.store.perform(.setQuotas(family: id, own: FamilyQuotas(), cleared: [])).failure == nil)
        let kept = try ask(.withdraw, id)
        #expect(try kept.0.get().members.map(\.key) == ["family", "name"] && kept.1.count == 1)
        #expect(try ask(.withdraw, id).1.isEmpty)
        #expect(try world.stored { try $0.audits.entries(family: 1, of: nil, before: .max, limit: 2).map(\.entry.author) } == [.host, .host])
    }

    @Test("A line that is not a deletion is refused", arguments: [
        #"{"deletion":"request","family":"Rivera"}"#, #"{"deletion":"withdraw"}"#, #"{"deletion":"now","family":"Rivera"}"#, #"{"deletion":"withdraw","family":3}"#, "{}", "",
    ])
    func lines(line: String) {
        #expect(throws: JSONError.self) { try HostDeletion.decode(Array(line.utf8)) }
    }
}
