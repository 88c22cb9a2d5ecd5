import Testing

@testable import HTTP1

@Suite("Content and chunks, RFC 9112 §6, §7.1")
struct ContentReaderTests {
    /// Reads octets that arrive in pieces of the given lengths, the last one with the rest.
    static func read(_ octets: [UInt8], cuts: [Int], _ framing: Framing = .chunked) throws -> (content: [UInt8], rest: Int)? {
        var reader = try ContentReader(framing, limit: 1 << 20)
        var content: [UInt8] = []
        var offset = 0
        for end in cuts + [octets.count] {
            while offset < end || end == octets.count {
                let piece = try reader.read(octets.span.extracting(offset..<end))
                content += octets[offset..<end][(offset + piece.content.lowerBound)..<(offset + piece.content.upperBound)]
                offset += piece.consumed
                if piece.isEnd, piece.content.isEmpty || framing != .chunked { return (content, octets.count - offset) }
                if piece.consumed == 0 { break }
            }
        }
        return nil
    }

    @Test("Chunks give the same content however they are cut, and leave the octets after them", arguments: [
        ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"), ("1\r\na\r\n1\r\nb\r\n00\r\n\r\n", "ab"),
        ("A\r\n0123456789\r\n0;x=\"\\\"y\"\r\nT: v\r\nU:\r\n\r\n", "0123456789"),
        ("5 ;a\t= b ;c\r\nhello\r\n0\r\n\r\n", "hello"),
    ])
    func split(chunks: String, content: String) throws {
        let octets = Array(chunks.utf8) + Array("GET /".utf8)
        for first in 0...octets.count {
            let read = try #require(try Self.read(octets, cuts: [first]))
            #expect(read.content == Array(content.utf8), "cut at \(first)")
            #expect(read.rest == 5)
        }
        let drip = try #require(try Self.read(octets, cuts: Array(0..<octets.count)))
        #expect(drip.content == Array(content.utf8))
        for end in 0..<octets.count - 5 { #expect(try Self.read(Array(octets[..<end]), cuts: []) == nil) }
    }

    @Test("Content with a length ends there")
    func length() throws {
        let read = try #require(try Self.read(Array("helloGET".utf8), cuts: [2], .length(5)))
        #expect(read.content == Array("hello".utf8))
        #expect(read.rest == 3)
        #expect(throws: HTTPError.contentTooLarge) { try ContentReader(.length(11), limit: 10) }
    }

    @Test("Extensions and trailers are accepted up to their limits, in all chunks together")
    func bounds() throws {
        func chunks(extensions: Int, trailers: Int) -> [UInt8] {
            // The semicolon does not count as an octet of the extension, the CR at its end does.
            let half = String(repeating: "a", count: extensions / 2 - 1)
            let line = "T:" + String(repeating: "b", count: trailers - 4 - 2) + "\r\n"
            return Array("1;\(half)\r\nx\r\n0;\(half)\r\n\(line)\r\n".utf8)
        }
        let bound = ChunkedReader.maxExtensions
        #expect(try Self.read(chunks(extensions: bound, trailers: ChunkedReader.maxTrailers + 1), cuts: []) != nil)
        #expect(throws: HTTPError.chunk) { try Self.read(chunks(extensions: bound + 2, trailers: 20), cuts: []) }
        #expect(throws: HTTPError.fieldsTooLarge) { try Self.read(chunks(extensions: 20, trailers: ChunkedReader.maxTrailers + 2),
            cuts: []) }
    }

    @Test("The reader reads or refuses any octets, and never traps")
    func noise() throws {
        var random = SystemRandomNumberGenerator()
        let seed = random.next()
        var state = seed
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        let alphabet = Array("0123456789abcdefABCDEF;=\" \t\r\n\\:xyz".utf8) + [0, 0x7F, 0xFF]
        for _ in 0..<3_000 {
            let octets = (0..<Int(next() % 40)).map { _ in alphabet[Int(next() % UInt64(alphabet.count))] }
            let whole = Result { try Self.read(octets, cuts: []) }
            let drip = Result { try Self.read(octets, cuts: Array(0..<octets.count)) }
            switch (whole, drip) {
            case (.success(let a), .success(let b)): #expect(a?.content == b?.content && a?.rest == b?.rest, "seed \(seed)")
            case (.failure(let a as HTTPError), .failure(let b as HTTPError)): #expect(a == b, "seed \(seed)")
            default: Issue.record("cut octets are read otherwise: \(octets), seed \(seed)")
            }
        }
    }
}
