/// The kind of the next value.
package enum JSONKind: Sendable {
    case object, array, string
    /// A number; reading it shows whether it is an integer.
    case integer
    case boolean, null
}

/// Reads one JSON text; the caller asks for the next expected value (RFC 8259, stricter where that leaves a choice).
///
/// It refuses, besides bad grammar: duplicate keys in an object, containers nested deeper than `maxDepth`, integers
/// that do not fit `Int64`, lone surrogates, invalid UTF-8 (RFC 3629), a byte order mark, anything except white space
/// after the value.
///
/// The octets are borrowed: they must not change while the reader is used. After an error the reader cannot be used any
/// more. A read allocates only for the strings that it creates, and for objects of more than 32 keys.
package struct JSONReader {
    let octets: UnsafeRawBufferPointer
    var position = 0
    var depth = 0
    var maxDepth: Int
    /// The largest number of keys of one object.
    let maxKeys: Int
    /// The latest end of a raw value (`readRaw`).
    var furthest = Int.max

    /// The deepest nesting that a caller may allow: skipping a value takes a stack frame for each level.
    package static let deepest = 512

    /// - Parameters:
    ///   - octets: the whole text, less than 2 GiB.
    ///   - maxDepth: the deepest nesting of containers, 0...512. 32 is more than in any of our frames.
    ///   - maxKeys: the largest number of keys of one object. With many keys, the check for duplicates takes 0.1 us or
    ///     more per key.
    package init(_ octets: UnsafeRawBufferPointer, maxDepth: Int = 32, maxKeys: Int = .max) {
        precondition(octets.count < 1 << 31, "a JSON text must be below 2 GiB")
        precondition((0...Self.deepest).contains(maxDepth), "the depth of a JSON text must be within 0...512")
        self.octets = octets
        self.maxDepth = maxDepth
        self.maxKeys = maxKeys
    }

    /// Reads a whole text: `body` reads its single value, and nothing may follow.
    ///
    /// - Throws: the errors of `body`, or an error for anything after the value.
    package static func read<Value>(
        _ octets: [UInt8], maxDepth: Int = 32, _ body: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        try octets.withUnsafeBufferPointer { buffer throws(JSONError) -> Value in
            try read(UnsafeRawBufferPointer(buffer), maxDepth: maxDepth, body)
        }
    }

    /// Reads a whole text of borrowed octets: `body` reads its single value, and nothing may follow.
    package static func read<Value>(
        _ octets: UnsafeRawBufferPointer, maxDepth: Int = 32, maxKeys: Int = .max, _ body: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        var reader = JSONReader(octets, maxDepth: maxDepth, maxKeys: maxKeys)
        let value = try body(&reader)
        try reader.finish()
        return value
    }

    /// The number of octets read, for errors of the caller.
    package var offset: Int { position }

    /// The kind of the next value; consumes only white space.
    ///
    /// - Throws: `.syntax` if no value can begin with the next octet.
    package mutating func peekKind() throws(JSONError) -> JSONKind {
        skipWhitespace()
        switch current {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .integer
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
        case UInt8(ascii: "n"): return .null
        default: throw malformed("expected a value")
        }
    }

    /// Reads an object and calls `member` for each key in order; `member` reads (or skips) exactly one value.
    ///
    /// - Throws: `.unexpected`, `.tooDeep`, `.duplicateKey`, `.syntax`, and whatever `member` throws.
    package mutating func readObject(
        _ member: (inout JSONReader, JSONKey) throws(JSONError) -> Void
    ) throws(JSONError) {
        guard try enter(UInt8(ascii: "{"), "an object", before: UInt8(ascii: "}")) else { return }
        var seen = SeenKeys()
        var keys = 0
        while true {
            skipWhitespace()
            let start = position
            guard current == UInt8(ascii: "\"") else { throw malformed("expected a key") }
            let key = JSONKey(try scanText())
            keys += 1
            guard keys <= maxKeys else { throw .tooManyKeys(at: start) }
            guard position <= furthest else { throw .tooLong(at: start) }
            guard seen.insert(key, of: octets) else { throw .duplicateKey(key.string, at: start) }
            skipWhitespace()
            guard current == UInt8(ascii: ":") else { throw malformed("expected a colon") }
            position += 1
            let before = position
            try member(&self, key)
            assert(position > before, "the value of \(key.string) was not read")
            skipWhitespace()
            switch current {
            case UInt8(ascii: ","):
                position += 1
            case UInt8(ascii: "}"):
                leave()
                return
            default:
                throw malformed("expected a comma or the end of the object")
            }
        }
    }

    /// Reads an array and calls `element` for each element in order; `element` reads (or skips) exactly one value.
    ///
    /// - Throws: `.unexpected`, `.tooDeep`, `.syntax`, and whatever `element` throws.
    package mutating func readArray(_ element: (inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        guard try enter(UInt8(ascii: "["), "an array", before: UInt8(ascii: "]")) else { return }
        while true {
            let before = position
            guard before <= furthest else { throw .tooLong(at: before) }
            try element(&self)
            assert(position > before, "the element was not read")
            skipWhitespace()
            switch current {
            case UInt8(ascii: ","):
                position += 1
            case UInt8(ascii: "]"):
                leave()
                return
            default:
                throw malformed("expected a comma or the end of the array")
            }
        }
    }

    /// Checks that only white space follows.
    ///
    /// - Throws: `.syntax` if anything else follows.
    package mutating func finish() throws(JSONError) {
        skipWhitespace()
        guard position == octets.count else { throw .syntax("something follows the value", at: position) }
    }

    // MARK: Parts of the grammar

    /// The next octet, 0 at the end: no rule of the grammar accepts a 0, so the end needs no rule of its own.
    @inline(__always)
    var current: UInt8 {
        position < octets.count ? octets[position] : 0
    }

    @inline(__always)
    mutating func skipWhitespace() {
        while position < octets.count {
            let octet = octets[position]
            guard octet <= 0x20, octet == 0x20 || octet == 0x0A || octet == 0x0D || octet == 0x09 else { return }
            position += 1
        }
    }

    /// Enters a container; false if it is empty, which also leaves it.
    private mutating func enter(_ opening: UInt8, _ wanted: StaticString, before closing: UInt8) throws(JSONError) -> Bool {
        skipWhitespace()
        guard current == opening else { throw wrongType(wanted) }
        guard depth < maxDepth else { throw .tooDeep(at: position) }
        depth += 1
        position += 1
        skipWhitespace()
        guard current == closing else { return true }
        leave()
        return false
    }

    private mutating func leave() {
        position += 1
        depth -= 1
    }

    /// The error for an octet that violates the grammar.
    @inline(never)
    func malformed(_ problem: StaticString) -> JSONError {
        .syntax(position < octets.count ? problem.description : "the text ends too early", at: position)
    }

    /// The error for a value of another type than requested, or for a missing value.
    @inline(never)
    func wrongType(_ wanted: StaticString) -> JSONError {
        var copy = self
        do throws(JSONError) {
            _ = try copy.peekKind()
            return .unexpected(wanted.description, at: position)
        } catch {
            return error
        }
    }
}

@available(*, unavailable)
extension JSONReader: Sendable {}
