package import Bytes

extension JSONReader {
    /// Reads a string, escapes resolved.
    ///
    /// - Throws: `.unexpected`, `.syntax`.
    package mutating func readString() throws(JSONError) -> String {
        try readText().string
    }

    /// Reads a string and lends its octets (UTF-8, escapes resolved): the octets of the text itself if it has no
    /// escapes.
    ///
    /// - Parameter body: receives the octets, valid until it returns.
    package mutating func readStringOctets<Value>(
        _ body: (UnsafeRawBufferPointer) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        let text = try readText()
        guard text.isEscaped else { return try body(text.raw) }
        return try text.decoded.withUnsafeBufferPointer { buffer throws(JSONError) -> Value in
            try body(UnsafeRawBufferPointer(buffer))
        }
    }

    /// Reads a string as its own octets (UTF-8, escapes resolved).
    package mutating func readOctets() throws(JSONError) -> [UInt8] {
        try readText().decoded
    }

    /// Reads a string that is an identifier in its only accepted form.
    ///
    /// - Throws: `.unexpected` for another type and for a string that is not an identifier.
    package mutating func readIdentifier() throws(JSONError) -> Identifier {
        skipWhitespace()
        let start = position
        let identifier = try readStringOctets { octets throws(JSONError) -> Identifier? in
            octets.withMemoryRebound(to: UInt8.self) { Identifier($0.span) }
        }
        guard let identifier else { throw .unexpected("an identifier", at: start) }
        return identifier
    }

    /// Reads an integer.
    ///
    /// - Throws: `.notInteger` if it has a fraction or an exponent (also `1.0` and `1e2`), `.outOfRange` if it does not fit,
    ///   `.unexpected`, `.syntax`.
    package mutating func readInteger() throws(JSONError) -> Int64 {
        skipWhitespace()
        let start = position
        let isNegative = current == UInt8(ascii: "-")
        guard isNegative || (current >= UInt8(ascii: "0") && current <= UInt8(ascii: "9")) else { throw wrongType("an integer") }
        if isNegative { position += 1 }
        let digits = position
        var value: UInt64 = 0
        // 18 digits fit without a check for each.
        while current >= UInt8(ascii: "0") && current <= UInt8(ascii: "9") && position - digits < 18 {
            value = value &* 10 &+ UInt64(current &- UInt8(ascii: "0"))
            position += 1
        }
        let isLong = current >= UInt8(ascii: "0") && current <= UInt8(ascii: "9")
        let isPlain = current != UInt8(ascii: ".") && current | 0x20 != UInt8(ascii: "e")
        let isCanonical = position > digits && (octets[digits] != UInt8(ascii: "0") || position - digits == 1)
        guard !isLong && isPlain && isCanonical else { return try readRareInteger(from: start) }
        let magnitude = Int64(truncatingIfNeeded: value)
        return isNegative ? -magnitude : magnitude
    }

    /// The path for long numbers, non-integers and invalid numbers: first by the grammar, then again for the value.
    @inline(never)
    private mutating func readRareInteger(from start: Int) throws(JSONError) -> Int64 {
        position = start
        guard try skipNumber() else { throw .notInteger(at: start) }
        let isNegative = octets[start] == UInt8(ascii: "-")
        var value: Int64 = 0
        for index in (isNegative ? start + 1 : start)..<position {
            // Downward, because Int64.min has no positive counterpart.
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, underflow) = product.subtractingReportingOverflow(Int64(octets[index] &- UInt8(ascii: "0")))
            guard !overflow && !underflow else { throw .outOfRange(at: start) }
            value = sum
        }
        if isNegative { return value }
        guard value != .min else { throw .outOfRange(at: start) }
        return -value
    }

    /// Reads `true` or `false`.
    package mutating func readBool() throws(JSONError) -> Bool {
        skipWhitespace()
        switch current {
        case UInt8(ascii: "t"):
            try skipLiteral("true")
            return true
        case UInt8(ascii: "f"):
            try skipLiteral("false")
            return false
        default:
            throw wrongType("a boolean")
        }
    }

    /// Reads `null`.
    package mutating func readNull() throws(JSONError) {
        skipWhitespace()
        guard current == UInt8(ascii: "n") else { throw wrongType("null") }
        try skipLiteral("null")
    }

    /// Reads `null` if it comes next.
    ///
    /// - Returns: whether a `null` was read.
    package mutating func skipNull() throws(JSONError) -> Bool {
        skipWhitespace()
        guard current == UInt8(ascii: "n") else { return false }
        try skipLiteral("null")
        return true
    }

    // MARK: Parts of the grammar

    private mutating func readText() throws(JSONError) -> JSONText {
        skipWhitespace()
        guard current == UInt8(ascii: "\"") else { throw wrongType("a string") }
        return try scanText()
    }

    /// Validates a string and moves to its end. The opening quote has been read.
    mutating func scanText() throws(JSONError) -> JSONText {
        let start = position + 1
        let count = octets.count
        var at = start
        /// The position after the last escape.
        var plainStart = start
        var isEscaped = false
        var high: UInt64 = 0
        while true {
            while at <= count - 8 {
                let word = UInt64(littleEndian: octets.loadUnaligned(fromByteOffset: at, as: UInt64.self))
                let stop = stops(in: word)
                guard stop == 0 else {
                    let plain = stop.trailingZeroBitCount & ~7
                    // `plain` is at most 56.
                    high |= word & (1 << UInt64(truncatingIfNeeded: plain) &- 1)
                    at += plain >> 3
                    break
                }
                high |= word
                at += 8
                // A block would read past the end of a short string.
                if at &- plainStart == plainBefore { at = behindPlainBlocks(octets, from: at, &high) }
            }
            guard at < count else {
                position = count
                throw malformed("")
            }
            let octet = octets[at]
            switch octet {
            case UInt8(ascii: "\""):
                position = at + 1
                let raw = UnsafeRawBufferPointer(rebasing: octets[start..<at])
                let isASCII = high & 0x8080_8080_8080_8080 == 0
                guard isASCII || isUTF8(raw) else { throw .syntax("invalid UTF-8 in a string", at: start - 1) }
                return JSONText(raw: raw, isEscaped: isEscaped, isASCII: isASCII)
            case UInt8(ascii: "\\"):
                isEscaped = true
                at = try behindEscape(at)
                plainStart = at
            case ..<0x20:
                throw .syntax("a control character in a string", at: at)
            default:
                // Near the end, where a whole word does not fit any more.
                high |= UInt64(octet)
                at += 1
            }
        }
    }

    /// RFC 8259 §7: validates the escape whose backslash is at `start`, surrogates together with their other half
    /// (§8.2).
    ///
    /// - Returns: the offset after it.
    @inline(never)
    private mutating func behindEscape(_ start: Int) throws(JSONError) -> Int {
        position = start + 1
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return start + 2
        case UInt8(ascii: "u"):
            guard let unit = hexDigits4(octets, at: start + 2) else { throw .syntax("an escape without four digits", at: start) }
            guard unit >= 0xD800 && unit < 0xE000 else { return start + 6 }
            position = start + 6
            guard unit < 0xDC00, current == UInt8(ascii: "\\"), start + 7 < octets.count, octets[start + 7] == UInt8(ascii: "u"),
                let low = hexDigits4(octets, at: start + 8), low >= 0xDC00 && low < 0xE000
            else { throw .syntax("half of a surrogate pair", at: start) }
            return start + 12
        default:
            throw malformed("an unknown escape")
        }
    }

    private func isUTF8(_ raw: UnsafeRawBufferPointer) -> Bool {
        raw.withMemoryRebound(to: UInt8.self) { (try? UTF8Span(validating: $0.span)) != nil }
    }

    mutating func skipLiteral(_ literal: StaticString) throws(JSONError) {
        let count = literal.utf8CodeUnitCount
        var index = 0
        while index < count {
            guard current == literal.utf8Start[index] else { throw malformed("expected true, false or null") }
            position += 1
            index += 1
        }
    }

    /// RFC 8259 §6: validates a number and moves to its end.
    ///
    /// - Returns: whether it is written as an integer.
    mutating func skipNumber() throws(JSONError) -> Bool {
        var isInteger = true
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") {
            position += 1
            guard !(current >= UInt8(ascii: "0") && current <= UInt8(ascii: "9")) else { throw malformed("a leading zero") }
        } else {
            try skipDigits()
        }
        if current == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            try skipDigits()
        }
        if current | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
        return isInteger
    }

    private mutating func skipDigits() throws(JSONError) {
        guard current >= UInt8(ascii: "0") && current <= UInt8(ascii: "9") else { throw malformed("expected a digit") }
        while current >= UInt8(ascii: "0") && current <= UInt8(ascii: "9") { position += 1 }
    }
}
