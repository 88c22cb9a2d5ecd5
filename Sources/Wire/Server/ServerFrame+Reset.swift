import JSON

package enum ResetReason: String, CaseIterable, Sendable {
    /// The cursor is not from this family's log: from another family or database, or from before a backup was restored.
    case epochChanged = "epoch_changed"
    /// The log no longer reaches back to the cursor.
    case logTrimmed = "log_trimmed"
}

extension ServerFrame {
    struct ResetParts: ServerFrameParts {
        static let declaration = FrameDeclaration("reset", "Discard the records, a snapshot follows. Keep drafts.", [
            .init("reason", ["enum": ["epoch_changed", "log_trimmed"]], "The reason why the cursor could not be used."),
        ], example: #"""
            {"type":"reset","reason":"epoch_changed"}
            """#)

        private var reason: ResetReason?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            // A reason that a newer server added asks for the same: load everything again.
            case "reason": reason = ResetReason(rawValue: try reader.readString()) ?? .logTrimmed
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .reset(try need(reason, "reason"))
        }

        static func encode(_ reason: ResetReason, into writer: inout JSONWriter) {
            writer.word("reset")
            writer.key("reason")
            writer.string(reason.rawValue)
        }
    }
}
