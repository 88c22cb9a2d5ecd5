internal import Folding

/// How well a few typed letters fit a name: all of them occur in it, in this order, whatever their case and accents.
///
/// Letters at the beginning of words and letters that follow one another count most, as in fzf; of equal names the shorter is better.
package struct FuzzyMatch: Hashable, Sendable {
    /// Higher is better; only matches of the same letters compare.
    package let score: Int
    /// The characters of the name that were matched.
    package let positions: [Int]

    /// Characters of a name that are looked at; names are at most 255.
    private static let longest = 256
    private static let hit = 16, boundary = 10, consecutive = 12, start = 14, gapStart = -3, gap = -1

    /// - Returns: `nil` when the letters are not all there. No letters fit everything.
    package init?(_ letters: String, in name: String) { self.init(Self.folded(letters), in: name) }

    private static func folded(_ letters: String) -> [UInt64] { letters.filter { !$0.isWhitespace }.map(folded) }

    private init?(_ wanted: [UInt64], in name: String) {
        guard !wanted.isEmpty else {
            score = 0
            positions = []
            return
        }
        let shown = Array(name.prefix(Self.longest))
        guard wanted.count <= shown.count else { return nil }
        let have = shown.map(Self.folded)
        guard Self.occur(wanted, in: have) else { return nil }
        let bonus = shown.indices.map { index -> Int in
            guard index > 0 else { return Self.start }
            let before = shown[index - 1]
            let isBoundary = !before.isLetter && !before.isNumber || before.isLowercase && shown[index].isUppercase
                || before.isNumber != shown[index].isNumber && shown[index].isNumber
            return isBoundary ? Self.boundary : 0
        }
        // best[j]: the score of the letters so far with the last one at j; from[i][j]: where the letter before it stands.
        var best: [Int?] = Array(repeating: nil, count: have.count)
        var from: [[Int]] = []
        for (row, letter) in wanted.enumerated() {
            var next: [Int?] = Array(repeating: nil, count: have.count)
            var came = Array(repeating: -1, count: have.count)
            // The best of the places before, less what the gap to here costs.
            var carried: (score: Int, place: Int)?
            for index in have.indices {
                if row > 0, index > 1, let ending = best[index - 2] {
                    let candidate = ending + Self.gapStart
                    if carried.map({ candidate >= $0.score + Self.gap }) ?? true {
                        carried = (candidate, index - 2)
                    } else if let old = carried {
                        carried = (old.score + Self.gap, old.place)
                    }
                } else if let old = carried {
                    carried = (old.score + Self.gap, old.place)
                }
                guard letter != 0, have[index] == letter else { continue }
                if row == 0 {
                    next[index] = Self.hit + bonus[index]
                    continue
                }
                var found = carried.map { ($0.score + Self.hit + bonus[index], $0.place) }
                if index > 0, let before = best[index - 1] {
                    let joined = before + Self.hit + max(bonus[index], Self.consecutive)
                    if found.map({ joined >= $0.0 }) ?? true { found = (joined, index - 1) }
                }
                if let found {
                    next[index] = found.0
                    came[index] = found.1
                }
            }
            best = next
            from.append(came)
        }
        guard let end = best.indices.max(by: { (best[$0] ?? .min, $1) < (best[$1] ?? .min, $0) }), let score = best[end] else { return nil }
        var positions = [end]
        for row in stride(from: wanted.count - 1, to: 0, by: -1) {
            guard let last = positions.last, from[row][last] >= 0 else { return nil }
            positions.append(from[row][last])
        }
        self.score = score
        self.positions = positions.reversed()
    }

    /// A character without case and accents as a number, 0 for one of which nothing is left. Others than ASCII are told apart by 64 bits of FNV-1a.
    private static func folded(_ character: Character) -> UInt64 {
        if let octet = character.asciiValue { return UInt64(octet &- 0x41 < 26 ? octet | 0x20 : octet) + 1 }
        let octets = FoldedText(String(character)).octets
        // What folds to ASCII is found by it.
        if octets.count == 1 { return UInt64(octets[0]) + 1 }
        return octets.isEmpty ? 0 : octets.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private static func occur(_ wanted: [UInt64], in have: [UInt64]) -> Bool {
        var place = 0
        for letter in wanted {
            while place < have.count, have[place] != letter { place += 1 }
            guard place < have.count else { return false }
            place += 1
        }
        return true
    }

    /// Two lists that `rank` has ordered by the same letters, as one.
    package static func merged<Candidate: Labelled>(
        _ first: [(candidate: Candidate, match: FuzzyMatch)], _ second: [(candidate: Candidate, match: FuzzyMatch)], limit: Int
    ) -> [(candidate: Candidate, match: FuzzyMatch)] {
        // Without letters everything fits as it stands.
        func order(_ entry: (candidate: Candidate, match: FuzzyMatch)) -> (Int, Int) { (-entry.match.score, entry.match.positions.isEmpty ? 0 : entry.candidate.label.utf8.count) }
        var (left, right) = (first[...], second[...])
        var merged: [(candidate: Candidate, match: FuzzyMatch)] = []
        while merged.count < limit, !left.isEmpty || !right.isEmpty {
            let takesLeft = right.isEmpty || !left.isEmpty && order(left[left.startIndex]) <= order(right[right.startIndex])
            merged.append(takesLeft ? left.removeFirst() : right.removeFirst())
        }
        return merged
    }

    /// Candidates that fit, the best first; equally good ones stay in their order.
    package static func rank<Candidate>(
        _ letters: String, _ candidates: [Candidate], limit: Int = .max, by name: (Candidate) -> String
    ) -> [(candidate: Candidate, match: FuzzyMatch)] {
        let wanted = folded(letters)
        var found: [(index: Int, octets: Int, match: FuzzyMatch)] = []
        for (index, candidate) in candidates.enumerated() {
            let name = name(candidate)
            if let match = FuzzyMatch(wanted, in: name) { found.append((index, name.utf8.count, match)) }
        }
        if !wanted.isEmpty { found.sort { (-$0.match.score, $0.octets, $0.index) < (-$1.match.score, $1.octets, $1.index) } }
        return found.prefix(limit).map { (candidates[$0.index], $0.match) }
    }
}
