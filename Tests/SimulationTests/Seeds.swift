import Posix

/// The worlds to run.
enum Seeds {
    /// Whether each world prints its events.
    static var isTold: Bool { Environment.value("HUDDLE_TELL") != nil }

    static var chosen: [UInt64] {
        if let one = Environment.value("HUDDLE_SEED").flatMap({ UInt64($0) }) { return [one] }
        let count = Environment.value("HUDDLE_SEEDS").flatMap { UInt64($0) } ?? 40
        return Array(1...max(1, count))
    }
}
