package import Family

/// The possible queries of one kind, with the fields that they use. A new kind is one entry here.
package final class QueryDeclaration: Sendable {
    package let kind: Kind
    /// The filters of the kind's lists.
    package let filters: [Query.FilterKey]
    /// The orders of the kind, the default first; empty for kinds without lists.
    package let sorts: [Query.Sort]
    /// The words of the kind's type, in the order of the declaration; empty without one.
    package let types: [String]

    let places: Places
    /// The same words in comparable form.
    let typeOctets: [ArraySlice<UInt8>]
    private let typeLeads: [UInt64]

    /// A number for the order of types, different for each type; 0 for none.
    func typeLead(_ type: UInt8) -> UInt64 { Int(type) < typeLeads.count ? typeLeads[Int(type)] : 0 }

    /// Positions of fields in the kind's declaration.
    struct Places: Sendable {
        /// The name of the record for people: one field, or several that are read together.
        var name: [Int]
        /// The other texts that a search covers.
        var searched: [Int]
        var type: Int?
        /// A date, or a local date and time.
        var first: Int?
        /// The last day; a record without it covers only its first day.
        var last: Int?
        /// The time on the first day.
        var time: Int?
        /// Zones of local times at start and end.
        var startZone: Int?
        var school: Int?
        var coach: Int?
        var event: Int?
        var trip: Int?
        var registered: Int?
        var attended: Int?
        var itinerary: Int?
        var shared: Int?
        var current: Int?
        var octets: Int?
        /// The fields of a metric.
        var value: Int?
        var unit: Int?
        var label: Int?
    }

    private init(
        _ kind: Kind, name: [String] = [], searched: [String] = [], type: String? = nil, first: String? = nil, last: String? = nil,
        time: String? = nil, filters: [Query.FilterKey] = [], sorts: [Query.Sort] = []
    ) {
        let declaration = kind.declaration
        /// The position of a declared field; an undeclared name is a programming error.
        func place(_ field: String) -> Int {
            guard let place = declaration.index(of: field) else { preconditionFailure("\(kind.name) declares no field \(field)") }
            return place
        }
        self.kind = kind
        self.filters = filters
        self.sorts = sorts
        let typePlace = type.map(place)
        if let typePlace, case .choice(let words, _) = declaration.fields[typePlace].type { types = words } else { types = [] }
        typeOctets = types.map { Array($0.utf8)[...] }
        typeLeads = typeOctets.map(Query.Lead.first)
        precondition(Set(typeLeads).count == typeLeads.count, "two types of \(kind.name) begin alike: compare more of them")
        places = Places(
            name: name.map(place), searched: searched.map(place), type: typePlace, first: first.map(place), last: last.map(place),
            time: time.map(place), startZone: declaration.index(of: "start_zone"), school: declaration.index(of: "school_id"),
            coach: declaration.index(of: "coach_id"), event: declaration.index(of: "event_id"), trip: declaration.index(of: "trip_id"),
            registered: declaration.index(of: "registered"), attended: declaration.index(of: "attended"),
            itinerary: declaration.index(of: "include_in_itinerary"), shared: declaration.index(of: "shared_with_schools"),
            current: declaration.index(of: "is_current"), octets: declaration.index(of: "octets"), value: declaration.index(of: "value"),
            unit: declaration.index(of: "unit"), label: declaration.index(of: "label"))
    }

    package static func of(_ kind: Kind) -> QueryDeclaration {
        switch kind {
        case .member: member
        case .school: school
        case .coach: coach
        case .event: event
        case .message: message
        case .metric: metric
        case .interaction: interaction
        case .trip: trip
        case .tripItem: tripItem
        case .document: document
        case .family, .readingPosition, .reminderRule: unlisted
        }
    }

    // R036 and `product.md` "Events" define the searched texts of events, R125 those of documents.

    /// Kinds without lists.
    private static let unlisted = QueryDeclaration(.family)

    private static let member = QueryDeclaration(.member, name: ["name"], sorts: [.name, .newest, .oldest])

    private static let school = QueryDeclaration(
        .school, name: ["name"], searched: ["location"], sorts: [.name, .newest, .oldest])

    private static let coach = QueryDeclaration(
        .coach, name: ["first_name", "last_name"], searched: ["role", "email"], filters: [.school], sorts: [.name, .newest, .oldest])

    private static let event = QueryDeclaration(
        .event, name: ["name"], searched: ["description", "location", "address", "city"], type: "type", first: "start_date",
        last: "end_date", time: "start_time", filters: [.type, .types, .status, .date, .school, .from, .to, .day],
        sorts: [.dateDescending, .dateAscending, .name, .type])

    private static let metric = QueryDeclaration(
        .metric, name: ["label"], searched: ["notes"], type: "metric_type", first: "recorded_date",
        filters: [.type, .types, .event, .from, .to], sorts: [.dateDescending, .dateAscending, .type])

    private static let interaction = QueryDeclaration(
        .interaction, name: ["subject"], searched: ["content"], type: "interaction_type", first: "occurred_at",
        filters: [.type, .types, .event, .school, .coach, .from, .to], sorts: [.dateDescending, .dateAscending, .type])

    private static let trip = QueryDeclaration(
        .trip, name: ["name"], searched: ["location", "notes"], first: "start_date", last: "end_date",
        filters: [.date, .from, .to, .day], sorts: [.dateDescending, .dateAscending, .name])

    private static let tripItem = QueryDeclaration(
        .tripItem, name: ["title"], searched: ["description", "location"], type: "category", first: "start_time", last: "end_time",
        filters: [.trip, .type, .types, .day, .from, .to, .itinerary], sorts: [.start, .name, .type])

    private static let document = QueryDeclaration(
        .document, name: ["title"], searched: ["description"], type: "type",
        filters: [.type, .types, .school, .shared, .current], sorts: [.newest, .oldest, .name, .type, .mostShared])

    private static let message = QueryDeclaration(.message, searched: ["text"], filters: [.about], sorts: [.newest])

    // MARK: Checks

    /// The filter in canonical form: types in full, each once.
    ///
    /// - Throws: `invalid` for a filter that the kind does not have or an unknown type.
    func checked(_ filter: Query.Filter) throws(Rejection) -> Query.Filter {
        for key in filter.keys where !filters.contains(key) {
            let known = filters.isEmpty ? "by nothing" : "only by \(filters.map(\.rawValue).joined(separator: ", "))"
            throw Rejection(.invalid, "Lists of this kind can be filtered \(known), not by \(key.rawValue)", kind: kind, field: key.rawValue)
        }
        var checked = filter
        var words: Set<String> = []
        for word in filter.types {
            guard let meant = meaning(of: word) else {
                throw Rejection(
                    .invalid, "There is no type \"\(word.prefix(40))\" of this kind: choose one of \(types.joined(separator: ", "))",
                    kind: kind, field: "type")
            }
            words.formUnion(meant)
        }
        checked.types = types.filter(words.contains)
        return checked
    }

    /// The types that a word of the filter means: one type, or both visits (R033); `nil` for an unknown word.
    package func meaning(of word: String) -> [String]? {
        if kind == .event, word == "visit" { return ["official_visit", "unofficial_visit"] }
        return types.contains(word) ? [word] : nil
    }
}
