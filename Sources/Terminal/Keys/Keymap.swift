/// Which keys do what, mode by mode. Actions and modes are names, as the configuration writes them.
///
/// What is bound in a mode, also the beginning of a chord ("Ctrl-X Ctrl-E"), hides what is bound for all modes (`everywhere`).
package struct Keymap: Sendable {
    /// The mode that stands behind all others.
    package static let everywhere = ""
    /// Keys of one chord.
    package static let longestChord = 4
    /// Bindings that a configuration may make.
    package static let limit = 2_000

    private var actions: [String: [[Key]: String]] = [:]
    /// What chords of a mode begin with, and how many bindings do: a letter that is typed is looked for among them with every press.
    private var beginnings: [String: [[Key]: Int]] = [:]

    package init() {}

    /// Binds keys that are pressed one after the other; binding them again replaces, an action of `nil` unbinds.
    package mutating func bind(_ keys: [Key], to action: String?, in mode: String = everywhere) {
        let isBound = actions[mode, default: [:]].updateValue(action ?? "", forKey: keys) != nil
        if action == nil { actions[mode, default: [:]][keys] = nil }
        guard isBound != (action != nil) else { return }
        for count in 1..<max(keys.count, 1) { beginnings[mode, default: [:]][Array(keys.prefix(count)), default: 0] += isBound ? -1 : 1 }
    }

    /// The same with keys by name, for our own defaults.
    ///
    /// - Precondition: the names are names of keys.
    package mutating func bind(_ names: String, to action: String, in mode: String = everywhere) {
        guard let keys = Self.keys(names) else { preconditionFailure("\(names) are no keys") }
        bind(keys, to: action, in: mode)
    }

    /// "ctrl-x ctrl-e" as keys; `nil` when one is none, or they are too many or none.
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

    /// What comes of keys that were pressed.
    package enum Outcome: Hashable, Sendable {
        case action(String)
        /// The beginning of a chord.
        case waiting
        case unbound
    }

    /// - Parameter modes: the innermost first; `everywhere` is looked at last, whether it is named or not.
    package func outcome(of keys: [Key], in modes: [String]) -> Outcome {
        for mode in modes + [Self.everywhere] {
            guard let bound = actions[mode] else { continue }
            if let action = bound[keys] { return .action(action) }
            if beginnings[mode]?[keys] ?? 0 > 0 { return .waiting }
        }
        return .unbound
    }

    /// What keys do in one mode, without what stands behind it; `nil` for nothing.
    package func outcome(of keys: [Key], inMode mode: String) -> String? { actions[mode]?[keys] }

    /// All bindings of a mode, by action and then by keys; for help.
    package func bindings(in mode: String) -> [(keys: String, action: String)] {
        (actions[mode] ?? [:]).map { (Self.names($0.key), $0.value) }.sorted { ($0.action, $0.keys) < ($1.action, $1.keys) }
    }

    /// The keys of an action in a mode, or else everywhere; the shortest way first.
    package func keys(of action: String, in mode: String = everywhere) -> [String] {
        let found = [mode, Self.everywhere].lazy.map { mode in
            (self.actions[mode] ?? [:]).filter { $0.value == action }.keys.sorted { ($0.count, Self.names($0)) < ($1.count, Self.names($1)) }
        }.first { !$0.isEmpty }
        return (found ?? []).map(Self.names)
    }

    /// The modes in which these keys, or a chord that begins with them, do something.
    package func modes(binding keys: [Key]) -> [String] {
        actions.keys.filter { actions[$0]?[keys] != nil || beginnings[$0]?[keys] ?? 0 > 0 }.sorted()
    }

    /// All that is bound, anywhere.
    package var bound: [(mode: String, keys: String, action: String)] {
        actions.keys.sorted().flatMap { mode in bindings(in: mode).map { (mode, $0.keys, $0.action) } }
    }

    package static func names(_ keys: [Key]) -> String { keys.map(\.name).joined(separator: " ") }
}

/// Remembers the beginning of a chord between keys.
package struct ChordReader: Sendable {
    /// What was pressed so far; shown to the person.
    package private(set) var pressed: [Key] = []

    package init() {}

    package enum Outcome: Hashable, Sendable {
        case action(String)
        case waiting
        /// A key that nothing is bound to: the caller types it, if it can be typed.
        case unbound(Key)
        /// A chord that leads nowhere; it is forgotten.
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
    /// What is wrong with a line of a configuration, as a sentence.
    package struct Mistake: Error, Hashable, Sendable {
        package let line: Int
        package let sentence: String
    }

    /// Reads the lines of a configuration that are about keys; others are left to others.
    ///
    ///     bind ctrl-x ctrl-e edit-outside
    ///     bind @select y yank
    ///     unbind ctrl-t
    ///
    /// - Parameters:
    ///   - modes: the names that may follow `@`.
    ///   - known: the names of actions.
    /// - Returns: what could not be read; everything else is bound.
    package mutating func read(configuration text: String, modes: Set<String>, actions known: Set<String>) -> [Mistake] {
        var mistakes: [Mistake] = []
        var count = 0
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let verb = words.first, verb == "bind" || verb == "unbind" else { continue }
            func mistake(_ sentence: String) { mistakes.append(Mistake(line: index + 1, sentence: sentence)) }
            let binding: KeyBinding
            do throws(KeyBinding.Complaint) { binding = try KeyBinding(words, modes: modes, actions: known) } catch {
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
