import Family
import JSON

extension ClientFrame {
    struct ReminderSeenParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "reminder_seen", "Reports that the member has seen a reminder. All their devices then receive reminder_seen. Sent again it changes nothing.", [
                .init("item", commonSchema("identifier"), "As in reminder."),
                .init("lead", commonSchema("count"), "As in reminder."),
                .init("start", ["type": "integer"], "As in reminder."),
            ], feature: .reminders, example: #"""
            {"type":"reminder_seen","item":"01910000-0000-7000-8000-000000000100","lead":30,"start":1776254400000}
            """#)

        private var key = ReminderKeyParts()

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            try key.read(name, &reader)
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .reminderSeen(
                Reminder.Key(item: try content.need(key.item, "item"), lead: try content.need(key.lead, "lead"), start: try content.need(key.start, "start")))
        }

        static func encode(_ key: Reminder.Key, into writer: inout JSONWriter) {
            writer.word("reminder_seen")
            key.encodeMembers(into: &writer)
        }
    }
}
