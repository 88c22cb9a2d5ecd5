/// Values of the type TEXT (RFC 5545 §3.3.11).
package enum CalendarText {
    /// The text of an escaped value. A backslash before any other character than the four of the RFC is dropped, as most
    /// programs do.
    package static func unescape(_ value: String) -> String {
        guard value.utf8.contains(backslash) else { return value }
        var octets: [UInt8] = []
        octets.reserveCapacity(value.utf8.count)
        var isEscaped = false
        for octet in value.utf8 {
            if isEscaped {
                octets.append(octet == UInt8(ascii: "n") || octet == UInt8(ascii: "N") ? 0x0A : octet)
                isEscaped = false
            } else if octet == backslash {
                isEscaped = true
            } else {
                octets.append(octet)
            }
        }
        if isEscaped { octets.append(backslash) }
        return String(decoding: octets, as: UTF8.self)
    }

    /// The texts of a value that is a list, as `CATEGORIES` is.
    package static func list(_ value: String) -> [String] {
        var parts: [String] = []
        var part: [UInt8] = []
        var isEscaped = false
        for octet in value.utf8 {
            if octet == UInt8(ascii: ","), !isEscaped {
                parts.append(unescape(String(decoding: part, as: UTF8.self)))
                part = []
                continue
            }
            isEscaped = !isEscaped && octet == backslash
            part.append(octet)
        }
        return parts + [unescape(String(decoding: part, as: UTF8.self))]
    }

    /// The value for a text: the reverse of `unescape`. Control characters other than the tab and the ends of lines are left
    /// out.
    package static func escape(_ text: String) -> String {
        var octets: [UInt8] = []
        octets.reserveCapacity(text.utf8.count)
        forEachUnit(of: text) { octets.append($0) } pair: { octets += [$0, $1] }
        return String(decoding: octets, as: UTF8.self)
    }

    /// Gives the octets of the escaped text, the two of an escape together.
    @inline(__always)
    static func forEachUnit(of text: String, _ one: (UInt8) -> Void, pair: (UInt8, UInt8) -> Void) {
        var wasReturn = false
        for octet in text.utf8 {
            let isAfterReturn = wasReturn
            wasReturn = false
            switch octet {
            case backslash, UInt8(ascii: ";"), UInt8(ascii: ","): pair(backslash, octet)
            case 0x0A: if !isAfterReturn { pair(backslash, UInt8(ascii: "n")) }
            case 0x0D:
                pair(backslash, UInt8(ascii: "n"))
                wasReturn = true
            case 0x09, 0x20..<0x7F, 0x80...0xFF: one(octet)
            default: break
            }
        }
    }

    private static let backslash = UInt8(ascii: "\\")
}
