internal import Bytes
package import Dates
package import Family
internal import ICalendar

/// Makes entries of records.
package struct EntryBuilder {
    /// Contacts of one entry.
    static let maxContacts = 5

    /// Of the family.
    private let zone: String
    private let rules: (String) -> ZoneRules?
    private let names: [Identifier: String]
    private let schools: [Identifier: Record]
    private let coaches: [Identifier: [Record]]
    private let rule: ReminderRule

    /// - Parameter rules: what the clocks of a zone show; `nil` for one that is not known, whose local times are then taken for UTC.
    package init(_ records: FeedRecords, rules: @escaping (String) -> ZoneRules?) {
        zone = records.zone
        self.rules = rules
        names = records.names
        rule = records.rule
        schools = Dictionary(records.schools.map { ($0.id, $0) }) { first, _ in first }
        coaches = Dictionary(grouping: records.coaches.filter { $0.fields.reference("school_id") != nil }) { $0.fields.reference("school_id") ?? $0.id }
    }

    // MARK: Kinds

    /// - Parameter namesAthlete: whether the description says whose event it is.
    /// - Returns: `nil` for an event without a first day.
    package func event(_ record: Record, namesAthlete: Bool = false) -> CalendarEntry? {
        let fields = record.fields
        guard let first = fields.text("start_date").flatMap({ CalendarDate($0) }) else { return nil }
        let last = max(first, fields.text("end_date").flatMap { CalendarDate($0) } ?? first)
        let time = fields.text("start_time").flatMap { LocalTime($0) }
        let span: Span
        let alarms: [CalendarDuration]
        if let time {
            let zone = fields.text("time_zone") ?? zone
            let start = LocalDateTime(date: first, time: time)
            let end = fields.text("end_time").flatMap { LocalTime($0) }.map { LocalDateTime(date: last, time: $0) }
                // An event of several days whose end nobody wrote down lasts until the end of its last day.
                ?? (last > first ? last.adding(days: 1).map { LocalDateTime(date: $0, time: .midnight) } : nil)
            span = self.span(start, zone, end, zone, days: first...last)
            let checkIn = fields.text("checkin_time").flatMap { LocalTime($0) }.map { $0.minutes - time.minutes } ?? 0
            alarms = self.alarms(.event, athlete: record.athlete, from: checkIn)
        } else {
            span = wholeDays(first...last)
            alarms = self.alarms(.allDay, athlete: record.athlete)
        }
        let place = ["location", "address", "city", "state"].compactMap { fields.text($0) }.filter { !$0.isEmpty }
        return entry(
            record, span, title: fields.shownName, status: fields.flag("registered") ? .confirmed : .tentative, isOpaque: time != nil,
            category: fields.choiceLabel("type") ?? "", url: fields.text("url"), location: place.joined(separator: ", "),
            description: description(event: record, namesAthlete: namesAthlete), alarms: alarms)
    }

    /// - Returns: `nil` for an item without a start.
    package func item(_ record: Record, of trip: Record?) -> CalendarEntry? {
        let fields = record.fields
        guard let start = fields.text("start_time").flatMap({ LocalDateTime($0) }) else { return nil }
        let span: Span
        let alarms: [CalendarDuration]
        var lines: [String] = []
        let zone = fields.text("start_zone") ?? zone
        let end = fields.text("end_time").flatMap { LocalDateTime($0) }
        if let end {
            let last = max(start.date, end.time == .midnight && end.date > start.date ? end.date.adding(days: -1) ?? end.date : end.date)
            span = self.span(start, zone, end, fields.text("end_zone") ?? zone, days: start.date...last)
            alarms = self.alarms(.tripItem)
        } else {
            // Without an end an item lasts all day; when it begins is still worth knowing.
            span = wholeDays(start.date...start.date)
            alarms = self.alarms(.allDay)
            if start.time != .midnight { lines.append("From \(start.time)") }
        }
        if let trip { lines.append("Trip: \(trip.fields.shownName)") }
        let participants = fields.set("participants").map { names[$0.id] ?? $0.name }.filter { !$0.isEmpty }
        if !participants.isEmpty { lines.append("With: " + participants.joined(separator: ", ")) }
        return entry(
            record, span, title: fields.shownName, status: .confirmed, isOpaque: end != nil && fields.text("category") != "accommodation",
            category: fields.choiceLabel("category") ?? "", url: nil, location: fields.text("location") ?? "",
            description: joined(lines, fields.text("description")), alarms: alarms)
    }

    /// - Returns: `nil` for a trip without a first day.
    package func trip(_ record: Record) -> CalendarEntry? {
        let fields = record.fields
        guard let first = fields.text("start_date").flatMap({ CalendarDate($0) }) else { return nil }
        let last = max(first, fields.text("end_date").flatMap { CalendarDate($0) } ?? first)
        let participants = fields.set("participants").map { names[$0.id] ?? $0.name }.filter { !$0.isEmpty }
        return entry(
            record, wholeDays(first...last), title: fields.shownName, status: .confirmed, isOpaque: false, category: Kind.trip.declaration.label, url: nil,
            location: fields.text("location") ?? "",
            description: joined(participants.isEmpty ? [] : ["With: " + participants.joined(separator: ", ")], fields.text("notes")),
            alarms: alarms(.allDay))
    }

    /// The alarms at the owner's lead times, from the largest on.
    ///
    /// - Parameter from: minutes from the start to the moment from which the leads count: the check-in.
    private func alarms(_ item: ReminderRule.Item, athlete: Identifier? = nil, from: Int = 0) -> [CalendarDuration] {
        rule.isMuted ? [] : rule.leads(item, athlete: athlete).reversed().map { CalendarDuration(seconds: (from - Int($0)) * 60) }
    }

    // MARK: Times

    private struct Span {
        var start: CalendarMoment
        var end: CalendarMoment?
        var days: ClosedRange<CalendarDate>
    }

    private func wholeDays(_ days: ClosedRange<CalendarDate>) -> Span {
        // After the last day of the calendar there is none; the entry then shows its first day alone.
        Span(start: .date(days.lowerBound), end: days.upperBound.adding(days: 1).map { .date($0) }, days: days)
    }

    private func span(_ start: LocalDateTime, _ startZone: String, _ end: LocalDateTime?, _ endZone: String, days: ClosedRange<CalendarDate>) -> Span {
        let (first, from) = moment(start, startZone)
        guard let end else { return Span(start: first, end: nil, days: days) }
        let (last, until) = moment(end, endZone)
        // An end at or before the start is not allowed; the start of an entry in a gap of the clocks moves forward past it.
        return Span(start: first, end: until > from ? last : nil, days: days)
    }

    /// A local time as a calendar writes it. A time in a gap of the clocks is written as the time after the gap, so that no reader has to know the rule.
    private func moment(_ local: LocalDateTime, _ zone: String) -> (CalendarMoment, Instant) {
        guard let rules = rules(zone), !Self.isUTC(zone) else {
            return (.utc(CalendarDateTime(local)), ZoneRules.utc.instant(of: local))
        }
        let instant = rules.instant(of: local)
        return (.zoned(CalendarDateTime(rules.local(at: instant)), zone: zone), instant)
    }

    /// Zones whose times every program knows without a VTIMEZONE.
    static func isUTC(_ zone: String) -> Bool { ["UTC", "Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu", "Zulu", "UCT", "Universal"].contains(zone) }

    // MARK: Texts

    private func entry(
        _ record: Record, _ span: Span, title: String, status: CalendarEntry.Status, isOpaque: Bool, category: String, url: String?, location: String,
        description: String, alarms: [CalendarDuration]
    ) -> CalendarEntry {
        CalendarEntry(
            uid: record.id.description, revision: max(0, record.version - 1), createdAt: record.createdAt, changedAt: record.updatedAt, start: span.start,
            end: span.end, days: span.days, title: title, status: record.isDeleted ? .cancelled : status, isOpaque: isOpaque && !record.isDeleted,
            category: category, url: url, location: location, description: description, alarms: record.isDeleted ? [] : alarms)
    }

    private func description(event record: Record, namesAthlete: Bool) -> String {
        let fields = record.fields
        var lines: [String] = []
        if namesAthlete, let name = record.athlete.flatMap({ names[$0] }), !name.isEmpty { lines.append("Athlete: \(name)") }
        if let checkIn = fields.text("checkin_time") { lines.append("Check-in: \(checkIn)") }
        let school = fields.reference("school_id")
        if let name = school.flatMap({ schools[$0]?.fields.shownName }) ?? fields.text("school_name"), !name.isEmpty {
            lines.append("School: \(name)")
        } else if let host = fields.text("host") {
            lines.append("Host: \(host)")
        }
        if let cost = fields.text("cost") { lines.append(cost == "0.00" ? "Cost: free" : "Cost: $\(cost)") }
        for coach in (school.flatMap { coaches[$0] } ?? []).prefix(Self.maxContacts) {
            let parts = [coach.fields.shownName, coach.fields.text("role"), coach.fields.text("phone"), coach.fields.text("email")]
            lines.append("Contact: " + parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", "))
        }
        if let url = fields.text("url") { lines.append("Link: \(url)") }
        return joined(lines, fields.text("description"))
    }

    /// The facts, and after an empty line the text that people wrote.
    private func joined(_ lines: [String], _ text: String?) -> String {
        let facts = lines.joined(separator: "\n")
        guard let text, !text.isEmpty else { return facts }
        return facts.isEmpty ? text : facts + "\n\n" + text
    }
}
