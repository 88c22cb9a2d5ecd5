package import Dates
internal import Bytes
package import Family
internal import Folding

extension Query {
    /// Whether a record is wanted. For one record; for many make a `Matcher` once.
    ///
    /// - Parameters:
    ///   - today: in the family's zone.
    ///   - instant: see `ListKeys`.
    package func matches(_ record: Record, today: CalendarDate, instant: (_ zone: String, LocalDateTime) -> Int64?) -> Bool {
        record.kind == kind && Matcher(self, today: today).matches(ListKeys(record, instant: instant))
    }

    /// A query with all that does not depend on the record worked out.
    package struct Matcher {
        private let query: Query
        private let needle: FoldedText
        /// Bits of the wanted types.
        private let types: UInt32?
        private let today: Int32
        private let month: ClosedRange<Int32>?
        private let parent: Identifier?
        private let current: Bool?

        package init(_ query: Query, today: CalendarDate) {
            self.query = query
            needle = FoldedText(query.search)
            let words = QueryDeclaration.of(query.kind).types
            types = query.filter.types.isEmpty
                ? nil : query.filter.types.compactMap(words.firstIndex).reduce(UInt32(0)) { $0 | 1 << UInt32(truncatingIfNeeded: $1) }
            self.today = Int32(truncatingIfNeeded: today.days)
            switch query.filter.date {
            case .thisMonth: month = Self.month(of: today)
            case .nextMonth: month = today.adding(months: 1).flatMap(Self.month)
            default: month = nil
            }
            parent = query.filter.event ?? query.filter.trip
            let hasVersions = QueryDeclaration.of(query.kind).filters.contains(.current)
            // Older versions of a document are seldom wanted, deleted ones all.
            current = hasVersions ? query.filter.current ?? (query.isDeleted ? nil : true) : nil
        }

        package func matches(_ keys: ListKeys) -> Bool {
            guard (keys.deletedAt != nil) == query.isDeleted else { return false }
            if let athlete = query.athlete, keys.athlete != athlete { return false }
            let filter = query.filter
            if let types, keys.type >= 32 || types & (1 << UInt32(keys.type)) == 0 { return false }
            if let status = filter.status, keys.status != status { return false }
            if let date = filter.date, !isIn(date, keys) { return false }
            if let school = filter.school, keys.school != school { return false }
            if let coach = filter.coach, keys.coach != coach { return false }
            if let parent, keys.parent != parent { return false }
            if let from = filter.from, keys.firstDay < Int32(truncatingIfNeeded: from.days) { return false }
            if let to = filter.to, keys.firstDay == ListKeys.none || keys.firstDay > Int32(truncatingIfNeeded: to.days) { return false }
            if let day = filter.day {
                let day = Int32(truncatingIfNeeded: day.days)
                guard keys.firstDay != ListKeys.none, keys.firstDay <= day, day <= keys.lastDay else { return false }
            }
            if let itinerary = filter.itinerary, keys.marks.contains(.itinerary) != itinerary { return false }
            if let shared = filter.shared, (keys.sharedCount > 0) != shared { return false }
            if let current, keys.marks.contains(.current) != current { return false }
            return keys.texts.contains(folded: needle)
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

        /// Days of the month that holds a date.
        private static func month(of date: CalendarDate) -> ClosedRange<Int32>? {
            let first = date.days - date.day + 1
            return Int32(truncatingIfNeeded: first)...Int32(truncatingIfNeeded: first + date.daysInMonth - 1)
        }
    }
}

extension ListKeys {
    /// R034.
    package var status: Query.Status {
        if marks.contains(.attended) { return .attended }
        return marks.contains(.registered) ? .registered : .notRegistered
    }
}
