package import Bytes
package import Family
import JSON

/// Answers `history`.
package struct HistoryPage: Hashable, Sendable {
    package var request: Int64
    package var entries: [HistoryItem]
    /// The `before` of the next request; `nil`: this was the oldest.
    package var next: Int64?

    package init(request: Int64, entries: [HistoryItem], next: Int64? = nil) {
        self.request = request
        self.entries = entries
        self.next = next
    }
}

/// One change of a family in the form of history.
package struct HistoryItem: Hashable, Sendable {
    package struct Change: Hashable, Sendable {
        package var entry: ChangeEntry
        /// The values that an update replaced, for each field that it changed; empty for other changes, and where they were purged.
        package var before: [FieldPatch.Assignment]

        package init(entry: ChangeEntry, before: [FieldPatch.Assignment] = []) {
            self.entry = entry
            self.before = before
        }
    }

    package var sequence: Int64
    /// UTC milliseconds.
    package var at: Int64
    package var member: Identifier
    /// Whether an undo of it contradicts nothing that came later, as things stand now.
    package var isUndoable: Bool
    /// The change that this one undid.
    package var undoes: Int64?
    package var changes: [Change]

    package init(sequence: Int64, at: Int64, member: Identifier, isUndoable: Bool, undoes: Int64? = nil, changes: [Change]) {
        self.sequence = sequence
        self.at = at
        self.member = member
        self.isUndoable = isUndoable
        self.undoes = undoes
        self.changes = changes
    }
}

extension ServerFrame {
    struct HistoryParts: ServerFrameParts {
        static let declaration = FrameDeclaration("history", "Answers history.", [
            .init("request", commonSchema("count"), "The number in the request."),
            .init("entries", listSchema("history"), "Newest first."),
            .init("next", commonSchema("positive"), "The value of before for the next page; left out: this was the oldest.", required: false),
        ], feature: .history, example: #"""
            {"type":"history","request":3,"entries":[{"seq":121,"at":1776250800000,"member":"01910000-0000-7000-8000-000000000010","undoable":true,"changes":[{"op":"update","kind":"event","id":"01910000-0000-7000-8000-000000000100","version":4,"fields":{"registered":true},"before":{"registered":false}}]}],"next":81}
            """#)

        private var entries: [HistoryItem]?
        private var next: Int64?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "entries": entries = try reader.readList { reader throws(JSONError) in try HistoryCodec.read(&reader) }
            case "next": next = try reader.readCount(from: 1)
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .history(HistoryPage(request: try need(request, "request"), entries: try need(entries, "entries"), next: next))
        }

        static func encode(_ page: HistoryPage, into writer: inout JSONWriter) {
            writer.word("history")
            writer.key("request")
            writer.integer(page.request)
            writer.key("entries")
            writer.beginArray()
            for entry in page.entries { HistoryCodec.encode(entry, into: &writer) }
            writer.endArray()
            if let next = page.next {
                writer.key("next")
                writer.integer(next)
            }
        }
    }
}
