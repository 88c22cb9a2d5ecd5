import Commands
import Posix
import Screen
import Terminal
import Views
import Words

/// The person's configuration of the full screen: `$XDG_CONFIG_HOME/huddle/config`, with lines of `set NAME VALUE…`
/// (`ScreenSetting`), `bind KEY… ACTION`, `unbind KEY…`, and comments behind `#`.
struct ScreenConfiguration {
    /// The largest number of octets of the file that are read.
    private static let limit = 1 << 18

    private(set) var theme: String?
    /// The ways to notify the person that somebody wrote.
    private(set) var notify: Set<NotificationWay> = [.bell, .osc9]
    /// Whether the program receives clicks; if not, the terminal's own selection works as always.
    private(set) var takesMouse = true
    /// Whether the terminal's title shows the number of unread items.
    private(set) var setsTitle = true
    /// Whether the others see that the person types, and the record that they edit or look at.
    private(set) var showsTyping = true
    /// Whether links are written as terminal hyperlinks; `nil`: only for terminals that are known to support them.
    private(set) var hyperlinks: Bool?
    /// How pictures are shown: a protocol, "off", or "auto" for the one that the terminal is known to take.
    private(set) var pictures = "auto"
    /// The content of the room besides messages.
    private(set) var activity = TimelineActivity.all
    /// The command to run for a notification; empty for none.
    private(set) var notifyCommand: [String] = []
    /// Whether the configuration sets the ways.
    private(set) var isNotifySet = false
    private(set) var keymap = ViewCommands.defaultKeymap()
    /// The lines that could not be read, as sentences.
    private(set) var complaints: [String] = []
    private var text: ConfigurationText
    /// Whether the last change could not be written to the file; such a change lasts until the program ends.
    private var isUnkept = false

    static func load() -> ScreenConfiguration {
        guard let path, let octets = try? Files.read(path, limit: limit) else { return ScreenConfiguration(ConfigurationText("")) }
        return ScreenConfiguration(ConfigurationText(octets))
    }

    private static var path: String? { Profile.folder.map { $0 + "/config" } }

    init(_ text: ConfigurationText) {
        self.text = text
        let mistakes = keymap.read(configuration: text.text, modes: ViewCommands.modes, actions: ViewCommands.names)
        complaints = mistakes.map { "Line \($0.line) of the configuration is left out. \($0.sentence)" }
        for (index, line) in text.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let verb = words.first, !verb.hasPrefix("#"), verb != "bind", verb != "unbind" else { continue }
            let complaint: String? =
                if verb == "set", words.count > 1, let setting = ScreenSetting(rawValue: words[1]) {
                    // The words are split as in a shell, but no shell runs them.
                    read(setting, setting == .notifyCommand ? (try? SlashCommand.split(String(line)).dropFirst(2)).map(Array.init) ?? [] : Array(words.dropFirst(2)))
                } else {
                    "Write: set theme dark, set theme light, set theme mono, set mouse off, or bind ctrl-t season."
                }
            if let complaint { complaints.append("Line \(index + 1) of the configuration is left out. \(complaint)") }
        }
    }

    /// - Returns: the reason why the setting is not valid, as a sentence.
    private mutating func read(_ setting: ScreenSetting, _ words: [String]) -> String? {
        let usage = "Write: \(setting.usage)\(setting == .notifyCommand ? "" : ".")"
        switch setting {
        case .theme:
            guard words.count == 1, Theme.names.contains(words[0]) else { return usage }
            theme = words[0]
        case .typing:
            guard words.count == 1, setting.words.contains(words[0]) else { return usage }
            showsTyping = words[0] == "on"
        case .mouse, .title:
            guard words.count == 1, setting.words.contains(words[0]) else { return usage }
            if setting == .mouse { takesMouse = words[0] == "on" } else { setsTitle = words[0] == "on" }
        case .hyperlinks:
            guard words.count == 1, setting.words.contains(words[0]) else { return usage }
            hyperlinks = words[0] == "auto" ? nil : words[0] == "on"
        case .pictures:
            guard words.count == 1, setting.words.contains(words[0]) else { return usage }
            pictures = words[0]
        case .activity:
            guard words.count == 1, let wanted = TimelineActivity(rawValue: words[0]) else { return usage }
            activity = wanted
        case .notify:
            let ways = words.map { NotificationWay(rawValue: $0) }
            guard !words.isEmpty, words == ["none"] || !ways.contains(nil) else { return usage }
            isNotifySet = true
            notify = Set(ways.compactMap(\.self))
        case .notifyCommand:
            guard let program = words.first else { return usage }
            guard CommandHook(words).isThere else { return "There is no program \(program.printable)." }
            notifyCommand = words
            if !isNotifySet { notify.insert(.hook) }
        }
        return nil
    }

    /// The current value of a setting, in the form of the file.
    func value(of setting: ScreenSetting) -> String {
        switch setting {
        case .theme: theme ?? ScreenSetting.byDefault
        case .mouse: takesMouse ? "on" : "off"
        case .title: setsTitle ? "on" : "off"
        case .typing: showsTyping ? "on" : "off"
        case .hyperlinks: hyperlinks.map { $0 ? "on" : "off" } ?? "auto"
        case .pictures: pictures
        case .activity: activity.rawValue
        case .notify: notify.isEmpty ? "none" : NotificationWay.allCases.filter(notify.contains).map(\.rawValue).joined(separator: " ")
        case .notifyCommand: notifyCommand.isEmpty ? "none" : notifyCommand.map { SlashCommand.quoted($0).printable }.joined(separator: " ")
        }
    }

    /// Carries out a request of `huddle config`, in the words of the program's own commands. A screen that is open has the
    /// result when it starts the next time.
    ///
    /// - Returns: the lines to print, and false for a value that the setting does not take.
    static func perform(_ request: SettingRequest) -> (lines: [String], isDone: Bool) {
        var configuration = load()
        let (lines, isChanged) = configuration.perform(request, isPlain: true)
        let isDone = if case .set = request { isChanged } else { true }
        return (lines.map { $0.replacing("/set ", with: "huddle config ").replacing(" set ", with: " huddle config ").replacing(" That counts on the full screen.", with: "") }, isDone)
    }

    // MARK: While the program runs

    /// Carries out a request, and keeps its result.
    ///
    /// - Parameter isPlain: whether the program is in line mode, which has no keys.
    /// - Returns: the lines to print, and whether the configuration has changed.
    mutating func perform(_ request: SettingRequest, isPlain: Bool) -> (lines: [String], isChanged: Bool) {
        switch request {
        case .list:
            let width = (ScreenSetting.allCases.map(\.rawValue.count).max() ?? 0) + 2
            let lines = ScreenSetting.allCases.map { "  " + TextWidth.fit($0.rawValue, to: width) + "\(value(of: $0))  (\($0.summary))" }
            return (lines + ["/set NAME VALUE changes one, /set NAME default resets it." + (isPlain ? "" : " /bind and /unbind change keys.")], false)
        case .show(let setting): return (["\(setting.rawValue) is \(value(of: setting)): \(setting.summary). To change it: /\(setting.usage)"], false)
        case .set(let setting, let words):
            var line: String?
            if words != [ScreenSetting.byDefault] {
                var trial = self
                if let complaint = trial.read(setting, words) { return ([complaint.replacing("Write: ", with: "Write: /")], false) }
                line = (["set", setting.rawValue] + words.map(SlashCommand.quoted)).joined(separator: " ")
            }
            let kept = change { $0.set(setting.rawValue, line) }
            let place = isPlain && !setting.isForLines ? " That counts on the full screen." : ""
            return (["\(setting.rawValue) is \(value(of: setting)) now.\(place)\(kept)"], true)
        case .bind(let words):
            guard !isPlain else { return (["Keys belong to the full screen: start huddle on a terminal without --plain, and bind them there."], false) }
            let binding: KeyBinding
            do throws(KeyBinding.InvalidLine) { binding = try KeyBinding(words, modes: ViewCommands.modes, actions: ViewCommands.names) } catch {
                return ([error.sentence.printable], false)
            }
            return bind(binding)
        }
    }

    private mutating func bind(_ binding: KeyBinding) -> (lines: [String], isChanged: Bool) {
        if let danger = binding.danger { return ([danger], false) }
        let names = Keymap.names(binding.keys)
        let modes = keymap.modes(binding: binding.keys)
        let place = binding.mode == Keymap.everywhere ? "" : " in @\(binding.mode)"
        // A person who unbinds a key means the mode in which the key does something.
        if binding.action == nil, !modes.contains(binding.mode) {
            let others = modes.filter { $0 != Keymap.everywhere }
            let wanted = others.first.map { " It does in \(others.map { "@" + $0 }.joined(separator: ", ")): /unbind @\($0) \(names)" } ?? ""
            return (["\(names) does nothing\(place.isEmpty ? " everywhere" : place).\(wanted)"], false)
        }
        // A key without a default needs no line either.
        let isDefault = ViewCommands.defaultKeymap().outcome(of: binding.keys, inMode: binding.mode)
        let kept = change { $0.bind(binding.keys, in: binding.mode, binding.action == nil && isDefault == nil || binding.action == isDefault ? nil : binding.line) }
        guard let action = binding.action else { return (["\(names) does nothing\(place) now.\(kept)"], true) }
        let hiding = binding.mode == Keymap.everywhere ? modes.filter { $0 != Keymap.everywhere } : []
        let remark = hiding.first.map { " It stays what it is in \(hiding.map { "@" + $0 }.joined(separator: ", ")); there it is changed by /bind @\($0) \(names) \(action)" } ?? ""
        return (["\(names) is \(action)\(place) now.\(kept)\(remark)"], true)
    }

    /// Changes a line of the file, and applies the file's new content.
    ///
    /// - Returns: the reason why the change is not kept, as a sentence with a blank before it; "" if it is kept.
    private mutating func change(_ edit: (inout ConfigurationText) -> Void) -> String {
        var fresh = text
        var failure: String?
        do throws(Errno) {
            // Another program may have written to the file in the meantime.
            if !isUnkept, let path = Self.path { fresh = ConfigurationText(try Files.read(path, limit: Self.limit)) }
        } catch {
            if error == .noEntry { fresh = ConfigurationText("") } else { failure = "it cannot be read: \(error.text)" }
        }
        edit(&fresh)
        if failure == nil { failure = Self.save(fresh) }
        self = ScreenConfiguration(fresh)
        isUnkept = failure != nil
        return failure.map { " It lasts until you leave: \((Self.path ?? "the configuration").printable) does not take it (\($0))." } ?? ""
    }

    /// - Returns: the reason why the file was not written.
    private static func save(_ text: ConfigurationText) -> String? {
        guard let folder = Profile.folder, let path else { return "set HOME or XDG_CONFIG_HOME" }
        do throws(Errno) {
            try Files.makeFolders(folder, mode: 0o700)
            // If the path is a symbolic link, the link stays and its target is written.
            let place = Files.resolved(path) ?? path
            let status = try Files.status(place)
            // Replacing the file would ignore that it is read-only.
            if let status, status.mode & 0o200 == 0 { return "it is read-only; chmod u+w changes that" }
            try Files.write(text.octets, to: place, mode: status?.mode ?? 0o600)
            return nil
        } catch {
            return error.text
        }
    }
}
