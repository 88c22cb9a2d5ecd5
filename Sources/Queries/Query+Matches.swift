package import Dates
internal import Bytes
package import Family
internal import Folding

extension Query {
    /// Whether a record matches. For one record; for many, create a `Matcher` once.
    ///
    /// - Parameters:
    ///   - today: the date in the family's zone.
    ///   - instant: see `ListKeys`.
    package func matches(_ record: Record, today: CalendarDate, instant: (_ zone: String, LocalDateTime) -> Int64?) -> Bool {
        record.kind == kind && Matcher(self, today: today).matches(ListKeys(record, instant: instant))
    }

    /// A query with everything that does not depend on the record precomputed as plain numbers: values with reference
    /// counts (texts, arrays) are read only for a search.
    package struct Matcher {
        private let isDeleted: Bool
        private let athlete: Identifier?
        private let status: Status?
        private let window: Window?
        private let school: Identifier?
        private let coach: Identifier?
        /// The event or the trip to filter by.
        private let parent: Identifier?
        private let from: Int32?
        private let to: Int32?
        private let day: Int32?
        private let itinerary: Bool?
        private let shared: Bool?
        private let current: Bool?
        /// A bit for each wanted type.
        private let types: UInt32?
        private let today: Int32
        private let month: ClosedRange<Int32>?
        private let searches: Bool
        private let needle: FoldedText

        package init(_ query: Query, today: CalendarDate) {
            func days(_ date: CalendarDate?) -> Int32? { date.map { Int32(truncatingIfNeeded: $0.days) } }
            let filter = query.filter
            isDeleted = query.isDeleted
            athlete = query.athlete
            (status, window, itinerary, shared) = (filter.status, filter.date, filter.itinerary, filter.shared)
            (school, coach, parent) = (filter.school, filter.coach, filter.event ?? filter.trip)
            (from, to, day) = (days(filter.from), days(filter.to), days(filter.day))
            needle = FoldedText(query.search)
            searches = !needle.isEmpty
            let words = QueryDeclaration.of(query.kind).types
            types = filter.types.isEmpty
                ? nil : filter.types.compactMap(words.firstIndex).reduce(UInt32(0)) { $0 | 1 << UInt32(truncatingIfNeeded: $1) }
            self.today = Int32(truncatingIfNeeded: today.days)
            switch filter.date {
            case .thisMonth: month = Self.month(of: today)
            case .nextMonth: month = today.adding(months: 1).flatMap(Self.month)
            default: month = nil
            }
            let hasVersions = QueryDeclaration.of(query.kind).filters.contains(.current)
            // Older versions of a document are rarely wanted; among deleted documents all versions are.
            current = hasVersions ? filter.current ?? (query.isDeleted ? nil : true) : nil
        }

        package func matches(_ keys: ListKeys) -> Bool {
            guard (keys.deletedAt != nil) == isDeleted else { return false }
            if let athlete, keys.athlete != athlete { return false }
            if let types, keys.type >= 32 || types & (1 << UInt32(keys.type)) == 0 { return false }
            if let status, keys.status != status { return false }
            if let window, !isIn(window, keys) { return false }
            if let school, keys.school != school { return false }
            if let coach, keys.coach != coach { return false }
            if let parent, keys.parent != parent { return false }
            if let from, keys.firstDay < from { return false }
            if let to, keys.firstDay == ListKeys.none || keys.firstDay > to { return false }
            if let day { guard keys.firstDay != ListKeys.none, keys.firstDay <= day, day <= keys.lastDay else { return false } }
            if let itinerary, keys.marks.contains(.itinerary) != itinerary { return false }
            if let shared, (keys.sharedCount > 0) != shared { return false }
            if let current, keys.marks.contains(.current) != current { return false }
            return !searches || keys.texts.contains(folded: needle)
        }

        /// A record without a date is in no window.
        private func isIn(_ window: Window, _ keys: ListKeys) -> Bool {
            guard keys.firstDay != ListKeys.none else { return false }
            switch window {
            case .upcoming: return keys.lastDay >= today
            case .past: return keys.lastDay < today
            case .thisMonth, .nextMonth: return month.map { keys.firstDay <= $0.upperBound && keys.lastDay >= $0.lowerBound } ?? false
            }
        }

        /// The days of the month that contains a date.
        private static func month(of date: CalendarDate) -> ClosedRange<Int32>? {
            let first = date.days - date.day + 1
            return Int32(truncatingIfNeeded: first)...Int32(truncatingIfNeeded: first + date.daysInMonth - 1)
        }
    }
}

extension ListKeys {
    /// The status of R034.
    package var status: Query.Status {
        if marks.contains(.attended) { return .attended }
        return marks.contains(.registered) ? .registered : .notRegistered
    }
}
