/// The name of a key in a configuration and in help: `Ctrl-X`, `Alt-1`, `Shift-Tab`, `F5`, `a`.
extension Key {
    private static let named: [(String, Code)] = [
        ("Enter", .enter), ("Tab", .tab), ("Backspace", .backspace), ("Esc", .escape), ("Insert", .insert), ("Delete", .delete),
        ("Up", .up), ("Down", .down), ("Left", .left), ("Right", .right), ("Home", .home), ("End", .end),
        ("PageUp", .pageUp), ("PageDown", .pageDown), ("Space", .character(" ")),
    ]
    private static let alsoNamed: [String: Code] = [
        "return": .enter, "escape": .escape, "ins": .insert, "del": .delete, "pgup": .pageUp, "pgdn": .pageDown, "pgdown": .pageDown,
        "bs": .backspace,
    ]

    /// Reads a name. Case is ignored, except in a single letter. Also accepted: `C-x`, `M-x`, `S-up`, `^X`, `meta-x`.
    ///
    /// - Returns: `nil` if the name is not the name of a key.
    package init?(name: String) {
        var rest = Substring(name)
        var modifiers: Modifiers = []
        let prefixes: [(String, Modifiers)] = [
            ("ctrl-", .control), ("control-", .control), ("c-", .control), ("alt-", .alt), ("meta-", .alt), ("m-", .alt),
            ("shift-", .shift), ("s-", .shift), ("^", .control),
        ]
        // A prefix with nothing after it is the key itself: "^", "-".
        while let (prefix, modifier) = prefixes.first(where: { rest.count > $0.0.count && rest.lowercased().hasPrefix($0.0) }) {
            modifiers.insert(modifier)
            rest = rest.dropFirst(prefix.count)
        }
        let lower = rest.lowercased()
        if rest.count == 1, let character = rest.first {
            guard TextWidth.shown(character) == character else { return nil }
            let isLetterOfControl = modifiers.contains(.control)
            if modifiers.contains(.shift), !isLetterOfControl, character.isLetter {
                self.init(.character(Character(character.uppercased())), modifiers.subtracting(.shift))
            } else {
                self.init(.character(isLetterOfControl ? Character(character.lowercased()) : character), modifiers)
            }
        } else if let found = Self.named.first(where: { $0.0.lowercased() == lower }) {
            self.init(found.1, modifiers)
        } else if let code = Self.alsoNamed[lower] {
            self.init(code, modifiers)
        } else if lower.first == "f", let number = Int(lower.dropFirst()), (1...24).contains(number) {
            self.init(.function(number), modifiers)
        } else {
            return nil
        }
    }

    /// The key's name; `Key(name: key.name) == key`.
    package var name: String {
        var text = ""
        if modifiers.contains(.control) { text += "Ctrl-" }
        if modifiers.contains(.alt) { text += "Alt-" }
        if modifiers.contains(.shift) { text += "Shift-" }
        if let found = Self.named.first(where: { $0.1 == code }) { return text + found.0 }
        switch code {
        case .character(let character):
            // "Ctrl-X" is the usual spelling; "Alt-X" differs from "Alt-x".
            return text + (modifiers.contains(.control) ? character.uppercased() : String(character))
        case .function(let number): return text + "F\(number)"
        default: return text
        }
    }
}
