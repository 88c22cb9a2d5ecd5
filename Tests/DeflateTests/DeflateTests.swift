import TestSupport
import Testing

@testable import Deflate

/// Decompresses `pieces`, with space for `room` octets per call, followed by the tail of RFC 7692 §7.2.2 as the end of
/// a message.
func inflate(_ pieces: [[UInt8]], by inflater: Inflater = Inflater(windowBits: 15), room: Int = 4096) throws(CorruptStream) -> [UInt8] {
    var all: [UInt8] = []
    let output = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
    defer { output.deallocate() }
    func take(_ piece: [UInt8]) throws(CorruptStream) {
        // A copy of exactly its size, so that the sanitizer detects a read past it.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: piece)
        var rest = UnsafeRawBufferPointer(copy)
        while true {
            let count = try inflater.inflate(&rest, into: output)
            all += output[..<count]
            if rest.isEmpty, count < room { return }
        }
    }
    for piece in pieces { try take(piece) }
    if !inflater.hasEnded { try take([0x00, 0x00, 0xFF, 0xFF]) }
    guard inflater.isBetweenBlocks else { throw CorruptStream(written: 0) }
    return all
}

func deflate(_ message: [UInt8], by deflater: Deflater) -> [UInt8]? {
    var output = [UInt8](repeating: 0xEE, count: message.count + 4)
    let count = message.withUnsafeBytes { message in output.withUnsafeMutableBytes { deflater.deflate(message, into: $0) } }
    return count.map { Array(output[..<$0]) }
}

extension SplitMix64 {
    /// Octets with occasional repetitions, at any distance.
    mutating func repetitions(_ count: Int) -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count {
            if all.count > 4, Int.random(in: 0..<3, using: &self) > 0 {
                let back = Int.random(in: 1...all.count, using: &self)
                for _ in 0..<Int.random(in: 3...60, using: &self) { all.append(all[all.count - back]) }
            } else {
                for _ in 0..<Int.random(in: 1...20, using: &self) { all.append(UInt8.random(in: 0...255, using: &self)) }
            }
        }
        return Array(all[..<count])
    }
}

@Suite("Inflating, RFC 1951, RFC 7692 §7.2.2")
struct InflaterTests {
    static let hello = Array("Hello".utf8)

    /// RFC 7692 §7.2.3: each payload as in the RFC.
    static let examples: [[UInt8]] = [
        [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
        // One stored block.
        [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
        // BFINAL set, followed by a stored block's first octet.
        [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
        // Two blocks, the first one flushed.
        [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
        // BFINAL set, and nothing after it: complete, although not as the RFC wants it sent.
        [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
    ]

    @Test("The RFC's examples decode, however they are cut and however little space there is", arguments: examples)
    func comesOut(octets: [UInt8]) throws {
        for room in [1, 2, 3, 5, 6, 4096] {
            #expect(try inflate([octets], room: room) == Self.hello)
            #expect(try inflate(octets.map { [$0] }, room: room) == Self.hello)
            for cut in octets.indices {
                #expect(try inflate([Array(octets[..<cut]), Array(octets[cut...])], room: room) == Self.hello)
            }
        }
    }

    @Test("A message may refer to earlier ones, also after a stream that has ended")
    func context() throws {
        let inflater = Inflater(windowBits: 15)
        for first in Self.examples {
            inflater.reset(windowBits: 15)
            #expect(try inflate([first], by: inflater) == Self.hello)
            #expect(try inflate([[0xF2, 0x00, 0x11, 0x00, 0x00]], by: inflater) == Self.hello)
            #expect(inflater.windowBits == 15)
        }
        // A stream without the context cannot.
        inflater.reset(windowBits: 9)
        #expect(throws: CorruptStream.self) { try inflate([[0xF2, 0x00, 0x11, 0x00, 0x00]], by: inflater) }
    }

    @Test("Invalid DEFLATE is refused, however it is cut", arguments: [
        // Block type 3; a stored block without the repeated length; a distance before the beginning; an unused code.
        [0x06], [0x00, 0x05, 0x00, 0xFA, 0xFE], [0x02, 0x42, 0x00], [0xFF, 0xFF, 0xFF, 0xFF], [0x04, 0xFF, 0xFF],
        // Ends within a code, within a stored block, within a length.
        [0xF2, 0x48, 0xCD], [0x00, 0x09, 0x00, 0xF6, 0xFF, 0x48], [0x00, 0x05],
        // Empty: even the octet of an empty message is missing.
        [],
        // Garbage after a whole message.
        [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0xFF, 0xFF, 0xFF], [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x07],
    ] as [[UInt8]])
    func corrupt(octets: [UInt8]) {
        #expect(throws: CorruptStream.self) { try inflate([octets]) }
        #expect(throws: CorruptStream.self) { try inflate(octets.map { [$0] }, room: 1) }
    }

    @Test("Output never exceeds the given space")
    func bounded() throws {
        let bomb = try #require(deflate([UInt8](repeating: 0, count: 1 << 22), by: Deflater(windowBits: 15, level: 9, memoryLevel: 9)))
        #expect(bomb.count < 5000)
        let inflater = Inflater(windowBits: 15)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 1)
        defer { room.deallocate() }
        let (count, left) = try bomb.withUnsafeBytes { octets in
            var rest = octets
            return (try inflater.inflate(&rest, into: room), rest.count)
        }
        #expect(count == 1000 && inflater.produced == 1000 && left > 0)
        inflater.reset(windowBits: 15)
        #expect(try inflate([bomb], by: inflater, room: 65_536).count == 1 << 22)
        #expect(inflater.produced == 1000 + 1 << 22)
    }

    @Test("Random octets are either decompressed or refused")
    func noise() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        var refused = 0
        for _ in 0..<500 {
            let octets = (0..<Int.random(in: 1...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            do throws(CorruptStream) { _ = try inflate([octets], by: Inflater(windowBits: 9)) } catch { refused += 1 }
        }
        #expect(refused > 400, "seed \(seed)")
    }
}

@Suite("Deflating, RFC 7692 §7.2.1")
struct DeflaterTests {
    @Test("Messages round-trip through every window, with and without context, including the window of 8 bits", arguments: 8...15)
    func roundTrips(bits: Int) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        for keepsContext in [true, false] {
            let deflater = Deflater(windowBits: bits, level: Int.random(in: 1...9, using: &random), memoryLevel: Int.random(in: 1...9, using: &random))
            let inflater = Inflater(windowBits: bits)
            var shorter = 0
            for round in 0..<40 {
                let message = random.repetitions(Int.random(in: 1...5000, using: &random))
                guard let deflated = deflate(message, by: deflater) else { continue }
                shorter += 1
                #expect(deflated.count < message.count)
                // In pieces and with little space, so that zlib has to keep the window itself and cannot read our
                // buffer.
                let pieces = stride(from: 0, to: deflated.count, by: 7).map { Array(deflated[$0..<min($0 + 7, deflated.count)]) }
                guard try inflate(pieces, by: inflater, room: Int.random(in: 1...20, using: &random)) == message else {
                    Issue.record("seed \(seed), round \(round)")
                    return
                }
                if !keepsContext {
                    deflater.reset()
                    inflater.reset(windowBits: bits)
                }
            }
            #expect(shorter > 10)
        }
    }

    @Test("A repeated message is short")
    func context() throws {
        let deflater = Deflater(windowBits: 12, level: 1, memoryLevel: 5)
        var random = SplitMix64(seed: 5)
        let message = (0..<600).map { _ in UInt8.random(in: 32...127, using: &random) }
        let first = try #require(deflate(message, by: deflater))
        let second = try #require(deflate(message, by: deflater))
        #expect(first.count > 400 && second.count < 20)
        deflater.reset()
        #expect(deflate(message, by: deflater) == first)
    }

    @Test("A message that does not shrink is given up, soon, and later ones do not refer to it")
    func givesUp() throws {
        var random = SplitMix64(seed: 6)
        let deflater = Deflater(windowBits: 12, level: 1, memoryLevel: 5)
        let inflater = Inflater(windowBits: 12)
        let noise = (0..<1 << 20).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(deflate(noise, by: deflater) == nil)
        #expect(deflater.consumed <= 32_768)
        for short in [[], [0x61], Array("ab".utf8), Array(noise[..<300])] { #expect(deflate(short, by: deflater) == nil) }
        let text = Array(noise[..<200]) + Array(noise[..<200])
        #expect(try inflate([#require(deflate(text, by: deflater))], by: inflater) == text)
        #expect(deflate(noise, by: deflater) == nil)
        #expect(try inflate([#require(deflate(text, by: deflater))], by: inflater) == text)
        // A message that begins like noise and continues as text is given up too; the reverse pays off.
        let half = [UInt8](repeating: 0x20, count: 1 << 16) + noise[..<65_536]
        let shrunk = try #require(deflate(half, by: deflater))
        #expect(try inflate([shrunk], by: inflater) == half)
    }
}
