package import Family
import JSON

/// Answers `list`.
package struct Page: Hashable, Sendable {
    package var request: Int64
    /// The sequence at which all of it is true.
    package var sequence: Int64
    package var records: [Record]
    /// The page mark for what follows; `nil`: that was the end.
    package var next: String?
    /// Records of the whole list, when it was asked for.
    package var total: Int?

    package init(request: Int64, sequence: Int64, records: [Record], next: String? = nil, total: Int? = nil) {
        self.request = request
        self.sequence = sequence
        self.records = records
        self.next = next
        self.total = total
    }
}

extension ServerFrame {
    struct PageParts: ServerFrameParts {
        static let declaration = FrameDeclaration("page", "Answers list.", [
            .init("request", commonSchema("count"), "The number in the request."),
            .init("seq", commonSchema("count"), "The sequence at which all of it is true.", feature: .lists),
            .init("records", listSchema("record"), "In the order that was asked for."),
            .init("next", commonSchema("word"), "Where the next page begins; left out: this was the end.", required: false),
            .init("total", commonSchema("count"), "Records of the whole list, when count was asked for.", required: false, feature: .lists),
        ], example: #"""
            {"type":"page","request":1,"seq":121,"records":[{"kind":"family","id":"01910000-0000-7000-8000-000000000001","version":1,"created_at":1776211200000,"created_by":"01910000-0000-7000-8000-000000000010","updated_at":1776211200000,"updated_by":"01910000-0000-7000-8000-000000000010","fields":{"name":"The Stones","time_zone":"Europe/Warsaw"}}],"next":"m_4f2c","total":7}
            """#)

        private var sequence: Int64?
        private var records: [Record]?
        private var next: String?
        private var total: Int?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "seq": sequence = try reader.readCount()
            case "records": records = try reader.readList { reader throws(JSONError) in try RecordCodec.read(&reader) }
            case "next": next = try reader.readWord()
            case "total": total = Int(try reader.readCount())
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .page(
                Page(
                    request: try need(request, "request"), sequence: try need(sequence, "seq"), records: try need(records, "records"),
                    next: next, total: total))
        }

        static func encode(_ page: Page, into writer: inout JSONWriter) {
            writer.word("page")
            writer.key("request")
            writer.integer(page.request)
            writer.key("seq")
            writer.integer(page.sequence)
            RecordCodec.encode(page.records, into: &writer)
            if let next = page.next {
                writer.key("next")
                writer.string(next)
            }
            if let total = page.total {
                writer.key("total")
                writer.integer(total)
            }
        }
    }
}
