import Arguments
import Commands
import Family
import Posix
import Screen
import Sessions
import Sync
import Terminal
import Words

/// `huddle` by itself: a conversation, on a terminal or line by line through pipes.
enum Interactive {
    static func run(_ invocation: Invocation, _ setting: Setting) throws -> ExitStatus {
        let isTerminal = Standard.isTerminal(Standard.input) && Standard.isTerminal(Standard.output)
        if isTerminal, !invocation.isPlain, !["dumb", ""].contains(Environment.value("TERM") ?? "") {
            var words: [String] = []
            let status = try runFullScreen(invocation, setting, &words)
            if !words.isEmpty { Standard.write(output: words.joined(separator: "\n") + "\n") }
            return status
        }
        let handled = [Signals.interrupt, Signals.terminate, Signals.hangUp]
        Signals.block(handled)
        let signals = try SignalDescriptor(handled)
        // Lines through a pipe mean the same whichever season was shown before.
        let configuration = setting.configuration(family: setting.familyIdentifier, returnsToContext: isTerminal)
        let session = try ClientSession(setting.address, configuration, cache: setting.cache)
        let conversation = Conversation(session, context: invocation.context)
        conversation.options.isSpoken = invocation.isPlain
        // A terminal without full-screen support still has a width.
        if isTerminal, !invocation.isPlain { conversation.options.columns = TerminalDevice.size().map { max($0.columns - 1, 20) } }
        session.start()
        defer { session.leave() }
        var lines = LineConversation(conversation, timeout: invocation.timeout, isTerminal: isTerminal)
        return try lines.run(signals, setting)
    }

    /// - Parameter words: the lines to print once the terminal is restored.
    private static func runFullScreen(
        _ invocation: Invocation, _ setting: Setting, _ words: inout [String]
    ) throws -> ExitStatus {
        let configuration = ScreenConfiguration.load()
        let screen: FullScreen
        do { screen = try FullScreen(mouse: configuration.takesMouse, title: configuration.setsTitle) } catch { throw ProgramFailure(.usage, error.sentence) }
        // The terminal is restored before anything is printed on standard error.
        defer { screen.finish() }
        let session = try ClientSession(
            setting.address, setting.configuration(family: setting.familyIdentifier, returnsToContext: true), cache: setting.cache, showsFirst: true)
        let conversation = Conversation(session, context: invocation.context)
        session.measuresLag = true
        defer { session.leave() }
        let client = FullScreenClient(screen, session, conversation, setting, configuration)
        let status = try client.run()
        words = (conversation.farewell() ?? []) + client.open.documents.farewell
        return status
    }
}

/// The part of the configuration that applies to line mode.
private final class LineModeSettings {
    private var configuration = ScreenConfiguration.load()
    private(set) lazy var notifier = Notifier(configuration, isPlain: true)

    /// The content shown besides messages.
    var activity: TimelineActivity { configuration.activity }

    func perform(_ request: SettingRequest) -> [String] {
        let (lines, isChanged) = configuration.perform(request, isPlain: true)
        if isChanged {
            notifier.end()
            notifier = Notifier(configuration, isPlain: true)
        }
        return lines
    }
}

@available(*, unavailable) extension LineModeSettings: Sendable {}

/// The conversation as plain lines in and out: through pipes, on a terminal without full-screen support, or for a
/// screen reader (`--plain`). Typed lines wait until the records are present; at the end of the input the program stays
/// until everything is sent.
struct LineConversation {
    /// Octets of one line; a longer line is cut into several.
    private static let lineLimit = 65_536

    private let conversation: Conversation
    private let timeout: Int64
    private var input: [UInt8] = []
    private var isAtEnd = false
    private var deadline: Int64

    /// Whether a person types: then the program waits for the server as long as they do, and prints its questions.
    private let isTerminal: Bool
    private var asked: String?
    /// Changes that were refused in an earlier run are not failures of this one.
    private let oldDrafts: Set<Int64>
    private let settings: LineModeSettings
    private let terminal: Notifier.Terminal

    init(_ conversation: Conversation, timeout: Int64, isTerminal: Bool) {
        self.conversation = conversation
        self.timeout = timeout
        self.isTerminal = isTerminal
        deadline = Clock.monotonicMilliseconds() + timeout
        oldDrafts = Set(conversation.session.engine.drafts.map(\.id))
        let settings = LineModeSettings()
        self.settings = settings
        conversation.options.activity = settings.activity
        conversation.options.configure = { [weak conversation] request in
            let lines = settings.perform(request)
            conversation?.options.activity = settings.activity
            return lines
        }
        terminal = Notifier.Terminal(
            bell: { if isTerminal { Standard.write(output: "\u{07}") } },
            notify: { text in if isTerminal { Standard.write(output: FullScreen.notification(text)) } })
    }

    mutating func run(_ signals: borrowing SignalDescriptor, _ setting: Setting) throws -> ExitStatus {
        defer { settings.notifier.end() }
        conversation.begin()
        while true {
            takeLines()
            let lines = conversation.takeOutput()
            if !lines.isEmpty, !Standard.write(output: lines.map { $0 + "\n" }.joined()) { return .done }
            ask(anew: !lines.isEmpty)
            if let end = conversation.end, let status = try conversation.status(of: end, setting) {
                return status == .done && !isTerminal ? conversation.worst ?? .done : status
            }
            if isAtEnd, input.isEmpty, conversation.isSettled, !conversation.isWaiting {
                guard conversation.hasBeenLive else {
                    throw ProgramFailure(.offline, "\(conversation.session.lastFailure ?? "The server does not answer.") This is what was kept here.")
                }
                if isTerminal { return .done }
                if let worst = conversation.worst { return worst }
                return conversation.session.engine.drafts.allSatisfy { oldDrafts.contains($0.id) } ? .done : .refused
            }
            let isWaiting = isAtEnd || !conversation.isSettled && !isTerminal
            if isWaiting, Clock.monotonicMilliseconds() >= deadline {
                let reason = conversation.session.lastFailure ?? "The server does not answer."
                let waiting = conversation.session.engine.waitingCount
                if waiting > 0, conversation.session.keepsWhatWaits {
                    throw ProgramFailure(.offline, "\(reason) \(waiting == 1 ? "1 change waits" : "\(waiting) changes wait") in the outbox.")
                }
                throw ProgramFailure(.offline, "\(reason) Not everything was done.")
            }
            var items = [Poll.Item(signals.raw, .readable)]
            if !isAtEnd, conversation.isSettled { items.append(Poll.Item(Standard.input, .readable)) }
            let events = try conversation.session.turn(until: isWaiting ? deadline : nil, waitingFor: &items)
            for event in events {
                conversation.receive(event)
                switch event {
                case .notice(.change(let change, isOwn: false)) where conversation.session.engine.phase == .live: announce(change)
                case .notice(.reminder(let reminder)) where reminder.state != .missed:
                    settings.notifier.remind(ReminderWords.line(reminder), family: family, on: terminal)
                default: break
                }
            }
            if items[0].ready != [] {
                while let signal = try signals.next() {
                    // Ctrl-C cancels an open question first.
                    if signal == Signals.interrupt, isTerminal, conversation.isAsking {
                        Standard.write(output: "\n")
                        conversation.interrupt()
                    } else if [Signals.interrupt, Signals.terminate, Signals.hangUp].contains(signal) {
                        return .done
                    }
                }
            }
            if items.count > 1, items[1].ready != [] { try read() }
        }
    }

    /// Notifies the person that somebody mentioned them. Nobody knows where they look, so everything else is only
    /// shown.
    private func announce(_ change: Change) {
        let engine = conversation.session.engine
        for entry in change.entries where entry.kind == .message {
            guard case .create(_, let fields) = entry.effect, fields.set("mentions").contains(where: { $0.id == engine.member }) else { continue }
            let name = engine.record(change.member).map { RecordNames.name($0) } ?? "somebody"
            settings.notifier.tell(from: name, fields.text("text") ?? "", family: family, isMention: true, isAway: true, on: terminal)
        }
    }

    private var family: String { conversation.session.engine.familyName?.printable ?? "Huddle" }

    /// The question is printed before the answer is read.
    private mutating func ask(anew: Bool) {
        let question = isTerminal && conversation.isAsking ? conversation.prompt : nil
        if let question, anew || question != asked { Standard.write(output: question) }
        asked = question
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
                let line = input[..<place]
                input.removeFirst(place + 1)
                submit(line)
            } else if !input.isEmpty, isAtEnd || input.count > Self.lineLimit {
                let line = input[...]
                input = []
                submit(line)
            } else {
                return
            }
        }
    }

    private mutating func submit(_ octets: ArraySlice<UInt8>) {
        var line = String(decoding: octets, as: UTF8.self)
        if line.hasSuffix("\r") { line.removeLast() }
        // Through a pipe, /quit is the end of the input: the program waits for the lines before it, if there is a
        // server to answer.
        if !isTerminal, !conversation.isAsking, conversation.session.engine.phase == .live, case .quit? = try? SlashCommand.parse(line) {
            isAtEnd = true
            input = []
            deadline = Clock.monotonicMilliseconds() + timeout
            return
        }
        conversation.submit(line)
    }
}
