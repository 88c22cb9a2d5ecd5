internal import Locks
internal import Posix

/// A command of the person's that is started when something happens: never waited for, one at a time, each for a bounded time, none after
/// `end`.
///
/// Its words are an argument vector, so that no text of others ever meets a shell. The text comes in its environment and on its standard
/// input; what it writes goes nowhere.
package final class CommandHook: Sendable {
    /// Milliseconds that one run may take; longer than any notification takes to be handed over.
    package static let usualTime = 10_000
    /// Octets of a text on standard input: as many as a pipe takes at once (pipe(7)), so that writing never waits.
    package static let textLimit = 4_096

    /// What a run is told.
    package struct Occasion: Hashable, Sendable {
        /// For standard input.
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
        /// The newest that came while one ran; those between are dropped.
        var next: Occasion?
        /// Of the runs.
        var thread: Thread?
        var isEnding = false
    }

    private let command: [String]
    private let milliseconds: Int
    private let state = Lock(State())
    /// Readable once the runs are to end.
    private let ending: FileDescriptor?
    private let endingWriter: FileDescriptor?

    /// - Parameters:
    ///   - command: a program and its words; not empty.
    ///   - milliseconds: after which a run is killed.
    package init(_ command: [String], milliseconds: Int = usualTime) {
        precondition(!command.isEmpty, "a command has a name")
        self.command = command
        self.milliseconds = milliseconds
        var pipe = try? Pipe()
        ending = pipe?.takeReading()
        endingWriter = pipe?.takeWriting()
    }

    /// Ends the run that goes on, and begins no other. Returns within the moment that killing a program takes.
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

    /// Whether there is such a program: a path, or a name that PATH leads to.
    package var isThere: Bool {
        if command[0].contains("/") { return Files.exists(command[0]) }
        return (Environment.value("PATH") ?? "/usr/bin:/bin").split(separator: ":").contains { Files.exists("\($0)/\(command[0])") }
    }

    /// Starts it, or after the run that goes on.
    package func run(_ occasion: Occasion) {
        state.withLock { state in
            guard !state.isEnding else { return }
            guard !state.isRunning else {
                state.next = occasion
                return
            }
            state.isRunning = true
            // A thread of its own waits, so that whoever draws the screen never does.
            state.thread = Thread.start(name: "hook") { [self] in work(occasion) }
        }
    }

    private func work(_ first: Occasion) {
        var current: Occasion? = first
        while let occasion = current {
            try? runOnce(occasion)
            current = state.withLock { state in
                defer { state.next = nil }
                state.isRunning = state.next != nil
                return state.next
            }
        }
    }

    private func runOnce(_ occasion: Occasion) throws(Errno) {
        let child = try ChildProcess.start(
            command, environment: Environment.all + occasion.variables, input: .piped, output: .nothing, errors: .nothing)
        var octets = Array(occasion.text.utf8.prefix(Self.textLimit))
        // Not in the middle of a character.
        while octets.count == Self.textLimit, let last = octets.last, last & 0xC0 == 0x80 || last >= 0xC0 { octets.removeLast() }
        // One that does not read its input does not have to.
        try? child.write(String(decoding: octets, as: UTF8.self))
        child.closeInput()
        var items = [Poll.Item(child.endedRaw, .readable)]
        if let raw = Self.raw(ending) { items.append(Poll.Item(raw, .readable)) }
        _ = try Poll.wait(&items, timeoutMilliseconds: milliseconds)
        // One that has not ended is killed with its last reference.
        _ = try child.wait(timeoutMilliseconds: 0)
    }
}
