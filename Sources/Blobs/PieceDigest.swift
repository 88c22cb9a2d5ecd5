internal import Crypto
internal import Locks

/// Whoever may do some work on another thread meanwhile: soon, late or never. It must not wait, and may drop what it is given.
package typealias Assistant = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

/// The digest of a file of which one piece is written while it is digested: by the assistant, if it comes to it, or else by who waits for it.
///
/// Writing 100 MB past the kernel's memory and their SHA-256 take about as long as each other, and one waits for the disk while the other
/// needs a processor. Nobody depends on the assistant: who has written and finds that the piece was not begun, does it.
final class PieceDigest: Sendable {
    /// Octets for which waking another thread is worth it: their digest takes twenty times as long as that.
    private static let worthwhile = 65_536

    private struct State: ~Copyable, Sendable {
        /// Of everything before the piece, and of the piece unless it waits; `nil` when it has to be read again.
        var digest: SHA256?
        /// A piece that nobody has begun, and how many octets of it.
        var waiting: (piece: Piece, count: Int)?
    }

    private let state: Lock<State>
    private let assistant: Assistant

    /// - Parameter isEmpty: the file has nothing yet; else it has to be read before more is added.
    init(isEmpty: Bool, _ assistant: @escaping Assistant) {
        state = Lock(State(digest: isEmpty ? SHA256() : nil))
        self.assistant = assistant
    }

    var isKnown: Bool { state.withLock { $0.digest != nil } }

    /// It is this one, of what was read again.
    func go(on digest: consuming SHA256) {
        // Handed over whole: a closure cannot consume what it captured.
        var digest: SHA256? = consume digest
        state.withLock { $0.digest = digest.take() }
    }

    /// Takes the first `count` octets of a piece, which stay as they are until `finishPiece` or `forget` has returned.
    func begin(_ piece: Piece, _ count: Int) {
        state.withLock { $0.waiting = (piece, count) }
        if count >= Self.worthwhile { assistant { [self] in finishPiece() } }
    }

    /// Returns when the piece is in the digest.
    func finishPiece() {
        // Whoever holds the lock digests; the other one waits here, and finds that it is done.
        state.withLock { state in
            guard let (piece, count) = state.waiting.take() else { return }
            state.digest?.update(UnsafeRawBufferPointer(rebasing: piece.octets[..<count]))
        }
    }

    /// Nothing is known any more, and nobody reads the piece.
    func forget() {
        state.withLock { state in
            state.waiting = nil
            state.digest = nil
        }
    }

    /// SHA-256 of all that was taken and `last`, 32 octets. Afterwards nothing is known any more. Only when it is known.
    func finish(with last: [UInt8]) -> [UInt8] {
        state.withLock { state in
            guard var digest = state.digest.take() else { preconditionFailure("what is not known was read again") }
            digest.update(last)
            return digest.finish()
        }
    }
}

/// Octets on their way to a disk, in memory that is aligned as it wants.
///
/// Sendable although the compiler cannot see it: one thread has it, and changes nothing while a digest of it is under way.
final class Piece: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    /// - Parameter capacity: octets.
    init(capacity: Int) { memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: DiskBlock.octets) }

    deinit { memory.deallocate() }

    /// What it holds; valid while it is not changed.
    var octets: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    var isFull: Bool { count == memory.count }

    /// Takes as many of `octets` as it has room for.
    ///
    /// - Returns: how many.
    func append(_ octets: UnsafeRawBufferPointer) -> Int {
        let taken = min(octets.count, memory.count - count)
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: UnsafeRawBufferPointer(rebasing: octets[..<taken]))
        count += taken
        return taken
    }

    /// Goes back to so many octets.
    func cut(to length: Int) {
        precondition(length <= count, "nothing is added by going back")
        count = length
    }

    /// What is behind the first `length` octets moves to the front.
    func removeFirst(_ length: Int) {
        precondition(length <= count, "only what is there goes")
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[length..<count]))
        count -= length
    }
}
