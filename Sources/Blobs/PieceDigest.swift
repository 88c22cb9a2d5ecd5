internal import Crypto
internal import Locks

/// Runs some work on another thread: soon, late or never. The function must not block, and may drop the work.
package typealias Assistant = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

/// The digest of a file while one piece of it is written: the assistant computes it if it gets to it, otherwise the
/// thread that waits for it does.
///
/// Writing 100 MB past the page cache and computing their SHA-256 take about the same time, and the first waits for the
/// disk while the second needs a processor. Nothing depends on the assistant: if a writer has finished writing and the
/// piece was not begun, the writer digests it.
final class PieceDigest: Sendable {
    /// The octets for which waking another thread pays off: their digest takes twenty times as long as the wake-up.
    private static let worthwhile = 65_536

    private struct State: ~Copyable, Sendable {
        /// The digest of everything before the piece, and of the piece unless it waits; `nil` if the file has to be
        /// read again.
        var digest: SHA256?
        /// A piece that no thread has begun, with the number of its octets.
        var waiting: (piece: Piece, count: Int)?
    }

    private let state: Lock<State>
    private let assistant: Assistant

    /// - Parameter isEmpty: whether the file is empty; otherwise it has to be read before octets are added.
    init(isEmpty: Bool, _ assistant: @escaping Assistant) {
        state = Lock(State(digest: isEmpty ? SHA256() : nil))
        self.assistant = assistant
    }

    var isKnown: Bool { state.withLock { $0.digest != nil } }

    /// Continues with the digest of the octets that were read again.
    func go(on digest: consuming SHA256) {
        // The value moves as a whole, because a closure cannot consume a captured value.
        var digest: SHA256? = consume digest
        state.withLock { $0.digest = digest.take() }
    }

    /// Takes the first `count` octets of a piece, which must not change until `finishPiece` or `forget` has returned.
    func begin(_ piece: Piece, _ count: Int) {
        state.withLock { $0.waiting = (piece, count) }
        if count >= Self.worthwhile { assistant { [self] in finishPiece() } }
    }

    /// Returns when the digest includes the piece.
    func finishPiece() {
        // The thread with the lock digests; the other thread waits here, and then finds the work done.
        state.withLock { state in
            guard let (piece, count) = state.waiting.take() else { return }
            state.digest?.update(UnsafeRawBufferPointer(rebasing: piece.octets[..<count]))
        }
    }

    /// Drops the digest, and returns when no thread reads the piece any more.
    func forget() {
        state.withLock { state in
            state.waiting = nil
            state.digest = nil
        }
    }

    /// SHA-256 of all octets taken and `last`, 32 octets. Afterwards the digest is unknown. Requires a known digest.
    func finish(with last: [UInt8]) -> [UInt8] {
        state.withLock { state in
            guard var digest = state.digest.take() else { preconditionFailure("what is not known was read again") }
            digest.update(last)
            return digest.finish()
        }
    }
}

/// Octets to be written to a disk, in memory with the alignment that the disk requires.
///
/// Sendable although the compiler cannot prove it: one thread owns the piece, and changes nothing while its digest is
/// being computed.
final class Piece: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    /// - Parameter capacity: the octets that fit into it.
    init(capacity: Int) { memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: DiskBlock.octets) }

    deinit { memory.deallocate() }

    /// The content; valid until it is changed.
    var octets: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    var isFull: Bool { count == memory.count }

    /// Takes as many of `octets` as fit.
    ///
    /// - Returns: the number taken.
    func append(_ octets: UnsafeRawBufferPointer) -> Int {
        let taken = min(octets.count, memory.count - count)
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: UnsafeRawBufferPointer(rebasing: octets[..<taken]))
        count += taken
        return taken
    }

    /// Truncates the content to `length` octets.
    func cut(to length: Int) {
        precondition(length <= count, "nothing is added by going back")
        count = length
    }

    /// Moves the octets after the first `length` ones to the front.
    func removeFirst(_ length: Int) {
        precondition(length <= count, "only what is there goes")
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[length..<count]))
        count -= length
    }
}
