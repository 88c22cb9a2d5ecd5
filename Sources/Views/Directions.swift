package import Family

/// Directions to an event (R080, R087).
package enum Directions {
    /// A link that map programs open; `nil` without an address or a city.
    package static func link(_ fields: Fields) -> String? {
        guard fields.text("address") != nil || fields.text("city") != nil else { return nil }
        let place = ["address", "city", "state"].compactMap { fields.text($0) }.filter { !$0.isEmpty }.joined(separator: ", ")
        return link(place)
    }

    /// The same link for a place as people write it; `nil` for an empty place.
    package static func link(_ place: String) -> String? {
        place.isEmpty ? nil : "https://www.openstreetmap.org/search?query=" + encoded(place)
    }

    /// Percent-encoded for a query, RFC 3986 §2.
    private static func encoded(_ text: String) -> String {
        var result = ""
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.append(Character(Unicode.Scalar(octet)))
            default:
                let digits = String(octet, radix: 16, uppercase: true)
                result += "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        return result
    }
}
