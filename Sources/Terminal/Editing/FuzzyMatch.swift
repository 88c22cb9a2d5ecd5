internal import Folding

/// The match of a few typed letters against a name: all letters occur in the name, in this order, ignoring case and
/// accents.
///
/// Letters at the beginning of words and consecutive letters count most, as in fzf; of two equally good names the
/// shorter wins.
package struct FuzzyMatch: Hashable, Sendable {
    /// Higher is better; scores can be compared only for the same letters.
    package let score: Int
    /// The characters of the name that were matched.
    package let positions: [Int]

    /// The number of characters of a name that are examined; names are at most 255.
    private static let longest = 256
    private static let hit = 16, boundary = 10, consecutive = 12, start = 14, gapStart = -3, gap = -1

    /// - Returns: `nil` if the name does not contain all letters. An empty input matches everything.
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
        // best[j]: the score of the letters so far if the last one is at j; from[i][j]: the position of the letter
        // before it.
        var best: [Int?] = Array(repeating: nil, count: have.count)
        var from: [[Int]] = []
        for (row, letter) in wanted.enumerated() {
            var next: [Int?] = Array(repeating: nil, count: have.count)
            var came = Array(repeating: -1, count: have.count)
            // The best score of the earlier positions, less the cost of the gap up to here.
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

    /// A character without case and accents as a number; 0 if nothing remains. Characters outside ASCII are
    /// distinguished by 64 bits of FNV-1a.
    private static func folded(_ character: Character) -> UInt64 {
        if let octet = character.asciiValue { return UInt64(octet &- 0x41 < 26 ? octet | 0x20 : octet) + 1 }
        let octets = FoldedText(String(character)).octets
        // A character that folds to ASCII matches that ASCII character.
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

    /// Merges two lists that `rank` has ordered by the same letters.
    package static func merged<Candidate: Labelled>(
        _ first: [(candidate: Candidate, match: FuzzyMatch)], _ second: [(candidate: Candidate, match: FuzzyMatch)], limit: Int
    ) -> [(candidate: Candidate, match: FuzzyMatch)] {
        // Without letters every candidate matches, and the order of the lists stays.
        func order(_ entry: (candidate: Candidate, match: FuzzyMatch)) -> (Int, Int) { (-entry.match.score, entry.match.positions.isEmpty ? 0 : entry.candidate.label.utf8.count) }
        var (left, right) = (first[...], second[...])
        var merged: [(candidate: Candidate, match: FuzzyMatch)] = []
        while merged.count < limit, !left.isEmpty || !right.isEmpty {
            let takesLeft = right.isEmpty || !left.isEmpty && order(left[left.startIndex]) <= order(right[right.startIndex])
            merged.append(takesLeft ? left.removeFirst() : right.removeFirst())
        }
        return merged
    }

    /// The matching candidates, best first; equally good ones keep their order.
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
