internal import Locks
internal import Posix

/// A command of the user that is started when something happens: the caller never waits for it, one run at a time, each
/// with a time limit, none after `end`.
///
/// Its words are an argument vector, so that no text from others ever reaches a shell. The text is in its environment
/// and on its standard input; its output is discarded.
package final class CommandHook: Sendable {
    /// The time limit of one run in milliseconds; longer than the delivery of any notification takes.
    package static let usualTime = 10_000
    /// The largest text on standard input in octets: the number that a pipe takes in one write (pipe(7)), so that
    /// writing never blocks.
    package static let textLimit = 4_096

    /// The input of one run.
    package struct Run: Hashable, Sendable {
        /// The text for standard input.
        package var text: String
        /// Added to the environment, "NAME=value".
        package var variables: [String]

        package init(text: String, variables: [String] = []) {
            self.text = text
            self.variables = variables
        }
    }

    private struct State {
        var isRunning = false
        /// The newest occasion that came during a run; those between are dropped.
        var next: Run?
        /// The thread of the runs.
        var thread: Thread?
        var isEnding = false
    }

    private let command: [String]
    private let milliseconds: Int
    private let state = Lock(State())
    /// The descriptor that is readable once the runs have to end.
    private let ending: FileDescriptor?
    private let endingWriter: FileDescriptor?

    /// - Parameters:
    ///   - command: a program and its arguments; not empty.
    ///   - milliseconds: the time after which a run is killed.
    package init(_ command: [String], milliseconds: Int = usualTime) {
        precondition(!command.isEmpty, "a command has a name")
        self.command = command
        self.milliseconds = milliseconds
        var pipe = try? Pipe()
        ending = pipe?.takeReading()
        endingWriter = pipe?.takeWriting()
    }

    /// Ends the current run and starts no other. Returns within the time that killing a program takes.
    package func end() {
        let thread = state.withLock { state in
            state.isEnding = true
            state.next = nil
            defer { state.thread = nil }
            return state.isRunning ? state.thread : nil
        }
        guard let raw = Self.raw(endingWriter) else { return }
        try? Octets.writeAll(raw, [1])
        thread?.join()
    }

    private static func raw(_ descriptor: borrowing FileDescriptor?) -> Int32? {
        switch descriptor {
        case .some(let open): open.raw
        case .none: nil
        }
    }

    /// Whether the program exists: a path, or a name that PATH finds.
    package var isThere: Bool {
        if command[0].contains("/") { return Files.exists(command[0]) }
        return (Environment.value("PATH") ?? "/usr/bin:/bin").split(separator: ":").contains { Files.exists("\($0)/\(command[0])") }
    }

    /// Starts the command now, or after the current run.
    package func run(_ occasion: Run) {
        state.withLock { state in
            guard !state.isEnding else { return }
            guard !state.isRunning else {
                state.next = occasion
                return
            }
            state.isRunning = true
            // A thread of its own waits, so that the thread that draws the screen never does.
            state.thread = Thread.start(name: "hook") { [self] in work(occasion) }
        }
    }

    private func work(_ first: Run) {
        var current: Run? = first
        while let occasion = current {
            try? runOnce(occasion)
            current = state.withLock { state in
                defer { state.next = nil }
                state.isRunning = state.next != nil
                return state.next
            }
        }
    }

    private func runOnce(_ occasion: Run) throws(Errno) {
        let child = try ChildProcess.start(
            command, environment: Environment.all + occasion.variables, input: .piped, output: .nothing, errors: .nothing)
        var octets = Array(occasion.text.utf8.prefix(Self.textLimit))
        // The cut is never in the middle of a character.
        while octets.count == Self.textLimit, let last = octets.last, last & 0xC0 == 0x80 || last >= 0xC0 { octets.removeLast() }
        // A command does not have to read its input.
        try? child.write(String(decoding: octets, as: UTF8.self))
        child.closeInput()
        var items = [Poll.Item(child.endedRaw, .readable)]
        if let raw = Self.raw(ending) { items.append(Poll.Item(raw, .readable)) }
        _ = try Poll.wait(&items, timeoutMilliseconds: milliseconds)
        // A run that has not ended is killed with its last reference.
        _ = try child.wait(timeoutMilliseconds: 0)
    }
}
