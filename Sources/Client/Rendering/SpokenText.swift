internal import Bytes
package import Family

/// Records as sentences, for who listens to a screen reader: one a line, what tells them apart first.
package enum SpokenText {
    /// "Fall transcript. Transcript. Shared with 2 schools. Uploaded Apr 13, 2026." (R148)
    ///
    /// - Parameter clock: the family's.
    package static func document(_ record: Record, clock: LocalClock) -> String {
        let schools = record.fields.set("shared_with_schools").count
        var parts = [RecordNames.name(record)]
        if let type = EventText.label(record.fields, "type") { parts.append(type) }
        parts.append("Shared with \(schools) school\(schools == 1 ? "" : "s")")
        // R131: who listens is told that it is not known.
        parts.append(record.createdAt > 0 ? "Uploaded \(EventText.date(clock.today(record.createdAt)))" : "Upload date unknown")
        if record.fields.text("file_name") == nil { parts.append("It has no file") }
        return parts.map { $0 + ($0.hasSuffix(".") ? "" : ".") }.joined(separator: " ")
    }

    /// "Filter documents. 2 filters active." (R148)
    package static func filters(_ count: Int) -> String { "Filter documents. \(count) filter\(count == 1 ? "" : "s") active." }

    /// What begins an upload (R148).
    package static let upload = "Upload new document: in another terminal, huddle docs upload FILE --type TYPE."
}
