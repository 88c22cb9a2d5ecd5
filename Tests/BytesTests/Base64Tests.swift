import Bytes
import Testing

@Suite("Base64, RFC 4648 §4 and §5")
struct Base64Tests {
    @Test("The vectors of RFC 4648 §10 are encoded and decoded", arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func vectors(plain: String, text: String) {
        #expect(Base64.encode(Array(plain.utf8)) == text)
        #expect(Base64.decode(text) == Array(plain.utf8))
        let bare = String(text.prefix { $0 != "=" })
        #expect(Base64.encode(Array(plain.utf8), .urlSafe) == bare)
        #expect(Base64.decode(bare, .urlSafe) == Array(plain.utf8))
    }

    @Test("62 and 63 have their own letters in each alphabet")
    func letters() {
        #expect(Base64.encode([0xFB, 0xFF, 0xBF]) == "+/+/")
        #expect(Base64.encode([0xFB, 0xFF, 0xBF], .urlSafe) == "-_-_")
        #expect(Base64.decode("-_-_") == nil)
        #expect(Base64.decode("+/+/", .urlSafe) == nil)
    }

    @Test("The padded alphabet refuses missing, early or excess padding", arguments: [
        "Zg", "Zg=", "Zg===", "Z===", "====", "=", "Zm9v====", "Zg==Zg==", "Z=g=", "Zm=v",
    ])
    func padding(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("The alphabet without padding refuses it, and invalid lengths", arguments: ["Zg==", "Zm8=", "Z", "Zm9vY"])
    func bare(text: String) {
        #expect(Base64.decode(text, .urlSafe) == nil)
    }

    @Test("Unused bits have to be zero, and only letters are accepted", arguments: ["Zh==", "Zm9=", "Zm9v\n", "Zm 9", "Zm9\u{0}", "Zm9é"])
    func strict(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("Every octet at every position of a group round-trips", arguments: 1...4)
    func all(length: Int) {
        for octet in UInt8.min...UInt8.max {
            let octets = (0..<length).map { octet &+ UInt8($0) &* 77 }
            #expect(Base64.decode(Base64.encode(octets)) == octets)
            #expect(Base64.decode(Base64.encode(octets, .urlSafe), .urlSafe) == octets)
        }
    }
}

@Suite("Hex, one lower-case spelling")
struct HexTests {
    @Test("Octets become pairs of digits and round-trip")
    func roundTrip() {
        let octets = (UInt8.min...UInt8.max).map { $0 }
        let text = Hex.encode(octets)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hex.decode(text) == octets)
        #expect(Hex.decode("") == [])
    }

    @Test("Any other text is refused", arguments: ["0", "0A", "0g", "g0", "00 ", "0x00", "é"])
    func refused(text: String) {
        #expect(Hex.decode(text) == nil)
    }
}

@Suite("Big-endian integers")
struct BigEndianTests {
    @Test("Loads read the most significant octet first, at any offset that holds a whole integer")
    func loads() {
        let octets: [UInt8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xFF]
        #expect(BigEndian.load16(octets.span) == 0x0123)
        #expect(BigEndian.load16(octets.span, at: 7) == 0xEFFF)
        #expect(BigEndian.load32(octets.span, at: 1) == 0x2345_6789)
        #expect(BigEndian.load64(octets.span) == 0x0123_4567_89AB_CDEF)
        #expect(BigEndian.load64(octets.span, at: 1) == 0x2345_6789_ABCD_EFFF)
    }

    @Test("Loads past the end or before the start return nil", arguments: [-1, 2, 3, .max, .min])
    func outside(offset: Int) {
        let octets: [UInt8] = [1, 2, 3]
        #expect(BigEndian.load16(octets.span, at: offset) == nil)
        #expect(BigEndian.load32(octets.span, at: offset) == nil)
        #expect(BigEndian.load64(octets.span, at: offset) == nil)
    }

    @Test("Stores are the inverse")
    func stores() {
        var octets: [UInt8] = []
        BigEndian.append(0x0123 as UInt16, to: &octets)
        BigEndian.append(0x4567_89AB as UInt32, to: &octets)
        BigEndian.append(0xCDEF_0011_2233_4455 as UInt64, to: &octets)
        #expect(octets == [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55])
    }
}
