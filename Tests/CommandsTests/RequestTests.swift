import ClientWorld
import Commands
import Family
import Testing
import Words

@Suite("Changes that are asked for")
struct RequestTests {
    private static func message(_ text: String, version: Int64) -> Record {
        var fields = Fields(.message)
        fields["text"] = .text(text)
        return Record(
            kind: .message, id: World.id(7), athlete: nil, version: version, createdAt: 1, createdBy: World.parent, updatedAt: 1, updatedBy: World.parent, fields: fields)
    }

    @Test("A message in other words rests on the version that its author has seen; later ones count when its words are still the same", arguments: [
        (nil, nil, 5), (3, nil, 3), (3, "helo", 3), (3, "hello", 5), (5, "helo", 5), (9, nil, 5), (nil, "helo", 5),
    ] as [(Int64?, String?, Int64)])
    func rewrites(version: Int64?, original: String?, base: Int64) throws {
        let operation = try Request.rewrite(Self.message("hello", version: 5), "hello world", RecordNames([]), of: version, original)
        guard case .update(let rests, .disjoint, _) = operation.action else {
            Issue.record("\(operation)")
            return
        }
        #expect(rests == base && operation.id == World.id(7))
    }
}
