package import Bytes
package import Dates
package import Family

/// One page of a list: the places of its records, in order.
package struct Selection: Sendable {
    package var places: [OrderKey]
    /// Whether the list continues after the last of them.
    package var hasMore: Bool
    /// The number of records of the whole list.
    package var total: Int

    package var ids: [Identifier] { places.map(\.id) }
}

extension Query {
    /// The page of a list after a place.
    ///
    /// - Parameters:
    ///   - keys: the keys of all records of the kind, in any order.
    ///   - after: the last place of the previous page; `nil` for the first page.
    ///   - limit: the largest number of records, at least 1.
    /// - Complexity: reads each record once, some 20 ns, and keeps a heap of `limit`: the page is a small part of the
    ///   records.
    package func select(_ keys: [ListKeys], today: CalendarDate, after: OrderKey? = nil, limit: Int) -> Selection {
        let matcher = Matcher(self, today: today)
        let begin = after.map { lead($0) }
        var total = 0
        // In place: a copy of a record's keys retains its texts, which took longer than everything else.
        return keys.withUnsafeBufferPointer { keys in
            func isBefore(_ left: Candidate, _ right: Candidate) -> Bool {
                left.lead == right.lead ? place(keys[left.index]) < place(keys[right.index]) : left.lead < right.lead
            }
            var best = Smallest(limit: limit)
            for index in keys.indices where matcher.matches(keys[index]) {
                total += 1
                let candidate = Candidate(lead: lead(keys[index]), index: index)
                if let begin, let after {
                    guard begin <= candidate.lead, begin < candidate.lead || after < place(keys[index]) else { continue }
                }
                best.add(candidate, isBefore)
            }
            let places = best.sorted(isBefore).map { place(keys[$0.index]) }
            return Selection(places: places, hasMore: best.dropped, total: total)
        }
    }

    /// The matching records, in order: for lists whose records are all in memory.
    package func apply(
        _ records: some Sequence<Record>, today: CalendarDate, instant: (_ zone: String, LocalDateTime) -> Int64?
    ) -> [Record] {
        let keyed = records.filter { $0.kind == kind }.map { ($0, ListKeys($0, instant: instant)) }
        return ordered(wanted(keyed, today: today).map { keyed[$0] }).map(\.0)
    }

    /// The positions of the matching records, in the given order: for a list that is filtered again with each key
    /// press.
    ///
    /// - Parameter order: positions from `order`; `nil` keeps the order of the records.
    package func wanted(_ records: [(Record, ListKeys)], today: CalendarDate, in order: [Int]? = nil) -> [Int] {
        let matcher = Matcher(self, today: today)
        var places: [Int] = []
        records.withUnsafeBufferPointer { records in
            for place in order ?? Array(records.indices) where matcher.matches(records[place].1) { places.append(place) }
        }
        return places
    }

    /// The positions of all records, in the order of this query.
    package func order(_ records: [(Record, ListKeys)]) -> [Int] {
        let leads = records.map { lead($0.1) }
        let places = records.map { place($0.1) }
        // The sort moves numbers instead of records.
        return places.indices.sorted { leads[$0] == leads[$1] ? places[$0] < places[$1] : leads[$0] < leads[$1] }
    }

    /// All records, in the order of this query.
    package func ordered(_ records: [(Record, ListKeys)]) -> [(Record, ListKeys)] { order(records).map { records[$0] } }
}

/// A matching record, by its position among the keys.
private struct Candidate {
    var lead: Query.Lead
    var index: Int
}

/// Keeps the smallest of the values added to it: a heap with the largest on top.
private struct Smallest {
    typealias Order = (Candidate, Candidate) -> Bool

    private var heap: [Candidate] = []
    private let limit: Int
    private(set) var dropped = false

    init(limit: Int) {
        self.limit = max(limit, 1)
        heap.reserveCapacity(self.limit)
    }

    mutating func add(_ candidate: Candidate, _ isBefore: Order) {
        if heap.count < limit {
            heap.append(candidate)
            rise(heap.count - 1, isBefore)
            return
        }
        dropped = true
        guard isBefore(candidate, heap[0]) else { return }
        heap[0] = candidate
        sink(isBefore)
    }

    func sorted(_ isBefore: Order) -> [Candidate] { heap.sorted(by: isBefore) }

    private mutating func rise(_ start: Int, _ isBefore: Order) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard isBefore(heap[parent], heap[index]) else { return }
            heap.swapAt(parent, index)
            index = parent
        }
    }

    private mutating func sink(_ isBefore: Order) {
        var index = 0
        while true {
            var largest = index
            let child = 2 * index + 1
            if child < heap.count, isBefore(heap[largest], heap[child]) { largest = child }
            if child + 1 < heap.count, isBefore(heap[largest], heap[child + 1]) { largest = child + 1 }
            guard largest != index else { return }
            heap.swapAt(largest, index)
            index = largest
        }
    }
}
