/// A web address as a terminal can be given it: nothing in it can end the sequence that it stands in.
///
/// Source: "Hyperlinks in terminal emulators" (OSC 8), which wants octets 32 to 126; what browsers and VTE take at most is 2,083.
package struct Hyperlink: Hashable, Sendable {
    /// Octets of the longest one that terminals take.
    package static let limit = 2_083

    /// ASCII without blanks.
    package let address: String

    /// - Returns: `nil` for what is no `http://` or `https://` address, is too long, or has control characters or blanks in it.
    package init?(_ text: String) {
        guard let start = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }), text.utf8.count > start.utf8.count else { return nil }
        var address: [UInt8] = []
        for scalar in text.unicodeScalars {
            guard scalar.value > 0x20, !(0x7F...0x9F).contains(scalar.value), !scalar.properties.isWhitespace else { return nil }
            for octet in String(scalar).utf8 {
                if octet < 0x7F { address.append(octet) } else { address += [UInt8(ascii: "%"), Self.digits[Int(octet >> 4)], Self.digits[Int(octet & 15)]] }
            }
            guard address.count <= Self.limit else { return nil }
        }
        self.address = String(decoding: address, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
