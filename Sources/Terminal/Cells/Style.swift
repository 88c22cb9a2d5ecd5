/// A colour as a view requests it; the output depends on the number of colours of the terminal (`ColourDepth`).
package struct Colour: Hashable, Sendable {
    /// 0: the terminal's own; 0x01_0000NN: number NN of 256; 0x02_RRGGBB.
    fileprivate let packed: UInt32

    /// The terminal's own foreground or background.
    package static let standard = Colour(packed: 0)

    /// One of xterm's 256 colours; 0...7 and their bright variants 8...15 are the user's own palette.
    package static func indexed(_ number: UInt8) -> Colour { Colour(packed: 0x0100_0000 | UInt32(number)) }

    package static func rgb(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Colour {
        Colour(packed: 0x0200_0000 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue))
    }

    /// "#3B82F6" as in a stylesheet, a number 0...255, or "default"; `nil` for anything else.
    package init?(_ text: String) {
        if text == "default" {
            self = .standard
        } else if let number = UInt8(text) {
            self = .indexed(number)
        } else if text.utf8.count == 7, text.first == "#", let value = UInt32(text.dropFirst(), radix: 16) {
            self.init(packed: 0x0200_0000 | value)
        } else {
            return nil
        }
    }

    private init(packed: UInt32) { self.packed = packed }

    /// The colour's form and components.
    package enum Kind: Hashable, Sendable {
        case standard
        case indexed(UInt8)
        case rgb(UInt8, UInt8, UInt8)
    }

    package var kind: Kind {
        switch packed >> 24 {
        case 1: .indexed(UInt8(truncatingIfNeeded: packed))
        case 2: .rgb(UInt8(truncatingIfNeeded: packed >> 16), UInt8(truncatingIfNeeded: packed >> 8), UInt8(truncatingIfNeeded: packed))
        default: .standard
        }
    }
}

/// The appearance of a cell besides its colours.
package struct Attributes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let bold = Attributes(rawValue: 1)
    package static let dim = Attributes(rawValue: 2)
    package static let italic = Attributes(rawValue: 4)
    package static let underline = Attributes(rawValue: 8)
    package static let reverse = Attributes(rawValue: 16)
    package static let strike = Attributes(rawValue: 32)
}

/// Colours and attributes of a cell.
package struct Style: Hashable, Sendable {
    package var foreground: Colour
    package var background: Colour
    package var attributes: Attributes

    package init(_ foreground: Colour = .standard, on background: Colour = .standard, _ attributes: Attributes = []) {
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
    }

    /// The terminal's default appearance.
    package static let plain = Style()

    /// This style laid over `below`: unset parts take the values of `below`.
    package func over(_ below: Style) -> Style {
        Style(
            foreground == .standard ? below.foreground : foreground, on: background == .standard ? below.background : background,
            attributes.union(below.attributes))
    }

    package func with(_ more: Attributes) -> Style { Style(foreground, on: background, attributes.union(more)) }
}
