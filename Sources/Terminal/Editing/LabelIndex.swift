internal import Folding

/// A value with a label, which is shown and searched.
package protocol Labelled: Sendable {
    var label: String { get }
}

/// Values that are found by a few letters of their labels; the search is repeated with every typed letter.
///
/// Labels are folded once. A further letter searches only the matches of the letters before, so that a key press costs
/// the same with five thousand values as with fifty.
package struct LabelIndex<Candidate: Labelled>: Sendable {
    /// The number of matches that are scored: the first ones. If more match, the letters say too little for a ranking.
    private static var compared: Int { 100 }
    /// The largest text that is searched for, in octets.
    private static var mostOctets: Int { 4_096 }

    package let candidates: [Candidate]
    /// The folded labels, concatenated, and the end of each.
    private let octets: [UInt8]
    private let ends: [Int]
    /// The octets in each label, one bit for octets that are equal modulo 64: this mask excludes nearly all labels that
    /// do not match.
    private let masks: [UInt64]
    /// The last search, and the positions of its matches; an empty search matches all.
    private var letters: [UInt8] = []
    private var left: [Int] = []

    /// - Parameter candidates: the candidates in the order for an empty input.
    package init(_ candidates: [Candidate]) {
        self.candidates = candidates
        var octets: [UInt8] = []
        var ends: [Int] = []
        var masks: [UInt64] = []
        ends.reserveCapacity(candidates.count)
        masks.reserveCapacity(candidates.count)
        for candidate in candidates {
            let start = octets.count
            octets.appendFolded(candidate.label)
            ends.append(octets.count)
            masks.append(octets[start...].reduce(0) { $0 | Self.bit($1) })
        }
        (self.octets, self.ends, self.masks) = (octets, ends, masks)
    }

    private static func bit(_ octet: UInt8) -> UInt64 { 1 << UInt64(octet & 63) }

    /// The best matches of the letters, in the order of `FuzzyMatch.rank`.
    package mutating func best(_ text: String, limit: Int) -> [(candidate: Candidate, match: FuzzyMatch)] {
        // No label has that many letters.
        guard text.utf8.count <= Self.mostOctets else { return [] }
        let wanted = FoldedText(String(text.filter { !$0.isWhitespace })).octets
        guard !wanted.isEmpty else { return FuzzyMatch.rank("", Array(candidates.prefix(limit))) { $0.label } }
        narrow(to: wanted)
        return FuzzyMatch.rank(text, left.prefix(Self.compared).map { candidates[$0] }, limit: limit) { $0.label }
    }

    private mutating func narrow(to wanted: [UInt8]) {
        guard wanted != letters else { return }
        let mask = wanted.reduce(0) { $0 | Self.bit($1) }
        if !letters.isEmpty, wanted.starts(with: letters) {
            left = left.filter { fits($0, wanted, mask) }
        } else {
            left = candidates.indices.filter { fits($0, wanted, mask) }
        }
        letters = wanted
    }

    /// Whether a label contains the letters in their order.
    private func fits(_ place: Int, _ wanted: [UInt8], _ mask: UInt64) -> Bool {
        guard masks[place] & mask == mask else { return false }
        var next = 0
        for octet in octets[(place == 0 ? 0 : ends[place - 1])..<ends[place]] where octet == wanted[next] {
            next += 1
            if next == wanted.count { return true }
        }
        return false
    }
}
