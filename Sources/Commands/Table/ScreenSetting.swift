internal import Arguments
internal import Terminal
internal import Words

/// A setting of the full screen: a line `set NAME VALUE…` of `~/.config/huddle/config`, or `/set NAME VALUE…`.
package enum ScreenSetting: String, CaseIterable, Hashable, Sendable {
    case theme, mouse, title, hyperlinks, pictures, activity, typing, notify
    case notifyCommand = "notify-command"

    /// Removes the setting's line, so that the default applies.
    package static let byDefault = "default"

    /// One line, without a full stop.
    package var summary: String {
        switch self {
        case .theme: "colours"
        case .mouse: "mouse clicks; off: the terminal selects text as always"
        case .title: "the family and what is unread in the terminal's title"
        case .hyperlinks: "links that the terminal opens by itself; auto: where it is known to"
        case .pictures: "small pictures of documents, and how the terminal takes them; auto: where it is known to"
        case .activity: "shown in the room besides messages: on: changes, and members who come and leave; quiet: changes; off: nothing"
        case .typing: "show the others that you type, and the record that you edit or look at"
        case .notify: "notifications of new messages"
        case .notifyCommand: "a program that is run as well"
        }
    }

    /// The values to choose from; empty if any value is allowed.
    package var words: [String] {
        switch self {
        case .theme: ["dark", "light", "mono"]
        case .mouse, .title, .typing: ["on", "off"]
        case .hyperlinks: ["on", "off", "auto"]
        case .pictures: ["auto", "off"] + PictureProtocol.allCases.map(\.rawValue)
        case .activity: TimelineActivity.allCases.map(\.rawValue)
        case .notify: ["bell", "osc9", "hook", "none"]
        case .notifyCommand: []
        }
    }

    /// The correct form, for a person who made a mistake.
    package var usage: String {
        switch self {
        case .notify: "set notify with some of \(words.dropLast().joined(separator: ", ")), or none"
        case .notifyCommand: "set notify-command sh -c 'notify-send \"$HUDDLE_FROM\" \"$HUDDLE_TEXT\"'"
        default: words.map { "set \(rawValue) \($0)" }.joined(separator: ", or ")
        }
    }

    /// Whether the setting also applies to line mode.
    package var isForLines: Bool { self == .activity || self == .notify || self == .notifyCommand }
}

/// A request to change the configuration while the program runs.
package enum SettingRequest: Hashable, Sendable {
    case list
    case show(ScreenSetting)
    /// `words`: the value; `default` removes the line.
    case set(ScreenSetting, [String])
    /// The words of a line, `bind` or `unbind` first.
    case bind([String])

    /// - Parameter words: the words behind `/set`.
    static func set(_ words: [String]) throws(UsageError) -> SettingRequest {
        guard let name = words.first else { return .list }
        guard let setting = ScreenSetting(rawValue: name.lowercased()) else {
            throw UsageError("There is no setting \(name.printable). There are: \(ScreenSetting.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        let value = Array(words.dropFirst())
        guard value.allSatisfy({ $0 == $0.printable }) else { throw UsageError("A setting is one line, without characters that cannot be seen.") }
        return value.isEmpty ? .show(setting) : .set(setting, value)
    }
}
