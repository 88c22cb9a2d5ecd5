internal import Bytes
package import Family
internal import Terminal

/// Lists of records for display.
package enum RecordTables {
    /// - Parameters:
    ///   - showsAthlete: whether the list mixes several athletes' records.
    ///   - columns: the width of the terminal, to which the list is fitted; `nil` for a pipe or a file, which gets
    ///     everything.
    ///   - isNumbered: whether the caller puts numbers before the lines, so that users can refer to records by number
    ///     instead of id.
    ///   - clock: the family's clock, for the days on which records were added.
    package static func lines(
        _ kind: Kind, _ records: [Record], _ names: RecordNames, showsAthlete: Bool, columns: Int? = nil, isNumbered: Bool = false,
        clock: LocalClock = LocalClock(zone: nil)
    ) -> [String] {
        guard !records.isEmpty else { return [empty(kind)] }
        if [.family, .readingPosition, .reminderRule].contains(kind) { return records.map { "\(names.short($0.id))  \(RecordNames.name($0))" } }
        return table(kind, records, names, showsAthlete: showsAthlete, isNumbered: isNumbered, isWhole: false, clock: clock).lines(within: columns)
    }

    /// The list as a table, its first column the id.
    ///
    /// - Parameter isWhole: whether texts that are too long for a terminal stay in full.
    package static func table(
        _ kind: Kind, _ records: [Record], _ names: RecordNames, showsAthlete: Bool, isNumbered: Bool, isWhole: Bool, clock: LocalClock
    ) -> Table {
        // Without numbers the user needs the id for the next command.
        let id = Table.Column("ID", leaves: isNumbered ? 0 : nil)
        let athlete = Table.Column("ATHLETE", least: 9, leaves: 4)
        switch kind {
        case .event:
            return Table(
                [
                    id, "DATE", .init("TIME", leaves: 3), .init("NAME", least: 20), .init("TYPE", leaves: 2), .init("STATUS", leaves: 5),
                    .init("WHERE", least: 16, leaves: 1), athlete,
                ],
                records.map { record in
                    [
                        names.short(record.id), EventText.dates(record.fields), EventText.times(record.fields),
                        EventText.name(record.fields, columns: isWhole ? .max : 60), EventText.type(record.fields), EventText.status(record.fields),
                        TextWidth.cut(EventText.place(record.fields), to: isWhole ? .max : 30),
                        showsAthlete ? record.athlete.map(names.member) ?? "" : "",
                    ]
                })
        case .school:
            return Table(
                [id, .init("NAME", least: 24), .init("LOCATION", least: 16), .init("WEBSITE", least: 24, leaves: 1)],
                records.map {
                    [
                        names.short($0.id), RecordNames.name($0), ($0.fields.text("location") ?? "").printable,
                        ($0.fields.text("url") ?? "").printable,
                    ]
                })
        case .coach:
            return Table(
                [
                    id, .init("NAME", least: 16), .init("ROLE", least: 16), .init("SCHOOL", least: 16), .init("E-MAIL", leaves: 1),
                    .init("PHONE", leaves: 2),
                ],
                records.map {
                    [
                        names.short($0.id), RecordNames.name($0), ($0.fields.text("role") ?? "").printable,
                        $0.fields.reference("school_id").map(names.name) ?? "", ($0.fields.text("email") ?? "").printable,
                        ($0.fields.text("phone") ?? "").printable,
                    ]
                })
        case .member:
            return Table(
                [id, .init("NAME", least: 24), "ROLE"],
                records.map { [names.short($0.id), RecordNames.name($0), EventText.label($0.fields, "role") ?? ""] })
        case .metric:
            return Table(
                [id, "DATE", .init("METRIC", least: 16), "RESULT", .init("VERIFIED", leaves: 1), .init("EVENT", least: 16, leaves: 2), athlete],
                records.map {
                    [
                        names.short($0.id), EventText.dates($0.fields.text("recorded_date") ?? "", nil), $0.fields.shownName.printable,
                        [$0.fields.text("value"), $0.fields.text("unit")].compactMap(\.self).joined(separator: " ").printable,
                        $0.fields.flag("verified") ? "verified" : "", $0.fields.reference("event_id").map(names.name) ?? "",
                        showsAthlete ? $0.athlete.map(names.member) ?? "" : "",
                    ]
                })
        case .interaction:
            return Table(
                [
                    id, "WHEN", "TYPE", .init("SUBJECT", least: 16), .init("SCHOOL", least: 12, leaves: 3), .init("COACH", least: 12, leaves: 2),
                    .init("SENTIMENT", leaves: 1), athlete,
                ],
                records.map {
                    [
                        names.short($0.id), TripText.moment($0.fields.text("occurred_at") ?? ""),
                        ($0.fields.choiceLabel("interaction_type") ?? "").printable, ($0.fields.text("subject") ?? "").printable,
                        ($0.fields.text("school_name") ?? $0.fields.reference("school_id").map(names.name) ?? "").printable,
                        ($0.fields.text("coach_name") ?? $0.fields.reference("coach_id").map(names.name) ?? "").printable,
                        ($0.fields.choiceLabel("sentiment") ?? "").printable, showsAthlete ? $0.athlete.map(names.member) ?? "" : "",
                    ]
                })
        case .trip:
            return Table(
                [id, "DATE", .init("NAME", least: 20), .init("WHERE", least: 16, leaves: 1), .init("WHO", least: 12, leaves: 2)],
                records.map {
                    [
                        names.short($0.id), EventText.dates($0.fields), RecordNames.name($0), ($0.fields.text("location") ?? "").printable,
                        $0.fields.set("participants").map(\.name).joined(separator: ", ").printable,
                    ]
                })
        case .tripItem:
            return Table(
                [
                    id, "WHEN", "DURATION", .init("TITLE", least: 20), .init("CATEGORY", leaves: 2), .init("WHERE", least: 12, leaves: 1),
                    .init("TRIP", least: 12, leaves: 3),
                ],
                records.map {
                    [
                        names.short($0.id), TripText.moment($0.fields.text("start_time") ?? ""), TripText.duration($0.fields),
                        RecordNames.name($0), ($0.fields.choiceLabel("category") ?? "").printable,
                        ($0.fields.text("location") ?? "").printable, $0.fields.reference("trip_id").map(names.name) ?? "",
                    ]
                })
        case .document:
            return Table(
                [
                    id, .init("TITLE", least: 20), .init("TYPE", leaves: 3), .init("SCHOOL", least: 12, leaves: 1), .init("VERSION", leaves: 2),
                    .init("UPLOADED", leaves: 5), .init("SIZE", leaves: 0), .init("SHARED", leaves: 4), athlete,
                ],
                records.map {
                    let shared = $0.fields.set("shared_with_schools").count
                    var (version, size) = ("", "")
                    if case .integer(let number)? = $0.fields["version"] { version = String(number) }
                    if case .integer(let octets)? = $0.fields["octets"] { size = ByteCount.text(octets) }
                    return [
                        names.short($0.id), RecordNames.name($0), ($0.fields.choiceLabel("type") ?? "").printable,
                        ($0.fields.text("school_name") ?? $0.fields.reference("school_id").map(names.name) ?? "").printable, version,
                        // R131: the day is unknown.
                        $0.createdAt > 0 ? clock.day($0.createdAt) : "Unknown", size,
                        // R130: from 20 schools on, the count is "20+".
                        shared == 0 ? "" : shared >= 20 ? "Shared: 20+" : "Shared: \(shared)",
                        showsAthlete ? $0.athlete.map(names.member) ?? "" : "",
                    ]
                })
        case .message:
            return Table(
                [id, "WHEN", "MESSAGE"],
                records.map {
                    let text = $0.fields.text("text") ?? ""
                    let who = names.member($0.createdBy)
                    let words = (ActionMessage.of(text) ?? text).printableLines.joined(separator: " ")
                    return [names.short($0.id), clock.moment($0.createdAt), ActionMessage.of(text) == nil ? "\(who): \(words)" : "* \(who) \(words)"]
                })
        case .family, .readingPosition, .reminderRule: return Table([id], records.map { [names.short($0.id)] })
        }
    }

    /// The name of a record, then the fields that are not empty, one per line.
    package static func details(_ record: Record, _ text: ChangeText) -> [String] {
        var lines = [RecordNames.name(record)]
        if record.kind == .event {
            lines[0] += " (\(EventText.type(record.fields)), \(EventText.status(record.fields)))"
            lines.append("  \(EventText.dates(record.fields))  \(EventText.times(record.fields))".trimmedEnd)
        }
        let fields = record.kind.declaration.fields
        let shown = fields.indices.filter { place in record.fields[place].map { DetailFields.shows(fields[place], $0, of: record.kind) } ?? false }
        let owner = record.athlete.map { ("Athlete", text.names.member($0)) }
        let width = (shown.map { TextWidth.of(fields[$0].label) } + [owner.map { TextWidth.of($0.0) } ?? 0]).max() ?? 0
        for index in shown {
            guard let value = record.fields[index] else { continue }
            let field = fields[index]
            let label = "  " + TextWidth.pad(field.label, to: width + 2)
            if case .text(let content) = value, case .text = field.type {
                for (place, line) in content.printableLines.enumerated() {
                    lines.append((place == 0 ? label : String(repeating: " ", count: width + 4)) + line)
                }
            } else {
                lines.append(label + text.value(value, field))
            }
        }
        if let owner { lines.append("  " + TextWidth.pad(owner.0, to: width + 2) + owner.1) }
        return lines
    }

    /// The sentence for an empty list.
    package static func empty(_ kind: Kind) -> String {
        switch kind {
        case .event: "No events."
        case .school: "No schools yet."
        case .coach: "No coaches yet."
        case .message: "No messages yet."
        case .metric: "No metrics yet."
        case .interaction: "No interactions yet."
        case .trip: "No trips yet."
        case .tripItem: "No trip items yet."
        case .document: "No documents yet. Upload videos, transcripts, and other documents to share with coaches: huddle docs upload FILE --type TYPE"
        case .readingPosition: "Nothing was read yet."
        case .reminderRule: "Everyone is reminded as usual."
        case .member, .family: "Nobody here."
        }
    }
}

extension String {
    fileprivate var trimmedEnd: String {
        var rest = Substring(self)
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
