internal import Bytes
package import Posix
package import Terminal

/// An event of a full screen.
package enum ScreenEvent: Hashable, Sendable {
    case input(InputEvent)
    /// The window has another size: draw again.
    case resized(Size)
    /// The program was stopped and has continued: draw again.
    case resumed
    /// The program has to end (SIGTERM, SIGHUP, SIGINT, SIGQUIT), or the terminal has gone.
    case ending
}

/// The whole terminal as a screen that shows canvases. There is one at a time, on the thread that created it.
///
/// In whatever way the program ends, the terminal is restored: by `finish`, by exit(3), by a trap, by SIGTERM or
/// SIGHUP. It is also restored while the program is stopped (Ctrl-Z) and while another program has the terminal.
///
/// Nothing is polled: with nothing to do, `wait` sleeps in poll(2).
package final class FullScreen {
    /// How long an escape waits for the rest of its sequence, in milliseconds: longer than ssh takes between two octets
    /// of one key, too short to be noticed.
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
    /// The protocol of pictures in use, the picture on the screen, and the last one as octets.
    package private(set) var pictures: PictureProtocol?
    private var shownPicture: PlacedPicture?
    private var encodedPicture: (place: PlacedPicture, cell: Size, octets: [UInt8])?
    private var takesMouse: Bool
    private var setsTitle: Bool
    private var title = ""
    /// Whether another program has the terminal now.
    private var isHandedOver = false
    private var hasGone = false

    /// Takes over the terminal. Call it before the first thread is started: it blocks signals in this thread and in
    /// those that it starts.
    ///
    /// - Parameters:
    ///   - mouse: whether to report clicks; selecting text in the terminal then needs Shift.
    ///   - title: whether `setTitle` has an effect.
    /// - Throws: a sentence that says what the user can do.
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
        encoder = FrameEncoder(depth: depth, hasItalics: features.hasItalics, isConsole: ConsoleGlyph.isConsole(Environment.value("TERM")))
        size = Self.measure()
        guard begin() else { throw .init(sentence: "The terminal could not be taken over. Start with --plain.") }
    }

    deinit { finish() }

    /// Restores the terminal. Nothing is shown after it.
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
        shownPicture = nil
        write((setsTitle && !features.keepsTitle ? Self.keepTitle : []) + features.begin + (takesMouse ? features.mouse.on : []))
        writeTitle()
        return !hasGone
    }

    /// The octets that restore the terminal.
    private var end: [UInt8] { (pictures.map(PictureEncoder.removal) ?? []) + features.mouse.off + features.end + (setsTitle && !features.keepsTitle ? Self.giveTitleBack : []) }

    // MARK: Settings

    /// Sets whether clicks are reported from now on.
    package func setMouse(_ isWanted: Bool) {
        guard isWanted != takesMouse else { return }
        takesMouse = isWanted
        if isShown { write(isWanted ? features.mouse.on : features.mouse.off) }
    }

    /// Sets whether links are sent to the terminal from now on (OSC 8); `nil`: if the terminal is known to support
    /// them.
    package func setLinks(_ areWanted: Bool?) {
        let areWanted = areWanted ?? TerminalFeatures.knowsLinks(Environment.value)
        guard areWanted != encoder.hasLinks else { return }
        encoder.hasLinks = areWanted
        encoder.invalidate()
    }

    /// Sets the protocol of pictures from now on; `nil` shows none.
    package func setPictures(_ wanted: PictureProtocol?) {
        guard wanted != pictures else { return }
        if shownPicture != nil { hidePicture() }
        pictures = wanted
        // However the program ends, no picture stays behind.
        if isShown { _ = TerminalDevice.take(farewell: end) }
    }

    /// The size of a cell in pixels. Terminals that scale pictures to cells need only its shape; sixels need the size.
    package var cellSize: Size? {
        if let cell = TerminalDevice.cellSize() { return Size(columns: cell.width, rows: cell.height) }
        return pictures == .sixel ? nil : Size(columns: 10, rows: 20)
    }

    /// Sets whether titles are shown from now on; otherwise the terminal's own title is restored.
    package func setTitles(_ areWanted: Bool) {
        guard areWanted != setsTitle, features.hasTitle else { return }
        setsTitle = areWanted
        guard isShown, TerminalDevice.take(farewell: end) else { return }
        // If the sequences of terminfo save the title, they also restore it at the end: the saved title stays on the
        // stack.
        write(areWanted ? (features.keepsTitle ? [] : Self.keepTitle) : Self.giveTitleBack + (features.keepsTitle ? Self.keepTitle : []))
        writeTitle()
    }

    /// Sets the terminal's title while the screen is shown; has no effect if the title cannot be restored.
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

    /// The text without characters that could end a sequence, cut to the length that terminals show.
    private static func plain(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }.prefix(200).map(Character.init))
    }

    // MARK: Showing

    /// Shows a canvas on the terminal and writes only the differences.
    ///
    /// - Parameter picture: the picture whose place is in the canvas.
    package func show(_ canvas: Canvas, picture: TerminalPicture? = nil) {
        guard isShown else { return }
        let wanted = picture == nil || cellSize == nil || pictures == nil ? nil : canvas.picture
        if shownPicture != nil, shownPicture != wanted { hidePicture() }
        octets.removeAll(keepingCapacity: true)
        encoder.encode(canvas, into: &octets)
        if let wanted, let picture, let pictures, let cell = cellSize, shownPicture != wanted || pictures != .kitty && !octets.isEmpty {
            // Cells that are drawn again have taken a part of the picture away, except in kitty.
            if encodedPicture?.place != wanted || encodedPicture?.cell != cell {
                encodedPicture = (wanted, cell, PictureEncoder.encode(picture, as: pictures, columns: wanted.rect.columns, rows: wanted.rect.rows, cell: cell) { Base64.encode($0) })
            }
            octets += "\u{1B}7\u{1B}[\(wanted.rect.row + 1);\(wanted.rect.column + 1)H".utf8
            octets += encodedPicture?.octets ?? []
            octets += "\u{1B}8".utf8
        }
        shownPicture = wanted
        if !octets.isEmpty { write(octets) }
    }

    /// Removes the picture from the screen: all cells are drawn again.
    private func hidePicture() {
        if let pictures { write(PictureEncoder.removal(pictures)) }
        redraw()
    }

    /// Draws the next canvas whole, for Ctrl-L, after another program has written over the screen.
    package func redraw() {
        encoder.invalidate()
        shownPicture = nil
        if isShown { write(Array("\u{1B}[0m\u{1B}[2J".utf8)) }
    }

    /// Rings the terminal's bell.
    package func bell() { if isShown { write([0x07]) } }

    /// Asks the terminal to notify the user, also in the background. Source: OSC 9, as supported by iTerm2, WezTerm,
    /// foot and kitty.
    package func notify(_ text: String) {
        if isShown { write(Array(Self.notification(text).utf8)) }
    }

    /// The sequence of `notify`, for callers that write lines.
    package static func notification(_ text: String) -> String {
        // A text that begins with "4;" would be a progress bar.
        "\u{1B}]9;Huddle: \(plain(text))\u{07}"
    }

    /// Puts text into the clipboard of the user's terminal, if the terminal allows programs to do so. Source: xterm's
    /// OSC 52.
    package func copy(_ text: String) {
        let encoded = Base64.encode(Array(text.utf8.prefix(Self.longestCopy)))
        if isShown { write(Array("\u{1B}]52;c;\(encoded)\u{07}".utf8)) }
    }

    /// The largest text that terminals accept for the clipboard, in octets; xterm's limit is the lowest.
    private static let longestCopy = 60_000

    private func write(_ octets: [UInt8]) {
        if !hasGone, !Standard.write(output: octets) { hasGone = true }
    }

    // MARK: Waiting

    /// The descriptors for a caller's own loop: signals and keys. Pass them to `events` afterwards.
    package var items: [Poll.Item] {
        // Another program reads the keys while it has the terminal.
        let keys = Poll.Item(Standard.input, .readable)
        return isHandedOver ? [Poll.Item(signals.raw, .readable)] : [Poll.Item(signals.raw, .readable), keys]
    }

    /// The latest time until which the caller may wait, by the monotonic clock; `nil` without limit.
    package var deadline: Int64? { hasGone ? 0 : escapeEnds }

    /// The events after waiting for `items`; also call it if only the time was over.
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
            // The program was stopped from outside, by a signal that it cannot handle: another program may have changed
            // the terminal in the meantime.
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

    // MARK: Handing the terminal over

    /// Stops the program as Ctrl-Z does; returns when it continues.
    ///
    /// - Returns: the events after it: draw again.
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

    /// Starts another program that has the terminal until it ends, such as an editor. Nothing is shown until then; call
    /// `takeBack` when it has ended. Keep running the loop until then, so that the network does not wait.
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

    /// Called when the other program has ended.
    package func takeBack() -> [ScreenEvent] {
        isHandedOver = false
        var events: [ScreenEvent] = []
        resume(&events)
        return events
    }
}

@available(*, unavailable) extension FullScreen: Sendable {}
