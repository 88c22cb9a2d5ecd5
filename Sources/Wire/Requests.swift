package import Bytes
package import Family
package import Queries

/// A page of a list (`proto/protocol.md`, "Lists").
package struct ListRequest: Hashable, Sendable {
    /// Echoed in the answer.
    package var request: Int64
    package var kind: Kind
    /// Whose records; `nil`: as the context says.
    package var athlete: Context?
    package var filter: Query.Filter
    package var search: String
    /// `nil`: the kind's own.
    package var sort: Query.Sort?
    /// The page mark of an earlier answer; `nil` begins the list.
    package var before: String?
    /// 1...`Limits.pageRecords`.
    package var limit: Int
    /// Whether the answer tells how many records the whole list has.
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

    /// What is asked for, by who looks at a season.
    ///
    /// - Throws: what the kind's lists do not know, for an `error` frame.
    package func query(context: Context) throws(Rejection) -> Query {
        var owner: Identifier?
        if case .athlete(let id) = athlete ?? context { owner = id }
        return try Query(kind, athlete: owner, filter: filter, search: search, sort: sort, deleted: deleted)
    }
}

/// Figures of one kind, or of the whole family (`kind` `.family`).
package struct StatisticsRequest: Hashable, Sendable {
    package var request: Int64
    package var kind: Kind
    package var athlete: Context?

    package init(request: Int64, kind: Kind, athlete: Context? = nil) {
        self.request = request
        self.kind = kind
        self.athlete = athlete
    }
}

/// Who changed what, newest first.
package struct HistoryRequest: Hashable, Sendable {
    package struct Target: Hashable, Sendable {
        package var kind: Kind
        package var id: Identifier

        package init(kind: Kind, id: Identifier) {
            self.kind = kind
            self.id = id
        }
    }

    package var request: Int64
    /// `nil`: of the whole family.
    package var record: Target?
    /// Older than this sequence; `nil` begins at the newest.
    package var before: Int64?
    /// 1...`Limits.pageRecords`.
    package var limit: Int

    package init(request: Int64, record: Target? = nil, before: Int64? = nil, limit: Int) {
        self.request = request
        self.record = record
        self.before = before
        self.limit = limit
    }
}

/// What happened since somebody last looked.
package struct DigestRequest: Hashable, Sendable {
    package var request: Int64
    /// `nil`: since the member's own reading position.
    package var after: Int64?

    package init(request: Int64, after: Int64? = nil) {
        self.request = request
        self.after = after
    }
}

/// Who looked at an athlete's season.
package struct AccessLogRequest: Hashable, Sendable {
    package var request: Int64
    package var before: String?
    /// 1...`Limits.pageRecords`.
    package var limit: Int

    package init(request: Int64, before: String? = nil, limit: Int) {
        self.request = request
        self.before = before
        self.limit = limit
    }
}
