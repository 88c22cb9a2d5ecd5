package import Bytes
import JSON

/// Answers `access_log`.
package struct AccessPage: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        /// UTC milliseconds.
        package var at: Int64
        /// The athlete whose season it is.
        package var athlete: Identifier
        /// The member who looked.
        package var member: Identifier
        /// `context`, `document` or `export`.
        package var what: String
        /// The document.
        package var record: Identifier?

        package init(at: Int64, athlete: Identifier, member: Identifier, what: String, record: Identifier? = nil) {
            self.at = at
            self.athlete = athlete
            self.member = member
            self.what = what
            self.record = record
        }
    }

    package var request: Int64
    package var entries: [Entry]
    package var next: String?

    package init(request: Int64, entries: [Entry], next: String? = nil) {
        self.request = request
        self.entries = entries
        self.next = next
    }
}

extension ServerFrame {
    struct AccessLogParts: ServerFrameParts {
        static let declaration = FrameDeclaration("access_log", "Answers access_log.", [
            .init("request", commonSchema("count"), "The number in the request."),
            .init("entries", listSchema("access"), "Newest first."),
            .init("next", commonSchema("word"), "Where the next page begins; left out: this was the oldest.", required: false),
        ], feature: .accessLog, example: #"""
            {"type":"access_log","request":5,"entries":[{"at":1776250800000,"athlete":"01910000-0000-7000-8000-000000000011","member":"01910000-0000-7000-8000-000000000010","what":"context"}]}
            """#)

        private var entries: [AccessPage.Entry]?
        private var next: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "entries": entries = try reader.readList { reader throws(JSONError) in try HistoryCodec.readAccess(&reader) }
            case "next": next = try reader.readWord()
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .accessLog(AccessPage(request: try need(request, "request"), entries: try need(entries, "entries"), next: next))
        }

        static func encode(_ page: AccessPage, into writer: inout JSONWriter) {
            writer.word("access_log")
            writer.key("request")
            writer.integer(page.request)
            writer.key("entries")
            writer.beginArray()
            for entry in page.entries { HistoryCodec.encode(entry, into: &writer) }
            writer.endArray()
            if let next = page.next {
                writer.key("next")
                writer.string(next)
            }
        }
    }
}
