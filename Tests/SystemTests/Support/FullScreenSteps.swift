import LibVTerm
import PseudoTerminal
import Terminal
import TestSupport
import Testing

/// Steps of tests at the full screen; a suite that says so has these steps as its own.
protocol FullScreenSteps {}

extension FullScreenSteps {
    /// `huddle` of one member on a terminal of its own; it finds the next time what it knew.
    ///
    /// - Parameters:
    ///   - url: where it connects to instead of to the server.
    ///   - more: variables of its environment.
    static func open(
        _ server: RunningServer, _ member: Demo.Member, _ folder: TemporaryFolder, _ words: [String] = [], url: String? = nil, columns: Int = 100, rows: Int = 30,
        variables more: [String: String] = [:]
    ) throws -> PseudoTerminal {
        let home = folder.path + "/" + member.name.replacing(" ", with: "")
        let environment = [
            "HOME": home, "XDG_CONFIG_HOME": home, "XDG_STATE_HOME": home + "/state", "HUDDLE_SERVER": url ?? server.url, "HUDDLE_TOKEN": member.token, "LC_ALL": "C.UTF-8",
            "SWIFT_BACKTRACE": "enable=no",
        ]
        return try PseudoTerminal(
            [try Programs.path("huddle")] + words, columns: columns, rows: rows, environment: environment.merging(more) { _, new in new })
    }

    static func expect(_ terminal: PseudoTerminal, _ text: String, _ place: SourceLocation = #_sourceLocation) throws {
        let isThere = try terminal.wait(for: text)
        #expect(isThere, "\(text) is not in:\n\(terminal.screen.text)", sourceLocation: place)
    }

    func expect(_ terminal: PseudoTerminal, _ text: String, _ place: SourceLocation = #_sourceLocation) throws {
        try Self.expect(terminal, text, place)
    }

    func expectGone(_ terminal: PseudoTerminal, _ text: String, _ place: SourceLocation = #_sourceLocation) throws {
        let isGone = try terminal.wait { !$0.text.contains(text) }
        #expect(isGone, "\(text) is still in:\n\(terminal.screen.text)", sourceLocation: place)
    }

    /// All that the program wrote shows the same in libvterm as in the tests' own terminal.
    static func expectSameInLibVTerm(_ terminal: PseudoTerminal, hasEnded: Bool = false, _ place: SourceLocation = #_sourceLocation) {
        let differences = terminal.differencesFromLibVTerm(hasEnded: hasEnded)
        #expect(differences == [], sourceLocation: place)
    }

    /// Presses and releases the left button on a text.
    static func click(_ terminal: PseudoTerminal, _ text: String, _ place: SourceLocation = #_sourceLocation) throws {
        try expect(terminal, text, place)
        let lines = terminal.screen.text.split(separator: "\n", omittingEmptySubsequences: false)
        let row = try #require(lines.firstIndex { $0.contains(text) }, sourceLocation: place)
        let start = try #require(lines[row].firstRange(of: text), sourceLocation: place).lowerBound
        let column = TextWidth.of(lines[row][..<start])
        try terminal.type("\u{1B}[<0;\(column + 1);\(row + 1)M\u{1B}[<0;\(column + 1);\(row + 1)m")
    }
}
