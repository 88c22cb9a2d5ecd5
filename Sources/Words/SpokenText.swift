internal import Bytes
package import Family
internal import Terminal

/// Records as sentences for screen readers: one per line, the distinguishing words first.
package enum SpokenText {
    /// A record in a list: "Fall Camp, Camp, Dec 5 to 6, 2026, Registered. 09:00 to 16:00. Albany, NY. Elena Rivera." (R054, R111, R117)
    ///
    /// - Parameters:
    ///   - showsAthlete: whether the list mixes several athletes' records.
    ///   - clock: the family's clock.
    package static func line(_ record: Record, _ names: RecordNames, showsAthlete: Bool, clock: LocalClock) -> String {
        let fields = record.fields
        let name = RecordNames.name(record)
        func text(_ field: String) -> String? { fields.text(field)?.printable }
        func named(_ field: String, _ kept: String) -> String? { text(kept) ?? fields.reference(field).map(names.name) }
        var sentences: [[String?]]
        switch record.kind {
        case .event:
            sentences = [[EventText.name(fields), EventText.type(fields), span(EventText.dates(fields)), EventText.status(fields)], [span(EventText.times(fields))], [EventText.place(fields)]]
        case .school: sentences = [[name], [text("location")], [text("url")]]
        case .coach: sentences = [[name, text("role"), named("school_id", "school_name"), text("email"), text("phone")]]
        case .member: sentences = [[name, EventText.label(fields, "role")]]
        case .metric:
            let value = [text("value"), text("unit")].compactMap(\.self).joined(separator: " ")
            sentences = [
                [fields.shownName.printable, value, fields.flag("verified") ? "Verified" : "Not verified"], [text("recorded_date").map { EventText.date($0) }],
                [fields.reference("event_id").map(names.name)],
            ]
        case .interaction:
            sentences = [
                [text("subject") ?? name, fields.choiceLabel("interaction_type")], [text("occurred_at").map(TripText.moment)],
                [named("school_id", "school_name"), named("coach_id", "coach_name")], [fields.choiceLabel("sentiment")],
            ]
        case .trip:
            let people = fields.set("participants").map { $0.name.isEmpty ? names.member($0.id) : $0.name.printable }
            sentences = [[name, span(EventText.dates(fields))], [text("location")], [people.joined(separator: ", ")]]
        case .tripItem:
            sentences = [
                [name, fields.choiceLabel("category"), text("start_time").map(TripText.moment), TripText.duration(fields)], [text("location")],
                [fields.reference("trip_id").map(names.name)],
            ]
        case .document: sentences = [[document(record, clock: clock)]]
        case .message:
            let text = fields.text("text") ?? ""
            let who = names.member(record.createdBy)
            let words = (ActionMessage.of(text) ?? text).printableLines.joined(separator: " ")
            sentences = [["\(clock.moment(record.createdAt)), " + (ActionMessage.of(text) == nil ? "\(who): \(words)" : "\(who) \(words)")]]
        case .family, .readingPosition, .reminderRule: sentences = [[name]]
        }
        if showsAthlete, let athlete = record.athlete { sentences.append([names.member(athlete)]) }
        return sentences.map { $0.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", ") }.filter { !$0.isEmpty }
            .map { $0 + ($0.last.map { ".!?".contains($0) } == true ? "" : ".") }.joined(separator: " ")
    }

    /// A record in full: a sentence for each field that is not empty, "Cost: 60.00."
    package static func details(_ record: Record, _ text: ChangeText) -> [String] {
        var lines = [RecordNames.name(record) + "."]
        if record.kind == .event { lines[0] = [EventText.name(record.fields), EventText.type(record.fields), EventText.status(record.fields)].joined(separator: ", ") + "." }
        for (index, field) in record.kind.declaration.fields.enumerated() {
            // In an event the list of fields is what a listener asks for; digests and links of versions are for programs.
            guard let value = record.fields[index], record.kind == .event || DetailFields.shows(field, value, of: record.kind) else { continue }
            var words = text.value(value, field)
            if case .text(let content) = value, case .text = field.type { words = content.printableLines.joined(separator: "\n") }
            lines.append("\(field.label): \(words)" + (words.hasSuffix(".") ? "" : "."))
        }
        if let athlete = record.athlete { lines.append("Athlete: \(text.names.member(athlete)).") }
        return lines
    }

    /// "Dec 5 to 6, 2026": a screen reader reads a dash as "dash", or not at all.
    private static func span(_ text: String) -> String { text.replacing(" - ", with: " to ") }

    /// "Fall transcript. Transcript. Shared with 2 schools. Uploaded Apr 13, 2026." (R148)
    ///
    /// - Parameter clock: the family's clock.
    package static func document(_ record: Record, clock: LocalClock) -> String {
        let schools = record.fields.set("shared_with_schools").count
        var parts = [RecordNames.name(record)]
        if let type = EventText.label(record.fields, "type") { parts.append(type) }
        parts.append("Shared with \(schools) school\(schools == 1 ? "" : "s")")
        // R131: the sentence also says that the date is unknown.
        parts.append(record.createdAt > 0 ? "Uploaded \(EventText.date(clock.today(record.createdAt)))" : "Upload date unknown")
        if record.fields.text("file_name") == nil { parts.append("It has no file") }
        return parts.map { $0 + ($0.hasSuffix(".") ? "" : ".") }.joined(separator: " ")
    }

    /// "Filter documents. 2 filters active." (R148)
    package static func filters(_ count: Int) -> String { "Filter documents. \(count) filter\(count == 1 ? "" : "s") active." }

    /// The sentence that explains how to upload (R148).
    package static let upload = "Upload new document: in another terminal, huddle docs upload FILE --type TYPE."
}
