internal import CNcurses
internal import Posix
package import Terminal

/// The facts about a terminal from terminfo that are needed here.
package struct TerminalFeatures: Sendable {
    /// The reason why a terminal cannot show a full screen, as a sentence for the user.
    package struct Unsuitable: Error, Hashable, Sendable {
        package let sentence: String
    }

    /// The number of colours, -1 for none.
    package let colours: Int
    package let hasItalics: Bool
    /// The sequences of its keys, as far as terminfo has them.
    package let keys: [[UInt8]: Key]
    /// The octets that begin the full screen, and those that end it.
    package let begin: [UInt8]
    package let end: [UInt8]
    /// The sequences that turn clicks on and off; empty if the terminal has no mouse.
    package let mouse: (on: [UInt8], off: [UInt8])
    /// Whether the terminal has a title of its own that can be restored.
    package let hasTitle: Bool
    /// Whether `begin` and `end` save and restore the title already.
    let keepsTitle: Bool

    /// Reads the description of a terminal.
    ///
    /// Cells are drawn with the sequences of ECMA-48, which all current terminals support; terminfo shows the
    /// exceptions.
    /// - Parameter name: the value of `TERM`.
    package init(_ name: String?) throws(Unsuitable) {
        guard let name, !name.isEmpty, name != "dumb", name != "unknown" else {
            throw Unsuitable(sentence: "This terminal says that it cannot place text (TERM is \(name ?? "not set")). Start with --plain.")
        }
        guard cncurses_setup(name, Standard.output) == 0 else {
            throw Unsuitable(
                sentence: "Nothing is known here about the terminal \(name.prefix(40)). Set TERM to one that is installed, as xterm-256color, or start with --plain.")
        }
        guard let position = cncurses_text("cup"), let filled = cncurses_fill(position, 4, 9), String(cString: filled).hasPrefix("\u{1B}[5;10H") else {
            throw Unsuitable(sentence: "The terminal \(name.prefix(40)) places text in a way of its own. Start with --plain.")
        }
        colours = Int(cncurses_number("colors"))
        hasItalics = cncurses_text("sitm") != nil
        keys = Self.readKeys()
        func text(_ capability: String) -> String { Self.text(capability) ?? "" }
        // In the SGR form.
        // The console of Linux has a mouse in terminfo, and clicks only through gpm, in another form.
        mouse = cncurses_text("kmous") == nil || ConsoleGlyph.isConsole(name) ? ([], []) : (Array("\u{1B}[?1002h\u{1B}[?1006h".utf8), Array("\u{1B}[?1006l\u{1B}[?1002l".utf8))
        // Autowrap off, so that the last column can be written; paste in brackets, focus.
        let wants = "\u{1B}[?7l\u{1B}[?2004h\u{1B}[?1004h"
        let wantsNoMore = "\u{1B}[?1004l\u{1B}[?2004l\u{1B}[?7h"
        keepsTitle = text("smcup").contains("\u{1B}[22;") && text("rmcup").contains("\u{1B}[23;")
        hasTitle = keepsTitle || Self.titled.contains { name == $0 || name.hasPrefix($0 + "-") }
        begin = Array((text("smcup") + text("smkx") + "\u{1B}[0m\u{1B}[2J" + wants).utf8)
        // Without a screen of its own to leave, the screen is cleared; otherwise the shell's prompt would be in the
        // middle of old content.
        let leave = Self.text("rmcup") ?? "\u{1B}[H\u{1B}[2J"
        end = Array((wantsNoMore + "\u{1B}[0m" + text("rmkx") + (Self.text("cnorm") ?? "\u{1B}[?25h") + leave).utf8)
    }

    /// Terminals that keep titles on a stack (CSI 22;2t, 23;2t), by the beginning of `TERM`, for which terminfo does
    /// not say so.
    private static let titled = ["xterm", "tmux", "foot", "alacritty", "wezterm", "konsole", "vte", "mintty", "contour", "iterm2"]

    /// Whether the terminal is known to support links (OSC 8). Terminfo has no entry for it, so this uses the variables
    /// that terminals set. The result is false if no variable is set, as over ssh; the user may override it.
    ///
    /// Source: the list of terminals in "Hyperlinks in terminal emulators"; tmux's CHANGES, 3.4.
    package static func knowsLinks(_ environment: (String) -> String?) -> Bool {
        func number(_ name: String) -> Int { environment(name).flatMap { Int($0) } ?? 0 }
        func isSet(_ name: String) -> Bool { environment(name).map { !$0.isEmpty } ?? false }
        let term = environment("TERM") ?? ""
        let program = environment("TERM_PROGRAM") ?? ""
        // A multiplexer hides the terminal behind it. From 3.4 on, tmux passes links on to terminals that it knows to
        // support them.
        if isSet("TMUX") || term.hasPrefix("tmux") {
            let version = (environment("TERM_PROGRAM_VERSION") ?? "").split(separator: ".").prefix(2).map { $0.prefix { $0.isNumber } }.map { Int($0) ?? 0 }
            return program == "tmux" && version.count == 2 && (version[0], version[1]) >= (3, 4)
        }
        if isSet("STY") || ["screen", "linux", "dumb", "vt", "rxvt"].contains(where: term.hasPrefix) { return false }
        return number("VTE_VERSION") >= 5_000 || number("KONSOLE_VERSION") >= 201_200 || isSet("KITTY_WINDOW_ID") || isSet("WT_SESSION") || isSet("WEZTERM_PANE")
            || ["iTerm.app", "WezTerm", "ghostty", "vscode"].contains(program)
            || ["xterm-kitty", "xterm-ghostty", "foot", "alacritty", "wezterm", "contour"].contains { term == $0 || term.hasPrefix($0 + "-") }
    }

    /// The protocol by which the terminal is known to show pictures, by the variables that terminals set; `nil` if it is
    /// not known to show any, as behind a multiplexer, which passes none on. The user may override it.
    package static func knownPictures(_ environment: (String) -> String?) -> PictureProtocol? {
        func isSet(_ name: String) -> Bool { environment(name).map { !$0.isEmpty } ?? false }
        let term = environment("TERM") ?? ""
        let program = environment("TERM_PROGRAM") ?? ""
        func isTerm(_ names: String...) -> Bool { names.contains { term == $0 || term.hasPrefix($0 + "-") } }
        if isSet("TMUX") || isSet("STY") || isTerm("tmux", "screen", "linux", "dumb", "vt100", "vt220") { return nil }
        if isSet("KITTY_WINDOW_ID") || isTerm("xterm-kitty", "xterm-ghostty") || program == "ghostty" { return .kitty }
        // konsole takes kitty's pictures from 22.04 on.
        if (environment("KONSOLE_VERSION").flatMap { Int($0) } ?? 0) >= 220_400 { return .kitty }
        if ["iTerm.app", "WezTerm", "mintty"].contains(program) || environment("LC_TERMINAL") == "iTerm2" || isSet("WEZTERM_PANE") { return .iterm2 }
        return isTerm("foot", "mlterm", "contour", "yaft") ? .sixel : nil
    }

    private static func text(_ capability: String) -> String? {
        cncurses_text(capability).map { String(cString: $0) }.map(withoutDelays)
    }

    /// The text without terminfo's `$<5>`, which requests a pause that only mechanical terminals need.
    static func withoutDelays(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "$<") {
            result += rest[..<start.lowerBound]
            guard let end = rest[start.upperBound...].firstIndex(of: ">") else { return result + rest[start.lowerBound...] }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func readKeys() -> [[UInt8]: Key] {
        var named: [(String, Key)] = [
            ("kcuu1", Key(.up)), ("kcud1", Key(.down)), ("kcub1", Key(.left)), ("kcuf1", Key(.right)), ("khome", Key(.home)), ("kend", Key(.end)),
            ("kpp", Key(.pageUp)), ("knp", Key(.pageDown)), ("kich1", Key(.insert)), ("kdch1", Key(.delete)), ("kcbt", Key(.tab, .shift)),
            ("kent", Key(.enter)), ("kind", Key(.down, .shift)), ("kri", Key(.up, .shift)),
        ]
        for number in 1...12 { named.append(("kf\(number)", Key(.function(number)))) }
        // user_caps(5): kUP5 is Up with what xterm numbers 5.
        let modified: [(String, Key.Code)] = [
            ("kUP", .up), ("kDN", .down), ("kLFT", .left), ("kRIT", .right), ("kHOM", .home), ("kEND", .end), ("kPRV", .pageUp), ("kNXT", .pageDown),
            ("kIC", .insert), ("kDC", .delete),
        ]
        for (name, code) in modified {
            named.append((name, Key(code, .shift)))
            for number in 3...8 { named.append(("\(name)\(number)", Key(code, Key.Modifiers(rawValue: UInt8(number - 1))))) }
        }
        var keys: [[UInt8]: Key] = [:]
        for (name, key) in named {
            guard let text = text(name), !text.isEmpty, keys[Array(text.utf8)] == nil else { continue }
            keys[Array(text.utf8)] = key
        }
        return keys
    }
}
