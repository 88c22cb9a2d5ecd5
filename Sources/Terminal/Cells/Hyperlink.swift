/// A web address that is safe to send to a terminal: nothing in it can end the escape sequence around it.
///
/// Source: "Hyperlinks in terminal emulators" (OSC 8), which requires octets 32 to 126; browsers and VTE take at most
/// 2,083.
package struct Hyperlink: Hashable, Sendable {
    /// The length of the longest address that terminals take, in octets.
    package static let limit = 2_083

    /// ASCII without blanks.
    package let address: String

    /// - Returns: `nil` if the text is not an `http://` or `https://` address, is too long, or contains control
    ///   characters or blanks.
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
