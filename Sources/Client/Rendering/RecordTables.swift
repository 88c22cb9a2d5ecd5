internal import Bytes
package import Family

/// Lists of records for people.
package enum RecordTables {
    /// - Parameters:
    ///   - showsAthlete: whether the list mixes several athletes' records.
    ///   - columns: of the terminal, to which the list is fitted; `nil` for a pipe or a file: everything is there.
    ///   - isNumbered: whether the caller puts numbers before the lines, by which people point at records instead of ids.
    package static func lines(
        _ kind: Kind, _ records: [Record], _ names: RecordNames, showsAthlete: Bool, columns: Int? = nil, isNumbered: Bool = false
    ) -> [String] {
        guard !records.isEmpty else { return [empty(kind)] }
        // Without numbers the id is what one needs for the next command.
        let id = Table.Column("ID", leaves: isNumbered ? 0 : nil)
        let table: Table
        switch kind {
        case .event:
            table = Table(
                [
                    id, "DATE", .init("TIME", leaves: 3), .init("NAME", least: 20), .init("TYPE", leaves: 2), .init("STATUS", leaves: 5),
                    .init("WHERE", least: 16, leaves: 1), .init("ATHLETE", least: 9, leaves: 4),
                ],
                records.map { record in
                    [
                        names.short(record.id), EventText.dates(record.fields), EventText.times(record.fields),
                        EventText.name(record.fields), EventText.type(record.fields), EventText.status(record.fields),
                        DisplayWidth.cut(EventText.place(record.fields), to: 30),
                        showsAthlete ? record.athlete.map(names.member) ?? "" : "",
                    ]
                })
        case .school:
            table = Table(
                [id, .init("NAME", least: 24), .init("LOCATION", least: 16), .init("WEBSITE", least: 24, leaves: 1)],
                records.map {
                    [
                        names.short($0.id), RecordNames.name($0), ($0.fields.text("location") ?? "").printable,
                        ($0.fields.text("url") ?? "").printable,
                    ]
                })
        case .coach:
            table = Table(
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
            table = Table(
                [id, .init("NAME", least: 24), "ROLE"],
                records.map { [names.short($0.id), RecordNames.name($0), EventText.label($0.fields, "role") ?? ""] })
        case .family, .message:
            return records.map { "\(names.short($0.id))  \(RecordNames.name($0))" }
        }
        return table.lines(within: columns)
    }

    /// Every field of a record that is not empty, one a line.
    package static func details(_ record: Record, _ text: ChangeText) -> [String] {
        var lines = [RecordNames.name(record)]
        if record.kind == .event {
            lines[0] += " (\(EventText.type(record.fields)), \(EventText.status(record.fields)))"
            lines.append("  \(EventText.dates(record.fields))  \(EventText.times(record.fields))".trimmedEnd)
        }
        let fields = record.kind.declaration.fields
        let width = fields.map { DisplayWidth.of($0.label) }.max() ?? 0
        for (index, field) in fields.enumerated() {
            guard let value = record.fields[index] else { continue }
            let label = "  " + DisplayWidth.pad(field.label, to: width + 2)
            if case .text(let content) = value, case .text = field.type {
                for (place, line) in content.printableLines.enumerated() {
                    lines.append((place == 0 ? label : String(repeating: " ", count: width + 4)) + line)
                }
            } else {
                lines.append(label + text.value(value, field))
            }
        }
        if let athlete = record.athlete { lines.append("  " + DisplayWidth.pad("Athlete", to: width + 2) + text.names.member(athlete)) }
        lines.append("  " + DisplayWidth.pad("Id", to: width + 2) + record.id.description)
        return lines
    }

    private static func empty(_ kind: Kind) -> String {
        switch kind {
        case .event: "No events."
        case .school: "No schools yet."
        case .coach: "No coaches yet."
        case .message: "No messages yet."
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
