/// The actions of keys, mode by mode. Actions and modes are names, as the configuration writes them.
///
/// A binding in a mode, including the beginning of a chord ("Ctrl-X Ctrl-E"), hides the bindings for all modes
/// (`everywhere`).
package struct Keymap: Sendable {
    /// The mode behind all others.
    package static let everywhere = ""
    /// The largest number of keys in one chord.
    package static let longestChord = 4
    /// The largest number of bindings in a configuration.
    package static let limit = 2_000

    private var actions: [String: [[Key]: String]] = [:]
    /// The prefixes of the chords of a mode, with the number of bindings that have them: every typed letter looks them
    /// up.
    private var beginnings: [String: [[Key]: Int]] = [:]

    package init() {}

    /// Binds keys that are pressed one after the other; a second binding replaces the first, an action of `nil`
    /// unbinds.
    package mutating func bind(_ keys: [Key], to action: String?, in mode: String = everywhere) {
        let isBound = actions[mode, default: [:]].updateValue(action ?? "", forKey: keys) != nil
        if action == nil { actions[mode, default: [:]][keys] = nil }
        guard isBound != (action != nil) else { return }
        for count in 1..<max(keys.count, 1) { beginnings[mode, default: [:]][Array(keys.prefix(count)), default: 0] += isBound ? -1 : 1 }
    }

    /// Binds keys by name, for the built-in defaults.
    ///
    /// - Precondition: the names are names of keys.
    package mutating func bind(_ names: String, to action: String, in mode: String = everywhere) {
        guard let keys = Self.keys(names) else { preconditionFailure("\(names) are no keys") }
        bind(keys, to: action, in: mode)
    }

    /// "ctrl-x ctrl-e" as keys; `nil` if a name is invalid, or if there are no names or too many.
    package static func keys(_ names: String) -> [Key]? {
        let words = names.split(separator: " ")
        guard (1...longestChord).contains(words.count) else { return nil }
        var keys: [Key] = []
        for word in words {
            guard let key = Key(name: String(word)) else { return nil }
            keys.append(key)
        }
        return keys
    }

    /// The result of pressed keys.
    package enum Outcome: Hashable, Sendable {
        case action(String)
        /// The beginning of a chord.
        case waiting
        case unbound
    }

    /// - Parameter modes: the innermost mode first; `everywhere` is always searched last, named or not.
    package func outcome(of keys: [Key], in modes: [String]) -> Outcome {
        for mode in modes + [Self.everywhere] {
            guard let bound = actions[mode] else { continue }
            if let action = bound[keys] { return .action(action) }
            if beginnings[mode]?[keys] ?? 0 > 0 { return .waiting }
        }
        return .unbound
    }

    /// The action of keys in one mode, without the modes behind it; `nil` if they have none.
    package func outcome(of keys: [Key], inMode mode: String) -> String? { actions[mode]?[keys] }

    /// All bindings of a mode, by action and then by keys; for help.
    package func bindings(in mode: String) -> [(keys: String, action: String)] {
        (actions[mode] ?? [:]).map { (Self.names($0.key), $0.value) }.sorted { ($0.action, $0.keys) < ($1.action, $1.keys) }
    }

    /// The keys of an action in a mode, or otherwise everywhere; the shortest first.
    package func keys(of action: String, in mode: String = everywhere) -> [String] {
        let found = [mode, Self.everywhere].lazy.map { mode in
            (self.actions[mode] ?? [:]).filter { $0.value == action }.keys.sorted { ($0.count, Self.names($0)) < ($1.count, Self.names($1)) }
        }.first { !$0.isEmpty }
        return (found ?? []).map(Self.names)
    }

    /// The modes in which these keys, or a chord that begins with them, are bound.
    package func modes(binding keys: [Key]) -> [String] {
        actions.keys.filter { actions[$0]?[keys] != nil || beginnings[$0]?[keys] ?? 0 > 0 }.sorted()
    }

    /// All bindings of all modes.
    package var bound: [(mode: String, keys: String, action: String)] {
        actions.keys.sorted().flatMap { mode in bindings(in: mode).map { (mode, $0.keys, $0.action) } }
    }

    package static func names(_ keys: [Key]) -> String { keys.map(\.name).joined(separator: " ") }
}

/// Remembers the beginning of a chord between keys.
package struct ChordReader: Sendable {
    /// The keys pressed so far; shown to the user.
    package private(set) var pressed: [Key] = []

    package init() {}

    package enum Outcome: Hashable, Sendable {
        case action(String)
        case waiting
        /// A key without a binding: the caller types it, if it is a character.
        case unbound(Key)
        /// A chord without a binding; it is dropped.
        case undefined([Key])
    }

    package mutating func feed(_ key: Key, _ keymap: Keymap, in modes: [String]) -> Outcome {
        let keys = pressed + [key]
        switch keymap.outcome(of: keys, in: modes) {
        case .action(let action):
            pressed = []
            return .action(action)
        case .waiting:
            pressed = keys
            return .waiting
        case .unbound:
            pressed = []
            return keys.count == 1 ? .unbound(key) : .undefined(keys)
        }
    }
}

extension Keymap {
    /// An error in a line of a configuration, as a sentence.
    package struct InvalidLine: Error, Hashable, Sendable {
        package let line: Int
        package let sentence: String
    }

    /// Reads the configuration lines about keys and ignores the other lines.
    ///
    ///     bind ctrl-x ctrl-e edit-outside
    ///     bind @select y yank
    ///     unbind ctrl-t
    ///
    /// - Parameters:
    ///   - modes: the names that may follow `@`.
    ///   - known: the names of actions.
    /// - Returns: the lines that could not be read; all others are bound.
    package mutating func read(configuration text: String, modes: Set<String>, actions known: Set<String>) -> [InvalidLine] {
        var mistakes: [InvalidLine] = []
        var count = 0
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let verb = words.first, verb == "bind" || verb == "unbind" else { continue }
            func mistake(_ sentence: String) { mistakes.append(InvalidLine(line: index + 1, sentence: sentence)) }
            let binding: KeyBinding
            do throws(KeyBinding.InvalidLine) { binding = try KeyBinding(words, modes: modes, actions: known) } catch {
                mistake(error.sentence)
                continue
            }
            count += 1
            guard count <= Self.limit else {
                mistake("That is more than \(Self.limit) keys; the rest is not read.")
                break
            }
            bind(binding.keys, to: binding.action, in: binding.mode)
        }
        return mistakes
    }
}
