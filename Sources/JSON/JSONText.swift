/// A string of the text between its quotes: validated (escapes, UTF-8, no control characters), not yet decoded.
///
/// Borrows the reader's octets.
struct JSONText {
    let raw: UnsafeRawBufferPointer
    let isEscaped: Bool
    let isASCII: Bool

    /// The string, escapes resolved.
    @inline(__always)
    var string: String {
        // The octets were validated, so they are neither repaired nor validated again.
        isEscaped ? String(decoding: decoded, as: UTF8.self) : raw.withMemoryRebound(to: UInt8.self) { octets in
            String(copying: UTF8Span(unchecked: octets.span, isKnownASCII: isASCII))
        }
    }

    /// The octets of the string, escapes resolved.
    var decoded: [UInt8] {
        guard isEscaped else { return Array(raw) }
        var octets: [UInt8] = []
        // No escape is shorter than the octets that it encodes.
        octets.reserveCapacity(raw.count)
        var index = 0
        while index < raw.count {
            guard raw[index] == UInt8(ascii: "\\"), index + 1 < raw.count else {
                octets.append(raw[index])
                index += 1
                continue
            }
            switch raw[index + 1] {
            case UInt8(ascii: "b"): octets.append(0x08)
            case UInt8(ascii: "f"): octets.append(0x0C)
            case UInt8(ascii: "n"): octets.append(0x0A)
            case UInt8(ascii: "r"): octets.append(0x0D)
            case UInt8(ascii: "t"): octets.append(0x09)
            case UInt8(ascii: "u"):
                var scalar = hexDigits4(raw, at: index + 2) ?? 0xFFFD
                index += 6
                if scalar >= 0xD800 && scalar < 0xDC00 {
                    // The validation has seen the other half.
                    let low = hexDigits4(raw, at: index + 2) ?? 0xDC00
                    scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
                    index += 6
                }
                appendUTF8(scalar, to: &octets)
                continue
            case let octet: octets.append(octet)
            }
            index += 2
        }
        return octets
    }
}

/// The value of four hexadecimal digits, `nil` if there are fewer.
func hexDigits4(_ octets: UnsafeRawBufferPointer, at start: Int) -> UInt32? {
    guard start >= 0, start <= octets.count - 4 else { return nil }
    var value: UInt32 = 0
    for index in start..<start + 4 {
        let octet = octets[index]
        let digit: UInt8
        switch octet {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = octet - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = octet - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = octet - UInt8(ascii: "A") + 10
        default: return nil
        }
        value = value << 4 | UInt32(digit)
    }
    return value
}

/// RFC 3629 §3; `scalar` is not a surrogate and is at most 0x10FFFF.
private func appendUTF8(_ scalar: UInt32, to octets: inout [UInt8]) {
    func continuation(_ shift: UInt32) -> UInt8 { 0x80 | UInt8(truncatingIfNeeded: scalar >> shift) & 0x3F }
    switch scalar {
    case ..<0x80:
        octets.append(UInt8(truncatingIfNeeded: scalar))
    case ..<0x800:
        octets.append(0xC0 | UInt8(truncatingIfNeeded: scalar >> 6))
        octets.append(continuation(0))
    case ..<0x10000:
        octets.append(0xE0 | UInt8(truncatingIfNeeded: scalar >> 12))
        octets.append(continuation(6))
        octets.append(continuation(0))
    default:
        octets.append(0xF0 | UInt8(truncatingIfNeeded: scalar >> 18))
        octets.append(continuation(12))
        octets.append(continuation(6))
        octets.append(continuation(0))
    }
}

/// Marks, in the top bit of each octet of `word`, the octets that end a run of plain text: below 0x20, quote,
/// backslash.
///
/// Only the lowest mark is exact (a borrow may pass upward), and only it is used: octets come in memory order.
@inline(__always)
func stops(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let control = (word &- ones &* 0x20) & ~word
    return (control | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)) & (ones &* 0x80)
}

/// The octets of a text that are checked word by word before blocks begin: most strings of a frame are shorter.
let plainBefore = 32

/// Moves through a text while whole blocks of 64 octets contain nothing that ends a run of plain text (see `stops`). A
/// block has no branch, so that the processor takes sixteen octets at a time: half the instructions of a walk by words.
///
/// - Parameter high: receives all bits of the passed octets, combined from all words.
/// - Returns: the start of the first block that is not plain or not complete.
func behindPlainBlocks(_ octets: UnsafeRawBufferPointer, from start: Int, _ high: inout UInt64) -> Int {
    guard let base = octets.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return start }
    var at = start
    while at <= octets.count &- 64 {
        var stops: UInt8 = 0
        var all: UInt8 = 0
        for place in 0..<64 {
            let octet = base[at &+ place]
            stops |= (octet < 0x20 ? 1 : 0) | (octet == UInt8(ascii: "\"") ? 1 : 0) | (octet == UInt8(ascii: "\\") ? 1 : 0)
            all |= octet
        }
        if stops != 0 { break }
        high |= UInt64(all)
        at = at &+ 64
    }
    return at
}
