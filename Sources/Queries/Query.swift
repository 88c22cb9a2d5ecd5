package import Bytes
package import Dates
package import Family

/// The filter and the order of a list of records of one kind: the single specification of lists, for server and client.
///
/// Filters combine by "and" (R037). If a filter compares with today, `today` is a parameter of the evaluation: the
/// current date in the family's zone.
package struct Query: Hashable, Sendable {
    package let kind: Kind
    /// The owner of the records, for kinds of scope `.athlete`; `nil` for all owners.
    package let athlete: Identifier?
    package let filter: Filter
    /// The text to search for, as typed; empty matches all.
    package let search: String
    package let sort: Sort
    /// Whether the list contains the deleted records of the last 30 days instead of the living ones.
    package let isDeleted: Bool

    /// The longest search in characters: the length of the longest name.
    package static let maxSearch = 255

    /// - Parameters:
    ///   - athlete: ignored for kinds without an owner.
    ///   - sort: `nil` for the kind's default.
    /// - Throws: `invalid` or `too_long` with the frame member at fault, for a filter or an order that the kind does
    ///   not have.
    package init(
        _ kind: Kind, athlete: Identifier? = nil, filter: Filter = Filter(), search: String = "", sort: Sort? = nil, deleted: Bool = false
    ) throws(Rejection) {
        let declaration = QueryDeclaration.of(kind)
        guard !declaration.sorts.isEmpty else {
            throw Rejection(.invalid, "Records of this kind have no list: all of them are in the snapshot", kind: kind, field: "kind")
        }
        self.kind = kind
        self.athlete = kind.declaration.scope == .athlete ? athlete : nil
        self.search = search
        self.sort = sort ?? declaration.sorts.first ?? .name
        isDeleted = deleted
        self.filter = try declaration.checked(filter)
        guard declaration.sorts.contains(self.sort) else {
            let known = declaration.sorts.map(\.rawValue).joined(separator: ", ")
            throw Rejection(
                .invalid, "Lists of this kind cannot be sorted by \(self.sort.rawValue): choose one of \(known)", kind: kind, field: "sort")
        }
        guard search.unicodeScalars.count <= Self.maxSearch else {
            throw Rejection(.tooLong, "A search is at most \(Self.maxSearch) characters long: search for less", kind: kind, field: "search")
        }
    }

    /// The orders of a list. Ties are broken by date, start time, name and id, so that the order is the same
    /// everywhere.
    package enum Sort: String, CaseIterable, Sendable {
        /// The latest day first, and within a day the latest time (R038 "Date (Newest First)").
        case dateDescending = "date_desc"
        case dateAscending = "date_asc"
        /// By name, ignoring case and accents.
        case name
        /// By the word on the wire (R038).
        case type
        /// By creation.
        case newest
        case oldest
        /// Documents by the number of schools that have them, largest first (R127).
        case mostShared = "most_shared"
        /// By the instant of the start, regardless of the zone (R156).
        case start
    }

    /// The status of an event (R034): attended takes precedence over registered.
    package enum Status: String, CaseIterable, Sendable {
        case registered
        case notRegistered = "not_registered"
        case attended
    }

    /// Days around today (R035, `product.md` "Events").
    package enum Window: String, CaseIterable, Sendable {
        /// The last day is today or later.
        case upcoming
        /// The last day is before today.
        case past
        /// Any day of it is in the month of today.
        case thisMonth = "this_month"
        /// Any day of it is in the month after that.
        case nextMonth = "next_month"
    }

    /// The conditions on a record. Empty members set no condition.
    package struct Filter: Hashable, Sendable {
        /// The words of the kind's type; a record matches any of them. `visit` means both visits (R033).
        package var types: [String] = []
        package var status: Status?
        package var date: Window?
        package var school: Identifier?
        package var coach: Identifier?
        package var event: Identifier?
        package var trip: Identifier?
        /// The first day is this or later (R022).
        package var from: CalendarDate?
        /// The first day is this or earlier (R022).
        package var to: CalendarDate?
        /// Any part of it is on this day.
        package var day: CalendarDate?
        /// Trip items: whether they are part of the itinerary (R156).
        package var itinerary: Bool?
        /// Documents: whether any school has the document (R125).
        package var shared: Bool?
        /// Documents: whether it is the newest version of its chain; older versions are excluded unless this is set.
        package var current: Bool?
        /// Messages: comments on this record.
        package var about: Identifier?

        package init() {}
    }

    /// The members of a filter, by their names on the wire.
    package enum FilterKey: String, CaseIterable, Sendable {
        case type, types, status, date
        case school = "school_id"
        case coach = "coach_id"
        case event = "event_id"
        case trip = "trip_id"
        case from, to, day, itinerary, shared, current, about
    }
}

extension Query.Filter {
    /// The members with a condition; `types` for any number of types.
    package var keys: [Query.FilterKey] {
        var keys: [Query.FilterKey] = []
        if !types.isEmpty { keys.append(.types) }
        if status != nil { keys.append(.status) }
        if date != nil { keys.append(.date) }
        if school != nil { keys.append(.school) }
        if coach != nil { keys.append(.coach) }
        if event != nil { keys.append(.event) }
        if trip != nil { keys.append(.trip) }
        if from != nil { keys.append(.from) }
        if to != nil { keys.append(.to) }
        if day != nil { keys.append(.day) }
        if itinerary != nil { keys.append(.itinerary) }
        if shared != nil { keys.append(.shared) }
        if current != nil { keys.append(.current) }
        if about != nil { keys.append(.about) }
        return keys
    }
}
