internal import Bytes
package import Posix
package import Terminal

/// What happened to a full screen.
package enum ScreenEvent: Hashable, Sendable {
    case input(InputEvent)
    /// The window has another size: draw anew.
    case resized(Size)
    /// The program was stopped and goes on: draw anew.
    case resumed
    /// The program is asked to end (SIGTERM, SIGHUP, SIGINT, SIGQUIT), or the terminal has gone.
    case ending
}

/// The whole terminal as a screen that canvases are shown on. There is one at a time, on the thread that made it.
///
/// However the program ends, the terminal is as it was before: by `finish`, by exit(3), by a trap, by SIGTERM or SIGHUP. While stopped
/// (Ctrl-Z) and while another program has the terminal it is too.
///
/// Nothing is polled: with nothing to do, `wait` sleeps in poll(2).
package final class FullScreen {
    /// How long an escape waits for what it may begin, milliseconds: longer than ssh takes between two octets of one key, too short to be noticed.
    package static let escapeDelay: Int64 = 50
    private static let handled = [
        Signals.interrupt, Signals.terminate, Signals.hangUp, Signals.quit, Signals.windowChanged, Signals.stop, Signals.goOn,
    ]

    package let features: TerminalFeatures
    package let depth: ColourDepth
    package private(set) var size: Size
    private let signals: SignalDescriptor
    private var parser: KeyParser
    private var encoder: FrameEncoder
    private var octets: [UInt8] = []
    private var escapeEnds: Int64?
    private var isShown = false
    private var takesMouse: Bool
    private var setsTitle: Bool
    private var title = ""
    /// Whether another program has the terminal now.
    private var isHandedOver = false
    private var hasGone = false

    /// Takes the terminal over. Call it before the first thread is started: signals are blocked in this one and those it starts.
    ///
    /// - Parameters:
    ///   - mouse: whether clicks are wanted; the terminal's own selecting then needs Shift.
    ///   - title: whether `setTitle` is to have an effect.
    /// - Throws: a sentence that says what the person can do.
    package init(mouse: Bool = true, title: Bool = false) throws(TerminalFeatures.Unsuitable) {
        guard Standard.isTerminal(Standard.input), Standard.isTerminal(Standard.output) else {
            throw .init(sentence: "This is no terminal. Start with --plain.")
        }
        features = try TerminalFeatures(Environment.value("TERM"))
        takesMouse = mouse
        setsTitle = title && features.hasTitle
        depth = ColourDepth(colours: features.colours, environment: Environment.value)
        Signals.block(Self.handled)
        do throws(Errno) { signals = try SignalDescriptor(Self.handled) } catch {
            throw .init(sentence: "The system has no descriptor left: \(error.text). Close some programs, then start again.")
        }
        parser = KeyParser(sequences: features.keys)
        encoder = FrameEncoder(depth: depth, hasItalics: features.hasItalics)
        size = Self.measure()
        guard begin() else { throw .init(sentence: "The terminal could not be taken over. Start with --plain.") }
    }

    deinit { finish() }

    /// Gives the terminal back. Nothing is shown any more.
    package func finish() {
        guard isShown else { return }
        isShown = false
        write(end)
        TerminalDevice.giveBack()
    }

    private func begin() -> Bool {
        guard TerminalDevice.take(farewell: end) else { return false }
        isShown = true
        encoder.invalidate()
        write((setsTitle && !features.keepsTitle ? Self.keepTitle : []) + features.begin + (takesMouse ? features.mouse.on : []))
        writeTitle()
        return !hasGone
    }

    /// What gives the terminal back as it was.
    private var end: [UInt8] { features.mouse.off + features.end + (setsTitle && !features.keepsTitle ? Self.giveTitleBack : []) }

    // MARK: What the person likes

    /// Whether clicks are wanted from now on.
    package func setMouse(_ isWanted: Bool) {
        guard isWanted != takesMouse else { return }
        takesMouse = isWanted
        if isShown { write(isWanted ? features.mouse.on : features.mouse.off) }
    }

    /// Whether links are given to the terminal as such from now on (OSC 8); `nil`: where it is known to take them.
    package func setLinks(_ areWanted: Bool?) {
        let areWanted = areWanted ?? TerminalFeatures.knowsLinks(Environment.value)
        guard areWanted != encoder.hasLinks else { return }
        encoder.hasLinks = areWanted
        encoder.invalidate()
    }

    /// Whether titles are wanted from now on; without, the terminal's own is there again.
    package func setTitles(_ areWanted: Bool) {
        guard areWanted != setsTitle, features.hasTitle else { return }
        setsTitle = areWanted
        guard isShown, TerminalDevice.take(farewell: end) else { return }
        // Where the sequences of terminfo keep the title, they also give it back at the end: what was kept stays kept.
        write(areWanted ? (features.keepsTitle ? [] : Self.keepTitle) : Self.giveTitleBack + (features.keepsTitle ? Self.keepTitle : []))
        writeTitle()
    }

    /// The title of the terminal from now on, while the screen is shown; without an effect where that cannot be given back.
    package func setTitle(_ text: String) {
        guard text != title else { return }
        title = text
        if isShown { writeTitle() }
    }

    private func writeTitle() {
        if setsTitle, !title.isEmpty { write(Array("\u{1B}]2;\(Self.plain(title))\u{1B}\\".utf8)) }
    }

    /// Source: xterm's window operations, 22 and 23.
    private static let keepTitle = Array("\u{1B}[22;2t".utf8), giveTitleBack = Array("\u{1B}[23;2t".utf8)

    /// What can end no sequence, and is not longer than terminals show.
    private static func plain(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }.prefix(200).map(Character.init))
    }

    // MARK: Showing

    /// Makes the terminal show this canvas, writing only what differs.
    package func show(_ canvas: Canvas) {
        guard isShown else { return }
        octets.removeAll(keepingCapacity: true)
        encoder.encode(canvas, into: &octets)
        if !octets.isEmpty { write(octets) }
    }

    /// Draws the next canvas whole, as Ctrl-L asks, when another program has written over it.
    package func redraw() {
        encoder.invalidate()
        if isShown { write(Array("\u{1B}[0m\u{1B}[2J".utf8)) }
    }

    /// Rings the terminal's bell.
    package func bell() { if isShown { write([0x07]) } }

    /// Asks the terminal to tell the person, also when it is in the background. Source: OSC 9, as iTerm2, WezTerm, foot and kitty know it.
    package func notify(_ text: String) {
        if isShown { write(Array(Self.notification(text).utf8)) }
    }

    /// The sequence of `notify`, for who writes lines.
    package static func notification(_ text: String) -> String {
        // A text that begins with "4;" would be a progress bar.
        "\u{1B}]9;Huddle: \(plain(text))\u{07}"
    }

    /// Puts text into the clipboard of the person's terminal, where it lets programs do so. Source: xterm's OSC 52.
    package func copy(_ text: String) {
        let encoded = Base64.encode(Array(text.utf8.prefix(Self.longestCopy)))
        if isShown { write(Array("\u{1B}]52;c;\(encoded)\u{07}".utf8)) }
    }

    /// Octets that terminals take into their clipboard at once; xterm's limit is the lowest.
    private static let longestCopy = 60_000

    private func write(_ octets: [UInt8]) {
        if !hasGone, !Standard.write(output: octets) { hasGone = true }
    }

    // MARK: Waiting

    /// What a loop of the caller waits for: signals and keys. Give them to `events` afterwards.
    package var items: [Poll.Item] {
        // Another program reads the keys while it has the terminal.
        let keys = Poll.Item(Standard.input, .readable)
        return isHandedOver ? [Poll.Item(signals.raw, .readable)] : [Poll.Item(signals.raw, .readable), keys]
    }

    /// Until when the caller may wait at most, by the monotonic clock; `nil` for ever.
    package var deadline: Int64? { hasGone ? 0 : escapeEnds }

    /// What has happened, after waiting for `items`; also call it when only the time was over.
    package func events(_ items: some Sequence<Poll.Item>) throws(Errno) -> [ScreenEvent] {
        var events: [ScreenEvent] = []
        for item in items where item.ready != [] {
            if item.raw == signals.raw {
                while let signal = try signals.next() { handle(signal, &events) }
            } else if item.raw == Standard.input, !isHandedOver {
                try type(&events)
            }
        }
        if let ends = escapeEnds, Clock.monotonicMilliseconds() >= ends {
            events += parser.flush().map { .input($0) }
            escapeEnds = parser.isWaiting ? Clock.monotonicMilliseconds() + Self.escapeDelay : nil
        }
        if hasGone, events.last != .ending { events.append(.ending) }
        return events
    }

    /// Waits until something happens: a key, a signal, one of `others`, or the deadline. For programs without a loop of their own.
    ///
    /// - Parameter others: `ready` of each is filled in.
    package func wait(until deadline: Int64? = nil, _ others: inout [Poll.Item]) throws(Errno) -> [ScreenEvent] {
        var all = items + others
        let ours = all.count - others.count
        let due = [deadline, self.deadline].compactMap(\.self).min()
        let left = due.map { Int(clamping: max($0 - Clock.monotonicMilliseconds(), 0)) } ?? -1
        _ = try Poll.wait(&all, timeoutMilliseconds: left)
        for place in others.indices { others[place].ready = all[ours + place].ready }
        return try events(all[..<ours])
    }

    private func handle(_ signal: Int32, _ events: inout [ScreenEvent]) {
        switch signal {
        case Signals.windowChanged:
            size = Self.measure()
            if !isHandedOver { events.append(.resized(size)) }
        case Signals.stop:
            if isHandedOver { TerminalDevice.stopJob() } else { suspend(&events) }
        case Signals.goOn:
            // Stopped from outside, by a signal that nobody can see coming: whoever had the terminal meanwhile has set it otherwise.
            guard !isHandedOver, isShown, events.last != .resumed else { return }
            resume(&events)
        default: events.append(.ending)
        }
    }

    private func type(_ events: inout [ScreenEvent]) throws(Errno) {
        var got: [UInt8] = []
        do throws(Errno) {
            try withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer throws(Errno) in
                if case .done(let count) = try Octets.read(Standard.input, into: buffer) { got = Array(buffer[..<count]) }
            }
        } catch {
            // EIO: the terminal has hung up.
            got = []
        }
        guard !got.isEmpty else {
            hasGone = true
            return
        }
        events += parser.feed(got).map { .input($0) }
        escapeEnds = parser.isWaiting ? Clock.monotonicMilliseconds() + Self.escapeDelay : nil
    }

    private static func measure() -> Size {
        let told = TerminalDevice.size()
        let columns = told?.columns ?? Environment.value("COLUMNS").flatMap { Int($0) } ?? 80
        let rows = told?.rows ?? Environment.value("LINES").flatMap { Int($0) } ?? 24
        return Size(columns: columns, rows: rows).bounded
    }

    // MARK: Giving the terminal away for a while

    /// Stops the program as Ctrl-Z does; returns when it goes on.
    ///
    /// - Returns: what the caller hears of it: draw anew.
    package func suspend() -> [ScreenEvent] {
        var events: [ScreenEvent] = []
        suspend(&events)
        return events
    }

    private func suspend(_ events: inout [ScreenEvent]) {
        finish()
        TerminalDevice.stopJob()
        resume(&events)
    }

    private func resume(_ events: inout [ScreenEvent]) {
        guard begin() else {
            hasGone = true
            return
        }
        size = Self.measure()
        if events.last != .resumed { events.append(.resumed) }
    }

    /// Starts another program that has the terminal until it ends, as an editor. Meanwhile nothing is shown; call `takeBack` when
    /// it has ended. Keep turning until then, so that the network does not wait.
    package func handOver(to arguments: [String]) throws(Errno) -> ChildProcess {
        finish()
        isHandedOver = true
        do throws(Errno) {
            return try ChildProcess.start(arguments, input: .inherited, output: .inherited, errors: .inherited)
        } catch {
            _ = takeBack()
            throw error
        }
    }

    /// The other program has ended.
    package func takeBack() -> [ScreenEvent] {
        isHandedOver = false
        var events: [ScreenEvent] = []
        resume(&events)
        return events
    }
}

@available(*, unavailable) extension FullScreen: Sendable {}
