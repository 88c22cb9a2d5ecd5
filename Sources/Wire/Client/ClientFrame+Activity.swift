import Bytes
import Family
import JSON

/// A member's occupation at this moment. It is in no log: the server forgets it when it has been sent.
package struct Activity: Hashable, Sendable {
    package enum Action: String, CaseIterable, Sendable {
        /// Writes a message, or a comment about `record`.
        case typing
        /// Has `record` open in a form.
        case editing
        /// Looks at `record`.
        case looking
        /// None of these any more.
        case idle
    }

    package var action: Action
    package var record: HistoryRequest.Target?

    package init(_ action: Action, _ record: HistoryRequest.Target? = nil) {
        self.action = action
        self.record = record
    }

    /// Milliseconds after which a receiver forgets an activity that was not repeated.
    package static let life: Int64 = 6_000
    /// Milliseconds after which a client repeats an activity that continues: one lost frame does not end it.
    package static let repetition: Int64 = 2_500
    /// Milliseconds between two activities of one session that others receive.
    package static let pace: Int64 = 1_000
}

extension ClientFrame {
    struct ActivityParts: ClientFrameParts {
        static let declaration = FrameDeclaration("activity", "Reports the member's current activity to the others in the family. No answer.", [
            .init("action", ["enum": .array(Activity.Action.allCases.map { .string($0.rawValue) })],
                "typing: a message, or a comment about record; editing, looking: at record; idle: none of these any more."),
            .init("record", commonSchema("link"), "The record; without it, others do not see editing and looking.", required: false),
        ], feature: .activity, example: #"""
            {"type":"activity","action":"editing","record":{"kind":"event","id":"01910000-0000-7000-8000-000000000100"}}
            """#)

        private var action: Activity.Action?
        private var record: HistoryRequest.Target?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "action":
                let word = try reader.readString()
                guard let known = Activity.Action(rawValue: word) else {
                    throw content.refuse(.badFrame, "Unknown activity: \(SentencePart.quoted(word)). \(SentencePart.older)", field: "action")
                }
                action = known
            case "record": record = try Activity.readRecord(&reader)
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .activity(Activity(try content.need(action, "action"), record))
        }

        static func encode(_ activity: Activity, into writer: inout JSONWriter) {
            writer.word("activity")
            activity.encodeMembers(into: &writer)
        }
    }
}

extension Activity {
    /// Reads a record; one of a kind that this program does not know is none that it can show or pass on.
    static func readRecord(_ reader: inout JSONReader) throws(JSONError) -> HistoryRequest.Target? {
        var word: String?
        var id: Identifier?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "kind": word = try reader.readString()
            case "id": id = try reader.readIdentifier()
            default: throw .unexpected("a record: kind, id", at: reader.offset)
            }
        }
        guard let word, let id else { throw .unexpected("a record with kind and id", at: reader.offset) }
        return Kind(name: word).map { HistoryRequest.Target(kind: $0, id: id) }
    }

    func encodeMembers(into writer: inout JSONWriter) {
        writer.key("action")
        writer.string(action.rawValue)
        guard let record else { return }
        writer.key("record")
        writer.beginObject()
        writer.key("kind")
        writer.string(record.kind)
        writer.key("id")
        writer.identifier(record.id)
        writer.endObject()
    }
}
