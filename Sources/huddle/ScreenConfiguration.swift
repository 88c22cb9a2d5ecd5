import Posix
import Terminal
import Views

/// How the person wants the full screen: `$XDG_CONFIG_HOME/huddle/config`, lines of `set theme NAME`, `bind KEY… ACTION`, `unbind KEY…`
/// and comments behind `#`.
struct ScreenConfiguration {
    /// Octets of the file that are read.
    private static let limit = 1 << 18

    private(set) var theme: String?
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
            } else {
                complaints.append(
                    "Line \(index + 1) of the configuration is left out. Write: set theme dark, set theme light, set theme mono, or bind ctrl-t season.")
            }
        }
    }
}
