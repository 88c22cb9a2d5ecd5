internal import Bytes
package import Family

/// Lists of records for people.
package enum RecordTables {
    /// - Parameter showsAthlete: whether the list mixes several athletes' records.
    package static func lines(_ kind: Kind, _ records: [Record], _ names: RecordNames, showsAthlete: Bool) -> [String] {
        guard !records.isEmpty else { return [empty(kind)] }
        switch kind {
        case .event:
            return Table(
                ["ID", "DATE", "TIME", "NAME", "TYPE", "STATUS", "WHERE", "ATHLETE"],
                records.map { record in
                    [
                        names.short(record.id), EventText.dates(record.fields), EventText.times(record.fields),
                        EventText.name(record.fields), EventText.type(record.fields), EventText.status(record.fields),
                        DisplayWidth.cut(EventText.place(record.fields), to: 30),
                        showsAthlete ? record.athlete.map(names.member) ?? "" : "",
                    ]
                }
            ).lines
        case .school:
            return Table(
                ["ID", "NAME", "LOCATION", "WEBSITE"],
                records.map {
                    [
                        names.short($0.id), RecordNames.name($0), ($0.fields.text("location") ?? "").printable,
                        ($0.fields.text("url") ?? "").printable,
                    ]
                }
            ).lines
        case .coach:
            return Table(
                ["ID", "NAME", "ROLE", "SCHOOL", "E-MAIL", "PHONE"],
                records.map {
                    [
                        names.short($0.id), RecordNames.name($0), ($0.fields.text("role") ?? "").printable,
                        $0.fields.reference("school_id").map(names.name) ?? "", ($0.fields.text("email") ?? "").printable,
                        ($0.fields.text("phone") ?? "").printable,
                    ]
                }
            ).lines
        case .member:
            return Table(
                ["ID", "NAME", "ROLE"],
                records.map { [names.short($0.id), RecordNames.name($0), EventText.label($0.fields, "role") ?? ""] }
            ).lines
        case .family, .message:
            return records.map { "\(names.short($0.id))  \(RecordNames.name($0))" }
        }
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
