import JSON
import TestSupport
import Testing

@Suite("Reader and writer against random texts")
struct PropertyTests {
    /// A frame as on the wire.
    static let frame = Array(
        #"{"type":"mutate","client":"0190d4a2-6d5c-7abc-8def-0123456789ab","id":17,"changes":[{"op":"update","kind":"event","base":3,"# .utf8)
        + Array(#""fields":{"name":"Camp Zażółć \"West\"","end_date":null,"registered":true,"cost":"150.00","stats":{"x":[1.5,-2e3]}}}]}"#.utf8)

    /// The text read and written again, as octets, because Swift treats "é" and "e\u{301}" as equal.
    private func rewritten(_ octets: [UInt8]) throws -> [UInt8] {
        var writer = JSONWriter()
        try document(octets).write(to: &writer)
        return writer.octets
    }

    @Test("A frame is refused when cut at any octet")
    func truncated() {
        #expect(refusal(Self.frame) == nil)
        for count in 0..<Self.frame.count {
            let error = refusal(Array(Self.frame[..<count]))
            #expect(error?.code == "syntax", "cut at \(count)")
        }
    }

    @Test("A frame followed by anything other than white space is refused", arguments: ["{}", "1", ",", "}", "\u{0}", "x", "\""])
    func glued(tail: String) {
        #expect(refusal(Self.frame + Array(tail.utf8)) == .syntax("something follows the value", at: Self.frame.count))
        #expect(refusal(Self.frame + Array(" \n".utf8)) == nil)
    }

    @Test("Random documents round-trip, written by us and by a careless writer")
    func roundTrips() throws {
        var random = SplitMix64.fresh()
        for round in 0..<600 {
            let original = Document.random(&random)
            var writer = JSONWriter()
            original.write(to: &writer)
            #expect(try rewritten(writer.octets) == writer.octets, "seed \(random.seed), round \(round)")
            #expect(try document(writer.octets) == original, "seed \(random.seed), round \(round)")
            let spelled = Array(original.spelled(with: &random).utf8)
            #expect(try rewritten(spelled) == writer.octets, "seed \(random.seed), round \(round)")
            #expect(refusal(spelled) == nil, "seed \(random.seed), round \(round)")
        }
    }

    @Test("Flipped, cut, doubled and moved octets never trap, and accepted texts are written again unchanged")
    func mutations() throws {
        var random = SplitMix64.fresh()
        var accepted = 0
        let whole = Array(String(decoding: Self.frame, as: UTF8.self).replacing("[1.5,-2e3]", with: "[15,-23]").utf8)
        #expect(try rewritten(whole) == whole)
        for round in 0..<30_000 {
            var octets = whole
            for _ in 0...random.next() % 3 {
                guard !octets.isEmpty else { break }
                let at = Int(random.next() % UInt64(octets.count))
                switch random.next() % 5 {
                case 0: octets[at] ^= 1 << UInt8(random.next() % 8)
                case 1: octets[at] = UInt8(truncatingIfNeeded: random.next())
                case 2: octets.remove(at: at)
                case 3: octets.insert(Array("{}[]\",:\\u0-e.".utf8)[Int(random.next() % 13)], at: at)
                default: octets.removeSubrange(at..<min(octets.count, at + Int(random.next() % 20)))
                }
            }
            let strict = refusal(octets)
            // Typed reading refuses everything that skipping refuses, and also numbers with fractions.
            guard let first = try? rewritten(octets) else { continue }
            accepted += 1
            #expect(strict == nil, "seed \(random.seed), round \(round)")
            #expect(try rewritten(first) == first, "seed \(random.seed), round \(round)")
        }
        // Most changes hit strings, where they do no harm.
        #expect(accepted > 3_000, "seed \(random.seed)")
    }

    @Test("Random octets never trap")
    func noise() {
        var random = SplitMix64.fresh()
        let alphabet = Array("{}[]\",:\\u0123e.-tfn \u{1}é".utf8)
        for _ in 0..<20_000 {
            let octets = (0..<random.next() % 40).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
            if let error = refusal(octets), let offset = error.offset {
                #expect((0...octets.count).contains(offset), "seed \(random.seed)")
            }
        }
    }
}
