/// The word that somebody meant who mistyped it.
package enum NearestWord {
    /// The one that begins so, or from which the fewest letters differ, at most every third; `nil` when none is as near.
    package static func of(_ word: String, among words: some Sequence<String>) -> String? {
        guard (2...40).contains(word.utf8.count) else { return nil }
        if word.utf8.count > 2, let longer = words.filter({ $0.hasPrefix(word) }).min(by: { ($0.utf8.count, $0) < ($1.utf8.count, $1) }) { return longer }
        let far = max(word.utf8.count / 3, 1)
        return words.map { ($0, distance(Array(word.utf8), Array($0.utf8))) }.filter { $0.1 <= far }.min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
    }

    /// Letters that are put in, left out, other or exchanged with their neighbour.
    ///
    /// Source: the optimal string alignment distance.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var rows = [Array(0...b.count)]
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, rows[i - 1][j - 1] + 1) }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
