package import Bytes
package import Family
import JSON

/// Answers the requests about calendar feeds.
package struct CalendarList: Hashable, Sendable {
    package var request: Int64
    /// The first made first.
    package var calendars: [CalendarFeed]
    /// The feed that was made, and its secret: the address is `/feeds/<token>.ics`. The only time that it is seen.
    package var made: CalendarMade?

    package init(request: Int64, calendars: [CalendarFeed], made: CalendarMade? = nil) {
        self.request = request
        self.calendars = calendars
        self.made = made
    }
}

/// A calendar feed that was made.
package struct CalendarMade: Hashable, Sendable {
    package var id: Identifier
    package var token: String

    package init(id: Identifier, token: String) {
        self.id = id
        self.token = token
    }
}

extension ServerFrame {
    struct CalendarsParts: ServerFrameParts {
        static let declaration = FrameDeclaration(
            "calendars", "Answers calendars, add_calendar, change_calendar and remove_calendar: the member's calendar feeds as they are now.", [
                .init("request", commonSchema("count"), "The number in the request."),
                .init("calendars", listSchema("calendar"), "Oldest first; at most 20."),
                .init("made", commonSchema("identifier"), "After add_calendar: which one was made.", required: false),
                .init("token", commonSchema("word"), "After add_calendar: its secret, for /feeds/TOKEN.ics. The server keeps a hash of it.", required: false),
            ], feature: .calendars, example: #"""
                {"type":"calendars","request":31,"calendars":[{"id":"01910000-0000-7000-8000-000000000061","name":"Ana's phone","mine":["01910000-0000-7000-8000-000000000011"],"created_at":1776254400000,"fetches":12,"fetched_at":1776340800000,"program":"iOS/18.4 dataaccessd/1.0"}],"made":"01910000-0000-7000-8000-000000000061","token":"q0Yk1m6uWm0Z2oQ3cXl9dS8vNf5tRb7h"}
                """#)

        private var calendars: [CalendarFeed]?
        private var made: Identifier?
        private var token: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "calendars": calendars = try reader.readList { reader throws(JSONError) in try CalendarFeedCodec.read(&reader) }
            case "made": made = try reader.readIdentifier()
            case "token": token = try reader.readWord()
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            var answer = CalendarList(request: try need(request, "request"), calendars: try need(calendars, "calendars"))
            if let made, let token { answer.made = CalendarMade(id: made, token: token) }
            return .calendars(answer)
        }

        static func encode(_ list: CalendarList, into writer: inout JSONWriter) {
            writer.word("calendars")
            writer.key("request")
            writer.integer(list.request)
            writer.key("calendars")
            writer.beginArray()
            for feed in list.calendars { CalendarFeedCodec.encode(feed, into: &writer) }
            writer.endArray()
            guard let made = list.made else { return }
            writer.key("made")
            writer.identifier(made.id)
            writer.key("token")
            writer.string(made.token)
        }
    }
}
