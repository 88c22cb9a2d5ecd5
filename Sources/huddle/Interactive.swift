import Arguments
import Client
import Family
import Glibc
import Posix

/// `huddle` by itself: a conversation, on a terminal or line by line through pipes.
enum Interactive {
    static func run(_ invocation: Invocation, _ setting: Setting) throws -> ExitStatus {
        let handled = [Signals.interrupt, Signals.terminate, Signals.hangUp, Signals.windowChanged, SIGTSTP, SIGCONT]
        Signals.block(handled)
        let signals = try SignalDescriptor(handled)
        let session = try ClientSession(setting.address, setting.configuration(family: setting.familyIdentifier))
        let conversation = Conversation(session, context: invocation.context)
        session.start()
        defer { session.leave() }
        let isTerminal = Standard.isTerminal(Standard.input) && Standard.isTerminal(Standard.output)
        if isTerminal, RawTerminal.take() {
            defer { RawTerminal.giveBack() }
            var screen = Screen(conversation, signals.raw)
            return try screen.run(signals, setting)
        }
        var pipe = PipedConversation(conversation, timeout: invocation.timeout)
        return try pipe.run(signals, setting)
    }

    /// What an end of the conversation means for the program; `nil` to go on, because the family could be told.
    static func status(of end: Conversation.End, _ conversation: Conversation, _ setting: Setting) throws -> ExitStatus? {
        switch end {
        case .quit: return .done
        case .stopped(.familyUnclear(let memberships)):
            guard let family = setting.family(among: memberships) else { throw ProgramFailure(.familyUnclear(memberships)) }
            conversation.choose(family)
            return nil
        case .stopped(let reason): throw ProgramFailure(reason)
        }
    }
}

/// The conversation on a terminal: what happens scrolls above one row that is typed in.
struct Screen {
    private let conversation: Conversation
    private let signalsRaw: Int32
    private var editor = LineEditor()
    private var keys = KeyReader()
    private var drawn: PromptView?

    init(_ conversation: Conversation, _ signalsRaw: Int32) {
        self.conversation = conversation
        self.signalsRaw = signalsRaw
    }

    mutating func run(_ signals: borrowing SignalDescriptor, _ setting: Setting) throws -> ExitStatus {
        while true {
            // The last column stays free, because writing into it makes some terminals wrap.
            conversation.columns = RawTerminal.columns - 1
            draw()
            var items = [Poll.Item(signals.raw, .readable), Poll.Item(Standard.input, .readable)]
            for event in try conversation.session.turn(waitingFor: &items) { conversation.receive(event) }
            if items[0].ready != [] {
                while let signal = try signals.next() {
                    if try !handle(signal) {
                        erase()
                        return .done
                    }
                }
            }
            if items[1].ready != [], try !type() {
                erase()
                return .done
            }
            if let end = conversation.end {
                draw()
                erase()
                if let status = try Interactive.status(of: end, conversation, setting) { return status }
            }
        }
    }

    /// - Returns: false when the program is to end.
    private mutating func handle(_ signal: Int32) throws -> Bool {
        switch signal {
        case SIGTSTP: suspend()
        case SIGCONT, Signals.windowChanged:
            if signal == SIGCONT { _ = RawTerminal.take() }
            drawn = nil
        case Signals.interrupt: conversation.interrupt()
        default: return false
        }
        return true
    }

    private mutating func type() throws -> Bool {
        var octets: [UInt8] = []
        try withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer throws in
            if case .done(let count) = try Octets.read(Standard.input, into: buffer) { octets = Array(buffer[..<count]) }
        }
        // The terminal has gone.
        guard !octets.isEmpty else { return false }
        for key in keys.feed(octets) {
            switch editor.handle(key) {
            case .none, .changed: break
            case .submitted(let line): conversation.submit(line)
            case .interrupted: conversation.interrupt()
            case .ended: conversation.submit("/quit")
            case .suspended: suspend()
            case .clearScreen:
                Standard.write(output: "\u{1B}[H\u{1B}[2J")
                drawn = nil
            }
        }
        return true
    }

    private mutating func suspend() {
        erase()
        RawTerminal.giveBack()
        RawTerminal.stopProcess()
        _ = RawTerminal.take()
        drawn = nil
    }

    /// Prints what has to be said above the row, and the row when it looks different.
    private mutating func draw() {
        let columns = RawTerminal.columns - 1
        let lines = conversation.takeOutput().flatMap { text in
            text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { WordWrap.lines(String($0), columns: columns) }
        }
        let row = PromptView(prompt: conversation.prompt, editor, columns: RawTerminal.columns)
        guard !lines.isEmpty || row != drawn else { return }
        let above = lines.isEmpty ? "" : PromptView.erasing + lines.joined(separator: "\n") + "\n"
        Standard.write(output: above + row.drawing)
        drawn = row
    }

    private mutating func erase() {
        Standard.write(output: PromptView.erasing)
        drawn = nil
    }
}

/// The conversation without a terminal: plain lines in and out. What is typed waits until the records are there; at the end of the input
/// it stays until everything is sent.
struct PipedConversation {
    /// Octets of one line; more is cut into several.
    private static let lineLimit = 65_536

    private let conversation: Conversation
    private let timeout: Int64
    private var input: [UInt8] = []
    private var isAtEnd = false
    private var deadline: Int64

    init(_ conversation: Conversation, timeout: Int64) {
        self.conversation = conversation
        self.timeout = timeout
        deadline = Clock.monotonicMilliseconds() + timeout
    }

    mutating func run(_ signals: borrowing SignalDescriptor, _ setting: Setting) throws -> ExitStatus {
        while true {
            takeLines()
            let lines = conversation.takeOutput()
            if !lines.isEmpty, !Standard.write(output: lines.map { $0 + "\n" }.joined()) { return .done }
            if let end = conversation.end, let status = try Interactive.status(of: end, conversation, setting) { return status }
            if isAtEnd, input.isEmpty, conversation.hasOpened, !conversation.isWaiting {
                return conversation.session.engine.drafts.isEmpty ? .done : .refused
            }
            let isWaiting = !conversation.hasOpened || isAtEnd
            if isWaiting, Clock.monotonicMilliseconds() >= deadline {
                let reason = conversation.session.lastFailure ?? "The server does not answer."
                throw ProgramFailure(.offline, "\(reason) Not everything was done.")
            }
            var items = [Poll.Item(signals.raw, .readable)]
            if !isAtEnd, conversation.hasOpened { items.append(Poll.Item(Standard.input, .readable)) }
            let events = try conversation.session.turn(until: isWaiting ? deadline : nil, waitingFor: &items)
            for event in events { conversation.receive(event) }
            if items[0].ready != [] {
                while let signal = try signals.next() {
                    if [Signals.interrupt, Signals.terminate, Signals.hangUp].contains(signal) { return .done }
                }
            }
            if items.count > 1, items[1].ready != [] { try read() }
        }
    }

    private mutating func read() throws {
        var octets: [UInt8] = []
        try withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer throws in
            if case .done(let count) = try Octets.read(Standard.input, into: buffer) { octets = Array(buffer[..<count]) }
        }
        if octets.isEmpty {
            isAtEnd = true
            deadline = Clock.monotonicMilliseconds() + timeout
        }
        input += octets
    }

    private mutating func takeLines() {
        while conversation.end == nil {
            if let place = input.firstIndex(of: UInt8(ascii: "\n")) {
                submit(input[..<place])
                input.removeFirst(place + 1)
            } else if !input.isEmpty, isAtEnd || input.count > Self.lineLimit {
                submit(input[...])
                input = []
            } else {
                return
            }
        }
    }

    private func submit(_ octets: ArraySlice<UInt8>) {
        let line = String(decoding: octets, as: UTF8.self)
        conversation.submit(line.hasSuffix("\r") ? String(line.dropLast()) : line)
    }
}
