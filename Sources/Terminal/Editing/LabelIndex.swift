internal import Folding

/// What is shown of a thing, and found by.
package protocol Labelled: Sendable {
    var label: String { get }
}

/// Things that are found by a few letters of their labels, asked again with every letter that is typed.
///
/// Labels are folded once. A further letter looks only at what the letters before have left, so that a key costs the same with five
/// thousand things as with fifty.
package struct LabelIndex<Candidate: Labelled>: Sendable {
    /// Of those that fit so many, the first, are compared well: with more the letters say too little yet.
    private static var compared: Int { 100 }

    package let candidates: [Candidate]
    /// The folded labels one behind the other, and where each ends.
    private let octets: [UInt8]
    private let ends: [Int]
    /// The octets that occur in each label, one bit for those that are equal modulo 64: nearly all that does not fit is passed over by it.
    private let masks: [UInt64]
    /// What was asked for last, and the places that it left; no letters leave all.
    private var letters: [UInt8] = []
    private var left: [Int] = []

    /// - Parameter candidates: in the order in which they are offered when no letters were typed.
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

    /// The best that fit the letters, as `FuzzyMatch.rank` orders them.
    package mutating func best(_ text: String, limit: Int) -> [(candidate: Candidate, match: FuzzyMatch)] {
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

    /// Whether the letters occur in a label in their order.
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
