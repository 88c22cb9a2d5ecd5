/// The ranges of a `Range` field for some content (RFC 9110 §14.1.2, §14.2).
package enum ByteRanges: Equatable, Sendable {
    /// The whole content: the field has another grammar or unit, or requests more pieces than is reasonable.
    case whole
    /// These octets, in this order; none empty, none overlapping or adjacent, at least one.
    case ranges([Range<Int>])
    /// 416: none of the requested octets exist.
    case unsatisfiable

    /// The largest number of pieces in one response. A request for more gets the whole content (§14.2, §17.15).
    package static let maxRanges = 16

    /// - Parameters:
    ///   - text: the value of the field.
    ///   - length: the octets of the whole content.
    package init(_ text: String, length: Int) {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), text[..<equals].lowercased() == "bytes" else {
            self = .whole
            return
        }
        var found: [Range<Int>] = []
        var count = 0
        for member in text[text.utf8.index(after: equals)...].utf8.split(separator: UInt8(ascii: ",")) {
            let piece = HTTPFields.trimmed(String(Substring(member)))
            if piece.isEmpty { continue }
            count += 1
            guard count <= Self.maxRanges, let dash = piece.utf8.firstIndex(of: UInt8(ascii: "-")) else {
                self = .whole
                return
            }
            let first = piece[..<dash]
            let last = piece[piece.utf8.index(after: dash)...]
            switch (Self.number(first), Self.number(last)) {
            case (let first?, let last?) where first <= last:
                if first < length { found.append(first..<min(last, length - 1) + 1) }
            case (let first?, nil) where last.isEmpty: if first < length { found.append(first..<length) }
            case (nil, let count?) where first.isEmpty:
                // The last octets of empty content are empty, which no partial response can express.
                if count > 0, length == 0 {
                    self = .whole
                    return
                }
                if count > 0 { found.append(max(0, length - count)..<length) }
            default:
                self = .whole
                return
            }
        }
        if count == 0 {
            self = .whole
        } else if found.isEmpty {
            self = .unsatisfiable
        } else {
            self = .ranges(Self.coalesced(found))
        }
    }

    /// Digits as a number; above the range of a number, the greatest, which is after the end of any content. `nil` for
    /// other characters.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty else { return nil }
        var value = 0
        for octet in text.utf8 {
            guard let digit = HeadLines.digit(octet) else { return nil }
            let (tens, over) = value.multipliedReportingOverflow(by: 10)
            let (sum, overToo) = tens.addingReportingOverflow(digit)
            value = over || overToo ? Int.max : sum
        }
        return value
    }

    /// Merges overlapping and adjacent ranges at the position of the first (§14.2): no octet is sent twice.
    private static func coalesced(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var list = ranges
        var index = 0
        while index < list.count {
            var other = index + 1
            while other < list.count {
                if list[index].lowerBound <= list[other].upperBound, list[other].lowerBound <= list[index].upperBound {
                    list[index] =
                        min(list[index].lowerBound, list[other].lowerBound)..<max(list[index].upperBound, list[other].upperBound)
                    list.remove(at: other)
                    // The merged range may be adjacent to a range that was not adjacent before.
                    other = index + 1
                } else {
                    other += 1
                }
            }
            index += 1
        }
        return list
    }
}
