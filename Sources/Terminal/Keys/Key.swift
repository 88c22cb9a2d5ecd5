/// A key with its modifiers.
package struct Key: Hashable, Sendable {
    package struct Modifiers: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        // xterm's numbers (its parameter is one more than their sum).
        package static let shift = Modifiers(rawValue: 1)
        package static let alt = Modifiers(rawValue: 2)
        package static let control = Modifiers(rawValue: 4)
    }

    package enum Code: Hashable, Sendable {
        /// The character that would be typed; with `.control` the lower case letter. `.shift` is set with it only if
        /// the terminal reports shift for a control key.
        case character(Character)
        case enter, tab, backspace, escape, insert, delete
        case up, down, left, right, home, end, pageUp, pageDown
        /// 1...24.
        case function(Int)
    }

    package var code: Code
    package var modifiers: Modifiers

    package init(_ code: Code, _ modifiers: Modifiers = []) {
        self.code = code
        self.modifiers = modifiers
    }

    package static func character(_ character: Character) -> Key { Key(.character(character)) }
    package static func control(_ character: Character) -> Key { Key(.character(character), .control) }
    package static func alt(_ character: Character) -> Key { Key(.character(character), .alt) }

    /// The character that the key types into a text; `nil` for keys that do something else.
    package var typed: Character? {
        guard case .character(let character) = code, modifiers.subtracting(.shift).isEmpty else { return nil }
        return character
    }
}

/// An action of the mouse.
package struct MouseEvent: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        /// Button 1 left, 2 middle, 3 right.
        case press(Int), release(Int), drag(Int)
        case wheelUp, wheelDown
    }

    package let action: Action
    package let point: Point
    package let modifiers: Key.Modifiers
    /// The target at that position; the caller, which has the drawn canvas, sets it.
    package var target: ClickTarget?

    package init(_ action: Action, at point: Point, _ modifiers: Key.Modifiers = []) {
        self.action = action
        self.point = point
        self.modifiers = modifiers
    }
}

/// An event from a terminal.
package enum InputEvent: Hashable, Sendable {
    case key(Key)
    /// Text of one paste; line ends are line feeds, and nothing in it steers a terminal.
    case paste(String)
    case mouse(MouseEvent)
    /// The terminal's window got or lost the focus.
    case focus(Bool)
}
