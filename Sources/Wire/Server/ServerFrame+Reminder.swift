import Bytes
import Family
import JSON

extension ServerFrame {
    struct ReminderParts: ServerFrameParts {
        static let declaration = FrameDeclaration(
            "reminder", "An event or trip item begins soon: to every device of a member, and after joined those that no device has seen, the oldest first.", [
                .init("kind", ["enum": ["event", "trip_item"]], "The kind of the item."),
                .init("item", commonSchema("identifier"), "The event or the trip item."),
                .init("lead", commonSchema("count"), "Minutes before the start, or before the first midnight of an item without a time."),
                .init("start", ["type": "integer"], "The start of which it reminds, UTC milliseconds. item, lead and start name the reminder."),
                .init("when", ["type": "string"], "The start on the clocks of the place, YYYY-MM-DDTHH:MM; YYYY-MM-DD for an item without a time."),
                .init("state", ["enum": .array(Reminder.State.allCases.map { .string($0.rawValue) })],
                    "due; late: more than one minute after its time; missed: the item is over."),
                .init("title", ["type": "string"], "\"Upcoming: \" and the name of the item."),
                .init("body", ["type": "string"], "The place, or \"No location\"."),
            ], feature: .reminders, example: #"""
            {"type":"reminder","kind":"event","item":"01910000-0000-7000-8000-000000000100","lead":30,"start":1776254400000,"when":"2026-04-15T08:00","state":"due","title":"Upcoming: Fall Camp","body":"Main field, Durham, NC"}
            """#)

        private var kind: Kind?
        private var key = ReminderKeyParts()
        private var when: String?
        private var state: Reminder.State?
        private var title: String?
        private var body: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "kind": kind = try reader.readKind()
            case "when": when = try reader.readString()
            // A state that a newer server added says only that there is a reminder.
            case "state": state = Reminder.State(rawValue: try reader.readString()) ?? .due
            case "title": title = try reader.readString()
            case "body": body = try reader.readString()
            default: return try key.read(name, &reader)
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .reminder(
                Reminder(
                    kind: try need(kind, "kind"),
                    key: Reminder.Key(item: try need(key.item, "item"), lead: try need(key.lead, "lead"), start: try need(key.start, "start")), state: try need(state, "state"), when: try need(when, "when"),
                    title: try need(title, "title"), body: try need(body, "body")))
        }

        static func encode(_ reminder: Reminder, into writer: inout JSONWriter) {
            writer.word("reminder")
            writer.key("kind")
            writer.string(reminder.kind)
            reminder.key.encodeMembers(into: &writer)
            writer.key("when")
            writer.string(reminder.when)
            writer.key("state")
            writer.string(reminder.state.rawValue)
            writer.key("title")
            writer.string(reminder.title)
            writer.key("body")
            writer.string(reminder.body)
        }
    }

    struct ReminderSeenParts: ServerFrameParts {
        static let declaration = FrameDeclaration(
            "reminder_seen", "One of the member's devices has seen a reminder: to all of them, so that they stop showing it.", [
                .init("item", commonSchema("identifier"), "As in reminder."),
                .init("lead", commonSchema("count"), "As in reminder."),
                .init("start", ["type": "integer"], "As in reminder."),
            ], feature: .reminders, example: #"""
            {"type":"reminder_seen","item":"01910000-0000-7000-8000-000000000100","lead":30,"start":1776254400000}
            """#)

        private var key = ReminderKeyParts()

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool { try key.read(name, &reader) }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .reminderSeen(Reminder.Key(item: try need(key.item, "item"), lead: try need(key.lead, "lead"), start: try need(key.start, "start")))
        }

        static func encode(_ key: Reminder.Key, into writer: inout JSONWriter) {
            writer.word("reminder_seen")
            key.encodeMembers(into: &writer)
        }
    }
}

/// The members of a frame that name a reminder.
struct ReminderKeyParts {
    private(set) var item: Identifier?
    private(set) var lead: Int64?
    private(set) var start: Int64?

    /// - Returns: false for a member with another name.
    mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch name {
        case "item": item = try reader.readIdentifier()
        case "lead": lead = try reader.readCount()
        case "start": start = try reader.readInteger()
        default: return false
        }
        return true
    }
}

extension Reminder.Key {
    func encodeMembers(into writer: inout JSONWriter) {
        writer.key("item")
        writer.identifier(item)
        writer.key("lead")
        writer.integer(lead)
        writer.key("start")
        writer.integer(start)
    }
}
