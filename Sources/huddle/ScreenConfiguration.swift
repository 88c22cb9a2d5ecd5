import Client
import Posix
import Screen
import Terminal
import Views

/// How the person wants the full screen: `$XDG_CONFIG_HOME/huddle/config`, lines of `set theme NAME`, `set mouse on|off`, `set notify WAY…`, `set notify-command WORD…`, `bind KEY… ACTION`, `unbind KEY…`
/// and comments behind `#`.
struct ScreenConfiguration {
    /// Octets of the file that are read.
    private static let limit = 1 << 18

    private(set) var theme: String?
    /// How the person is told that somebody wrote.
    private(set) var notify: Set<Notifier.Way> = [.bell, .osc9]
    /// Whether clicks are wanted; without, the terminal's own selecting works as always.
    private(set) var takesMouse = true
    /// A program and its words; empty when none is run.
    private(set) var notifyCommand: [String] = []
    /// Whether the configuration says how.
    private(set) var isNotifySet = false
    private(set) var keymap = RoomCommand.defaultKeymap()
    /// What could not be read, as sentences.
    private(set) var complaints: [String] = []

    static func load() -> ScreenConfiguration {
        guard let folder = Profile.folder, let octets = try? Files.read(folder + "/config", limit: limit) else { return ScreenConfiguration("") }
        return ScreenConfiguration(String(decoding: octets, as: UTF8.self))
    }

    init(_ text: String) {
        let mistakes = keymap.read(configuration: text, modes: RoomCommand.modes, actions: RoomCommand.names)
        complaints = mistakes.map { "Line \($0.line) of the configuration is left out. \($0.sentence)" }
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let verb = words.first, !verb.hasPrefix("#"), verb != "bind", verb != "unbind" else { continue }
            if verb == "set", words.count == 3, words[1] == "theme", Theme.names.contains(words[2]) {
                theme = words[2]
            } else if verb == "set", words.count == 3, words[1] == "mouse", ["on", "off"].contains(words[2]) {
                takesMouse = words[2] == "on"
            } else if verb == "set", words.count >= 2, words[1] == "notify" || words[1] == "notify-command" {
                read(notify: String(line), words, index + 1)
            } else {
                complaints.append(
                    "Line \(index + 1) of the configuration is left out. Write: set theme dark, set theme light, set theme mono, set mouse off, or bind ctrl-t season.")
            }
        }
    }

    private mutating func read(notify line: String, _ words: [String], _ number: Int) {
        let head = "Line \(number) of the configuration is left out."
        guard words[1] == "notify" else {
            // As a shell splits them; no shell ever sees them.
            let command = (try? SlashCommand.split(line).dropFirst(2)).map(Array.init) ?? []
            guard !command.isEmpty else { return complaints.append("\(head) Write: set notify-command sh -c 'notify-send \"$HUDDLE_FROM\" \"$HUDDLE_TEXT\"'") }
            guard CommandHook(command).isThere else { return complaints.append("\(head) There is no program \(command[0].printable).") }
            notifyCommand = command
            if !isNotifySet { notify.insert(.hook) }
            return
        }
        let ways = words.dropFirst(2).map { Notifier.Way(rawValue: $0) }
        guard words.count > 2, words.dropFirst(2) == ["none"] || !ways.contains(nil) else {
            return complaints.append("\(head) Write: set notify with some of \(Notifier.Way.allCases.map(\.rawValue).joined(separator: ", ")), or none.")
        }
        isNotifySet = true
        notify = Set(ways.compactMap(\.self))
    }
}
