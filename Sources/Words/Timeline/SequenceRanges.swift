/// The known ranges of a family's log: half-open, ordered, apart from each other.
struct SequenceRanges: Hashable, Sendable {
    private(set) var ranges: [Range<Int64>] = []

    /// Adds a range; an empty range marks the position after which the log is known.
    mutating func insert(_ new: Range<Int64>) {
        var merged = new
        var others: [Range<Int64>] = []
        for range in ranges {
            // Adjacent ranges are merged as well.
            if range.upperBound >= merged.lowerBound && merged.upperBound >= range.lowerBound {
                merged = min(range.lowerBound, merged.lowerBound)..<max(range.upperBound, merged.upperBound)
            } else {
                others.append(range)
            }
        }
        others.append(merged)
        ranges = others.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// The sequences directly after an unknown part, earliest first.
    var gaps: [Int64] { ranges.map(\.lowerBound).filter { $0 > 1 } }

    func contains(_ sequence: Int64) -> Bool { ranges.contains { $0.contains(sequence) } }

    /// Forgets everything below `sequence`.
    mutating func trim(below sequence: Int64) {
        ranges = ranges.compactMap { range in
            range.upperBound < sequence ? nil : max(range.lowerBound, sequence)..<range.upperBound
        }
    }
}
