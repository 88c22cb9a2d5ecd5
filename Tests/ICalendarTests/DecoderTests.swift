import ICalendar
import TestSupport
import Testing

private func components(_ text: String, _ limits: CalendarLimits = CalendarLimits()) throws(CalendarSyntaxError) -> [CalendarComponent] {
    try CalendarDecoder.components(Array(text.utf8), limits)
}

/// The fault of a text, `nil` if it is accepted.
private func fault(_ octets: [UInt8], _ limits: CalendarLimits = CalendarLimits()) -> CalendarSyntaxError? {
    do throws(CalendarSyntaxError) {
        _ = try CalendarDecoder.components(octets, limits)
        return nil
    } catch { return error }
}

private let sample = """
    BEGIN:VCALENDAR\r
    VERSION:2.0\r
    begin:vevent\r
    UID:1\r
    SUMMARY;LANGUAGE=pl;X-A="a:b;c,d",e^nf^'g^^h^x:Obóz\\, lato\\; tydzień\\n1 \\\\ 2\r
    DESCRIPTION:A long \r
     text\r
    \t on three lines\r
    DTSTART;TZID=Europe/Warsaw:20260704T090000\r
    BEGIN:VALARM\r
    TRIGGER:-PT30M\r
    END:VALARM\r
    END:VEVENT\r
    END:VCALENDAR\r

    """

private let tree = [
    CalendarComponent(
        "VCALENDAR", properties: [CalendarProperty("VERSION", value: "2.0")],
        components: [
            CalendarComponent(
                "VEVENT",
                properties: [
                    CalendarProperty("UID", value: "1"),
                    CalendarProperty(
                        "SUMMARY", [CalendarParameter("LANGUAGE", "pl"), CalendarParameter("X-A", "a:b;c,d", "e\nf\"g^h^x")],
                        value: "Obóz\\, lato\\; tydzień\\n1 \\\\ 2"),
                    CalendarProperty("DESCRIPTION", value: "A long text on three lines"),
                    CalendarProperty("DTSTART", [CalendarParameter("TZID", "Europe/Warsaw")], value: "20260704T090000"),
                ], components: [CalendarComponent("VALARM", properties: [CalendarProperty("TRIGGER", value: "-PT30M")])])
        ])
]

@Suite("Reading calendars")
struct DecoderTests {
    @Test("A calendar is read into components, properties and parameters")
    func reads() throws {
        #expect(try components(sample) == tree)
        #expect(tree[0].components[0].text("SUMMARY") == "Obóz, lato; tydzień\n1 \\ 2")
        #expect(CalendarText.list("a\\,b,c\\\\,,d") == ["a,b", "c\\", "", "d"])
    }

    @Test("The result does not depend on the cuts of the octets")
    func splits() throws {
        let octets = Array(sample.utf8)
        for cut in 0...octets.count {
            var decoder = CalendarDecoder()
            try decoder.receive(octets[..<cut])
            try decoder.receive(octets[cut...])
            #expect(try decoder.end() == tree, "cut at \(cut)")
        }
        var decoder = CalendarDecoder()
        for index in octets.indices { try decoder.receive(octets[index...index]) }
        #expect(try decoder.end() == tree)
        #expect(try components(sample + sample) == tree + tree)
    }

    @Test("LF alone, a byte order mark, empty lines and a fold inside a character are accepted")
    func tolerates() throws {
        #expect(try components(sample.replacing("\r\n", with: "\n")) == tree)
        #expect(try components("\u{FEFF}" + sample.replacing("\r\n", with: "\r\n\r\n").replacing("\r\n\r\n ", with: "\r\n ").replacing("\r\n\r\n\t", with: "\r\n\t")) == tree)
        var octets = Array(sample.utf8)
        let place = try #require(octets.firstIndex(of: 0xC3))
        octets.insert(contentsOf: [0x0D, 0x0A, 0x20], at: place + 1)
        #expect(try CalendarDecoder.components(octets) == tree)
    }

    @Test("Faults are refused with their line")
    func refuses() {
        func refused(_ text: String) -> CalendarSyntaxError? { fault(Array(text.utf8)) }
        typealias Fault = CalendarSyntaxError
        #expect(refused("") == Fault(reason: .empty, line: 1))
        #expect(refused("BEGIN:A\r\nX:1\rY:2\r\nEND:A\r\n") == Fault(reason: .loneReturn, line: 2))
        #expect(refused("BEGIN:A\r\nEND:A\r") == Fault(reason: .loneReturn, line: 2))
        #expect(refused("BEGIN:A\r\nX:a\r\n b\r\nY:\u{0}\r\nEND:A\r\n") == Fault(reason: .controlCharacter, line: 4))
        #expect(refused("BEGIN:A\r\nX:\u{7F}\r\nEND:A\r\n") == Fault(reason: .controlCharacter, line: 2))
        #expect(refused("VERSION:2.0\r\n") == Fault(reason: .outsideOfComponents, line: 1))
        #expect(refused("BEGIN:A\r\nEND:B\r\n") == Fault(reason: .wrongEnd, line: 2))
        #expect(refused("END:A\r\n") == Fault(reason: .wrongEnd, line: 1))
        #expect(refused("BEGIN:A\r\nX:1\r\n") == Fault(reason: .unfinished, line: 2))
        for line in ["X", ":1", "X Y:1", "X.Y:1", "X;:1", "é:1", "BEGIN:", "BEGIN;A=B:C", "BEGIN:A B"] {
            let reason = refused("BEGIN:A\r\n\(line)\r\nEND:A\r\n")?.reason
            #expect(reason == .notAContentLine || reason == .badParameter, "\(line)")
        }
        for line in ["X;A:1", "X;A=\"b:1", "X;A=b\"c:1", "X;=b:1", "X;A=\"b\"c:1"] {
            let reason = refused("BEGIN:A\r\n\(line)\r\nEND:A\r\n")?.reason
            #expect(reason == .badParameter || reason == .notAContentLine, "\(line)")
        }
        #expect(fault(Array("BEGIN:A\r\nX:".utf8) + [0xC3, 0x28] + Array("\r\nEND:A\r\n".utf8)) == Fault(reason: .notUTF8, line: 2))
    }

    @Test("Each limit is accepted, and one more is refused")
    func limits() {
        func wrapped(_ lines: String) -> [UInt8] { Array("BEGIN:A\r\n\(lines)END:A\r\n".utf8) }
        let line = wrapped("X:123\r\n")
        #expect(fault(line, CalendarLimits(octets: line.count)) == nil)
        #expect(fault(line, CalendarLimits(octets: line.count - 1))?.reason == .tooLarge)
        let long = wrapped("LONG:12\r\n 345\r\n")
        #expect(fault(long, CalendarLimits(line: 10)) == nil)
        #expect(fault(long, CalendarLimits(line: 9))?.reason == .lineTooLong)
        let properties = wrapped("X:1\r\nY:2\r\n")
        #expect(fault(properties, CalendarLimits(properties: 2)) == nil)
        #expect(fault(properties, CalendarLimits(properties: 1))?.reason == .tooManyProperties)
        let nested = wrapped("BEGIN:B\r\nEND:B\r\n")
        #expect(fault(nested, CalendarLimits(components: 2, depth: 2)) == nil)
        #expect(fault(nested, CalendarLimits(components: 1))?.reason == .tooManyComponents)
        #expect(fault(nested, CalendarLimits(depth: 1))?.reason == .tooDeep)
        let parameters = wrapped("X;A=1,2;B=3:4\r\n")
        #expect(fault(parameters, CalendarLimits(parameters: 2)) == nil)
        #expect(fault(parameters, CalendarLimits(parameters: 1))?.reason == .tooManyParameters)
    }

    @Test("A line of 1 MiB, 10,000 properties and a bomb of components stay within the limits of an object")
    func hostile() {
        #expect(fault(Array("BEGIN:A\r\nX:".utf8) + [UInt8](repeating: 0x61, count: 1 << 20), .object)?.reason == .tooLarge)
        #expect(fault(Array(("BEGIN:A\r\n" + String(repeating: "X:1\r\n", count: 10_000)).utf8), .object)?.reason == .tooManyProperties)
        #expect(fault(Array(String(repeating: "BEGIN:A\r\n", count: 5_000).utf8), .object)?.reason == .tooDeep)
        #expect(fault(Array(("BEGIN:A\r\n" + String(repeating: "BEGIN:B\r\nEND:B\r\n", count: 3_000)).utf8), .object)?.reason == .tooManyComponents)
    }

    @Test("After a fault every call throws that fault")
    func staysBroken() throws {
        var decoder = CalendarDecoder()
        let first = try #require(#expect(throws: CalendarSyntaxError.self) { try decoder.receive(Array("X:1\r\nY".utf8)[...]) })
        #expect(throws: first) { try decoder.receive(Array("BEGIN:A\r\nEND:A\r\n".utf8)[...]) }
        #expect(throws: first) { _ = try decoder.end() }
    }
}
