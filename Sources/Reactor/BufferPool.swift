import Glibc

/// Pieces of memory in powers of two that the connections of one reactor lend each other.
///
/// A connection holds one only while it has octets to send, so a few pieces serve thousands of connections, and steady
/// traffic never meets the allocator.
package final class BufferPool {
    /// The smallest piece, octets: one page, which holds the frames of a usual tick.
    package static let smallest = 4_096
    /// Sizes that are kept: 4 KiB … 1 MiB. Larger pieces go straight back to the system.
    private static let classes = 9
    /// Octets kept for later use; more than this much burst is given back to the system.
    package static let maxHeld = 4 << 20
    /// Pieces of one vectored send: 64 covers a megabyte of shared frames, and the list is 1 KiB.
    static let maxPieces = 64

    /// Octets kept now.
    package private(set) var held = 0
    /// Octets lent out now.
    package private(set) var lent = 0
    /// The list given to the kernel by whichever outbox sends now.
    let pieces = UnsafeMutableBufferPointer<iovec>.allocate(capacity: BufferPool.maxPieces)
    /// First free piece of each size; a free piece begins with the address of the next one.
    private var free = [UnsafeMutableRawPointer?](repeating: nil, count: BufferPool.classes)

    package init() {}

    deinit {
        pieces.deallocate()
        for index in free.indices {
            while let piece = free[index] {
                free[index] = piece.load(as: UnsafeMutableRawPointer?.self)
                piece.deallocate()
            }
        }
    }

    /// A piece of at least `octets` octets, uninitialised.
    package func take(atLeast octets: Int) -> UnsafeMutableRawBufferPointer {
        let (size, index) = Self.fit(octets)
        lent += size
        if index < Self.classes, let piece = free[index] {
            free[index] = piece.load(as: UnsafeMutableRawPointer?.self)
            held -= size
            return UnsafeMutableRawBufferPointer(start: piece, count: size)
        }
        return .allocate(byteCount: size, alignment: 64)
    }

    /// Takes back a piece that `take` lent.
    package func give(_ piece: UnsafeMutableRawBufferPointer) {
        guard let base = piece.baseAddress else { return }
        let (size, index) = Self.fit(piece.count)
        precondition(size == piece.count, "a piece comes back whole")
        lent -= size
        guard index < Self.classes, held + size <= Self.maxHeld else { return base.deallocate() }
        base.storeBytes(of: free[index], as: UnsafeMutableRawPointer?.self)
        free[index] = base
        held += size
    }

    private static func fit(_ octets: Int) -> (size: Int, index: Int) {
        // The number of bits of octets - 1, above those of the smallest size.
        let bits = Int.bitWidth - (max(octets, smallest) - 1).leadingZeroBitCount
        return (1 << bits, bits - smallest.trailingZeroBitCount)
    }
}

@available(*, unavailable) extension BufferPool: Sendable {}
