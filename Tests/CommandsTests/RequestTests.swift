import ClientWorld
import Bytes
import Commands
import Family
import Testing
import Wire
import Words

@Suite("Changes that are asked for")
struct RequestTests {
    private static func message(_ text: String, version: Int64) -> Record {
        var fields = Fields(.message)
        fields["text"] = .text(text)
        return Record(
            kind: .message, id: World.id(7), athlete: nil, version: version, createdAt: 1, createdBy: World.parent, updatedAt: 1, updatedBy: World.parent, fields: fields)
    }

    @Test("A new text of a message is based on the version that its author has seen; later versions with the same text do not conflict", arguments: [
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

    /// A history, newest first: each change is by the parent, and undoes the named change.
    private static func history(_ changes: [(sequence: Int64, undoes: Int64?, isUndoable: Bool)], by member: Identifier = World.parent) -> HistoryPage {
        HistoryPage(request: 1, entries: changes.reversed().map { change in
            let entry = ChangeEntry(kind: .school, id: World.id(20), version: change.sequence, effect: .delete)
            return HistoryItem(sequence: change.sequence, at: 1, member: member, isUndoable: change.isUndoable, undoes: change.undoes, changes: [.init(entry: entry)])
        })
    }

    @Test("Undo walks back through the member's own changes, redo walks forward again, and neither visits a change twice", arguments: [
        ([(1, nil, true), (2, nil, true)], 2, nil),
        // 2 is undone by 3, then 1 by 4.
        ([(1, nil, true), (2, nil, false), (3, 2, true)], 1, 3),
        ([(1, nil, false), (2, nil, false), (3, 2, true), (4, 1, true)], nil, 4),
        // 4 is redone by 5, then 3 by 6.
        ([(1, nil, false), (2, nil, false), (3, 2, true), (4, 1, false), (5, 4, true)], 5, 3),
        ([(1, nil, false), (2, nil, false), (3, 2, false), (4, 1, false), (5, 4, true), (6, 3, true)], 6, nil),
        // After a redo was undone, it can be redone.
        ([(1, nil, false), (2, 1, false), (3, 2, false), (4, 3, true)], nil, 4),
        // Something else was done after the undo.
        ([(1, nil, true), (2, nil, false), (3, 2, true), (4, nil, true)], 4, nil),
        // The last change was contradicted: the one before it does not take its place.
        ([(1, nil, true), (2, nil, false)], nil, nil),
        ([], nil, nil),
    ] as [([(Int64, Int64?, Bool)], Int64?, Int64?)])
    func steps(changes: [(Int64, Int64?, Bool)], undo: Int64?, redo: Int64?) {
        let page = Self.history(changes.map { (sequence: $0.0, undoes: $0.1, isUndoable: $0.2) })
        #expect((try? Request.lastUndoable(page, by: World.parent)) == undo)
        #expect((try? Request.lastUndoable(page, by: World.parent, .forth)) == redo)
        #expect((try? Request.lastUndoable(page, by: World.id(99))) == nil, "nobody walks through the changes of others")
    }
}
