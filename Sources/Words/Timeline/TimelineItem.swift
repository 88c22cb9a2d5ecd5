package import Bytes
package import Family

/// A piece of text that looks one way.
package struct TextRun: Hashable, Sendable {
    package enum Style: Hashable, Sendable {
        case plain
        /// The name of who did or said it.
        case author
        /// The name of a record.
        case record
        /// The name of somebody who is spoken to.
        case mention
        /// What is there for orientation: days, gaps, who is here.
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

/// A record that something is about.
package struct RecordReference: Hashable, Sendable {
    package var kind: Kind
    package var id: Identifier

    package init(_ kind: Kind, _ id: Identifier) {
        self.kind = kind
        self.id = id
    }
}

/// One thing in a timeline, ready to be drawn.
package struct TimelineItem: Hashable, Sendable, Identifiable {
    package enum ID: Hashable, Sendable {
        case message(Identifier)
        /// `entry`: which line of the change, from 0.
        case change(sequence: Int64, entry: Int)
        case presence(Int)
        /// Its first item.
        indirect case day(ID)
        /// What happened right before this sequence is not here; `Timeline.ask` fetches it.
        case gap(before: Int64)
    }

    package enum Kind: Hashable, Sendable {
        case message
        /// What somebody did, in words that begin with who.
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
    /// Of a message: its text alone.
    package var runs: [TextRun]
    /// Of a change: what was changed. Of a message: the message.
    package var record: RecordReference?
    /// The record that a message comments on.
    package var about: RecordReference?
    /// Later than the viewer has read, and somebody else's.
    package var isUnread = false
    /// The viewer is spoken to.
    package var isMention = false
    /// Waits for the server.
    package var isPending = false
    /// The message was changed after it was written.
    package var isEdited = false
    /// A message that tells what its author does; the text is what is done.
    package var isDeed = false
    /// The sequence of the change that `undo` takes back; `nil` where nothing can be.
    package var undoable: Int64?

    init(_ id: ID, _ kind: Kind, at: Int64, author: Identifier? = nil, runs: [TextRun] = []) {
        self.id = id
        self.kind = kind
        self.at = at
        self.author = author
        self.runs = runs
    }

    /// All of it without styles.
    package var text: String { runs.map(\.text).joined() }
}

/// What part of a family's timeline is looked at.
package enum TimelineScope: Hashable, Sendable {
    case family
    /// What is said about a record, and what happens to it.
    case record(Identifier)
    /// The same for all records of one athlete.
    case athlete(Identifier)
}

/// What the viewer has not read yet.
package struct UnreadCount: Hashable, Sendable {
    package var messages = 0
    /// Messages that speak to the viewer; counted in `messages` as well.
    package var mentions = 0
    /// Changes of records.
    package var changes = 0
    /// The oldest item of these.
    package var first: TimelineItem.ID?

    package init() {}

    package var isEmpty: Bool { messages == 0 && changes == 0 }
}
