import Family
import Store
import Testing

@Suite("Exactly-once, guarantees.md: what a mutation is answered when its frame is refused or its batch names a record twice", .serialized)
struct ReceiptTests {
    private static let school = "01930000-0000-7000-8000-000000000001"

    private static func create(_ name: String, more: String = "") -> String {
        "{\"op\":\"create\",\"kind\":\"school\",\"id\":\"\(school)\",\"fields\":{\"name\":\"\(name)\"\(more)}}"
    }

    private static func mutate(_ number: Int, _ operations: String) -> String {
        "{\"type\":\"mutate\",\"mutation\":\(number),\"operations\":[\(operations)]}"
    }

    @Test("A final rejection by the reader is remembered: its number is never done with other content", arguments: [
        ("unknown_field", create("Rice", more: ",\"motto\":\"x\"")), ("unknown_kind", "{\"op\":\"create\",\"kind\":\"spaceship\"}"),
        ("unknown_operation", "{\"op\":\"paint\",\"kind\":\"school\",\"id\":\"\(school)\"}"), ("required", ""),
        ("invalid", "{\"op\":\"delete\",\"kind\":\"school\",\"id\":\"no id\",\"base\":1}"), ("invalid", create("Rice", more: ",\"notes\":5")),
        ("too_many", Array(repeating: create("Rice"), count: 101).joined(separator: ",")),
    ])
    func refusedFrames(code: String, operations: String) throws {
        let server = try TestShard()
        let client = try server.live(server.parent)
        client.say(Self.mutate(1, operations))
        #expect(try client.next() == "reject 1 \(code)")
        client.say(Self.mutate(1, Self.create("Rice")))
        #expect(try client.next() == "reject 1 mutation_reused")
        client.say(Self.mutate(1, operations))
        #expect(try client.next() == "reject 1 \(code)")
        // The same over another connection of the same client.
        client.leave()
        let again = try server.live(server.parent)
        for (text, answer) in [(operations, code), (Self.create("Rice"), "mutation_reused"), (operations + " ", "mutation_reused")] {
            again.say(Self.mutate(1, text))
            try again.skip(to: "reject 1 \(answer)")
        }
        // Another client of the same member counts for itself, and the next number is free.
        let other = try server.live(server.parent, client: 2)
        other.say(Self.mutate(1, Self.create("Rice")))
        try other.skip(to: "ack 1")
        again.say(Self.mutate(2, "{\"op\":\"delete\",\"kind\":\"school\",\"id\":\"\(Self.school)\",\"base\":1}"))
        try again.skip(to: "ack 2")
    }

    @Test("Receipts come in the order of the frames, whichever part refuses them")
    func order() throws {
        let server = try TestShard()
        let client = try server.live(server.parent)
        client.mutate(1)
        client.say(Self.mutate(2, ""))
        client.mutate(3)
        var words: [String] = []
        while words.count < 3 { words += [try client.next()].filter { $0.hasPrefix("ack") || $0.hasPrefix("reject") } }
        #expect(words == ["ack 1", "reject 2 required", "ack 3"])
    }

    @Test("Before the join nothing is remembered: the same number is done afterwards")
    func beforeTheJoin() throws {
        let server = try TestShard()
        let client = try server.signedIn(server.parent)
        client.say(Self.mutate(1, ""))
        #expect(try client.next() == "reject 1 not_joined")
        client.join(server.parent.family)
        try client.skip(to: "live")
        client.say(Self.mutate(1, Self.create("Rice")))
        try client.skip(to: "ack 1")
    }

    @Test("Two updates of one record on one version are done, and a client that insists on version 2 has to look first")
    func batches() throws {
        let server = try TestShard()
        let client = try server.live(server.parent)
        func update(_ base: Int, _ name: String) -> String {
            "{\"op\":\"update\",\"kind\":\"school\",\"id\":\"\(Self.school)\",\"base\":\(base),\"fields\":{\"name\":\"\(name)\"}}"
        }
        client.say(Self.mutate(1, Self.create("Rice")))
        try client.skip(to: "ack 1")
        client.say(Self.mutate(2, update(1, "Rice A") + "," + update(1, "Rice B")))
        try client.skip(to: "ack 2")
        client.say(Self.mutate(3, update(2, "Rice C")))
        try client.skip(to: "reject 3 conflict")
    }
}
