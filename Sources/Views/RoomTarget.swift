package import Bytes
package import Family
internal import Terminal

/// A record that an item is about.
package struct RoomTarget: Hashable, Sendable {
    package let kind: Kind
    package let id: Identifier
    /// The label shown while the user comments on the record.
    package let label: String
    /// Whether the next text replaces that message instead of commenting on it.
    package let isRewritten: Bool
    /// The version of the message that the user rewrites; the user has not seen newer versions.
    package let version: Int64?
    /// The text of that message, if known.
    package let original: String?

    package init(kind: Kind, id: Identifier, label: String, isRewritten: Bool = false, version: Int64? = nil, original: String? = nil) {
        self.kind = kind
        self.id = id
        self.label = label
        self.isRewritten = isRewritten
        self.version = version
        self.original = original
    }

    /// The target with the text of a message to rewrite.
    package func rewriting(_ original: String, version: Int64) -> RoomTarget {
        RoomTarget(kind: kind, id: id, label: label, isRewritten: true, version: version, original: original)
    }

    // MARK: Text saved with the input across runs

    private static let rewriting = "instead of "

    /// The text for `init(kept:)`.
    package var kept: String { (isRewritten ? Self.rewriting + (version.map { "\($0) " } ?? "") : "") + "\(kind.name) \(id) \(label)" }

    /// - Returns: `nil` for a text that no earlier program wrote.
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
