package import Bytes

/// Two trip items, in one spelling: the smaller id first.
package struct OverlapPair: Hashable, Comparable, Sendable {
    package let first: Identifier
    package let second: Identifier

    package init(_ one: Identifier, _ other: Identifier) {
        first = min(one, other)
        second = max(one, other)
    }

    package static func < (left: OverlapPair, right: OverlapPair) -> Bool {
        left.first == right.first ? left.second < right.second : left.first < right.first
    }
}

/// Overlaps that an author accepts, and why; kept with the change.
package struct OverlapOverride: Hashable, Sendable {
    /// One line of 1...`maxReason` characters.
    package var reason: String
    /// Ordered, each once; 1...`Limits.overlapPairs`.
    package private(set) var pairs: [OverlapPair]

    /// Longest reason: a sentence or two.
    package static let maxReason = 500

    /// A reason as it is kept: one line, trimmed; `nil` when nothing is left of it.
    ///
    /// - Throws: `too_long`, and `invalid` for a text that is not one line.
    package static func canonicalReason(_ text: String) throws(Rejection) -> String? {
        guard let text = TextRules.trimmed(text) else { return nil }
        guard TextRules.fits(text, max: maxReason) else {
            throw Rejection(.tooLong, "A reason is at most \(maxReason) characters long")
        }
        guard TextRules.isShown(text, lines: false) else {
            throw Rejection(.invalid, "A reason contains a control character that cannot be shown")
        }
        return text
    }

    package init(reason: String, pairs: [OverlapPair]) {
        self.reason = reason
        self.pairs = Set(pairs).sorted()
    }
}

/// Two items of one trip that share somebody at the same time.
package struct Overlap: Hashable, Sendable {
    /// The facts of an item that an author needs in order to decide.
    package struct Item: Hashable, Sendable {
        package var id: Identifier
        package var title: String
        /// `YYYY-MM-DDTHH:MM` with its zone, as they stand in the record.
        package var start: String
        package var startZone: String
        package var end: String
        package var endZone: String

        package init(id: Identifier, title: String, start: String, startZone: String, end: String, endZone: String) {
            self.id = id
            self.title = title
            self.start = start
            self.startZone = startZone
            self.end = end
            self.endZone = endZone
        }
    }

    /// The item that the mutation writes; of two that it writes, the one with the smaller id.
    package var item: Item
    package var with: Item
    /// The members who would be at both, ordered by id.
    package var members: [Identifier]

    package init(item: Item, with: Item, members: [Identifier]) {
        self.item = item
        self.with = with
        self.members = members
    }

    package var pair: OverlapPair { OverlapPair(item.id, with.id) }
}

/// A possibly unintended effect of a change, reported with the answer.
package struct MutationWarning: Hashable, Sendable {
    package enum Code: String, CaseIterable, Sendable {
        /// The record overlaps another one of the same person, beyond its own trip.
        case doubleBooking = "double_booking"
    }

    package var code: Code
    /// The kind of the record that the mutation wrote.
    package var kind: Kind
    package var id: Identifier
    /// The kind of the record that it overlaps with.
    package var withKind: Kind
    package var withID: Identifier
    /// The member who would be at both.
    package var member: Identifier
    /// For people.
    package var message: String

    package init(
        code: Code, kind: Kind, id: Identifier, withKind: Kind, withID: Identifier, member: Identifier, message: String
    ) {
        self.code = code
        self.kind = kind
        self.id = id
        self.withKind = withKind
        self.withID = withID
        self.member = member
        self.message = message
    }
}
