package import Family
import JSON

/// Answers `audit`.
package struct AuditPage: Hashable, Sendable {
    package var request: Int64
    /// The newest first.
    package var entries: [Audit.Entry]
    package var next: String?

    package init(request: Int64, entries: [Audit.Entry], next: String? = nil) {
        self.request = request
        self.entries = entries
        self.next = next
    }
}

extension ServerFrame {
    struct AuditParts: ServerFrameParts {
        static let declaration = FrameDeclaration("audit", "Answers audit.", [
            .init("request", commonSchema("count"), "The number in the request."),
            .init("entries", listSchema("audit"), "Newest first."),
            .init("next", commonSchema("word"), "Where the next page begins; left out: this was the oldest.", required: false),
        ], feature: .audit, example: #"""
            {"type":"audit","request":9,"entries":[{"at":1776250800000,"act":"role_changed","origin":"member","member":"01910000-0000-7000-8000-000000000010","about":"01910000-0000-7000-8000-000000000011","detail":"guest"},{"at":1776250700000,"act":"token_by_host","origin":"host","about":"01910000-0000-7000-8000-000000000010"}],"next":"41"}
            """#)

        private var entries: [Audit.Entry]?
        private var next: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "entries": entries = try reader.readList { reader throws(JSONError) in try AuditCodec.read(&reader) }
            case "next": next = try reader.readWord()
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .audit(AuditPage(request: try need(request, "request"), entries: try need(entries, "entries"), next: next))
        }

        static func encode(_ page: AuditPage, into writer: inout JSONWriter) {
            writer.word("audit")
            writer.key("request")
            writer.integer(page.request)
            writer.key("entries")
            writer.beginArray()
            for entry in page.entries { AuditCodec.encode(entry, into: &writer) }
            writer.endArray()
            if let next = page.next {
                writer.key("next")
                writer.string(next)
            }
        }
    }
}
