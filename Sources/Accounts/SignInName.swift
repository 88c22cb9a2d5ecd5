package import Folding

/// The name that a person signs in with. It is unique on the server; two names are equal if they differ only in case, accents and
/// invisible characters, so that nobody signs up beside somebody else's name.
package struct SignInName: Hashable, Sendable {
    /// Characters of the folded name.
    package static let characters = 3...64
    /// The longest accepted text, UTF-8.
    package static let maxOctets = 256

    /// The reason why a text is not a name.
    package enum Refusal: Error, Equatable, Sendable {
        case tooShort
        case tooLong
        /// It begins or ends with a blank.
        case blankAtEnd
        /// A control character, or a line or paragraph separator.
        case invisible
    }

    /// The name as its person typed it, for display.
    package let text: String
    /// The name for comparison.
    package let folded: FoldedText

    package init(_ text: String) throws(Refusal) {
        // Folding is work in proportion to the text.
        guard text.utf8.count <= Self.maxOctets else { throw .tooLong }
        guard text.unicodeScalars.allSatisfy({ !Self.isForbidden($0) }) else { throw .invisible }
        if let first = text.unicodeScalars.first, let last = text.unicodeScalars.last, first.properties.isWhitespace || last.properties.isWhitespace {
            throw .blankAtEnd
        }
        let folded = FoldedText(text)
        let count = folded.octets.count { $0 & 0xC0 != 0x80 }
        guard count >= Self.characters.lowerBound else { throw .tooShort }
        guard count <= Self.characters.upperBound else { throw .tooLong }
        self.text = text
        self.folded = folded
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: true
        default: false
        }
    }

    package static func == (left: SignInName, right: SignInName) -> Bool { left.folded == right.folded }
    package func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}
