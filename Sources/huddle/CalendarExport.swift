import Bytes
import Calendar
import Dates
import Family
import Posix
import Sync
import Words

/// Exports records as a calendar for other programs (RFC 5545).
enum CalendarExport {
    /// The whole file.
    ///
    /// - Parameter records: events, trips or items.
    static func octets(_ records: [Record], _ engine: borrowing SyncEngine, now: Int64) -> [UInt8] {
        var names: [Identifier: String] = [:]
        for member in engine.records(of: .member) { names[member.id] = member.fields.shownName }
        var zones: [String: ZoneRules?] = [:]
        let all = FeedRecords(
            zone: engine.timeZone ?? "UTC", trips: engine.records(of: .trip), schools: engine.records(of: .school), coaches: engine.records(of: .coach), names: names)
        return FeedFile(
            exporting: records, all, name: engine.familyName ?? "Huddle", today: LocalClock(zone: engine.timeZone).date(now)
        ) { zone in
            if let known = zones[zone] { return known }
            let rules = LocalClock.rules(zone)
            zones[zone] = rules
            return rules
        }.octets
    }
}
