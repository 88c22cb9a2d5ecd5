internal import Bytes
import Glibc

/// Pieces of memory that the outboxes of one reactor share.
///
/// A connection holds a piece only while it has octets to send, so a few pieces serve thousands of connections, and
/// steady traffic never uses the allocator.
package final class BufferPool {
    /// The smallest piece in octets: one page, which holds the frames of a usual tick.
    package static let smallest = 4_096
    /// The number of sizes that are kept: 4 KiB … 1 MiB. Larger pieces are released to the system immediately.
    private static let classes = 9
    /// The octets kept for later use; the excess of a larger burst is released to the system.
    package static let maxHeld = 4 << 20
    /// The number of pieces in one vectored send: 64 cover a megabyte of shared frames, and the list is 1 KiB.
    static let maxPieces = 64

    /// The list for the kernel, used by the outbox that is sending.
    let pieces = UnsafeMutableBufferPointer<iovec>.allocate(capacity: BufferPool.maxPieces)
    private var memory = MemoryPieces(smallest: BufferPool.smallest, classes: BufferPool.classes, maxHeld: BufferPool.maxHeld)

    package init() {}

    deinit { pieces.deallocate() }

    /// The octets kept now.
    package var held: Int { memory.held }

    /// The octets lent out now.
    package var lent: Int { memory.lent }

    /// A piece of at least `octets` octets, uninitialised.
    package func take(atLeast octets: Int) -> UnsafeMutableRawBufferPointer { memory.take(atLeast: octets) }

    /// Takes back a piece that `take` lent.
    package func give(_ piece: UnsafeMutableRawBufferPointer) { memory.give(piece) }
}

@available(*, unavailable) extension BufferPool: Sendable {}
