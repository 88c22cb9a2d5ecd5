package import Bytes
package import Family
import JSON

/// A request about the calendar feeds of the member in the family that is joined.
package struct CalendarsRequest: Hashable, Sendable {
    /// The content of the request.
    package enum Act: Hashable, Sendable {
        case list
        /// Makes a feed. The id and the nonce are drawn by the client, so that a repetition gets the address of the first answer.
        case add(Identifier, nonce: String, FeedSettings)
        /// Gives a feed other settings; its address stays.
        case change(Identifier, FeedSettings)
        /// Ends a feed.
        case remove(Identifier)
    }

    package var request: Int64
    package var act: Act

    package init(request: Int64, _ act: Act) {
        self.request = request
        self.act = act
    }
}

extension ClientFrame {
    struct CalendarsParts: ClientFrameParts {
        static let declaration = FrameDeclaration("calendars", "Asks for the member's calendar feeds. Answer: calendars.", [
            .init("request", commonSchema("count"), "Echoed in the answer.")
        ], feature: .calendars, example: #"{"type":"calendars","request":30}"#)

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            guard name == "request" else { return false }
            content.request = try reader.readCount()
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .calendars(CalendarsRequest(request: try content.need(content.request, "request"), .list))
        }
    }

    /// The members of a feed's settings, as two frames have them.
    private static let settingsMembers: [FrameDeclaration.Member] = [
        .init("name", ["type": "string"], "At most 60 characters. Calendar programs show it."),
        .init("mine", listSchema("identifier"), "The member's own: the seasons of these athletes, all for none, at most 32; and the member's trips.", required: false),
        .init("athlete", commonSchema("identifier"), "The season and the trips of one athlete.", required: false),
        .init("trip", commonSchema("identifier"), "The items of one trip.", required: false),
        .init("all", ["const": true], "All seasons and trips.", required: false),
        .init(
            "kinds", ["type": "array", "items": ["enum": .array(FeedSettings.feedKinds.map { .string($0.name.description) })], "minItems": 1],
            "Which records become entries; event and trip_item without it.", required: false),
        .init("detail", ["enum": .array(FeedDetail.allCases.map { .string($0.rawValue) })], "full (without it), or busy: times alone.", required: false),
        .init("alarms", ["type": "boolean"], "Whether entries have alarms; true without it.", required: false),
        .init("expires_at", commonSchema("instant"), "When the feed ends by itself, at most 3,650 days from now; without it, never.", required: false),
    ]

    struct AddCalendarParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "add_calendar", "Makes a calendar feed, at most 20 per member. Answer: calendars with the address, or error confirm_first.",
            [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("id", commonSchema("identifier"), "The id of the feed, which the client makes. With the nonce, a repetition gets the first answer."),
                .init("nonce", commonSchema("nonce"), "Kept until the answer is there, like a password."),
            ] + settingsMembers, oneOf: ["mine", "athlete", "trip", "all"], feature: .calendars,
            example:
                #"{"type":"add_calendar","request":31,"id":"01910000-0000-7000-8000-000000000061","nonce":"9d1f6b0c3e7a4852c06e5fb18a2d7394","name":"Ana's phone","mine":["01910000-0000-7000-8000-000000000011"]}"#
        )

        private var id: Identifier?
        private var nonce: String?
        private var members = FeedMembers()

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "id": id = try reader.readIdentifier()
            case "nonce": nonce = try reader.readNonce()
            default: return try members.read(name, &reader)
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            let request = try content.need(content.request, "request")
            let settings = try members.settings(&content)
            return .calendars(
                CalendarsRequest(request: request, .add(try content.need(id, "id"), nonce: try content.need(nonce, "nonce"), settings)))
        }
    }

    struct ChangeCalendarParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "change_calendar", "Replaces all settings of a calendar feed; its address stays. Answer: calendars, or error confirm_first.",
            [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("id", commonSchema("identifier"), "Of the feed."),
            ] + settingsMembers, oneOf: ["mine", "athlete", "trip", "all"], feature: .calendars,
            example:
                #"{"type":"change_calendar","request":32,"id":"01910000-0000-7000-8000-000000000061","name":"Ana's phone","trip":"01910000-0000-7000-8000-000000000031","kinds":["trip_item"],"detail":"busy","alarms":false,"expires_at":1776254400000}"#
        )

        private var id: Identifier?
        private var members = FeedMembers()

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "id": id = try reader.readIdentifier()
            default: return try members.read(name, &reader)
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            let request = try content.need(content.request, "request")
            let settings = try members.settings(&content)
            return .calendars(CalendarsRequest(request: request, .change(try content.need(id, "id"), settings)))
        }
    }

    struct RemoveCalendarParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "remove_calendar", "Ends a calendar feed: its address gives no access from now on. Answer: calendars, as they are then.", [
                .init("request", commonSchema("count"), "Echoed in the answer."),
                .init("id", commonSchema("identifier"), "Of the feed."),
            ], feature: .calendars, example: #"{"type":"remove_calendar","request":33,"id":"01910000-0000-7000-8000-000000000061"}"#)

        private var id: Identifier?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            switch name {
            case "request": content.request = try reader.readCount()
            case "id": id = try reader.readIdentifier()
            default: return false
            }
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .calendars(CalendarsRequest(request: try content.need(content.request, "request"), .remove(try content.need(id, "id"))))
        }
    }
}

extension FeedMembers {
    /// The settings of a feed, for a frame that needs them.
    fileprivate func settings(_ content: inout FrameContent) throws(JSONError) -> FeedSettings {
        _ = try content.need(name, "name")
        guard !scopes.isEmpty else { throw content.missing("mine") }
        guard scopes.count == 1 else {
            throw content.refuse(.invalid, "A calendar needs exactly one of mine, athlete, trip and all", field: scopes[1].word)
        }
        guard !hasUnknownKind else {
            throw content.refuseQuestion(.invalid, "kinds: a calendar can only show event, trip and trip_item", field: "kinds")
        }
        guard let settings else { throw content.missing("mine") }
        return settings
    }
}

extension CalendarsRequest {
    /// Appends the frame after `"type":`.
    func encode(into writer: inout JSONWriter) {
        writer.word(word)
        writer.key("request")
        writer.integer(request)
        switch act {
        case .list: break
        case .add(let id, let nonce, let settings):
            writer.key("id")
            writer.identifier(id)
            writer.key("nonce")
            writer.string(nonce)
            CalendarFeedCodec.encode(settings, into: &writer)
        case .change(let id, let settings):
            writer.key("id")
            writer.identifier(id)
            CalendarFeedCodec.encode(settings, into: &writer)
        case .remove(let id):
            writer.key("id")
            writer.identifier(id)
        }
    }

    private var word: StaticString {
        switch act {
        case .list: "calendars"
        case .add: "add_calendar"
        case .change: "change_calendar"
        case .remove: "remove_calendar"
        }
    }
}
