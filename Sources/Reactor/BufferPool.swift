internal import Bytes
import Glibc

/// Pieces of memory that the outboxes of one reactor lend each other.
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

    /// The list given to the kernel by whichever outbox sends now.
    let pieces = UnsafeMutableBufferPointer<iovec>.allocate(capacity: BufferPool.maxPieces)
    private var memory = MemoryPieces(smallest: BufferPool.smallest, classes: BufferPool.classes, maxHeld: BufferPool.maxHeld)

    package init() {}

    deinit { pieces.deallocate() }

    /// Octets kept now.
    package var held: Int { memory.held }

    /// Octets lent out now.
    package var lent: Int { memory.lent }

    /// A piece of at least `octets` octets, uninitialised.
    package func take(atLeast octets: Int) -> UnsafeMutableRawBufferPointer { memory.take(atLeast: octets) }

    /// Takes back a piece that `take` lent.
    package func give(_ piece: UnsafeMutableRawBufferPointer) { memory.give(piece) }
}

@available(*, unavailable) extension BufferPool: Sendable {}
