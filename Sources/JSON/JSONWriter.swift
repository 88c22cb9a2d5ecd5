package import Bytes

/// Writes JSON into octets, without white space; it inserts commas and colons by itself.
///
/// Nothing is checked beyond `assert`: the caller ensures keys within objects, values within arrays and one value at
/// the top. Strings are escaped where RFC 8259 §7 requires it (quote, backslash, control characters) and nowhere else.
package struct JSONWriter {
    /// The octets written so far.
    package var octets: [UInt8]
    /// Whether a comma is needed before the next key or value.
    private var needsComma = false

    /// - Parameter octets: the initial content, to which the writer appends. A moved array keeps its storage.
    package init(appendingTo octets: consuming [UInt8] = []) {
        self.octets = octets
    }

    /// Reserves capacity for `count` more octets.
    package mutating func reserve(_ count: Int) {
        octets.reserveCapacity(octets.count + count)
    }

    package mutating func beginObject() {
        comma()
        octets.append(UInt8(ascii: "{"))
        needsComma = false
    }

    package mutating func endObject() {
        octets.append(UInt8(ascii: "}"))
        needsComma = true
    }

    package mutating func beginArray() {
        comma()
        octets.append(UInt8(ascii: "["))
        needsComma = false
    }

    package mutating func endArray() {
        octets.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// Writes a key that needs no escapes, like all of ours.
    package mutating func key(_ key: StaticString) {
        let name = UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
        assert(firstToEscape(name, from: 0) == name.count, "a key of ours that needs escapes")
        let separated = needsComma
        needsComma = false
        // A comma, two quotes and a colon surround it.
        fill(name.count + 4) { free in
            var at = 0
            if separated {
                free[0] = UInt8(ascii: ",")
                at = 1
            }
            free[at] = UInt8(ascii: "\"")
            UnsafeMutableRawBufferPointer(rebasing: free[(at + 1)...]).copyMemory(from: name)
            at += name.count + 1
            free[at] = UInt8(ascii: "\"")
            free[at + 1] = UInt8(ascii: ":")
            return at + 2
        }
    }

    // Disfavoured, so that the compiler takes a literal as a StaticString.
    @_disfavoredOverload
    package mutating func key(_ key: String) {
        string(key)
        octets.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func string(_ value: String) {
        value.utf8Span.span.withUnsafeBytes { text($0) }
    }

    /// - Parameter value: valid UTF-8; not checked.
    package mutating func string(_ value: UnsafeRawBufferPointer) {
        text(value)
    }

    /// - Parameter value: valid UTF-8; not checked.
    package mutating func string(_ value: [UInt8]) {
        value.withUnsafeBytes { string($0) }
    }

    package mutating func integer(_ value: Int64) {
        comma()
        if value >= 0 && value < 10 {
            octets.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value))
            return
        }
        // 20 octets: a sign and the 19 digits of Int64.min.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = 20
        var rest = value.magnitude
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
            rest = quotient
        } while rest > 0
        if value < 0 {
            start -= 1
            digits[start] = UInt8(ascii: "-")
        }
        digits.span.withUnsafeBufferPointer { octets.append(contentsOf: $0[start...]) }
    }

    package mutating func integer(_ value: Int) {
        integer(Int64(value))
    }

    package mutating func boolean(_ value: Bool) {
        literal(value ? "true" : "false")
    }

    package mutating func null() {
        literal("null")
    }

    package mutating func identifier(_ value: Identifier) {
        let separated = needsComma
        needsComma = true
        fill(Identifier.textOctets + 3) { free in
            var at = 0
            if separated {
                free[0] = UInt8(ascii: ",")
                at = 1
            }
            free[at] = UInt8(ascii: "\"")
            value.write(to: UnsafeMutableRawBufferPointer(rebasing: free[(at + 1)...]))
            at += Identifier.textOctets + 1
            free[at] = UInt8(ascii: "\"")
            return at + 1
        }
    }

    /// Writes one complete raw value: octets of a `JSONReader.readRaw`, or of another writer.
    package mutating func raw(_ value: UnsafeRawBufferPointer) {
        comma()
        octets.append(contentsOf: value)
    }

    /// Writes one complete raw value: octets of a `JSONReader.readRaw`, or of another writer.
    package mutating func raw(_ value: [UInt8]) {
        comma()
        octets.append(contentsOf: value)
    }

    // MARK: Parts

    @inline(__always)
    private mutating func comma() {
        if needsComma { octets.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func literal(_ literal: StaticString) {
        comma()
        octets.append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    /// Appends at most `capacity` octets, the number that `body` returns.
    @inline(__always)
    private mutating func fill(_ capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) {
        octets.append(addingCapacity: capacity) { output in
            output.withUnsafeMutableBufferPointer { buffer, count in
                count = body(UnsafeMutableRawBufferPointer(buffer))
            }
        }
    }

    private mutating func text(_ value: UnsafeRawBufferPointer) {
        let separated = needsComma
        needsComma = true
        var end = 0
        // A usual string needs no escapes: it is copied in the words in which it is checked.
        fill(value.count + 3) { free in
            var at = 0
            if separated {
                free[0] = UInt8(ascii: ",")
                at = 1
            }
            free[at] = UInt8(ascii: "\"")
            at += 1
            end = copyPlain(value, to: UnsafeMutableRawBufferPointer(rebasing: free[at...]))
            at += end
            guard end == value.count else { return at }
            free[at] = UInt8(ascii: "\"")
            return at + 1
        }
        guard end < value.count else { return }
        while end < value.count {
            escape(value[end])
            let start = end + 1
            end = firstToEscape(value, from: start)
            octets.append(contentsOf: UnsafeRawBufferPointer(rebasing: value[start..<end]))
        }
        octets.append(UInt8(ascii: "\""))
    }

    @inline(never)
    private mutating func escape(_ octet: UInt8) {
        octets.append(UInt8(ascii: "\\"))
        switch octet {
        case 0x08: octets.append(UInt8(ascii: "b"))
        case 0x09: octets.append(UInt8(ascii: "t"))
        case 0x0A: octets.append(UInt8(ascii: "n"))
        case 0x0C: octets.append(UInt8(ascii: "f"))
        case 0x0D: octets.append(UInt8(ascii: "r"))
        case ..<0x20:
            let digit = octet & 0xF
            octets.append(contentsOf: [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0"), UInt8(ascii: "0") + octet >> 4])
            octets.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        default: octets.append(octet)
        }
    }

    /// The offset of the first octet at or after `start` that must be escaped; the count if there is none.
    private func firstToEscape(_ value: UnsafeRawBufferPointer, from start: Int) -> Int {
        var at = start
        var high: UInt64 = 0
        while at <= value.count - 8 {
            let stop = stops(in: UInt64(littleEndian: value.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
            if stop != 0 { return at + stop.trailingZeroBitCount >> 3 }
            at += 8
            if at &- start == plainBefore { at = behindPlainBlocks(value, from: at, &high) }
        }
        while at < value.count {
            let octet = value[at]
            if octet < 0x20 || octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "\\") { return at }
            at += 1
        }
        return at
    }
}

/// Copies the front of `value` up to the first octet that must be escaped.
///
/// - Parameter free: at least as long as `value`.
/// - Returns: the number of octets copied.
@inline(__always)
private func copyPlain(_ value: UnsafeRawBufferPointer, to free: UnsafeMutableRawBufferPointer) -> Int {
    var at = 0
    while at <= value.count - 8 {
        let word = value.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        free.storeBytes(of: word, toByteOffset: at, as: UInt64.self)
        let stop = stops(in: UInt64(littleEndian: word))
        if stop != 0 { return at + stop.trailingZeroBitCount >> 3 }
        at += 8
        if at == plainBefore {
            var high: UInt64 = 0
            at = behindPlainBlocks(value, from: plainBefore, &high)
            UnsafeMutableRawBufferPointer(rebasing: free[plainBefore...]).copyMemory(from: UnsafeRawBufferPointer(rebasing: value[plainBefore..<at]))
        }
    }
    while at < value.count {
        let octet = value[at]
        if octet < 0x20 || octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "\\") { return at }
        free[at] = octet
        at += 1
    }
    return at
}
