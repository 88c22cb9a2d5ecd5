/// Bounds of frames that no person ever meets; those that clients can meet are `Limits`.
enum WireBounds {
    /// Sequences, versions and mutation ids: integers that every JSON library keeps exact, 2^53−1.
    static let integer: Int64 = 9_007_199_254_740_991
    /// Tokens, codes, epochs and page marks are words of ours of at most 64 octets; four times that is room for other forms of them.
    static let wordOctets = 256
    /// Hexadecimal digits of a nonce: 128 bits.
    static let nonceDigits = 32
    /// Nesting of frames from the server: an own conflict with free JSON inside is 13 deep.
    static let serverDepth = 32
}

/// Parts of sentences.
enum SentencePart {
    /// For what only a newer program can have meant.
    static let older = "This server may be older than the client that asks. Nothing was changed"

    /// Something from the other side inside of a sentence of ours: short and without control characters.
    static func quoted(_ text: String) -> String {
        var shown = "\""
        for scalar in text.unicodeScalars.prefix(40) {
            shown.unicodeScalars.append(scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) ? "?" : scalar)
        }
        return shown + "\""
    }
}
