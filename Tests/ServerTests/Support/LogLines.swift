import Locks
import Server

/// The lines that an operator would read.
final class LogLines: Sendable {
    private let lines = Lock<[String]>([])

    var log: Log {
        Log { line in self.add(line) }
    }

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    var all: [String] { lines.withLock { $0 } }

    /// How many lines have all of `parts`.
    func count(_ parts: String...) -> Int { all.count { line in parts.allSatisfy { line.contains($0) } } }
}
