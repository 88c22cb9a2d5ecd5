package import Bytes
package import Family
internal import Terminal

/// A record that an item is about.
package struct RoomTarget: Hashable, Sendable {
    package let kind: Kind
    package let id: Identifier
    /// What is said of it while one comments on it.
    package let label: String
    /// Whether the next text takes the place of that message, instead of being about it.
    package let isRewritten: Bool
    /// The version of the message whose text is written anew: nobody has seen what is newer.
    package let version: Int64?
    /// That text, as far as it is known.
    package let original: String?

    package init(kind: Kind, id: Identifier, label: String, isRewritten: Bool = false, version: Int64? = nil, original: String? = nil) {
        self.kind = kind
        self.id = id
        self.label = label
        self.isRewritten = isRewritten
        self.version = version
        self.original = original
    }

    /// With the text of a message that is written anew.
    package func rewriting(_ original: String, version: Int64) -> RoomTarget {
        RoomTarget(kind: kind, id: id, label: label, isRewritten: true, version: version, original: original)
    }

    // MARK: Beside what is typed, which outlasts the program

    private static let rewriting = "instead of "

    /// For `init(kept:)`.
    package var kept: String { (isRewritten ? Self.rewriting + (version.map { "\($0) " } ?? "") : "") + "\(kind.name) \(id) \(label)" }

    /// - Returns: `nil` for what an earlier program did not write.
    package init?(kept: String) {
        let isRewritten = kept.hasPrefix(Self.rewriting)
        var rest = kept.dropFirst(isRewritten ? Self.rewriting.count : 0)
        var version: Int64?
        if isRewritten, let first = rest.split(separator: " ", maxSplits: 1).first, let number = Int64(first) {
            version = number
            rest = rest.dropFirst(first.count + 1)
        }
        let words = rest.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count == 3, let kind = Kind(name: words[0]), let id = Identifier(words[1]) else { return nil }
        self.init(kind: kind, id: id, label: words[2].printable, isRewritten: isRewritten, version: version)
    }
}
