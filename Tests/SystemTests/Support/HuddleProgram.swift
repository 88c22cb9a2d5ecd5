import Posix
import PseudoTerminal
import TestSupport
import Testing

/// The terminal client as one installation: a profile of its own, no environment except the given one.
final class HuddleProgram {
    private let folder: TemporaryFolder?
    let environment: [String]
    let profile: String
    let home: String

    /// - Parameters:
    ///   - token: without one the profile has to know it.
    ///   - url: where it connects to instead of to the server.
    init(_ server: RunningServer, token: String? = nil, url: String? = nil) {
        folder = try? TemporaryFolder()
        home = folder?.path ?? "/nonexistent"
        profile = home + "/huddle/profile.json"
        environment =
            ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "XDG_CONFIG_HOME=\(home)", "HOME=\(home)", "HUDDLE_SERVER=\(url ?? server.url)"]
            + (token.map { ["HUDDLE_TOKEN=\($0)"] } ?? []) + (Environment.value("LD_LIBRARY_PATH").map { ["LD_LIBRARY_PATH=\($0)"] } ?? [])
    }

    /// Runs it to its end.
    func run(_ words: String...) throws -> Programs.Answer {
        try run(words)
    }

    /// The same, with lines that are typed in.
    func run(_ words: [String], input: String = "") throws -> Programs.Answer {
        try Programs.run(Programs.path("huddle"), words, environment: environment, input: Array(input.utf8))
    }

    /// Starts it, for reading its output line by line.
    func start(_ words: String...) throws -> ChildProcess {
        try ChildProcess.start([Programs.path("huddle")] + words, environment: environment, input: .piped, errors: .piped)
    }

    /// Starts it on a terminal of its own.
    ///
    /// - Parameter command: what is started instead of `huddle` and its words.
    func open(
        _ words: String..., columns: Int = 90, variables more: [String: String] = [:], command: [String]? = nil
    ) throws -> PseudoTerminal {
        var variables = ["SWIFT_BACKTRACE": "enable=no"]
        for pair in environment {
            let parts = pair.split(separator: "=", maxSplits: 1)
            variables[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
        }
        variables.merge(more) { _, new in new }
        return try PseudoTerminal(command ?? [try Programs.path("huddle")] + words, columns: columns, rows: 24, environment: variables)
    }
}
