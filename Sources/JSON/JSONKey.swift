/// A key of an object as it is in the text: compared without creating a `String`.
///
/// Borrows the reader's octets: valid inside the closure that received it. `switch key { case "name": … }` works.
package struct JSONKey {
    private let text: JSONText

    init(_ text: JSONText) {
        self.text = text
    }

    /// The key, escapes resolved.
    package var string: String { text.string }

    /// The octets of the key, escapes resolved.
    var octets: [UInt8] { text.decoded }
    /// The octets of the key; `nil` if it contains escapes and therefore differs from its raw octets.
    var plain: UnsafeRawBufferPointer? { text.isEscaped ? nil : text.raw }

    package static func == (key: JSONKey, name: StaticString) -> Bool {
        guard name.hasPointerRepresentation else { return key.string == name.description }
        return key.equals(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    package static func ~= (name: StaticString, key: JSONKey) -> Bool {
        key == name
    }

    // Disfavoured, so that the compiler takes a literal as a StaticString.
    @_disfavoredOverload
    package static func == (key: JSONKey, name: String) -> Bool {
        var name = name
        return name.withUTF8 { key.equals(UnsafeRawBufferPointer($0)) }
    }

    /// False for a key of another length.
    @inline(__always)
    fileprivate func mayEqual(width: Int) -> Bool { text.isEscaped || text.raw.count == width }

    @inline(__always)
    private func equals(_ name: UnsafeRawBufferPointer) -> Bool {
        // An escaped spelling of a key is rare and slow, but equal.
        guard !text.isEscaped else { return text.decoded.withUnsafeBytes { octetsEqual($0, name) } }
        return octetsEqual(text.raw, name)
    }
}

@available(*, unavailable)
extension JSONKey: Sendable {}

/// The names of the keys of an object, in their usual order.
package struct JSONKeyList: Sendable {
    private let names: [StaticString]

    package init(_ names: [StaticString]) { self.names = names }

    /// The position of a key; searched from `hint` on, then from the beginning.
    package func index(of key: JSONKey, near hint: Int) -> Int? {
        let count = names.count
        var index = hint < count ? hint : 0
        for _ in 0..<count {
            // Few names have the same length as the key.
            if key.mayEqual(width: names[index].utf8CodeUnitCount), key == names[index] { return index }
            index += 1
            if index == count { index = 0 }
        }
        return nil
    }
}

/// Whether two octet strings are equal. (`memcmp` without the C library.)
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
    // The last word overlaps the previous one.
    return left.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        == right.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
}

/// An arbitrary total order of octet strings: by length, then by words.
private func octetsPrecede(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    let count = left.count
    guard count == right.count else { return count < right.count }
    var index = 0
    while index < count {
        // The last word of a long string overlaps the previous one.
        let isWord = count >= 8
        let place = isWord ? min(index, count - 8) : index
        let (own, other) =
            isWord
            ? (left.loadUnaligned(fromByteOffset: place, as: UInt64.self), right.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            : (UInt64(left[place]), UInt64(right[place]))
        if own != other { return own < other }
        index += isWord ? 8 : 1
    }
    return false
}

/// The keys of one object so far, to refuse duplicates (RFC 8259 §4 leaves their meaning open).
///
/// The newest 32 keys (our largest kind has fewer) are compared by a 64-bit fingerprint in place. Earlier keys are
/// sorted, so that no choice of keys makes an object quadratic: a key costs O(log² n) comparisons.
struct SeenKeys {
    private var count = 0
    /// One bit for each key in place, derived from its fingerprint: a key whose bit is not set is new without a search.
    private var bits: UInt64 = 0
    private var fingerprints = InlineArray<32, UInt64>(repeating: 0)
    /// The position of each key: its offset, shifted by 32, and its length.
    private var places = InlineArray<32, UInt64>(repeating: 0)
    private var earlier: SortedKeys?
    /// The decoded form of keys that have escapes in the text. Their offsets continue after the end of the text.
    private var decoded: [UInt8] = []

    /// Adds a key.
    ///
    /// - Parameters:
    ///   - key: a key of the text in `octets`.
    /// - Returns: whether the key is new.
    @inline(__always)
    mutating func insert(_ key: JSONKey, of octets: UnsafeRawBufferPointer) -> Bool {
        guard let plain = key.plain, let base = octets.baseAddress, let start = plain.baseAddress else { return insert(decoding: key, of: octets) }
        return insert(plain, at: start - base, of: octets)
    }

    @inline(never)
    private mutating func insert(decoding key: JSONKey, of octets: UnsafeRawBufferPointer) -> Bool {
        let own = key.octets
        let offset = octets.count + decoded.count
        decoded += own
        return own.withUnsafeBytes { insert($0, at: offset, of: octets) }
    }

    @inline(__always)
    private mutating func insert(_ key: UnsafeRawBufferPointer, at offset: Int, of octets: UnsafeRawBufferPointer) -> Bool {
        let fingerprint = Self.fingerprint(key)
        // The multiplier is 2^64 over the golden ratio; the top 6 bits of the product depend on all of the fingerprint.
        let bit: UInt64 = 1 &<< ((fingerprint &* 0x9E37_79B9_7F4A_7C15) &>> 58)
        if bits & bit != 0, contains(key, fingerprint, of: octets) { return false }
        if count == 32 || earlier != nil, !makeRoom(for: key, fingerprint, of: octets) { return false }
        bits |= bit
        fingerprints[count] = fingerprint
        places[count] = UInt64(truncatingIfNeeded: offset) << 32 | UInt64(truncatingIfNeeded: key.count)
        count += 1
        return true
    }

    private func contains(_ key: UnsafeRawBufferPointer, _ fingerprint: UInt64, of octets: UnsafeRawBufferPointer) -> Bool {
        for index in 0..<count where fingerprints[index] == fingerprint {
            if decoded.withUnsafeBytes({ octetsEqual(Self.at(places[index], octets, $0), key) }) { return true }
        }
        return false
    }

    /// - Returns: false if the key is among the earlier ones.
    @inline(never)
    private mutating func makeRoom(for key: UnsafeRawBufferPointer, _ fingerprint: UInt64, of octets: UnsafeRawBufferPointer) -> Bool {
        var sorted = earlier ?? SortedKeys()
        // The value moves out of `earlier` while it changes; otherwise its array would be copied.
        earlier = nil
        let isNew = decoded.withUnsafeBytes { decoded in
            let read = { (place: UInt64) in Self.at(place, octets, decoded) }
            guard !sorted.contains(key, fingerprint, read) else { return false }
            if count == 32 { sorted.append(fingerprints, places, read) }
            return true
        }
        if count == 32 { (count, bits) = (0, 0) }
        earlier = sorted
        return isNew
    }

    private static func at(_ place: UInt64, _ octets: UnsafeRawBufferPointer, _ decoded: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = Int(place >> 32)
        let count = Int(place & 0xFFFF_FFFF)
        if start < octets.count { return UnsafeRawBufferPointer(rebasing: octets[start..<start + count]) }
        return UnsafeRawBufferPointer(rebasing: decoded[(start - octets.count)..<(start - octets.count + count)])
    }

    /// A fingerprint from both ends and the length: usual keys differ in these, and unusual keys only cost a
    /// comparison.
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

/// Keys of an object, 32 at a time, in sorted runs: their lengths are the powers of two that sum to the number of
/// blocks, the longest first, so that each key is sorted O(log n) times.
private struct SortedKeys {
    private struct Entry {
        let fingerprint: UInt64
        let place: UInt64
    }

    private static var block: Int { 32 }
    private var entries: [Entry] = []

    func contains(_ key: UnsafeRawBufferPointer, _ fingerprint: UInt64, _ read: (UInt64) -> UnsafeRawBufferPointer) -> Bool {
        var start = 0
        while start < entries.count {
            let left = (entries.count - start) / Self.block
            let end = start + Self.block << (Int.bitWidth - 1 - left.leadingZeroBitCount)
            // The first entry of the run that does not precede the key.
            var (low, high) = (start, end)
            while low < high {
                let middle = (low + high) / 2
                let entry = entries[middle]
                let precedes = entry.fingerprint == fingerprint ? octetsPrecede(read(entry.place), key) : entry.fingerprint < fingerprint
                if precedes { low = middle + 1 } else { high = middle }
            }
            if low < end, entries[low].fingerprint == fingerprint, octetsEqual(read(entries[low].place), key) { return true }
            start = end
        }
        return false
    }

    mutating func append(
        _ fingerprints: borrowing InlineArray<32, UInt64>, _ places: borrowing InlineArray<32, UInt64>, _ read: (UInt64) -> UnsafeRawBufferPointer
    ) {
        for index in 0..<Self.block { entries.append(Entry(fingerprint: fingerprints[index], place: places[index])) }
        let last = Self.block << (entries.count / Self.block).trailingZeroBitCount
        entries[(entries.count - last)...].sort { left, right in
            left.fingerprint == right.fingerprint ? octetsPrecede(read(left.place), read(right.place)) : left.fingerprint < right.fingerprint
        }
    }
}
