/// One configuration line about keys: `bind [@MODE] KEY… ACTION`, `unbind [@MODE] KEY…`.
package struct KeyBinding: Hashable, Sendable {
    /// The reason why a line is invalid, as a sentence.
    package struct InvalidLine: Error, Hashable, Sendable {
        package let sentence: String
    }

    /// `Keymap.everywhere` if the line names no mode.
    package let mode: String
    package let keys: [Key]
    /// `nil` unbinds.
    package let action: String?

    /// - Parameters:
    ///   - words: the words of the line, beginning with `bind` or `unbind`.
    ///   - modes: the names that may follow `@`; `nil` for any.
    ///   - known: the names of actions; `nil` for any.
    package init(_ words: [String], modes: Set<String>? = nil, actions known: Set<String>? = nil) throws(InvalidLine) {
        var words = words[...]
        let isBound = words.popFirst() == "bind"
        var mode = Keymap.everywhere
        if let first = words.first, first.count > 1, first.first == "@" {
            mode = String(first.dropFirst())
            words.removeFirst()
            if let modes, !modes.contains(mode) {
                throw InvalidLine(sentence: "There is no mode \(mode). Modes: \(modes.sorted().joined(separator: ", ")).")
            }
        }
        let action = isBound ? words.popLast() : nil
        if let action, let known, !known.contains(action) {
            throw InvalidLine(sentence: "No action '\(action)'. Press Tab for the list.")
        }
        guard !words.isEmpty, !isBound || action != nil else {
            throw InvalidLine(sentence: "Usage: \(isBound ? "/bind KEY ACTION (example: /bind ctrl-x ctrl-e edit-outside)." : "/unbind KEY (example: /unbind f2).")")
        }
        guard let keys = Keymap.keys(words.joined(separator: " ")) else {
            throw InvalidLine(sentence: "\(words.joined(separator: " ")) is no key. Keys are written as ctrl-x, alt-1, shift-tab, f5.")
        }
        self.mode = mode
        self.keys = keys
        self.action = action
    }

    /// The configuration line of this binding.
    package var line: String {
        let keys = keys.map { $0.name.count > 1 ? $0.name.lowercasedUnlessLetter : $0.name }.joined(separator: " ")
        return [action == nil ? "unbind" : "bind", mode == Keymap.everywhere ? "" : "@" + mode, keys, action ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// A warning against this binding, as a sentence: a user who has bound the keys for typing text can no longer type
    /// the command that unbinds them.
    package var danger: String? {
        guard let first = keys.first, Self.typing.contains(mode) else { return nil }
        if first.typed != nil, action != nil {
            return "\(first.name) could not be typed any more. Bind it with Ctrl or Alt, or on a page alone, as in /bind @events \(first.name) season."
        }
        let isKept = keys == [Key(.enter)] || keys == [Key(.backspace)]
        return isKept && mode != Keymap.everywhere ? "\(first.name) stays as it is there: without it nothing could be written that takes this back." : nil
    }

    /// The modes with text input.
    private static let typing: Set<String> = [Keymap.everywhere, "input", "menu", "form"]
}

extension String {
    /// `Ctrl-X` as `ctrl-x`; `Alt-X`, which differs from `Alt-x`, keeps its letter.
    fileprivate var lowercasedUnlessLetter: String {
        guard let last, last.isLetter, last.isUppercase, dropLast().last == "-", !hasPrefix("Ctrl-") else { return lowercased() }
        return dropLast().lowercased() + String(last)
    }
}
