import Bytes
package import Family
package import Queries
import JSON

/// A page of a list (`proto/protocol.md`, "Lists").
package struct ListRequest: Hashable, Sendable {
    /// Echoed in the answer.
    package var request: Int64
    package var kind: Kind
    /// The season whose records are listed; `nil`: that of the context.
    package var athlete: Context?
    package var filter: Query.Filter
    package var search: String
    /// `nil`: the kind's own.
    package var sort: Query.Sort?
    /// The page mark of an earlier answer; `nil` begins the list.
    package var before: String?
    /// 1...`Limits.pageRecords`.
    package var limit: Int
    /// Whether the answer contains the number of records of the whole list.
    package var counts: Bool
    /// The deleted records instead of the living ones.
    package var deleted: Bool

    package init(
        request: Int64, kind: Kind, athlete: Context? = nil, filter: Query.Filter = Query.Filter(), search: String = "",
        sort: Query.Sort? = nil, before: String? = nil, limit: Int, counts: Bool = false, deleted: Bool = false
    ) {
        self.request = request
        self.kind = kind
        self.athlete = athlete
        self.filter = filter
        self.search = search
        self.sort = sort
        self.before = before
        self.limit = limit
        self.counts = counts
        self.deleted = deleted
    }

    /// The season that is listed, for a session with a context.
    ///
    /// - Throws: what the kind's lists do not know, for an `error` frame.
    package func query(context: Context) throws(Rejection) -> Query {
        var owner: Identifier?
        if case .athlete(let id) = athlete ?? context { owner = id }
        return try Query(kind, athlete: owner, filter: filter, search: search, sort: sort, deleted: deleted)
    }
}

extension ClientFrame {
    struct ListParts: ClientFrameParts {
        static let declaration = FrameDeclaration("list", "Asks for a page of a list. Answer: page.", [
            .init("request", commonSchema("count"), "Echoed in the answer."),
            .init("kind", commonSchema("kind"), "Of which kind."),
            .init("athlete", commonSchema("context"), "The athlete; left out: the context's.", required: false, feature: .lists),
            .init("filter", commonSchema("filter"), "The conditions for the records; left out: none.", required: false, feature: .lists),
            .init("search", ["type": "string"], "The text to search for, ignoring case and accents.", required: false, feature: .lists),
            .init(
                "sort", ["enum": .array(Query.Sort.allCases.map { .string($0.rawValue) })], "The order; left out: the kind's own.",
                required: false, feature: .lists),
            .init("before", commonSchema("word"), "The next of an earlier page of the same list; left out: its beginning.", required: false),
            .init("limit", ["type": "integer", "minimum": 1], "The largest number of entries, at most page_records."),
            .init("count", ["type": "boolean"], "Whether total is wanted.", required: false, feature: .lists),
            .init("deleted", ["type": "boolean"], "The deleted records that can be restored, instead of the living ones.", required: false, feature: .lists),
        ], example: #"{"type":"list","request":1,"kind":"event","filter":{"date":"upcoming"},"sort":"date_asc","limit":50}"#)

        private var kind: Kind?
        private var athlete: Context?
        private var filter = Query.Filter()
        private var search = ""
        private var sort: Query.Sort?
        private var before: String?
        private var limit: Int?
        private var counts = false
        private var deleted = false

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "kind": kind = try content.readKind(&reader)
            case "athlete": athlete = try reader.readContext()
            case "filter":
                var problem: String?
                do throws(JSONError) {
                    filter = try FilterCodec.read(&reader, problem: &problem)
                } catch {
                    guard let problem else { throw error }
                    throw content.refuseQuestion(.invalid, problem, field: "filter")
                }
            case "search": search = try reader.readString()
            case "sort":
                let word = try reader.readString()
                guard let known = Query.Sort(rawValue: word) else {
                    let sorts = Query.Sort.allCases.map(\.rawValue).joined(separator: ", ")
                    throw content.refuseQuestion(
                        .invalid, "Lists cannot be sorted by \(SentencePart.quoted(word)). Choose one of \(sorts)", field: "sort")
                }
                sort = known
            case "before": before = try content.readMark(&reader)
            case "limit": limit = try content.readLimit(&reader)
            case "count": counts = try reader.readBool()
            case "deleted": deleted = try reader.readBool()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .list(
                ListRequest(
                    request: try content.need(content.request, "request"), kind: try content.need(kind, "kind"), athlete: athlete,
                    filter: filter, search: search, sort: sort, before: before, limit: try content.need(limit, "limit"), counts: counts,
                    deleted: deleted))
        }

        static func encode(_ list: ListRequest, into writer: inout JSONWriter) {
            writer.word("list")
            writer.key("request")
            writer.integer(list.request)
            writer.key("kind")
            writer.string(list.kind)
            if let athlete = list.athlete {
                writer.key("athlete")
                writer.context(athlete)
            }
            if list.filter != Query.Filter() {
                writer.key("filter")
                FilterCodec.encode(list.filter, into: &writer)
            }
            if !list.search.isEmpty {
                writer.key("search")
                writer.string(list.search)
            }
            if let sort = list.sort {
                writer.key("sort")
                writer.string(sort.rawValue)
            }
            if let before = list.before {
                writer.key("before")
                writer.string(before)
            }
            writer.key("limit")
            writer.integer(list.limit)
            if list.counts {
                writer.key("count")
                writer.boolean(true)
            }
            if list.deleted {
                writer.key("deleted")
                writer.boolean(true)
            }
        }
    }
}
