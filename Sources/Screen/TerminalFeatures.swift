internal import CNcurses
internal import Posix
package import Terminal

/// What terminfo says about a terminal, as far as it matters here.
package struct TerminalFeatures: Sendable {
    /// Why a terminal cannot show a full screen, as a sentence for the person.
    package struct Unsuitable: Error, Hashable, Sendable {
        package let sentence: String
    }

    /// Colours, -1 for none.
    package let colours: Int
    package let hasItalics: Bool
    /// What its keys send, as far as terminfo knows.
    package let keys: [[UInt8]: Key]
    /// What is written to begin, and to end what was begun.
    package let begin: [UInt8]
    package let end: [UInt8]

    /// Reads the description of a terminal.
    ///
    /// Cells are drawn with the sequences of ECMA-48, which all terminals of today understand; terminfo tells which one does not.
    /// - Parameters:
    ///   - name: as in `TERM`.
    ///   - mouse: whether clicks are wanted; the terminal's own selecting then needs Shift.
    package init(_ name: String?, mouse: Bool) throws(Unsuitable) {
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
        let hasMouse = mouse && cncurses_text("kmous") != nil
        // Autowrap off, so that the last column can be written; paste in brackets, focus, clicks in the SGR form.
        let wants = "\u{1B}[?7l\u{1B}[?2004h\u{1B}[?1004h" + (hasMouse ? "\u{1B}[?1002h\u{1B}[?1006h" : "")
        let wantsNoMore = (hasMouse ? "\u{1B}[?1006l\u{1B}[?1002l" : "") + "\u{1B}[?1004l\u{1B}[?2004l\u{1B}[?7h"
        begin = Array((text("smcup") + text("smkx") + "\u{1B}[0m\u{1B}[2J" + wants).utf8)
        // Without a screen of its own to leave, what stands there is wiped, or the shell's prompt would stand in the middle of it.
        let leave = Self.text("rmcup") ?? "\u{1B}[H\u{1B}[2J"
        end = Array((wantsNoMore + "\u{1B}[0m" + text("rmkx") + (Self.text("cnorm") ?? "\u{1B}[?25h") + leave).utf8)
    }

    private static func text(_ capability: String) -> String? {
        cncurses_text(capability).map { String(cString: $0) }.map(withoutDelays)
    }

    /// Terminfo's `$<5>` asks for a pause that only terminals of metal need.
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
