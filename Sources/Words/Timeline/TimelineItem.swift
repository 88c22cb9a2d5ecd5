package import Bytes
package import Family

/// A piece of text in one style.
package struct TextRun: Hashable, Sendable {
    package enum Style: Hashable, Sendable {
        case plain
        /// The name of an author.
        case author
        /// The name of a record.
        case record
        /// The name of a mentioned member.
        case mention
        /// Text for orientation: days, gaps, presence.
        case quiet
    }

    /// Safe for a terminal; "\n" begins a new line.
    package var text: String
    package var style: Style

    package init(_ text: String, _ style: Style = .plain) {
        self.text = text
        self.style = style
    }
}

/// A reference to a record.
package struct RecordReference: Hashable, Sendable {
    package var kind: Kind
    package var id: Identifier

    package init(_ kind: Kind, _ id: Identifier) {
        self.kind = kind
        self.id = id
    }
}

/// One item of a timeline, ready to be drawn.
package struct TimelineItem: Hashable, Sendable, Identifiable {
    package enum ID: Hashable, Sendable {
        case message(Identifier)
        /// `entry`: the position of the first entry that is shown.
        case change(sequence: Int64, entry: Int)
        case presence(Int)
        /// `ID` is that of the day's first item.
        indirect case day(ID)
        /// The entries directly before this sequence are missing; `Timeline.ask` fetches them.
        case gap(before: Int64)
    }

    package enum Kind: Hashable, Sendable {
        case message
        /// A change by a member, in words that begin with the member's name.
        case change
        case presence
        case day
        case gap
    }

    package let id: ID
    package let kind: Kind
    /// UTC milliseconds.
    package let at: Int64
    /// `nil` for days and gaps.
    package var author: Identifier?
    /// For a message: its text alone.
    package var runs: [TextRun]
    /// For a change: the changed record. For a message: the message.
    package var record: RecordReference?
    /// The record that a message comments on.
    package var about: RecordReference?
    /// Whether the item is later than the viewer's reading position, and another member's.
    package var isUnread = false
    /// Whether the item mentions the viewer.
    package var isMention = false
    /// Whether the item waits for the server.
    package var isPending = false
    /// The message was changed after it was written.
    package var isEdited = false
    /// Whether the message describes an action of its author; the text is the action.
    package var isAction = false
    /// The other members who have read the message, if it is the viewer's newest one.
    package var readers: [Identifier] = []
    /// The sequence of the change that `undo` reverses; `nil` if nothing can be undone.
    package var undoable: Int64?

    init(_ id: ID, _ kind: Kind, at: Int64, author: Identifier? = nil, runs: [TextRun] = []) {
        self.id = id
        self.kind = kind
        self.at = at
        self.author = author
        self.runs = runs
    }

    /// The whole text without styles.
    package var text: String { runs.map(\.text).joined() }
}

/// The part of a family's timeline to show.
package enum TimelineScope: Hashable, Sendable {
    case family
    /// The messages about a record, and its changes.
    case record(Identifier)
    /// The messages about all records of one athlete, and their changes.
    case athlete(Identifier)
}

/// The items besides messages that a timeline shows.
package enum TimelineActivity: String, CaseIterable, Hashable, Sendable {
    /// Changes, and members who come and leave.
    case all = "on"
    /// Changes.
    case changes = "quiet"
    /// Nothing.
    case none = "off"
}

/// The numbers of items that the viewer has not read.
package struct UnreadCount: Hashable, Sendable {
    package var messages = 0
    /// Messages that mention the viewer; also counted in `messages`.
    package var mentions = 0
    /// Changes of records.
    package var changes = 0
    /// The oldest of these items, and the oldest message among them.
    package var first: TimelineItem.ID?
    package var firstMessage: TimelineItem.ID?

    package init() {}

    package var isEmpty: Bool { messages == 0 && changes == 0 }
}
