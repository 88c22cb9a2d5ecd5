import Dates

/// The backups to keep: `7d4w12m` keeps the newest one of each of the last 7 days, 4 weeks and 12 months that have one.
///
/// Days, weeks (from Monday) and months are in UTC. The newest backup is always kept.
package struct BackupKeep: Equatable, Sendable {
    private var days = 0
    private var weeks = 0
    private var months = 0

    /// - Parameter text: numbers from 1 to 999, each with `d`, `w` or `m` behind it; `nil` for any other text.
    package init?(_ text: String) {
        var digits = ""
        for letter in text {
            if ("0"..."9").contains(letter) {
                digits.append(letter)
                continue
            }
            guard digits.utf8.count <= 3, let number = Int(digits), number > 0 else { return nil }
            digits = ""
            switch letter {
            case "d" where days == 0: days = number
            case "w" where weeks == 0: weeks = number
            case "m" where months == 0: months = number
            default: return nil
            }
        }
        guard digits.isEmpty, days + weeks + months > 0 else { return nil }
    }

    /// The instants of the backups to keep.
    ///
    /// - Parameter instants: UTC milliseconds, in any order.
    func kept(_ instants: [Instant]) -> Set<Instant> {
        let newest = instants.sorted(by: >)
        var kept = Set(newest.prefix(1))
        func keep(_ count: Int, _ bucket: (Int) -> Int) {
            var seen: Set<Int> = []
            for instant in newest {
                let day = Int(instant / 86_400_000)
                guard seen.count < count || seen.contains(bucket(day)) else { return }
                if seen.insert(bucket(day)).inserted { kept.insert(instant) }
            }
        }
        keep(days) { $0 }
        // 1970-01-01 was a Thursday.
        keep(weeks) { ($0 + 3) / 7 }
        keep(months) { day in CalendarDate(days: day).map { $0.year * 12 + $0.month } ?? 0 }
        return kept
    }
}
