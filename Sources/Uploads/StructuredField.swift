internal import Bytes

/// Structured fields (RFC 9651): strict readers of the items and dictionaries that uploads use.
///
/// A field that does not parse counts as absent (§4.2); parameters are read and ignored.
package enum StructuredField {
    /// A bare item (§3.3).
    package enum Item: Hashable, Sendable {
        case integer(Int64)
        /// A decimal, in thousandths.
        case decimal(Int64)
        case string(String)
        case token(String)
        case octets([UInt8])
        case boolean(Bool)
        /// A date, in seconds since 1970.
        case date(Int64)
        case displayString(String)
        case list
    }

    /// The value of a field that is one Integer.
    package static func integer(_ text: String) -> Int64? {
        guard case .integer(let value) = item(text) else { return nil }
        return value
    }

    /// The value of a field that is one Boolean.
    package static func boolean(_ text: String) -> Bool? {
        guard case .boolean(let value) = item(text) else { return nil }
        return value
    }

    /// The value of a field that is one item (§4.2, §4.2.3).
    package static func item(_ text: String) -> Item? {
        var reader = Reader(text)
        reader.skipSpaces()
        guard let item = reader.bareItem(), reader.skipParameters() else { return nil }
        reader.skipSpaces()
        return reader.isAtEnd ? item : nil
    }

    /// The members of a dictionary, the last value of each key (§4.2.2). The caller joins several lines of a field with
    /// commas. An inner list becomes `.list`: no caller uses its content.
    package static func dictionary(_ text: String) -> [String: Item]? {
        var reader = Reader(text)
        reader.skipSpaces()
        var members: [String: Item] = [:]
        while !reader.isAtEnd {
            guard let key = reader.key() else { return nil }
            var item = Item.boolean(true)
            if reader.take(UInt8(ascii: "=")) {
                guard let value = reader.isAt(UInt8(ascii: "(")) ? reader.innerList() : reader.bareItem() else { return nil }
                item = value
            }
            guard reader.skipParameters() else { return nil }
            members[key] = item
            reader.skipBlanks()
            if reader.isAtEnd { return members }
            guard reader.take(UInt8(ascii: ",")) else { return nil }
            reader.skipBlanks()
            // A trailing comma.
            if reader.isAtEnd { return nil }
        }
        return members
    }

    private struct Reader {
        private let octets: [UInt8]
        private var position = 0

        init(_ text: String) { octets = Array(text.utf8) }

        var isAtEnd: Bool { position == octets.count }
        private var next: UInt8? { position < octets.count ? octets[position] : nil }

        func isAt(_ octet: UInt8) -> Bool { next == octet }

        mutating func take(_ octet: UInt8) -> Bool {
            guard next == octet else { return false }
            position += 1
            return true
        }

        mutating func skipSpaces() { while take(0x20) {} }

        mutating func skipBlanks() { while take(0x20) || take(0x09) {} }

        private static func isDigit(_ octet: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) }
        private static func isLower(_ octet: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(octet) }
        private static func isAlpha(_ octet: UInt8) -> Bool { isLower(octet | 0x20) }

        /// §4.2.3.3
        mutating func key() -> String? {
            let start = position
            guard let first = next, Self.isLower(first) || first == UInt8(ascii: "*") else { return nil }
            while let octet = next, Self.isLower(octet) || Self.isDigit(octet) || Array("_-.*".utf8).contains(octet) { position += 1 }
            return String(decoding: octets[start..<position], as: UTF8.self)
        }

        /// §4.2.3.2
        mutating func skipParameters() -> Bool {
            while take(UInt8(ascii: ";")) {
                skipSpaces()
                guard key() != nil else { return false }
                if take(UInt8(ascii: "=")), bareItem() == nil { return false }
            }
            return true
        }

        /// §4.2.1.2
        mutating func innerList() -> Item? {
            guard take(UInt8(ascii: "(")) else { return nil }
            while !isAtEnd {
                skipSpaces()
                if take(UInt8(ascii: ")")) { return .list }
                guard bareItem() != nil, skipParameters() else { return nil }
                guard isAt(0x20) || isAt(UInt8(ascii: ")")) else { return nil }
            }
            return nil
        }

        mutating func bareItem() -> Item? {
            guard let first = next else { return nil }
            switch first {
            case UInt8(ascii: "-"): return number()
            case _ where Self.isDigit(first): return number()
            case UInt8(ascii: "\""): return string()
            case UInt8(ascii: ":"): return byteSequence()
            case UInt8(ascii: "?"): return boolean()
            case UInt8(ascii: "@"):
                position += 1
                guard case .integer(let seconds) = number() else { return nil }
                return .date(seconds)
            case UInt8(ascii: "%"): return displayString()
            case _ where Self.isAlpha(first) || first == UInt8(ascii: "*"): return token()
            default: return nil
            }
        }

        /// §4.2.4: at most 15 digits, or 12 before and 3 after the point.
        private mutating func number() -> Item? {
            let sign: Int64 = take(UInt8(ascii: "-")) ? -1 : 1
            guard let first = next, Self.isDigit(first) else { return nil }
            var value: Int64 = 0
            var digits = 0
            var behindPoint = 0
            var isDecimal = false
            while let octet = next {
                if Self.isDigit(octet) {
                    digits += 1
                    if isDecimal { behindPoint += 1 }
                    guard digits <= 15, behindPoint <= 3 else { return nil }
                    value = value * 10 + Int64(octet - UInt8(ascii: "0"))
                } else if octet == UInt8(ascii: "."), !isDecimal {
                    guard digits <= 12 else { return nil }
                    isDecimal = true
                } else {
                    break
                }
                position += 1
            }
            guard isDecimal else { return .integer(sign * value) }
            guard behindPoint > 0 else { return nil }
            for _ in behindPoint..<3 { value *= 10 }
            return .decimal(sign * value)
        }

        /// §4.2.5
        private mutating func string() -> Item? {
            position += 1
            var text: [UInt8] = []
            while let octet = next {
                position += 1
                switch octet {
                case UInt8(ascii: "\""): return .string(String(decoding: text, as: UTF8.self))
                case UInt8(ascii: "\\"):
                    guard let escaped = next, escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") else { return nil }
                    position += 1
                    text.append(escaped)
                case 0x20...0x7E: text.append(octet)
                default: return nil
                }
            }
            return nil
        }

        /// §4.2.6
        private mutating func token() -> Item? {
            let start = position
            while let octet = next, Self.isAlpha(octet) || Self.isDigit(octet) || Array("!#$%&'*+-.^_`|~:/".utf8).contains(octet) { position += 1 }
            return .token(String(decoding: octets[start..<position], as: UTF8.self))
        }

        /// §4.2.7
        private mutating func byteSequence() -> Item? {
            position += 1
            let start = position
            while let octet = next, octet != UInt8(ascii: ":") { position += 1 }
            let end = position
            guard take(UInt8(ascii: ":")) else { return nil }
            return Base64.decode(octets[start..<end].span).map { .octets($0) }
        }

        /// §4.2.8
        private mutating func boolean() -> Item? {
            position += 1
            if take(UInt8(ascii: "1")) { return .boolean(true) }
            return take(UInt8(ascii: "0")) ? .boolean(false) : nil
        }

        /// §4.2.10: `%"…"`, percent-encoded UTF-8 with digits in lower case.
        private mutating func displayString() -> Item? {
            position += 1
            guard take(UInt8(ascii: "\"")) else { return nil }
            var text: [UInt8] = []
            while let octet = next {
                position += 1
                switch octet {
                case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self).map { .displayString($0) }
                case UInt8(ascii: "%"):
                    guard position + 1 < octets.count, let high = Self.lowerHex(octets[position]), let low = Self.lowerHex(octets[position + 1])
                    else { return nil }
                    position += 2
                    text.append(high << 4 | low)
                case 0x20...0x7E: text.append(octet)
                default: return nil
                }
            }
            return nil
        }

        private static func lowerHex(_ octet: UInt8) -> UInt8? {
            if isDigit(octet) { return octet - UInt8(ascii: "0") }
            return (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(octet) ? octet - UInt8(ascii: "a") + 10 : nil
        }
    }
}
