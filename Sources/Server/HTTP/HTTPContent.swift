import Posix
import TLS

/// Octets of content on their way to a disk. A value that may cross to another thread and come back; its memory is used again.
struct ContentBuffer: Sendable {
    /// All of its memory.
    fileprivate var memory: [UInt8]
    /// Octets that are filled, from the front.
    fileprivate(set) var count = 0

    fileprivate init() { memory = [UInt8](repeating: 0, count: HTTPContent.bufferOctets) }

    /// What is filled.
    func withOctets<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
        try memory.span.bytes.withUnsafeBytes { (all) throws(Failure) in try body(UnsafeRawBufferPointer(rebasing: all[..<count])) }
    }
}

/// The content of a request that somebody takes: the buffers that are filled and lent out.
struct HTTPContent {
    /// Octets of a buffer: two segments of the kernel's receive buffer on a fast link; one call's worth, so that twenty uploads at once hold
    /// nobody up by more than a millisecond or two.
    static let bufferOctets = 131_072
    /// With so many a buffer is handed over; the rest of it saves a call when more has come.
    static let enough = 65_536
    /// Buffers that are out at once for one request, 512 KiB: one being written, one waiting, and the time for two to come.
    static let maxBuffers = 4

    private var filling: ContentBuffer?
    private var spare: [ContentBuffer] = []
    private var out = 0

    /// Whether there is memory to receive into.
    var hasRoom: Bool { room > 0 }

    /// Octets that can be received before a buffer has to be handed over.
    var room: Int { filling.map { HTTPContent.bufferOctets - $0.count } ?? (out < HTTPContent.maxBuffers ? HTTPContent.bufferOctets : 0) }

    /// Octets that wait to be handed over.
    var gathered: Int { filling?.count ?? 0 }

    /// Receives at most `limit` octets to where they will be written from. Call it only with `hasRoom`.
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

    /// Copies octets that were received for something else, no more of them than there is `room`.
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

    /// The buffer that is being filled, to be handed over, if it holds at least so many octets.
    mutating func handOver(atLeast least: Int) -> ContentBuffer? {
        guard let buffer = filling, buffer.count >= max(least, 1) else { return nil }
        filling = nil
        out += 1
        return buffer
    }

    mutating func takeBack(_ buffer: consuming ContentBuffer) {
        out -= 1
        buffer.count = 0
        // More is never filled at once.
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

/// Whether somebody gets on: so many octets in each stretch of time, or they are given up.
struct Progress {
    /// Milliseconds: longer than a tunnel, or a change from one network to another.
    static let time: Int64 = 30_000
    /// Octets that have to move in that time: half a kilobyte a second is no link that people use.
    static let least = 16_384

    private var since: Int64
    private var octets = 0

    init(now: Int64) { since = now }

    mutating func move(_ count: Int) { octets += count }

    /// When to look next.
    var due: Int64 { since + Progress.time }

    /// Begins the next stretch of time when this one was good enough.
    mutating func goesOn(now: Int64) -> Bool {
        guard octets >= Progress.least else { return false }
        self = Progress(now: now)
        return true
    }
}
