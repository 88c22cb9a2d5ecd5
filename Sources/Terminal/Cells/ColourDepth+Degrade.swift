extension ColourDepth {
    /// The SGR parameters of the nearest colour that this depth allows.
    ///
    /// Source: ECMA-48 §8.3.117; xterm's 256 colours (16 of the user, a cube of 6 × 6 × 6, 24 greys) and direct colours.
    package func parameters(_ colour: Colour, isBackground: Bool) -> [Int] {
        let base = isBackground ? 40 : 30
        switch (self, colour.kind) {
        case (.none, _), (_, .standard): return [base + 9]
        case (.direct, .rgb(let red, let green, let blue)): return [base + 8, 2, Int(red), Int(green), Int(blue)]
        case (.palette, .rgb(let red, let green, let blue)): return [base + 8, 5, Self.nearest(Int(red), Int(green), Int(blue), among: 16...255)]
        case (.direct, .indexed(let number)), (.palette, .indexed(let number)):
            return number < 16 ? Self.basic(Int(number), base) : [base + 8, 5, Int(number)]
        case (.sixteen, _): return Self.basic(Self.nearest(colour, among: 0...15), base)
        // The colour nearest to a grey would be brown, or black on black.
        case (.eight, .indexed(238...251)) where !isBackground: return [base + 9]
        case (.eight, _): return Self.basic(Self.nearest(colour, among: 0...7), base)
        }
    }

    private static func basic(_ number: Int, _ base: Int) -> [Int] { [number < 8 ? base + number : base + 60 + number - 8] }

    private static func nearest(_ colour: Colour, among numbers: ClosedRange<Int>) -> Int {
        switch colour.kind {
        case .standard: return numbers.lowerBound
        case .indexed(let number):
            if numbers.contains(Int(number)) { return Int(number) }
            // The colour is the bright variant of one of the eight.
            if number < 16 { return Int(number) - 8 }
            let (red, green, blue) = levels(Int(number))
            return nearest(red, green, blue, among: numbers)
        case .rgb(let red, let green, let blue): return nearest(Int(red), Int(green), Int(blue), among: numbers)
        }
    }

    private static func nearest(_ red: Int, _ green: Int, _ blue: Int, among numbers: ClosedRange<Int>) -> Int {
        func distance(_ number: Int) -> Int {
            let (r, g, b) = levels(number)
            // The eye weights green most and blue least.
            return 3 * (r - red) * (r - red) + 6 * (g - green) * (g - green) + (b - blue) * (b - blue)
        }
        return numbers.min { distance($0) < distance($1) } ?? numbers.lowerBound
    }

    /// Red, green and blue of one of the 256 colours, 0...255 each; the first sixteen have xterm's values.
    private static func levels(_ number: Int) -> (Int, Int, Int) {
        switch number {
        case 0..<16:
            let strong = number >= 8 ? 255 : 205
            let weak = number >= 8 ? 92 : 0
            switch number {
            case 7: return (229, 229, 229)
            case 8: return (127, 127, 127)
            case 0: return (0, 0, 0)
            default: return (number & 1 != 0 ? strong : weak, number & 2 != 0 ? strong : weak, number & 4 != 0 ? strong : weak)
            }
        case 16..<232:
            let index = number - 16
            func level(_ step: Int) -> Int { step == 0 ? 0 : 55 + 40 * step }
            return (level(index / 36), level(index / 6 % 6), level(index % 6))
        default:
            let grey = 8 + 10 * (number - 232)
            return (grey, grey, grey)
        }
    }
}
