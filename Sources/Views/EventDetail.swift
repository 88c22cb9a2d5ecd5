package import Family
package import Terminal
package import Words

/// An event in full, in the sections of R085. Empty sections are omitted, except for coaches, whose absence is
/// information.
package enum EventDetail {
    private static let labels = 12

    /// - Parameters:
    ///   - metrics: the metrics recorded at the event.
    ///   - interactions: the interactions of the event.
    package static func lines(_ record: Record, metrics: [Record], interactions: [Record], _ names: RecordNames, _ theme: Theme) -> [DetailLine] {
        let fields = record.fields
        var lines: [DetailLine] = []
        func line(_ text: StyledText) { lines.append(DetailLine(text)) }
        var head = StyledText(EventText.name(fields, columns: .max), theme[.title])
        head.append("  \(EventText.type(fields))", theme[EventsView.role(ofType: record)])
        head.append("  \(EventText.status(fields))", theme[EventsView.role(ofStatus: fields)])
        line(head)
        line(StyledText(EventText.dates(fields), theme[.text]))
        if let athlete = record.athlete { line(StyledText(names.member(athlete), theme[.muted])) }
        line(StyledText(""))

        func text(_ name: String) -> String? { fields.text(name)?.printable }
        func row(_ label: String, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            line(StyledText(TextWidth.fit(label, to: labels), theme[.muted]) + StyledText(value, theme[.text]))
        }
        func section(_ title: String, _ content: [DetailLine]) {
            guard !content.isEmpty else { return }
            line(StyledText(""))
            line(StyledText(title, theme[.accent].with(.bold)))
            lines += content
        }
        func paragraph(_ name: String) -> [DetailLine] { (fields.text(name)?.printableLines ?? []).map { DetailLine(StyledText($0, theme[.text])) } }

        row("Time", EventText.times(fields))
        row("Check-in", text("checkin_time"))
        row("Cost", text("cost").map { Double($0) == 0 ? "free" : "$" + $0 })
        row("Source", EventText.label(fields, "event_source"))
        row("School", text("school_name") ?? fields.reference("school_id").map { names.name($0) })
        row("Host", text("host"))
        row("Time zone", text("time_zone"))
        let place = [text("location"), text("address"), [text("city"), text("state")].compactMap(\.self).joined(separator: ", ")].compactMap(\.self).filter { !$0.isEmpty }
        section("Location", place.map { DetailLine(StyledText($0, theme[.text])) } + (Directions.link(fields) == nil ? [] : [DetailLine(StyledText("m  Get Directions", theme[.accent]), key: "m", link: Directions.link(fields))]))
        section("Event Description", paragraph("description"))
        section("Event Link", text("url").map { [DetailLine(StyledText($0, theme[.accent]), link: fields.text("url"))] } ?? [])
        section("Performance Notes", paragraph("performance_notes"))
        section("Metrics Recorded at This Event", metrics.map { DetailLine(metric($0, theme), RecordReference(.metric, $0.id)) })
        section("Coaches Present", coaches(fields, names, theme))
        section("Interactions", interactions.flatMap { record in interaction(record, names, theme).map { DetailLine($0, RecordReference(.interaction, record.id)) } })
        return lines
    }

    private static func metric(_ record: Record, _ theme: Theme) -> StyledText {
        let fields = record.fields
        let label = fields.text("label")?.printable ?? EventText.label(fields, "metric_type") ?? "Unknown"
        var line = StyledText(TextWidth.fit(label, to: 20) + " ", theme[.muted])
        line.append([fields.text("value"), fields.text("unit")].compactMap(\.self).joined(separator: " ").printable, theme[.title])
        if fields.flag("verified") { line.append("  ✓ verified", theme[.success]) }
        if let notes = fields.text("notes")?.printableLines.first { line.append("  " + notes, theme[.muted]) }
        return line
    }

    private static func coaches(_ fields: Fields, _ names: RecordNames, _ theme: Theme) -> [DetailLine] {
        let present = fields.set("coaches_present")
        let hasSchool = fields.reference("school_id") != nil
        var lines = present.map { element -> DetailLine in
            let now = names[element.id]
            let name = element.name.isEmpty ? names.name(element.id) : element.name
            var line = StyledText(name.isEmpty ? "Unknown" : name.printable, theme[.text])
            let more = [element.role.isEmpty ? now?.fields.text("role") : element.role, now?.fields.text("email"), now?.fields.text("phone")]
            line.append(more.compactMap(\.self).filter { !$0.isEmpty }.map { "  " + $0.printable }.joined(), theme[.muted])
            return DetailLine(line, RecordReference(.coach, element.id))
        }
        if present.isEmpty { lines.append(DetailLine(StyledText(hasSchool ? "No coaches recorded" : "Event not linked to school", theme[.muted]))) }
        if hasSchool { lines.append(DetailLine(StyledText("+  Add Coach", theme[.accent]), key: "+")) }
        return lines
    }

    private static func interaction(_ record: Record, _ names: RecordNames, _ theme: Theme) -> [StyledText] {
        let fields = record.fields
        let who = fields.text("coach_name")?.printable ?? fields.reference("coach_id").map { names.name($0) }
        let head = [EventText.label(fields, "interaction_type"), EventText.label(fields, "direction"), who, EventText.label(fields, "sentiment")]
        var lines = [StyledText(head.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " · "), theme[.muted])]
        lines += (fields.text("content")?.printableLines ?? []).map { StyledText("  " + $0, theme[.text]) }
        return lines
    }
}
