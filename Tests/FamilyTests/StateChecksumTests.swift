import Bytes
import Family
import TestSupport
import Testing

/// MurmurHash3_x86_32 of any octets, as plainly as its author wrote it.
func murmur3(_ octets: [UInt8], seed: UInt32 = 0) -> UInt32 {
    func rotate(_ word: UInt32, _ bits: UInt32) -> UInt32 { word << bits | word >> (32 - bits) }
    func scramble(_ block: UInt32) -> UInt32 { rotate(block &* 0xCC9E_2D51, 15) &* 0x1B87_3593 }
    var hash = seed
    for start in stride(from: 0, to: octets.count / 4 * 4, by: 4) {
        let block = octets[start..<start + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        hash = rotate(hash ^ scramble(block), 13) &* 5 &+ 0xE654_6B64
    }
    let rest = octets[(octets.count / 4 * 4)...].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    if octets.count % 4 > 0 { hash ^= scramble(rest) }
    hash ^= UInt32(octets.count)
    hash = (hash ^ hash >> 16) &* 0x85EB_CA6B
    hash = (hash ^ hash >> 13) &* 0xC2B2_AE35
    return hash ^ hash >> 16
}

/// The id and the version as octets, big endian.
private func octets(_ id: Identifier, _ version: Int64) -> [UInt8] {
    [id.high, id.low, UInt64(bitPattern: version)].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
}

private func record(_ number: UInt64, version: Int64 = 1, isDeleted: Bool = false) -> Record {
    Record(
        kind: .school, id: id(number), athlete: nil, version: version, createdAt: 1, createdBy: id(99), updatedAt: 1, updatedBy: id(99),
        deletedAt: isDeleted ? 5 : nil, fields: fields(.school, ["name": .text("Rice")]))
}

@Suite("Checksum of a family's state, guarantees.md (verifiable)")
struct StateChecksumTests {
    /// From the table of test vectors of the hash's Wikipedia article.
    static let published: [(text: String, seed: UInt32, hash: UInt32)] = [
        ("", 0, 0), ("", 1, 0x514E_28B7), ("", 0xFFFF_FFFF, 0x81F1_6F39), ("test", 0, 0xBA6B_D213), ("test", 0x9747_B28C, 0x704B_81DC),
        ("Hello, world!", 0, 0xC036_3E43), ("Hello, world!", 0x9747_B28C, 0x2488_4CBA),
        ("The quick brown fox jumps over the lazy dog", 0, 0x2E4F_F723), ("The quick brown fox jumps over the lazy dog", 0x9747_B28C, 0x2FA8_26CD),
    ]

    @Test("The plain hash of the tests has the published values", arguments: published)
    func publishedVectors(text: String, seed: UInt32, hash: UInt32) {
        #expect(murmur3(Array(text.utf8), seed: seed) == hash)
    }

    /// Computed by another program (Python) from the octets.
    static let terms: [(id: String, version: Int64, term: UInt32)] = [
        ("00000000-0000-0000-0000-000000000000", 0, 3_708_130_561), ("00000000-0000-0000-0000-000000000000", 1, 411_372_152),
        ("01998c31-4d20-7b1e-8a55-3f7d90c1e001", 1, 3_672_981_595), ("01998c31-4d20-7b1e-8a55-3f7d90c1e001", 2, 250_228_231),
        ("01998c31-4d20-7b1e-8a55-3f7d90c1e001", 3, 3_272_906_027), ("01998c2e-7a10-7c3b-9d41-5a0c7be2f003", 1, 961_754_238),
        ("ffffffff-ffff-ffff-ffff-ffffffffffff", 9_007_199_254_740_991, 4_192_072_787),
    ]

    @Test("A term is the hash of the id and the version, big endian", arguments: terms)
    func vectors(text: String, version: Int64, term: UInt32) throws {
        let id = try #require(Identifier(text))
        #expect(StateChecksum.term(id, version: version) == term)
        #expect(murmur3(octets(id, version)) == term)
    }

    @Test("Random ids and versions have the term that the plain hash gives")
    func random() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let id = Identifier(high: random.next(), low: random.next())
            let version = Int64(random.next() >> 11)
            #expect(StateChecksum.term(id, version: version) == murmur3(octets(id, version)), "\(id), version \(version)")
        }
    }

    @Test("Records count in any order, and deleted ones not at all")
    func order() {
        let records = [record(1), record(2, version: 7), record(3, isDeleted: true), record(4)]
        let checksum = StateChecksum(records)
        #expect(checksum == StateChecksum(records.reversed()))
        #expect(checksum == StateChecksum(records.filter { !$0.isDeleted }))
        let sum = records.filter { !$0.isDeleted }.reduce(UInt32(0)) { $0 &+ murmur3(octets($1.id, $1.version)) }
        #expect(checksum.value == sum)
        #expect(StateChecksum([Record]()).value == 0)
    }

    @Test("Creation, update, deletion, restoration and purge follow the records")
    func follows() {
        var checksum = StateChecksum([record(9)])
        checksum.replace(nil, with: record(1))
        checksum.replace(record(1), with: record(1, version: 2))
        #expect(checksum == StateChecksum([record(9), record(1, version: 2)]))
        checksum.replace(record(1, version: 2), with: record(1, version: 3, isDeleted: true))
        #expect(checksum == StateChecksum([record(9)]))
        checksum.replace(record(1, version: 3, isDeleted: true), with: record(1, version: 4))
        #expect(checksum == StateChecksum([record(9), record(1, version: 4)]))
        checksum.replace(record(1, version: 4), with: record(1, version: 5, isDeleted: true))
        checksum.replace(record(1, version: 5, isDeleted: true), with: nil)
        #expect(checksum == StateChecksum([record(9)]))
    }

    @Test("Parts add up, and are taken apart again, past the largest number")
    func parts() {
        let (one, two) = (StateChecksum([record(1), record(2)]), StateChecksum([record(3)]))
        #expect(one + two == StateChecksum([record(1), record(2), record(3)]))
        #expect(one + two - one == two)
        #expect(StateChecksum(0xFFFF_FFFF) + StateChecksum(2) == StateChecksum(1))
        #expect(StateChecksum(1) - StateChecksum(2) == StateChecksum(0xFFFF_FFFF))
    }
}
