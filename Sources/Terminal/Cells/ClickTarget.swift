/// What a click on a part of the screen means.
package enum ClickTarget: Hashable, Sendable {
    /// As if these keys were pressed.
    case keys([Key])
    /// What the view that drew it knows by a word and a number: a row, a day, a field.
    case place(String, Int)
}

extension Canvas {
    /// A part that can be clicked.
    package struct Target: Hashable, Sendable {
        package let rect: Rect
        package let action: ClickTarget
    }
}
