import Posix

/// The most that a case may cost, from a file that says why: `NAME ALLOCATIONS INSTRUCTIONS DIVISOR TIMES  reason`; the first two are per
/// thing, `#` begins a comment.
struct Threshold: Equatable {
    let name: String
    let allocations: Double
    /// Counted by callgrind (`Tools/bench/costs.sh`), which does it TIMES and three times as often, and divides what one call takes by DIVISOR.
    let instructions: Int

    static func read(_ path: String) throws -> [Threshold] {
        let text = String(decoding: try Files.read(path, limit: 1 << 16), as: UTF8.self)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let words = line.split(separator: " ", maxSplits: 5)
            guard words.count == 6, let allocations = Double(words[1]), let instructions = Int(words[2]) else {
                throw BenchFailure("no threshold: \(line)")
            }
            return Threshold(name: String(words[0]), allocations: allocations, instructions: instructions)
        }
    }
}

/// Measures every case that has a threshold.
///
/// - Returns: whether all keep theirs.
func check(_ path: String) throws -> Bool {
    var isKept = true
    for threshold in try Threshold.read(path) {
        guard let each = BenchCase.all.first(where: { $0.name == threshold.name }) else {
            throw BenchFailure("there is no case '\(threshold.name)'")
        }
        let found = try Measurement(each)
        let isFine = found.allocations <= threshold.allocations
        isKept = isKept && isFine
        let taken = Table.number(found.allocations)
        let most = Table.number(threshold.allocations)
        Standard.write(output: "\(isFine ? "kept    " : "EXCEEDED") \(each.name): \(taken) allocations, at most \(most)\n")
    }
    return isKept
}
