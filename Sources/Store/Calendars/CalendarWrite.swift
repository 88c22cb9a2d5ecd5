package import Bytes
package import Calendar

/// A program's request to the writer to change one object of a calendar.
package struct CalendarWrite: Sendable {
    package enum Act: Sendable {
        case put(CalendarEdit)
        case delete
    }

    /// The version of the object that the program knows (RFC 9110 §13.1). All tags are strong.
    package struct Condition: Hashable, Sendable {
        /// Of `If-Match`: one of these tags; `nil`: there is no such condition.
        package var tags: [String]?
        /// `If-Match: *`.
        package var mustExist: Bool
        /// `If-None-Match: *`.
        package var mustBeNew: Bool

        package init(tags: [String]? = nil, mustExist: Bool = false, mustBeNew: Bool = false) {
            self.tags = tags
            self.mustExist = mustExist
            self.mustBeNew = mustBeNew
        }
    }

    /// The calendar, which a reader found open to the program.
    package var calendar: CalendarCollectionName
    package var member: Identifier
    /// The record that the name of the object names.
    package var record: Identifier
    package var condition: Condition
    package var act: Act

    package init(calendar: CalendarCollectionName, member: Identifier, record: Identifier, condition: Condition, act: Act) {
        self.calendar = calendar
        self.member = member
        self.record = record
        self.condition = condition
        self.act = act
    }

    /// The reason that is kept with overlaps, because a phone shows no question.
    package static let overlapReason = "from a calendar app"
}

/// The answer to a `CalendarWrite`; its effect is on stable storage.
package enum CalendarWriteAnswer: Sendable {
    case created
    case updated
    case deleted
    /// There is no such object. Nothing was changed.
    case missing
    /// The object is not the one that the condition names. Nothing was changed.
    case stale
    /// The object exists, and the request does not say which version it replaces. Nothing was changed.
    case unconditional
    /// The content is not accepted. Nothing was changed.
    case refused(CalendarFault)
}
