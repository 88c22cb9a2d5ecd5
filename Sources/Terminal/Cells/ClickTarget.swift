/// The action of a click on a part of the screen.
package enum ClickTarget: Hashable, Sendable {
    /// Press these keys.
    case keys([Key])
    /// A target that the drawing view identifies by a word and a number: a row, a day, a field.
    case place(String, Int)
}

extension Canvas {
    /// A clickable part.
    package struct Target: Hashable, Sendable {
        package let rect: Rect
        package let action: ClickTarget
    }
}
