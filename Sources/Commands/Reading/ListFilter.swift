package import Arguments
internal import Bytes
package import Dates
package import Family
package import Queries
package import Words

/// The records of a kind that a person wants, and their order.
package struct ListFilter: Hashable, Sendable {
    package enum Time: Hashable, Sendable {
        case all
        /// The last day is today or later.
        case upcoming
        case past
        case thisMonth
        case nextMonth

        fileprivate var window: Query.Window? {
            switch self {
            case .all: nil
            case .upcoming: .upcoming
            case .past: .past
            case .thisMonth: .thisMonth
            case .nextMonth: .nextMonth
            }
        }
    }

    package var kind: Kind
    package var time = Time.all
    /// Words of the kind's type; `nil` for all types.
    package var types: Set<String>?
    /// The text to search for: any case, with or without accents, anywhere in the texts that people search (R036).
    package var text = ""
    package var status: Query.Status?
    package var sort: Query.Sort?
    package var from: CalendarDate?
    package var to: CalendarDate?
    package var day: CalendarDate?
    package var shared: Bool?
    /// The named records, by the filter that names them: ids, or names until `resolve`.
    package var named: [Query.FilterKey: String] = [:]
    private var ids: [Query.FilterKey: Identifier] = [:]
    /// The athlete whose records are wanted, whichever season is shown; an id, or a name until `resolve`.
    package var athlete: String?
    private var owner: Identifier?
    /// The columns that are shown (`RecordColumns`); `nil` for those of the kind.
    package var columns: [String]?
    /// The largest number of records that are shown.
    package var limit: Int?

    package init(_ kind: Kind) { self.kind = kind }

    /// The number of active filters; the search text is not counted.
    package var active: Int {
        let single: [Bool] = [time != .all, status != nil, from != nil, to != nil, day != nil, shared == true]
        return single.count { $0 } + (types?.count ?? 0) + named.count + (athlete == nil ? 0 : 1)
    }

    /// The types that a word of the filter means: one type, or both kinds of visit (R033).
    package static func types(_ word: String, of kind: Kind = .event) -> Set<String>? {
        QueryDeclaration.of(kind).meaning(of: word).map(Set.init)
    }

    /// Looks up the named records.
    ///
    /// - Throws: a sentence, if a name fits no record or several.
    package mutating func resolve(_ names: RecordNames) throws(UsageError) {
        for (key, name) in named {
            guard let kind = Self.kind(of: key) else { continue }
            do { ids[key] = try names.find(kind, name).id } catch { throw UsageError(error.message) }
        }
        if let athlete {
            do { owner = try names.find(.member, athlete).id } catch { throw UsageError(error.message) }
        }
    }

    private static func kind(of key: Query.FilterKey) -> Kind? {
        switch key {
        case .school: .school
        case .coach: .coach
        case .event: .event
        case .trip: .trip
        default: nil
        }
    }

    /// The query to which a server answers with the same records, for a person who looks at a season.
    ///
    /// - Throws: for a filter that lists of the kind do not have.
    package func query(context: Context) throws(Rejection) -> Query {
        var filter = Query.Filter()
        filter.types = types.map { $0.sorted() } ?? []
        filter.status = status
        filter.date = time.window
        (filter.from, filter.to, filter.day, filter.shared) = (from, to, day, shared)
        (filter.school, filter.coach, filter.event, filter.trip) = (ids[.school], ids[.coach], ids[.event], ids[.trip])
        var owner = owner
        if owner == nil, case .athlete(let id) = context { owner = id }
        // A list of upcoming records begins with the next one.
        let soonest: Query.Sort? = time == .upcoming && kind != .document ? .dateAscending : nil
        return try Query(kind, athlete: owner, filter: filter, search: text, sort: sort ?? soonest)
    }

    /// The wanted records in order. Messages are oldest first, unlike in pages.
    ///
    /// - Parameters:
    ///   - today: `YYYY-MM-DD` in the family's zone.
    ///   - context: records of other athletes are left out.
    package func apply(_ records: [Record], today: String, context: Context) -> [Record] {
        // A query that cannot be made was refused when it was typed.
        guard let query = try? query(context: context) else { return [] }
        let keyed = Self.keyed(records.filter { $0.kind == kind })
        let found = query.ordered(query.wanted(keyed, today: CalendarDate(today) ?? .first).map { keyed[$0] }).map(\.0)
        let shown = found.prefix(limit ?? .max)
        return kind == .message ? shown.reversed() : Array(shown)
    }

    /// Records with their keys for lists.
    package static func keyed(_ records: [Record]) -> [(Record, ListKeys)] {
        let zones = ZoneMemory()
        return records.map { ($0, ListKeys($0) { zones.rules($0)?.instant(of: $1) }) }
    }
}

/// Time zones by name; a list reads each one once.
private final class ZoneMemory {
    private var known: [String: ZoneRules?] = [:]

    func rules(_ zone: String) -> ZoneRules? {
        if let rules = known[zone] { return rules }
        let rules = LocalClock.rules(zone)
        known[zone] = .some(rules)
        return rules
    }
}
