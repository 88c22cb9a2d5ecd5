import Glibc
import LibVTerm
import Posix
import PseudoTerminal
import Screen
import Terminal
import Testing

@Suite("Full screen on a pseudo-terminal", .serialized)
struct ScreenTests {
    static func start(
        columns: Int = 40, rows: Int = 12, term: String = "xterm-256color", environment: [String: String] = [:]
    ) throws -> PseudoTerminal {
        let terminal = try PseudoTerminal(
            [demo], columns: columns, rows: rows, term: term, environment: environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { old, _ in old })
        let isThere = try terminal.wait(for: "\(columns) × \(rows)")
        try #require(isThere, "\(terminal.screen.text)")
        return terminal
    }

    static let demo = PseudoTerminal.product("screendemo")

    /// The terminal has its original state.
    static func expectGivenBack(_ terminal: PseudoTerminal, _ how: String) {
        #expect(terminal.isCooked, "\(how)")
        #expect(!terminal.screen.isOtherScreen, "\(how)")
        #expect(terminal.screen.modes == [25, 7], "\(how): \(terminal.screen.modes)")
        #expect(!terminal.screen.isKeypadApplication, "\(how)")
        #expect(terminal.screen.unknown.isEmpty, "\(terminal.screen.unknown)")
    }

    @Test("The program draws, and takes over the whole terminal")
    func draws() throws {
        let terminal = try Self.start()
        #expect(terminal.screen.line(0) == "┌─ 40 × 12 ────────────────────────────┐")
        #expect(terminal.screen.line(10) == "│ 日本 👨‍👩‍👧‍👦 end                          │")
        #expect(terminal.screen.isOtherScreen)
        #expect(terminal.screen.modes.isSuperset(of: [1049, 2004, 1004, 1002, 1006]))
        #expect(!terminal.isCooked)
        #expect(terminal.screen.unknown.isEmpty, "\(terminal.screen.unknown)")
        #expect((terminal.screen.column, terminal.screen.row) == (2, 10))
    }

    @Test("Whatever ends the program, the terminal has its original state", arguments: [
        ("q", nil, .exited(0)), ("e", nil, .exited(3)), ("", SIGTERM, .exited(0)), ("", SIGHUP, .exited(0)), ("", SIGINT, .exited(0)), ("", SIGQUIT, .exited(0)),
        ("", SIGSEGV, .killed(signal: SIGSEGV)), ("", SIGABRT, .killed(signal: SIGABRT)), ("", SIGBUS, .killed(signal: SIGBUS)),
    ] as [(String, Int32?, ChildProcess.Ending)])
    func ends(keys: String, signal: Int32?, ending: ChildProcess.Ending) throws {
        let terminal = try Self.start()
        try terminal.type(keys)
        if let signal { terminal.signal(signal) }
        let found = try terminal.waitForEnd()
        #expect(found == ending)
        Self.expectGivenBack(terminal, "\(keys) \(signal ?? 0)")
    }

    @Test("A trap and a stack overflow restore the terminal too", arguments: ["c", "s"])
    func traps(key: String) throws {
        let terminal = try Self.start()
        try terminal.type(key)
        let found = try terminal.waitForEnd(milliseconds: 30_000)
        guard case .killed? = found else { Issue.record("\(String(describing: found))"); return }
        Self.expectGivenBack(terminal, key)
    }

    @Test("A stopped program restores the terminal; a continued one draws again", arguments: [("z", nil), ("", SIGTSTP)] as [(String, Int32?)])
    func stops(keys: String, signal: Int32?) throws {
        let terminal = try Self.start()
        try terminal.type(keys)
        if let signal { terminal.signal(signal) }
        let isStopped = try terminal.waitForStop()
        #expect(isStopped)
        Self.expectGivenBack(terminal, "stopped")
        terminal.signal(SIGCONT)
        let isBack = try terminal.wait { $0.isOtherScreen && $0.text.contains("resumed") && $0.text.contains("end") }
        #expect(isBack, "\(terminal.screen.text)")
        #expect(!terminal.isCooked)
        try terminal.type("q")
        let ending = try terminal.waitForEnd()
        #expect(ending == .exited(0))
        Self.expectGivenBack(terminal, "ended after stopping")
    }

    @Test("A new size is drawn immediately")
    func resizes() throws {
        let terminal = try Self.start()
        for (columns, rows) in [(60, 20), (25, 6), (120, 40)] {
            try terminal.resize(columns: columns, rows: rows)
            let isThere = try terminal.wait { $0.line(0).contains("\(columns) × \(rows)") && $0.line(rows - 1).count == columns && $0.line(rows - 2).hasPrefix("│ 日本") }
            #expect(isThere, "\(terminal.screen.text)")
        }
    }

    @Test("Keys, pastes and clicks arrive as such; a single escape after a moment", arguments: [
        ("\u{1B}[1;5C", "key Ctrl-Right"), ("\u{1B}OA", "key Up"), ("\u{1B}x", "key Alt-x"), ("é", "key é"), ("\u{1B}", "key Esc"), ("\u{3}", "key Ctrl-C"),
        ("\u{13}", "key Ctrl-S"), ("\u{1B}[200~two\rlines\u{1B}[201~", "paste two|lines"), ("\u{1B}[<0;3;4M", "mouse press(1) 2,3"), ("\u{1B}[I", "focus true"), ("\r", "key Enter"),
    ] as [(String, String)])
    func keys(octets: String, line: String) throws {
        let terminal = try Self.start()
        try terminal.type(octets)
        let isThere = try terminal.wait(for: line)
        #expect(isThere, "\(terminal.screen.text)")
    }

    @Test("The program runs on common terminals", arguments: ["xterm-256color", "tmux-256color", "screen-256color", "screen", "linux", "vt100", "rxvt-unicode-256color", "xterm"])
    func terminals(term: String) throws {
        let terminal = try Self.start(term: term)
        try terminal.type("\u{1B}[A")
        let isThere = try terminal.wait(for: "key Up")
        #expect(isThere, "\(terminal.screen.text)")
        try terminal.type("q")
        let ending = try terminal.waitForEnd()
        #expect(ending == .exited(0))
        #expect(terminal.isCooked)
        #expect(terminal.screen.modes == [25, 7])
        #expect(terminal.screen.unknown.isEmpty, "\(terminal.screen.unknown)")
        #expect(terminal.differencesFromLibVTerm(hasEnded: true) == [])
    }

    @Test("An unsuitable terminal gets a sentence that says what to do", arguments: ["dumb", "", "no-such-terminal", "unknown"])
    func unsuitable(term: String) throws {
        let terminal = try PseudoTerminal([Self.demo], term: term)
        let ending = try terminal.waitForEnd()
        #expect(ending == .exited(2))
        #expect(terminal.screen.text.replacing("\n", with: "").contains("--plain"), "\(terminal.screen.text)")
        #expect(terminal.isCooked)
    }

    @Test("NO_COLOR sends no colours")
    func noColour() throws {
        let plain = try Self.start(environment: ["NO_COLOR": "1"])
        #expect(plain.screen.cells.joined().allSatisfy { $0.style.foreground == .standard && $0.style.background == .standard })
        let coloured = try Self.start()
        #expect(coloured.screen.cells.joined().contains { $0.style.foreground != .standard })
    }

    @Test("The editor has the terminal to itself, and returns its text")
    func editor() throws {
        let terminal = try Self.start(environment: ["VISUAL": "sh -c 'test -t 0 && stty -a | grep -q \" icanon\" && printf \" and new\\n\" >> \"$0\"'"])
        try terminal.type("o")
        let isThere = try terminal.wait(for: "edited old text and new")
        #expect(isThere, "\(terminal.screen.text)")
        #expect(terminal.screen.isOtherScreen && !terminal.isCooked)
    }

    @Test("An editor that fails, or is missing, changes nothing", arguments: ["false", "no-such-editor-anywhere"])
    func failingEditor(editor: String) throws {
        let terminal = try Self.start(environment: ["VISUAL": "", "EDITOR": editor])
        try terminal.type("o")
        let isThere = try terminal.wait(for: "edited nothing")
        #expect(isThere, "\(terminal.screen.text)")
    }

    @Test("The bell rings, and a notification cannot steer the terminal")
    func notifies() throws {
        let terminal = try Self.start()
        try terminal.type("bn")
        let isThere = try terminal.wait { $0.bells == 1 && !$0.notifications.isEmpty }
        #expect(isThere)
        #expect(terminal.screen.notifications == ["Huddle: Carmen: hello"])
    }

    @Test("An idle program does nothing: no wake-up and no processor time in half a second")
    func idle() throws {
        let terminal = try Self.start()
        _ = try terminal.wait(milliseconds: 200) { _ in false }
        let before = try terminal.activity()
        _ = try terminal.wait(milliseconds: 500) { _ in false }
        let after = try terminal.activity()
        #expect(after == before)
        try #require(before.wakeUps > 0)
    }

    @Test("Without a terminal at either end the program says so")
    func pipes() throws {
        let answer = try ChildProcess.run([Self.demo])
        #expect(answer.ending == .exited(2))
        #expect(String(decoding: answer.errors, as: UTF8.self).contains("--plain"))
    }
}

// One at a time: the library holds one terminal.
@Suite("Terminfo", .serialized)
struct TerminalFeaturesTests {
    @Test("Terminfo supplies colours, italics, keys, and the sequences to begin and end")
    func features() throws {
        let xterm = try TerminalFeatures("xterm-256color")
        #expect(xterm.colours == 256)
        #expect(xterm.hasItalics)
        #expect(xterm.keys[Array("\u{1B}[1;5C".utf8)] == Key(.right, .control))
        #expect(xterm.keys[Array("\u{1B}OA".utf8)] == Key(.up))
        #expect(String(decoding: xterm.begin, as: UTF8.self).contains("\u{1B}[?1049h"))
        #expect(String(decoding: xterm.end, as: UTF8.self).hasSuffix("\u{1B}[?1049l\u{1B}[23;0;0t"))
        #expect(!String(decoding: xterm.begin, as: UTF8.self).contains("1006"))
        #expect(String(decoding: xterm.mouse.on, as: UTF8.self).contains("1006h") && String(decoding: xterm.mouse.off, as: UTF8.self).contains("1006l"))
    }

    @Test("Links are sent only to terminals that announce support", arguments: [
        ("TERM=xterm-256color", false), ("TERM=xterm-256color VTE_VERSION=7402", true), ("TERM=xterm-256color VTE_VERSION=4999", false), ("TERM=xterm-kitty", true), ("TERM=foot", true),
        ("TERM=alacritty-direct", true), ("TERM=linux VTE_VERSION=7402", false), ("TERM=screen-256color VTE_VERSION=7402 STY=1.x", false), ("TERM=screen.xterm VTE_VERSION=7402", false),
        ("TERM=tmux-256color VTE_VERSION=7402", false), ("TERM=tmux-256color TMUX=/x TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=3.3a", false),
        ("TERM=tmux-256color TMUX=/x TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=3.4", true), ("TERM=screen-256color TMUX=/x TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=3.5a", true),
        ("TERM=tmux TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=next-3.5", false), ("TERM=xterm-256color TMUX=/x WEZTERM_PANE=0", false), ("TERM=xterm-256color TERM_PROGRAM=iTerm.app", true),
        ("TERM=xterm-256color TERM_PROGRAM=Apple_Terminal", false), ("TERM=xterm-256color KONSOLE_VERSION=220401", true), ("", false),
    ])
    func links(environment: String, areKnown: Bool) {
        let pairs = environment.split(separator: " ").map { $0.split(separator: "=").map(String.init) }
        let variables = Dictionary(pairs.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
        #expect(TerminalFeatures.knowsLinks { variables[$0] } == areKnown)
    }

    @Test("R129 Pictures are shown where the terminal is known to take them, and not behind a multiplexer", arguments: [
        ("TERM=xterm-kitty", PictureProtocol.kitty), ("TERM=xterm-256color KITTY_WINDOW_ID=1", .kitty), ("TERM=xterm-ghostty", .kitty), ("TERM=xterm-256color KONSOLE_VERSION=220400", .kitty),
        ("TERM=xterm-256color KONSOLE_VERSION=211203", nil), ("TERM=xterm-256color TERM_PROGRAM=iTerm.app", .iterm2), ("TERM=xterm-256color LC_TERMINAL=iTerm2", .iterm2),
        ("TERM=xterm-256color TERM_PROGRAM=WezTerm", .iterm2), ("TERM=foot", .sixel), ("TERM=foot-extra", .sixel), ("TERM=mlterm", .sixel), ("TERM=football", nil),
        ("TERM=tmux-256color KITTY_WINDOW_ID=1", nil), ("TERM=xterm-kitty TMUX=/tmp/x", nil), ("TERM=screen-256color STY=1", nil), ("TERM=linux", nil), ("TERM=xterm-256color", nil), ("", nil),
    ] as [(String, PictureProtocol?)])
    func pictures(environment: String, format: PictureProtocol?) {
        let pairs = environment.split(separator: " ").map { $0.split(separator: "=").map(String.init) }
        let variables = Dictionary(pairs.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
        #expect(TerminalFeatures.knownPictures { variables[$0] } == format)
    }

    @Test("A title is set only if the original one can be restored", arguments: [("xterm-256color", true), ("tmux-256color", true), ("linux", false), ("vt220", false), ("screen-256color", false)])
    func titles(name: String, hasTitle: Bool) throws {
        #expect(try TerminalFeatures(name).hasTitle == hasTitle)
    }
}
