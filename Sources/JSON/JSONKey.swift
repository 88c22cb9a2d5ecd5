/// A key of an object as it stands in the text: compared without making a `String`.
///
/// Borrows the reader's octets: valid inside of the closure that was given it. `switch key { case "name": … }` works.
package struct JSONKey {
    private let text: JSONText

    init(_ text: JSONText) {
        self.text = text
    }

    /// The key, escapes resolved.
    package var string: String { text.string }

    /// Escapes resolved, as octets.
    var octets: [UInt8] { text.decoded }
    /// `nil` if the raw octets are not the key itself because escapes stand in it.
    var plain: UnsafeRawBufferPointer? { text.isEscaped ? nil : text.raw }

    package static func == (key: JSONKey, name: StaticString) -> Bool {
        guard name.hasPointerRepresentation else { return key.string == name.description }
        return key.equals(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    package static func ~= (name: StaticString, key: JSONKey) -> Bool {
        key == name
    }

    // Disfavoured, so that a literal is a StaticString.
    @_disfavoredOverload
    package static func == (key: JSONKey, name: String) -> Bool {
        var name = name
        return name.withUTF8 { key.equals(UnsafeRawBufferPointer($0)) }
    }

    @inline(__always)
    private func equals(_ name: UnsafeRawBufferPointer) -> Bool {
        // An escaped spelling of a key is rare and slow, but the same key.
        guard !text.isEscaped else { return text.decoded.withUnsafeBytes { octetsEqual($0, name) } }
        return octetsEqual(text.raw, name)
    }
}

@available(*, unavailable)
extension JSONKey: Sendable {}

/// Whether two octet strings are the same. (`memcmp` without the C library.)
@inline(__always)
func octetsEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    let count = left.count
    guard count == right.count else { return false }
    guard count >= 8 else {
        var index = 0
        while index < count {
            guard left[index] == right[index] else { return false }
            index += 1
        }
        return true
    }
    var index = 0
    while index <= count - 8 {
        guard
            left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                == right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        else { return false }
        index += 8
    }
    // The last word overlaps the one before.
    return left.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        == right.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
}

/// The keys of one object so far, to refuse the second of a kind (RFC 8259 §4 leaves its meaning open).
///
/// The first 16 plain keys are compared by a 64-bit fingerprint in place; more keys, or one with escapes, go to a hash set
/// of seeded hashes, which a hostile object cannot make quadratic.
struct SeenKeys {
    private var count = 0
    private var fingerprints = InlineArray<16, UInt64>(repeating: 0)
    private var places = InlineArray<16, UInt64>(repeating: 0)
    private var many: Set<[UInt8]>?

    /// Takes note of a key.
    ///
    /// - Parameters:
    ///   - key: of the text that `octets` covers.
    ///   - octets: the whole text, the same at each call.
    /// - Returns: whether the key is new.
    @inline(__always)
    mutating func insert(_ key: JSONKey, of octets: UnsafeRawBufferPointer) -> Bool {
        guard many == nil, count < 16, let plain = key.plain, let base = octets.baseAddress, let start = plain.baseAddress else {
            return insertMany(key, of: octets)
        }
        let fingerprint = Self.fingerprint(plain)
        var index = 0
        while index < count {
            if fingerprints[index] == fingerprint, octetsEqual(Self.at(places[index], octets), plain) { return false }
            index += 1
        }
        fingerprints[count] = fingerprint
        places[count] = UInt64(truncatingIfNeeded: start - base) << 32 | UInt64(truncatingIfNeeded: plain.count)
        count += 1
        return true
    }

    @inline(never)
    private mutating func insertMany(_ key: JSONKey, of octets: UnsafeRawBufferPointer) -> Bool {
        var keys = many ?? []
        // Out of `many` while it changes, or the set would be copied.
        many = nil
        if keys.isEmpty {
            for index in 0..<count { keys.insert(Array(Self.at(places[index], octets))) }
        }
        let isNew = keys.insert(key.octets).inserted
        many = keys
        return isNew
    }

    private static func at(_ place: UInt64, _ octets: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = Int(place >> 32)
        return UnsafeRawBufferPointer(rebasing: octets[start..<start + Int(place & 0xFFFF_FFFF)])
    }

    /// Ends and length: keys that people choose differ in these, and those who choose others only cost a comparison.
    @inline(__always)
    private static func fingerprint(_ key: UnsafeRawBufferPointer) -> UInt64 {
        let count = key.count
        let mark = UInt64(truncatingIfNeeded: count) << 56
        if count >= 8 {
            let first = key.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
            let last = key.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            return first ^ (last << 7 | last >> 57) ^ mark
        }
        if count >= 4 {
            let first = UInt64(key.loadUnaligned(fromByteOffset: 0, as: UInt32.self))
            let last = UInt64(key.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
            return (first | last << 24) ^ mark
        }
        guard count > 0 else { return mark }
        return mark | UInt64(key[0]) | UInt64(key[count >> 1]) << 8 | UInt64(key[count - 1]) << 16
    }
}
