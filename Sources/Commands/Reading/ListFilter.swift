package import Arguments
internal import Bytes
package import Dates
package import Family
package import Queries
package import Words

/// Which records of a kind are wanted, and in which order, as a person said it.
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
    /// Words of the kind's type; `nil` for all.
    package var types: Set<String>?
    /// Any case and accents, anywhere in the texts that people search (R036).
    package var text = ""
    package var status: Query.Status?
    package var sort: Query.Sort?
    package var from: CalendarDate?
    package var to: CalendarDate?
    package var day: CalendarDate?
    package var shared: Bool?
    /// Records that are named, by the filter that names them: ids, or names until `resolve`.
    package var named: [Query.FilterKey: String] = [:]
    private var ids: [Query.FilterKey: Identifier] = [:]
    /// The athlete whose records are wanted, whatever season is looked at; an id, or a name until `resolve`.
    package var athlete: String?
    private var owner: Identifier?
    /// The columns that are shown (`RecordColumns`); `nil` for those of the kind.
    package var columns: [String]?
    /// The largest number of records that are shown.
    package var limit: Int?

    package init(_ kind: Kind) { self.kind = kind }

    /// How many filters are on; words that are searched for are none.
    package var active: Int {
        let single: [Bool] = [time != .all, status != nil, from != nil, to != nil, day != nil, shared == true]
        return single.count { $0 } + (types?.count ?? 0) + named.count + (athlete == nil ? 0 : 1)
    }

    /// The types that a word of the filter means: one, or both visits (R033).
    package static func types(_ word: String, of kind: Kind = .event) -> Set<String>? {
        QueryDeclaration.of(kind).meaning(of: word).map(Set.init)
    }

    /// Looks up the records that are named.
    ///
    /// - Throws: a sentence, when a name fits none or several.
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

    /// What is asked for, by who looks at a season: the query that a server answers with the same records.
    ///
    /// - Throws: for what lists of the kind do not know.
    package func query(context: Context) throws(Rejection) -> Query {
        var filter = Query.Filter()
        filter.types = types.map { $0.sorted() } ?? []
        filter.status = status
        filter.date = time.window
        (filter.from, filter.to, filter.day, filter.shared) = (from, to, day, shared)
        (filter.school, filter.coach, filter.event, filter.trip) = (ids[.school], ids[.coach], ids[.event], ids[.trip])
        var owner = owner
        if owner == nil, case .athlete(let id) = context { owner = id }
        // Who looks ahead wants the next first.
        let soonest: Query.Sort? = time == .upcoming && kind != .document ? .dateAscending : nil
        return try Query(kind, athlete: owner, filter: filter, search: text, sort: sort ?? soonest)
    }

    /// The records wanted, in order; messages, unlike in pages, oldest first.
    ///
    /// - Parameters:
    ///   - today: `YYYY-MM-DD` in the family's zone.
    ///   - context: records of other athletes are left out.
    package func apply(_ records: [Record], today: String, context: Context) -> [Record] {
        // What cannot be asked was refused when it was typed.
        guard let query = try? query(context: context) else { return [] }
        let keyed = Self.keyed(records.filter { $0.kind == kind })
        let found = query.ordered(query.wanted(keyed, today: CalendarDate(today) ?? .first).map { keyed[$0] }).map(\.0)
        let shown = found.prefix(limit ?? .max)
        return kind == .message ? shown.reversed() : Array(shown)
    }

    /// Records with what lists ask of them.
    package static func keyed(_ records: [Record]) -> [(Record, ListKeys)] {
        let zones = ZoneMemory()
        return records.map { ($0, ListKeys($0) { zones.rules($0)?.instant(of: $1) }) }
    }
}

/// Zones by name, each read once in a list.
private final class ZoneMemory {
    private var known: [String: ZoneRules?] = [:]

    func rules(_ zone: String) -> ZoneRules? {
        if let rules = known[zone] { return rules }
        let rules = LocalClock.rules(zone)
        known[zone] = .some(rules)
        return rules
    }
}
