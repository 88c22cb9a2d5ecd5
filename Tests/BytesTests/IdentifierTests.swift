import Bytes
import Testing

@Suite("Identifier, RFC 9562 §4 text, §5.7 version 7")
struct IdentifierTests {
    @Test("The textual form is read and written back unchanged", arguments: [
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
        "01234567-89ab-cdef-fedc-ba9876543210",
    ])
    func roundTrip(text: String) throws {
        let identifier = try #require(Identifier(text))
        #expect(identifier.description == text)
        #expect("\(identifier)" == text)
        var octets: [UInt8] = [0x21]
        identifier.append(to: &octets)
        #expect(octets == [0x21] + Array(text.utf8))
    }

    @Test("Any other spelling is refused", arguments: [
        "", "017f22e2", "017F22E2-79B0-7CC3-98C4-DC0C0C07398F", "017f22e279b07cc398c4dc0c0c07398f",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", "{17f22e2-79b0-7cc3-98c4-dc0c0c07398}",
        "017f22e2079b0-7cc3-98c4-dc0c0c07398f", "-17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
    ])
    func refused(text: String) {
        #expect(Identifier(text) == nil)
    }

    @Test("The halves are in order")
    func halves() {
        let identifier = Identifier("01234567-89ab-cdef-fedc-ba9876543210")
        #expect(identifier == Identifier(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210))
    }

    @Test("Version 7 puts the time first, then version, variant and the given random bits (RFC 9562 A.6)")
    func version7() {
        let identifier = Identifier.version7(milliseconds: 0x017F_22E2_79B0, random: (0xFFFF_FFFF_FFFF_FCC3, 0x18C4_DC0C_0C07_398F))
        #expect(identifier.description == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
    }

    @Test("The order is that of the text, and later times sort after earlier ones")
    func order() throws {
        let early = Identifier.version7(milliseconds: 1, random: (.max, .max))
        let late = Identifier.version7(milliseconds: 2, random: (0, 0))
        #expect(early < late)
        #expect(early.description < late.description)
        #expect(Identifier(high: 1, low: 5) < Identifier(high: 1, low: 6))
        #expect(!(Identifier(high: 1, low: 5) < Identifier(high: 1, low: 5)))
    }

    @Test("Each octet at each position is read as its digit, or refused, and written as its digit")
    func places() {
        let text = Array("01234567-89ab-cdef-fedc-ba9876543210".utf8)
        let lower = Array("0123456789abcdef".utf8)
        for place in text.indices {
            for octet in UInt8.min...UInt8.max {
                var changed = text
                changed[place] = octet
                let read = Identifier(changed.span)
                let isDash = text[place] == UInt8(ascii: "-")
                guard isDash ? octet == text[place] : lower.contains(octet) else {
                    #expect(read == nil, "\(octet) at \(place)")
                    continue
                }
                var (high, low) = (UInt64(0), UInt64(0))
                for digit in changed where digit != UInt8(ascii: "-") {
                    high = high << 4 | low >> 60
                    low = low << 4 | UInt64(lower.firstIndex(of: digit) ?? 0)
                }
                #expect(read == Identifier(high: high, low: low), "\(octet) at \(place)")
                var octets: [UInt8] = []
                read?.append(to: &octets)
                #expect(octets == changed, "\(octet) at \(place)")
            }
        }
    }
}
