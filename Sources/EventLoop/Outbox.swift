import Glibc
package import Posix

/// The result of a flush.
package enum FlushResult: Equatable, Sendable {
    /// Everything has been given to the kernel.
    case empty
    /// The kernel's buffer is full: watch for `.writable`.
    case blocked
}

/// The octets that wait to be sent to one peer, in order, at most `limit`.
///
/// Small frames are copied into one flat piece of memory from the reactor's pool; large ones are referenced, so that a
/// broadcast to a room of slow readers is in memory once. An empty outbox holds no memory. Each append is a whole
/// frame.
package struct Outbox: ~Copyable {
    /// The size from which a frame is referenced: below it, copying costs less than another piece in the send.
    package static let sharingThreshold = 16_384

    /// The largest number of waiting octets.
    package let limit: Int
    /// The number of waiting octets.
    package private(set) var octets = 0

    private let pool: BufferPool
    private var flat = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var start = 0
    private var end = 0
    /// The flat octets after the last shared frame.
    private var flatBehind = 0
    private var shared: [Shared] = []
    private var firstShared = 0

    /// A time before which none of the waiting octets was queued.
    private var oldestTime: Int64 = 0
    /// A position in the queue, as a distance from its front, and the time since which there are octets after it. One
    /// such mark is enough to keep `oldestTime` moving, while a time for each frame would cost memory for each frame.
    private var markDistance = 0
    private var markTime: Int64?

    /// A frame that other outboxes may reference too.
    private struct Shared {
        var frame: [UInt8]
        var sent: Int
        /// The flat octets before it.
        var flatBefore: Int
    }

    /// An empty queue that borrows its memory from `pool`, usually `Reactor.buffers`.
    package init(pool: BufferPool, limit: Int) {
        self.pool = pool
        self.limit = limit
    }

    deinit { pool.give(flat) }

    package var isEmpty: Bool { octets == 0 }

    /// The number of octets that still fit.
    package var room: Int { limit - octets }

    /// The time since which the oldest waiting octet has been waiting, in the milliseconds passed to `append`; `nil`
    /// while empty. The result may be earlier than the true time, by at most the time that the queue took to drain
    /// once, but never later.
    package var oldest: Int64? { octets == 0 ? nil : oldestTime }

    // MARK: Queueing

    /// Queues a copy of `frame`.
    ///
    /// - Parameter now: milliseconds, `Reactor.now`.
    /// - Returns: false, with nothing queued, if more than `limit` would wait: the peer is too slow.
    package mutating func append(copying frame: UnsafeRawBufferPointer, now: Int64) -> Bool {
        guard frame.count <= limit - octets else { return false }
        guard let source = frame.baseAddress, frame.count > 0 else { return true }
        if flat.count - end < frame.count { makeRoom(frame.count) }
        guard let base = flat.baseAddress else { return false }
        (base + end).copyMemory(from: source, byteCount: frame.count)
        end += frame.count
        flatBehind += frame.count
        didQueue(frame.count, now)
        return true
    }

    /// Queues a copy of `frame`; see `append(copying: UnsafeRawBufferPointer, now:)`.
    package mutating func append(copying frame: [UInt8], now: Int64) -> Bool {
        frame.withUnsafeBytes { append(copying: $0, now: now) }
    }

    /// Queues a large `frame` by reference, a small one as a copy.
    ///
    /// - Returns: false, with nothing queued, if more than `limit` would wait.
    package mutating func append(sharing frame: [UInt8], now: Int64) -> Bool {
        guard frame.count >= Self.sharingThreshold else { return append(copying: frame, now: now) }
        guard frame.count <= limit - octets else { return false }
        shared.append(Shared(frame: frame, sent: 0, flatBefore: flatBehind))
        flatBehind = 0
        didQueue(frame.count, now)
        return true
    }

    /// Drops everything. If a frame was sent partly, the connection can only be closed.
    package mutating func removeAll() {
        octets = 0
        giveBack()
    }

    // MARK: Sending

    /// Passes as much to the kernel as it takes: usually one send for all waiting octets.
    ///
    /// - Throws: the error that ended the connection; usually `Errno.isPeerGone`.
    package mutating func flush(to raw: Int32) throws(Errno) -> FlushResult {
        while octets > 0 {
            let offered: Int
            let result: IOResult
            if firstShared == shared.count {
                offered = end - start
                result = try Socket.send(raw, UnsafeRawBufferPointer(rebasing: flat[start..<end]))
            } else {
                let count = listPieces()
                offered = pool.pieces[..<count].reduce(0) { $0 + $1.iov_len }
                result = try Socket.send(raw, pieces: UnsafeMutableBufferPointer(rebasing: pool.pieces[..<count]))
            }
            guard case .done(let sent) = result else { return .blocked }
            consume(sent)
            if sent < offered { return .blocked }
        }
        return .empty
    }

    /// The first waiting octets that are contiguous, for a transport that sends by itself (TLS). Valid until the next
    /// mutating call.
    package var front: UnsafeRawBufferPointer {
        if firstShared < shared.count, shared[firstShared].flatBefore == 0 {
            return UnsafeRawBufferPointer(rebasing: Self.bytes(shared[firstShared].frame)[shared[firstShared].sent...])
        }
        let count = firstShared < shared.count ? shared[firstShared].flatBefore : flatBehind
        return UnsafeRawBufferPointer(rebasing: flat[start..<start + count])
    }

    /// Drops the first `count` octets, which have been sent.
    package mutating func consume(_ count: Int) {
        precondition(count >= 0 && count <= octets, "no more is consumed than waits")
        octets -= count
        if octets == 0 { return giveBack() }
        var left = count
        while left > 0 {
            if firstShared == shared.count {
                start += left
                flatBehind -= left
                left = 0
            } else if shared[firstShared].flatBefore > 0 {
                let step = min(left, shared[firstShared].flatBefore)
                start += step
                shared[firstShared].flatBefore -= step
                left -= step
            } else {
                let step = min(left, shared[firstShared].frame.count - shared[firstShared].sent)
                shared[firstShared].sent += step
                left -= step
                if shared[firstShared].sent == shared[firstShared].frame.count {
                    shared[firstShared].frame = []
                    firstShared += 1
                }
            }
        }
        if firstShared == shared.count, firstShared > 0 { dropShared() }
        if start == end, flat.count > 0 { giveFlatBack() }
        didSend(count)
    }

    // MARK: Memory

    private mutating func makeRoom(_ count: Int) {
        let waiting = end - start
        if waiting + count <= flat.count, start >= waiting, let base = flat.baseAddress {
            base.copyMemory(from: base + start, byteCount: waiting)
        } else {
            let grown = pool.take(atLeast: max(waiting + count, waiting * 2))
            if let base = flat.baseAddress { grown.baseAddress?.copyMemory(from: base + start, byteCount: waiting) }
            pool.give(flat)
            flat = grown
        }
        start = 0
        end = waiting
    }

    private mutating func giveBack() {
        if flat.count > 0 { giveFlatBack() }
        if !shared.isEmpty { dropShared() }
        flatBehind = 0
    }

    private mutating func giveFlatBack() {
        pool.give(flat)
        flat = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        start = 0
        end = 0
    }

    private mutating func dropShared() {
        shared = []
        firstShared = 0
    }

    private func listPieces() -> Int {
        var count = 0
        var flatAt = start
        func add(_ octets: UnsafeRawBufferPointer) {
            pool.pieces[count] = iovec(iov_base: UnsafeMutableRawPointer(mutating: octets.baseAddress), iov_len: octets.count)
            count += 1
        }
        for index in firstShared..<shared.count where count <= BufferPool.maxPieces - 3 {
            let before = shared[index].flatBefore
            if before > 0 {
                add(UnsafeRawBufferPointer(rebasing: flat[flatAt..<flatAt + before]))
                flatAt += before
            }
            add(UnsafeRawBufferPointer(rebasing: Self.bytes(shared[index].frame)[shared[index].sent...]))
            if index == shared.count - 1, flatBehind > 0 { add(UnsafeRawBufferPointer(rebasing: flat[flatAt..<flatAt + flatBehind])) }
        }
        return count
    }

    /// The octets of an array that is in `shared`: they stay in place as long as the array is there, because any other
    /// holder that changes its array copies it first.
    private static func bytes(_ frame: [UInt8]) -> UnsafeRawBufferPointer {
        frame.withUnsafeBytes { $0 }
    }

    // MARK: Age

    private mutating func didQueue(_ count: Int, _ now: Int64) {
        if octets == 0 {
            oldestTime = now
            markDistance = count
            markTime = nil
        } else if markTime == nil {
            markTime = now
        }
        octets += count
    }

    private mutating func didSend(_ count: Int) {
        markDistance -= count
        guard markDistance <= 0, let time = markTime else { return }
        oldestTime = time
        markDistance = octets
        markTime = nil
    }
}
