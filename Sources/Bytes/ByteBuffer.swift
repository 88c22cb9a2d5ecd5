/// Octets that were appended at the back and wait to be consumed at the front, in one linear piece of memory.
///
/// It grows by doubling up to `limit`, and releases its memory whenever it is empty, so that an idle connection that
/// owns one costs nothing. Returned pointers stay valid until the next mutating call.
package struct ByteBuffer: ~Copyable {
    /// The smallest piece of memory to request: a typical half frame fits, and malloc has it in a free list.
    package static let smallestCapacity = 512

    /// The largest number of waiting octets.
    package let limit: Int
    private var base: UnsafeMutableRawPointer?
    /// The octets of memory held now; 0 while empty.
    package private(set) var capacity = 0
    private var start = 0
    private var end = 0

    /// An empty buffer that holds no memory. `limit` is in octets, at least 0.
    package init(limit: Int) {
        precondition(limit >= 0, "a buffer's limit is not negative")
        self.limit = limit
    }

    deinit { base?.deallocate() }

    /// The number of waiting octets.
    package var count: Int { end - start }
    package var isEmpty: Bool { end == start }

    /// The waiting octets, first octet first. Valid until the next mutating call.
    package var readable: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base.map { UnsafeRawPointer($0 + start) }, count: end - start)
    }

    /// The same octets, for changing them in place (unmasking). Valid until the next mutating call.
    package var mutableReadable: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: base.map { $0 + start }, count: end - start)
    }

    /// Calls `body` with the waiting octets, checked at every access.
    package func withSpan<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try body(readable.assumingMemoryBound(to: UInt8.self).span)
    }

    /// Appends a copy of `octets`.
    ///
    /// - Returns: false, with nothing appended, if more than `limit` would wait.
    /// - Complexity: amortised O(octets).
    package mutating func append(_ octets: UnsafeRawBufferPointer) -> Bool {
        guard let source = octets.baseAddress, octets.count > 0 else { return true }
        guard let space = reserve(octets.count), let target = space.baseAddress else { return false }
        target.copyMemory(from: source, byteCount: octets.count)
        end += octets.count
        return true
    }

    /// Appends a copy of `octets`; see `append(_: UnsafeRawBufferPointer)`.
    package mutating func append(_ octets: [UInt8]) -> Bool {
        octets.withUnsafeBytes { append($0) }
    }

    /// Lends at least `octets` octets of free memory after the waiting ones, to be filled and then `commit`ted.
    ///
    /// - Returns: the free memory, uninitialised, or `nil` if `octets` more would exceed `limit`.
    package mutating func reserve(_ octets: Int) -> UnsafeMutableRawBufferPointer? {
        precondition(octets > 0, "room for at least one octet is asked for")
        guard octets <= limit - count else { return nil }
        if capacity - end < octets { makeRoom(octets) }
        guard let base else { return nil }
        return UnsafeMutableRawBufferPointer(start: base + end, count: min(capacity - end, limit - count))
    }

    /// Reports that the first `octets` of the memory last lent by `reserve` were filled.
    package mutating func commit(_ octets: Int) {
        precondition(octets >= 0 && octets <= capacity - end, "no more is committed than was reserved")
        end += octets
        if isEmpty { removeAll() }
    }

    /// Drops `octets` from the front; releases the memory if the buffer is empty.
    package mutating func consume(_ octets: Int) {
        precondition(octets >= 0 && octets <= count, "no more is consumed than waits")
        start += octets
        if isEmpty { removeAll() }
    }

    /// Drops everything and releases the memory.
    package mutating func removeAll() {
        base?.deallocate()
        base = nil
        capacity = 0
        start = 0
        end = 0
    }

    private mutating func makeRoom(_ octets: Int) {
        let waiting = count
        // Moving needs no allocation, and is cheap as long as at most half of the memory has to move.
        if let base, waiting + octets <= capacity, start >= waiting {
            base.copyMemory(from: base + start, byteCount: waiting)
        } else {
            // Both are at most `limit`, so neither sum nor doubling can overflow for any limit that fits memory.
            let wanted = max(waiting + octets, min(capacity * 2, limit), min(Self.smallestCapacity, limit))
            let grown = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 16)
            if let base {
                grown.copyMemory(from: base + start, byteCount: waiting)
                base.deallocate()
            }
            base = grown
            capacity = wanted
        }
        start = 0
        end = waiting
    }
}
