package import Dates
package import Family
internal import ICalendar

/// The reason why the content of an object is not accepted.
package struct CalendarFault: Error, Hashable, Sendable {
    /// The conditions of RFC 4791 §5.3.2.1 and RFC 9110.
    package enum Condition: String, CaseIterable, Sendable {
        case data = "valid-calendar-data"
        case object = "valid-calendar-object-resource"
        case component = "supported-calendar-component"
        case size = "max-resource-size"
        case uid = "no-uid-conflict"
    }

    package var condition: Condition
    /// For people.
    package var sentence: String

    package init(_ condition: Condition, _ sentence: String) {
        self.condition = condition
        self.sentence = sentence
    }
}

/// One object as a program sent it: the VEVENT, checked, with the zones that its times name.
package struct CalendarEdit: Hashable, Sendable {
    package var uid: String
    private let entry: CalendarComponent
    private let zones: [CalendarComponent]
    private let start: CalendarMoment
    /// `nil`: there is neither an end nor a duration.
    private let end: End?

    private enum End: Hashable, Sendable {
        case moment(CalendarMoment)
        case duration(CalendarDuration)
    }

    /// The largest number of octets of an object.
    package static let maxOctets = 65_536
    /// The largest number of octets of a UID.
    package static let maxUID = 255

    package init(_ octets: [UInt8]) throws(CalendarFault) {
        guard octets.count <= Self.maxOctets else { throw CalendarFault(.size, "An entry has at most \(Self.maxOctets) octets.") }
        let calendars: [CalendarComponent]
        do throws(CalendarSyntaxError) { calendars = try CalendarDecoder.components(octets, .object) } catch {
            throw CalendarFault(.data, "This is not a calendar (line \(error.line)): \(error.sentence).")
        }
        guard calendars.count == 1, let calendar = calendars.first, calendar.name == "VCALENDAR" else {
            throw CalendarFault(.data, "The content must be one VCALENDAR.")
        }
        guard calendar["METHOD"] == nil else { throw CalendarFault(.object, "An entry of a calendar has no METHOD.") }
        let others = calendar.components.filter { $0.name != "VTIMEZONE" }
        if let other = others.first(where: { $0.name != "VEVENT" }) { throw CalendarFault(.component, "This calendar has events only, and no \(other.name).") }
        guard let entry = others.first else { throw CalendarFault(.object, "The content has no VEVENT.") }
        for component in others {
            for name in ["RRULE", "RDATE", "EXRULE", "EXDATE", "RECURRENCE-ID"] where component[name] != nil {
                throw CalendarFault(.object, "Huddle has no entries that repeat (\(name)). Add each one by itself.")
            }
        }
        guard others.count == 1 else { throw CalendarFault(.object, "The content must have one VEVENT, and it has \(others.count).") }
        guard entry.properties.count(where: { $0.name == "UID" }) == 1, let uid = entry.text("UID"), !uid.isEmpty, uid.utf8.count <= Self.maxUID else {
            throw CalendarFault(.object, "The entry needs one UID of at most \(Self.maxUID) octets.")
        }
        guard let first = entry["DTSTART"] else { throw CalendarFault(.object, "The entry needs a start: DTSTART.") }
        guard let start = CalendarMoment(first) else { throw CalendarFault(.data, "DTSTART is not a date or a time.") }
        var end: End?
        switch (entry["DTEND"], entry["DURATION"]) {
        case (nil, nil): break
        case (let last?, nil):
            guard let moment = CalendarMoment(last) else { throw CalendarFault(.data, "DTEND is not a date or a time.") }
            guard moment.isDate == start.isDate else { throw CalendarFault(.object, "DTSTART and DTEND are both dates, or both times.") }
            end = .moment(moment)
        case (nil, let span?):
            guard let duration = CalendarDuration(span.value), duration.days >= 0, duration.seconds >= 0 else { throw CalendarFault(.data, "DURATION is not a duration.") }
            guard !start.isDate || duration.seconds == 0 else { throw CalendarFault(.object, "The duration of days is a number of days.") }
            end = .duration(duration)
        case (_?, _?): throw CalendarFault(.object, "The entry has both DTEND and DURATION. Send one of them.")
        }
        self.uid = uid
        self.entry = entry
        self.zones = calendar.components.filter { $0.name == "VTIMEZONE" }
        self.start = start
        self.end = end
    }

    // MARK: Times

    /// A time on the clocks of a zone that the server knows.
    private struct Local: Hashable {
        var local: LocalDateTime
        var zone: String
        var instant: Instant
    }

    private enum Span: Hashable {
        case days(ClosedRange<CalendarDate>)
        /// - Parameter until: `nil` if the entry has no end.
        case times(Local, until: Local?)
    }

    /// - Parameter zone: of the family; floating times and those of UTC are times of it.
    private func span(zone: String, _ rules: (String) -> ZoneRules?) throws(CalendarFault) -> Span {
        if case .date(let first) = start {
            var last = first
            switch end {
            case nil: break
            case .moment(.date(let next))?: last = next.adding(days: -1) ?? next
            case .moment?: break
            case .duration(let duration)?: last = first.adding(days: duration.days - 1) ?? .last
            }
            // Some programs end a day on the day itself.
            if last.days == first.days - 1 { last = first }
            guard last >= first else { throw CalendarFault(.object, "The entry ends before it starts.") }
            return .days(first...last)
        }
        let from = try local(start, zone: zone, rules)
        switch end {
        case nil: return .times(from, until: nil)
        case .moment(let moment)?:
            let until = try local(moment, zone: zone, rules)
            guard until.instant >= from.instant else { throw CalendarFault(.object, "The entry ends before it starts.") }
            return .times(from, until: until)
        case .duration(let duration)?:
            // Days are days of the calendar, and what is left is time.
            guard let clocks = self.rules(from.zone, rules), let later = from.local.adding(minutes: duration.days * 1_440) else {
                throw CalendarFault(.object, "The entry lasts too long.")
            }
            let instant = clocks.instant(of: later) + Int64(duration.seconds) * 1_000
            return .times(from, until: Local(local: clocks.local(at: instant), zone: from.zone, instant: instant))
        }
    }

    private func local(_ moment: CalendarMoment, zone family: String, _ rules: (String) -> ZoneRules?) throws(CalendarFault) -> Local {
        switch moment {
        case .date(let date): return local(LocalDateTime(date: date, time: .midnight), family, rules)
        case .floating(let time): return local(time.local, family, rules)
        case .utc(let time):
            let instant = ZoneRules.utc.instant(of: time.local)
            return Local(local: (self.rules(family, rules) ?? .utc).local(at: instant), zone: family, instant: instant)
        case .zoned(let time, let name):
            guard let zone = CalendarZoneName.resolve(name, zones, year: time.local.date.year, family: family, rules: rules) else {
                throw CalendarFault(.object, "The time zone \(String(name.prefix(64))) is not known.")
            }
            return local(time.local, zone, rules)
        }
    }

    private func local(_ local: LocalDateTime, _ zone: String, _ rules: (String) -> ZoneRules?) -> Local {
        Local(local: local, zone: zone, instant: (self.rules(zone, rules) ?? .utc).instant(of: local))
    }

    private func rules(_ zone: String, _ rules: (String) -> ZoneRules?) -> ZoneRules? { rules(zone) ?? (EntryBuilder.isUTC(zone) ? .utc : nil) }

    // MARK: Fields

    /// The fields of a record that the entry changes: those whose properties differ from the ones that the server shows.
    ///
    /// - Parameters:
    ///   - record: an event or an item.
    ///   - zone: of the family.
    package func patch(of record: Record, zone: String, rules: @escaping (String) -> ZoneRules?) throws(CalendarFault) -> FieldPatch {
        var builder = CalendarObjectBuilder(zone: zone, rules: rules)
        guard let object = builder.object(record), let shown = try? CalendarEdit(object.octets) else {
            throw CalendarFault(.object, "This entry cannot be changed by a calendar program. Change it in Huddle.")
        }
        var values = FieldValues(record.kind)
        let span = try span(zone: zone, rules)
        let isSameTime: Bool
        switch (span, try shown.span(zone: zone, rules)) {
        case (.days(let new), .days(let old)): isSameTime = new == old
        case (.times(let from, let until), .times(let oldFrom, let oldUntil)):
            // The same instants on other clocks: a program that shows its own zone changes nothing.
            isSameTime = from.instant == oldFrom.instant && until?.instant ?? from.instant == oldUntil?.instant ?? oldFrom.instant
        default: isSameTime = false
        }
        if !isSameTime { set(span, in: record, zone: zone, rules, to: &values) }
        setTexts(besides: shown, of: record.kind, to: &values)
        return values.patch(besides: record.fields)
    }

    /// The fields of a new record.
    package func fields(of kind: Kind, zone: String, rules: (String) -> ZoneRules?) throws(CalendarFault) -> FieldPatch {
        var values = FieldValues(kind)
        set(try span(zone: zone, rules), in: nil, zone: zone, rules, to: &values)
        setTexts(besides: nil, of: kind, to: &values)
        if kind == .event, !values.has("type") { values.set("type", .text("game")) }
        return values.patch(besides: nil)
    }

    private func set(_ span: Span, in record: Record?, zone family: String, _ rules: (String) -> ZoneRules?, to values: inout FieldValues) {
        func text(_ text: some CustomStringConvertible) -> Value { .text(text.description) }
        switch (values.kind, span) {
        case (.event, .days(let days)):
            values.set("start_date", text(days.lowerBound))
            values.set("end_date", text(days.upperBound))
            values.set("start_time", nil)
            values.set("end_time", nil)
        case (.event, .times(let from, let until)):
            values.set("start_date", text(from.local.date))
            values.set("start_time", text(from.local.time))
            // An event has one zone: its end is what the clocks of the start show then.
            let last = until.map { $0.zone == from.zone ? $0.local : (self.rules(from.zone, rules) ?? .utc).local(at: $0.instant) }
            values.set("end_date", text(last?.date ?? from.local.date))
            values.set("end_time", last.map { text($0.time) })
            if from.zone != record?.fields.text("time_zone") ?? family { values.set("time_zone", .text(from.zone)) }
        case (_, .days(let days)):
            // Of a day that stays a day the time is still worth knowing.
            let time = record.flatMap { $0.fields["end_time"] == nil ? $0.fields.text("start_time") : nil }.flatMap { LocalDateTime($0) }?.time ?? .midnight
            let zone = record?.fields.text("start_zone") ?? family
            if days.lowerBound == days.upperBound {
                values.set("start_time", text(LocalDateTime(date: days.lowerBound, time: time)))
                values.set("end_time", nil)
            } else {
                values.set("start_time", text(LocalDateTime(date: days.lowerBound, time: .midnight)))
                values.set("end_time", text(LocalDateTime(date: days.upperBound.adding(days: 1) ?? days.upperBound, time: .midnight)))
                values.set("end_zone", .text(zone))
            }
            values.set("start_zone", .text(zone))
        case (_, .times(let from, let until)):
            values.set("start_time", text(from.local))
            values.set("start_zone", .text(from.zone))
            // An item that ends when it starts has no end here.
            let last = until.flatMap { $0.instant > from.instant ? $0 : nil }
            values.set("end_time", last.map { text($0.local) })
            values.set("end_zone", last.map { .text($0.zone) })
        }
    }

    /// - Parameter shown: the entry that the server shows; `nil` for a new record.
    private func setTexts(besides shown: CalendarEdit?, of kind: Kind, to values: inout FieldValues) {
        func text(_ property: String) -> String? { entry.text(property).flatMap { $0.isEmpty ? nil : $0 } }
        func isChanged(_ property: String) -> Bool { text(property) != shown?.entry.text(property) }
        if isChanged("SUMMARY") { values.set(kind == .event ? "name" : "title", text("SUMMARY").map { .text(Self.line($0)) }) }
        if isChanged("DESCRIPTION") { values.set("description", text("DESCRIPTION").map { .text($0) }) }
        if isChanged("LOCATION") {
            values.set("location", text("LOCATION").map { .text(Self.line($0)) })
            // The new place is all that is known of it.
            if kind == .event { for part in ["address", "city", "state"] { values.set(part, nil) } }
        }
        if isChanged("CATEGORIES"), let property = entry["CATEGORIES"] {
            let field = kind == .event ? "type" : "category"
            let words = CalendarText.list(property.value).map { $0.lowercased() }
            if let word = words.lazy.compactMap({ Self.choice($0, field, kind) }).first { values.set(field, .text(word)) }
        }
        guard kind == .event else { return }
        if isChanged("URL") { values.set("url", text("URL").map { .text($0) }) }
        if isChanged("STATUS"), let status = text("STATUS")?.uppercased() {
            if status == "CONFIRMED" { values.set("registered", .flag(true)) }
            if status == "TENTATIVE" { values.set("registered", .flag(false)) }
        }
    }

    /// Programs let people write lines where Huddle has one.
    private static func line(_ text: String) -> String {
        text.split { $0 == "\n" || $0 == "\r\n" }.joined(separator: ", ")
    }

    /// The word of a choice that people or programs write as its label or its word.
    private static func choice(_ text: String, _ field: String, _ kind: Kind) -> String? {
        guard let index = kind.declaration.index(of: field), case .choice(let words, let labels) = kind.declaration.fields[index].type else { return nil }
        return zip(words, labels).first { text == $0.0 || text == $0.1.lowercased() }?.0
    }
}

extension CalendarMoment {
    fileprivate var isDate: Bool {
        if case .date = self { return true }
        return false
    }
}

/// Values of fields by name; a value of `nil` empties the field.
private struct FieldValues {
    let kind: Kind
    private var values: [Int: Value?] = [:]

    init(_ kind: Kind) { self.kind = kind }

    func has(_ name: String) -> Bool { kind.declaration.index(of: name).map { values[$0] != nil } ?? false }

    /// - Parameter value: `nil` empties the field.
    mutating func set(_ name: String, _ value: Value?) {
        if let index = kind.declaration.index(of: name) { values.updateValue(value, forKey: index) }
    }

    /// Without those that a record has already.
    func patch(besides fields: Fields?) -> FieldPatch {
        FieldPatch(
            assignments: values.sorted { $0.key < $1.key }.filter { fields?[$0.key] != $0.value }
                .map { FieldPatch.Assignment(field: $0.key, value: $0.value) })
    }
}
