/// An exact decimal number as its digits; never a binary fraction.
struct DecimalText {
    let isNegative: Bool
    /// Without leading zeros; empty for a number below one.
    let whole: [UInt8]
    /// As written, trailing zeros included.
    let fraction: [UInt8]

    /// Longest text looked at: far above every declared field, low enough that nobody makes us walk a megabyte of zeros.
    private static let maxOctets = 64

    /// Reads `-? digits ( "." digits )?`; `nil` for anything else.
    init?(_ text: String) {
        var octets = Array(text.utf8)[...]
        guard octets.count <= DecimalText.maxOctets else { return nil }
        let minus = octets.first == UInt8(ascii: "-")
        if minus { octets = octets.dropFirst() }
        let parts = octets.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(TextRules.isDigit) }) else { return nil }
        whole = Array(parts[0].drop { $0 == UInt8(ascii: "0") })
        fraction = parts.count == 2 ? Array(parts[1]) : []
        isNegative = minus && !(whole.isEmpty && fraction.allSatisfy { $0 == UInt8(ascii: "0") })
    }

    /// Whether the number is smaller than a whole one.
    func isBelow(_ bound: Int64) -> Bool {
        let magnitude = Array(String(bound.magnitude).utf8).drop { $0 == UInt8(ascii: "0") }
        let order = order(to: Array(magnitude))
        if bound > 0 { return isNegative || order < 0 }
        return isNegative && (bound == 0 || order > 0)
    }

    /// One whole digit at least, `scale` decimals, or more where more were written: `150.00`, `0.50`.
    func canonical(scale: Int) -> String {
        var octets: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
        octets += whole.isEmpty ? [UInt8(ascii: "0")] : whole
        if scale > 0 || !fraction.isEmpty {
            octets.append(UInt8(ascii: "."))
            octets += fraction
            octets += Array(repeating: UInt8(ascii: "0"), count: max(0, scale - fraction.count))
        }
        return String(decoding: octets, as: UTF8.self)
    }

    /// One whole digit at least, and the decimals as they were written: `92.50`, `0.311`.
    var asWritten: String { canonical(scale: 0) }

    /// Whether both are the same number, whatever zeros they were written with.
    func equals(_ other: DecimalText) -> Bool {
        isNegative == other.isNegative && whole == other.whole && Self.significant(fraction) == Self.significant(other.fraction)
    }

    private static func significant(_ fraction: [UInt8]) -> ArraySlice<UInt8> {
        var digits = fraction[...]
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return digits
    }

    /// Compares magnitudes: below 0 smaller, 0 equal, above 0 larger.
    private func order(to magnitude: [UInt8]) -> Int {
        if whole.count != magnitude.count { return whole.count - magnitude.count }
        if whole != magnitude { return whole.lexicographicallyPrecedes(magnitude) ? -1 : 1 }
        return fraction.allSatisfy { $0 == UInt8(ascii: "0") } ? 0 : 1
    }
}
