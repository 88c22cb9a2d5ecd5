import Tar
import Testing

@Suite("tar header, POSIX.1-2017 ustar")
struct TarHeaderTests {
    static let sample = TarHeader(name: "records.jsonl", size: 1_234, modified: 1_795_262_400)

    @Test("A header round-trips", arguments: [
        sample, TarHeader(name: "a", size: 0, modified: 0), TarHeader(name: String(repeating: "n", count: 100), size: TarHeader.maxSize, modified: 1),
        TarHeader(name: "źródło.json", size: 512, modified: 1 << 33 - 1),
    ])
    func roundTrip(_ header: TarHeader) throws {
        let octets = header.encode()
        #expect(octets.count == 512)
        #expect(try TarHeader.decode(octets) == header)
    }

    @Test("A path that is longer than the name lies in two fields", arguments: [(35, 64), (99, 50), (154, 100), (0, 100), (155, 100)])
    func longPath(_ folder: Int, _ file: Int) {
        let (folder, file) = (String(repeating: "f", count: folder), String(repeating: "n", count: file))
        let octets = TarHeader(name: folder.isEmpty ? file : "\(folder)/\(file)", size: 1, modified: 1).encode()
        func text(_ range: Range<Int>) -> String { String(decoding: octets[range].prefix { $0 != 0 }, as: UTF8.self) }
        let isWhole = folder.utf8.count + file.utf8.count < 100
        #expect(text(0..<100) == (isWhole ? "\(folder)/\(file)" : file))
        #expect(text(345..<500) == (isWhole ? "" : folder))
    }

    /// GNU tar 1.34: the first bit is set, and the number follows in binary, the highest octet first.
    @Test("A size that octal digits cannot say is in binary")
    func largeSize() {
        let octets = TarHeader(name: "a", size: TarHeader.maxSize + 2, modified: 1).encode()
        #expect(Array(octets[124..<136]) == [0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1])
    }

    /// `printf 'x' > a; tar --format=ustar --mtime=@1 --owner=0 --group=0 --mode=0600 -cf - a | head -c 512` with GNU
    /// tar 1.34: the relevant fields are where GNU tar has them.
    @Test("Fields are where other programs put them")
    func layout() {
        let octets = Self.sample.encode()
        func text(_ range: Range<Int>) -> String { String(decoding: octets[range].prefix { $0 != 0 }, as: UTF8.self) }
        #expect(text(0..<100) == "records.jsonl")
        #expect(text(100..<108) == "0000600")
        #expect(text(124..<136) == "00000002322")
        #expect(text(156..<157) == "0")
        #expect(Array(octets[257..<265]) == Array("ustar\0".utf8) + Array("00".utf8))
    }

    @Test("The padding fills the content up to whole blocks", arguments: [(0, 0), (1, 511), (511, 1), (512, 0), (513, 511)])
    func padding(_ size: Int, _ padding: Int) {
        #expect(TarHeader(name: "a", size: size, modified: 0).padding == padding)
    }

    @Test("A block of zeros ends an archive")
    func end() throws { #expect(try TarHeader.decode([UInt8](repeating: 0, count: 512)) == nil) }

    @Test("A change to any octet of the checked fields is detected", arguments: 0..<500)
    func changed(_ place: Int) {
        var octets = Self.sample.encode()
        octets[place] ^= 0x01
        // The checksum covers all octets; its own digits have to match, and blanks and zeros after them are equivalent.
        guard !(154..<156).contains(place) else { return }
        #expect(throws: TarError.self) { try TarHeader.decode(octets) }
    }

    @Test("Only plain files are accepted", arguments: Array("123456789xgLK".utf8))
    func types(_ type: UInt8) {
        var octets = Self.sample.encode()
        octets[156] = type
        Self.mend(&octets)
        #expect(throws: TarError.unsupported) { try TarHeader.decode(octets) }
    }

    @Test("A name with a prefix, an empty one and one that is not UTF-8 are refused")
    func names() {
        var prefixed = Self.sample.encode()
        prefixed[345] = UInt8(ascii: "p")
        Self.mend(&prefixed)
        #expect(throws: TarError.unsupported) { try TarHeader.decode(prefixed) }
        for first: UInt8 in [0, 0xFF] {
            var octets = Self.sample.encode()
            octets[0] = first
            Self.mend(&octets)
            #expect(throws: TarError.damaged) { try TarHeader.decode(octets) }
        }
    }

    @Test("Random octets are not a header and do not trap")
    func noise() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let octets = (0..<512).map { _ in UInt8.random(in: 1...255, using: &random) }
            #expect(throws: TarError.self, "\(octets)") { try TarHeader.decode(octets) }
        }
    }

    /// Computes the checksum again.
    private static func mend(_ octets: inout [UInt8]) {
        var sum = 0
        for (place, octet) in octets.enumerated() { sum += (148..<156).contains(place) ? 32 : Int(octet) }
        let digits = String(sum, radix: 8)
        octets.replaceSubrange(148..<156, with: Array((String(repeating: "0", count: 6 - digits.utf8.count) + digits + "\0 ").utf8))
    }
}
