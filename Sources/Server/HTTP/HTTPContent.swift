import Posix
import TLS

/// Octets of content on their way to a disk. A value that may move to another thread and back; its memory is reused.
struct ContentBuffer: Sendable {
    /// The whole memory.
    fileprivate var memory: [UInt8]
    /// The number of filled octets, from the front.
    fileprivate(set) var count = 0

    fileprivate init() { memory = [UInt8](repeating: 0, count: HTTPContent.bufferOctets) }

    /// The filled octets.
    func withOctets<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
        try memory.span.bytes.withUnsafeBytes { (all) throws(Failure) in try body(UnsafeRawBufferPointer(rebasing: all[..<count])) }
    }
}

/// The content of a request that a handler accepts: the buffers that are being filled or lent out.
struct HTTPContent {
    /// The size of a buffer: two segments of the kernel's receive buffer on a fast link, and one call's worth, so that
    /// twenty uploads at the same time delay nobody by more than a millisecond or two.
    static let bufferOctets = 131_072
    /// The number of octets at which a buffer is handed over; the rest of the buffer saves a call if more has come.
    static let enough = 65_536
    /// The largest number of buffers that are lent out for one request, 512 KiB: one being written, one waiting, and
    /// two for octets on their way.
    static let maxBuffers = 4

    private var filling: ContentBuffer?
    private var spare: [ContentBuffer] = []
    private var out = 0

    /// Whether there is memory to receive into.
    var hasRoom: Bool { room > 0 }

    /// The number of octets that can be received before a buffer must be handed over.
    var room: Int { filling.map { HTTPContent.bufferOctets - $0.count } ?? (out < HTTPContent.maxBuffers ? HTTPContent.bufferOctets : 0) }

    /// The number of octets that wait to be handed over.
    var gathered: Int { filling?.count ?? 0 }

    /// Receives at most `limit` octets into the memory from which they will be written. Call it only if `hasRoom` is
    /// true.
    mutating func receive(from transport: inout Transport, limit: Int) throws(TransportError) -> IOResult {
        var buffer = take()
        defer { filling = buffer }
        let start = buffer.count
        let end = min(start + limit, HTTPContent.bufferOctets)
        var result = IOResult.wouldBlock
        var failure: TransportError?
        buffer.memory.withUnsafeMutableBytes { memory in
            do throws(TransportError) {
                result = try transport.receive(into: UnsafeMutableRawBufferPointer(rebasing: memory[start..<end]))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        if case .done(let count) = result { buffer.count += count }
        return result
    }

    /// Copies octets that were received with other ones, at most `room` of them.
    mutating func append(_ octets: Span<UInt8>) {
        var buffer = take()
        let start = buffer.count
        octets.withUnsafeBytes { source in
            buffer.memory.withUnsafeMutableBytes { memory in
                UnsafeMutableRawBufferPointer(rebasing: memory[start...]).copyMemory(from: source)
            }
        }
        buffer.count += octets.count
        filling = buffer
    }

    /// The buffer that is being filled, for handing over, if it holds at least this many octets.
    mutating func handOver(atLeast least: Int) -> ContentBuffer? {
        guard let buffer = filling, buffer.count >= max(least, 1) else { return nil }
        filling = nil
        out += 1
        return buffer
    }

    mutating func takeBack(_ buffer: consuming ContentBuffer) {
        out -= 1
        buffer.count = 0
        // No more than this are filled at the same time.
        if spare.count < HTTPContent.maxBuffers { spare.append(buffer) }
    }

    private mutating func take() -> ContentBuffer {
        if let buffer = filling {
            filling = nil
            return buffer
        }
        return spare.popLast() ?? ContentBuffer()
    }
}

/// Whether a peer makes progress: it must move a number of octets in each period, or the server gives it up.
struct Progress {
    /// The period in milliseconds: longer than a tunnel, or a change from one network to another.
    static let time: Int64 = 30_000
    /// The octets that must move in a period: half a kilobyte per second is slower than any usual link.
    static let least = 16_384

    private var since: Int64
    private var octets = 0

    init(now: Int64) { since = now }

    mutating func move(_ count: Int) { octets += count }

    /// The time of the next check.
    var due: Int64 { since + Progress.time }

    /// Begins the next period if this one was fast enough.
    mutating func goesOn(now: Int64) -> Bool {
        guard octets >= Progress.least else { return false }
        self = Progress(now: now)
        return true
    }
}
