internal import Family
internal import Terminal

/// Documents in words.
enum DocumentWords {
    /// The glyph of a document type (R119).
    static func glyph(_ type: String) -> String {
        switch type {
        case "highlight_video": "🎥"
        case "transcript": "📄"
        case "resume": "📋"
        case "rec_letter": "💌"
        case "questionnaire": "📝"
        case "stats_sheet": "📊"
        default: "📁"
        }
    }

    /// Whether the document has a file; without a file there is nothing to open (R131).
    static func hasFile(_ record: Record) -> Bool { record.fields.text("file_name") != nil }

    /// The glyph of the document's type, or a placeholder if it has no file.
    static func glyph(_ record: Record) -> String { hasFile(record) ? glyph(record.fields.text("type") ?? "") : "▢" }

    static func version(_ record: Record) -> String {
        if case .integer(let number)? = record.fields["version"] { return "v\(number)" }
        return "v1"
    }

    /// "Shared: 2", "Shared: 20+", or nothing (R129, R130).
    static func shared(_ record: Record) -> String {
        let count = record.fields.set("shared_with_schools").count
        return count == 0 ? "" : count >= 20 ? "Shared: 20+" : "Shared: \(count)"
    }

    /// The text in the corner of a card.
    static func badge(_ record: Record) -> (String, StyleRole) { hasFile(record) ? (shared(record), .success) : ("No file", .warning) }
}
