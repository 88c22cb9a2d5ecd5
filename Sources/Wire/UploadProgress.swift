package import Bytes

/// How far a file is that somebody sends to the family. Of the moment: it is in no log, and whoever joins later hears with the next one.
package struct UploadProgress: Hashable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        case running
        /// The connection is gone; the upload can go on from where it is.
        case paused
        /// The document is there: its record came or comes as a change.
        case finished
        /// Given up, refused or expired: nothing of it is kept.
        case cancelled
    }

    /// The upload's, which is the document's once it is there.
    package var id: Identifier
    /// Who sends.
    package var member: Identifier
    /// Whose document it will be.
    package var athlete: Identifier
    package var title: String
    /// What came so far, and of how many; `nil` while the sender has not said.
    package var octets: Int64
    package var total: Int64?
    package var state: State

    package init(id: Identifier, member: Identifier, athlete: Identifier, title: String, octets: Int64, total: Int64?, state: State) {
        self.id = id
        self.member = member
        self.athlete = athlete
        self.title = title
        self.octets = octets
        self.total = total
        self.state = state
    }

    /// Whether nothing more will come of it.
    package var isOver: Bool { state == .finished || state == .cancelled }

    /// Whole percent, never 100 before it is finished; `nil` while the length is not known.
    package var percent: Int? {
        guard let total else { return nil }
        if state == .finished { return 100 }
        guard total > 0, octets > 0 else { return 0 }
        return min(99, Int(Double(min(octets, total)) / Double(total) * 100))
    }
}
