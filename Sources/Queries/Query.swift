package import Bytes
package import Dates
package import Family

/// Which records of one kind are wanted, and in which order: the one specification of lists, for server and client.
///
/// Filters combine by "and" (R037). Where a filter compares with today, `today` is a parameter of what evaluates the query: the day that it
/// is in the family's zone.
package struct Query: Hashable, Sendable {
    package let kind: Kind
    /// Whose records, for kinds of scope `.athlete`; `nil` for everybody's.
    package let athlete: Identifier?
    package let filter: Filter
    /// What the searched texts contain, as it was typed; empty for all.
    package let search: String
    package let sort: Sort
    /// The deleted records of the last 30 days instead of the living ones.
    package let isDeleted: Bool

    /// Characters of a search at most: the longest name.
    package static let maxSearch = 255

    /// - Parameters:
    ///   - athlete: left out of account for kinds that are nobody's.
    ///   - sort: `nil` is the kind's own.
    /// - Throws: `invalid` or `too_long` with the member of the frame that is to blame, for a filter or an order that the kind does not
    ///   have.
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
                .invalid, "Lists of this kind are not sorted by \(self.sort.rawValue): choose one of \(known)", kind: kind, field: "sort")
        }
        guard search.unicodeScalars.count <= Self.maxSearch else {
            throw Rejection(.tooLong, "A search is at most \(Self.maxSearch) characters long: search for less", kind: kind, field: "search")
        }
    }

    /// Orders of a list. Ties go on with date, start time, name and id, so that the order is the same everywhere.
    package enum Sort: String, CaseIterable, Sendable {
        /// The day, and on one day the later time, first (R038 "Date (Newest First)").
        case dateDescending = "date_desc"
        case dateAscending = "date_asc"
        /// As people read: without case and accents.
        case name
        /// By the word on the wire (R038).
        case type
        /// By creation.
        case newest
        case oldest
        /// Documents that more schools have first (R127).
        case mostShared = "most_shared"
        /// By the instant at which it starts, whatever the zone (R156).
        case start
    }

    /// Where an event stands (R034): attended counts before registered.
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

    /// What a record must be. Empty members ask for nothing.
    package struct Filter: Hashable, Sendable {
        /// Words of the kind's type; any of them. `visit` stands for both visits (R033).
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
        /// Documents: whether any school has it (R125).
        package var shared: Bool?
        /// Documents: whether it is the newest version of its chain; documents that are not are left out unless this is asked for.
        package var current: Bool?
        /// Messages: comments on this record.
        package var about: Identifier?

        package init() {}
    }

    /// Members of a filter, by their names on the wire.
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
    /// Which members ask for something; `types` for any number of types.
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
