import Posix

/// Which worlds are tried.
enum Seeds {
    /// Whether each world tells what happened in it.
    static var isTold: Bool { Environment.value("HUDDLE_TELL") != nil }

    static var chosen: [UInt64] {
        if let one = Environment.value("HUDDLE_SEED").flatMap({ UInt64($0) }) { return [one] }
        let count = Environment.value("HUDDLE_SEEDS").flatMap { UInt64($0) } ?? 40
        return Array(1...max(1, count))
    }
}
