import Bytes
import Family
import Testing

@Suite("Values of fields")
struct ValueRulesTests {
    @Test("A line loses white space at both ends, and nothing else", arguments: [
        (" x ", "x"), ("\tCamp  of\u{00A0}", "Camp  of"), ("x", "x"), ("\u{3000}Łódź\n", "Łódź"), ("e\u{301}", "e\u{301}"),
    ])
    func lineIsTrimmed(_ typed: String, _ kept: String) throws {
        let value = try canonical(.event, "name", .text(typed))
        // Octets, because String equality would call composed and decomposed letters equal: no normalisation is applied.
        guard case .text(let text)? = value else { Issue.record("no text"); return }
        #expect(Array(text.utf8) == Array(kept.utf8))
    }

    @Test("A line of nothing that shows is absent", arguments: ["", " ", "\n\t ", "\u{200B}", "\u{FEFF} \u{2003}"])
    func blankLineIsAbsent(_ typed: String) throws {
        #expect(try canonical(.event, "name", .text(typed)) == nil)
    }

    @Test("Length counts Unicode scalars after trimming, at and past the bound")
    func lineLength() throws {
        #expect(refusal(.event, "name", .text(String(repeating: "ż", count: 255))) == nil)
        #expect(refusal(.event, "name", .text(" " + String(repeating: "😀", count: 255) + " ")) == nil)
        let tooLong = refusal(.event, "name", .text(String(repeating: "x", count: 256)))
        #expect(tooLong?.code == .tooLong)
        #expect(tooLong?.field == "name")
        #expect(tooLong?.operation == 3)
        #expect(tooLong?.kind == .event)
        #expect(tooLong?.id == id(1))
        #expect(tooLong?.message == "Event name is at most 255 characters long.")
        #expect(refusal(.event, "name", .text(String(repeating: "😀", count: 256)))?.code == .tooLong)
        #expect(refusal(.message, "text", .text(String(repeating: "x", count: 4_000))) == nil)
        #expect(refusal(.message, "text", .text(String(repeating: "x", count: 4_001)))?.code == .tooLong)
    }

    @Test("Control characters and line breaks are refused in a line", arguments: [
        "a\u{0}b", "a\u{1B}[2Jb", "a\nb", "a\tb", "a\rb", "a\u{7F}b", "a\u{85}b", "a\u{9B}b", "a\u{2028}b", "a\u{2029}b",
    ])
    func lineRefusesControl(_ text: String) {
        #expect(refusal(.school, "name", .text(text))?.code == .invalid)
    }

    @Test("Names hold nothing invisible, so that no two look the same; other lines and texts may", arguments: [
        "Ana\u{200B}Bo", "An\u{AD}a", "\u{3164}", "Ana\u{202E}", "\u{2066}Ana\u{2069}", "Ana\u{E0041}", "An\u{2060}a", "Ana\u{FE0F}", "Ana\u{E0100}", "\u{115F}",
    ])
    func nameRefusesInvisible(_ text: String) {
        for (kind, field) in [(Kind.school, "name"), (.coach, "first_name"), (.coach, "last_name"), (.trip, "name"), (.tripItem, "title")] {
            let rejection = refusal(kind, field, .text(text))
            #expect(rejection?.code == .invalid && rejection?.message.contains("invisible character") == true, "\(kind) \(field)")
        }
        #expect(refusal(.coach, "phone", .text("\u{202A}+1 555\u{202C}")) == nil)
        #expect(refusal(.event, "description", .text(text)) == nil)
    }

    @Test("Names keep joiners, emoji and rare forms of ideographs", arguments: [
        "نامه\u{200C}ها", "क\u{94D}\u{200D}ष", "Camp \u{2764}\u{FE0F}", "1\u{FE0F}\u{20E3} Camp", "👨\u{200D}👩\u{200D}👧", "葛\u{E0100}城", "Łódź 🥎", "🇵🇱",
    ])
    func nameKeeps(_ text: String) throws {
        #expect(try canonical(.school, "name", .text(text)) == .text(text))
    }

    @Test("Letters whose octets look like control characters are accepted", arguments: ["Ā\u{0100}", "Å\u{C5}", "ნ", "à\u{E0}", "\u{2027}"])
    func lineAcceptsLetters(_ text: String) {
        #expect(refusal(.school, "name", .text("a" + text + "b")) == nil)
    }

    @Test("Several lines keep their shape; every line end becomes a line feed")
    func textKeepsLines() throws {
        #expect(try canonical(.event, "description", .text("  a\r\n\tb\rc\n\nd\r\n")) == .text("  a\n\tb\nc\n\nd\n"))
        #expect(try canonical(.event, "description", .text(" \r\n ")) == nil)
        #expect(refusal(.event, "description", .text("a\u{7}b"))?.code == .invalid)
        #expect(refusal(.event, "description", .text("a\u{2028}b")) == nil)
    }

    @Test("A choice is one of its words", arguments: ["camp", "showcase", "official_visit", "unofficial_visit", "game"])
    func choice(_ word: String) throws {
        #expect(try canonical(.event, "type", .text(word)) == .text(word))
    }

    @Test("Any other word is refused and the words are named", arguments: ["Camp", "visit", "camp ", "gaming"])
    func otherChoice(_ word: String) {
        let rejection = refusal(.event, "type", .text(word))
        #expect(rejection?.code == .invalid)
        #expect(rejection?.message == "Event type must be one of: camp, showcase, official_visit, unofficial_visit, game.")
    }

    @Test("Decimals take their full scale, without binary rounding", arguments: [
        ("150", "150.00"), ("150.0", "150.00"), ("150.00", "150.00"), ("0", "0.00"), ("0.1", "0.10"), ("-0", "0.00"), ("-0.00", "0.00"),
        ("007.5", "7.50"), ("999999999.99", "999999999.99"), (" 48.95 ", "48.95"), ("000", "0.00"),
    ])
    func decimal(_ typed: String, _ kept: String) throws {
        #expect(try canonical(.event, "cost", .text(typed)) == .text(kept))
    }

    @Test("A text that is not a decimal number within its bounds is refused", arguments: [
        ("abc", ErrorCode.invalid), ("1,5", .invalid), ("1.", .invalid), (".5", .invalid), ("1e3", .invalid), ("+1", .invalid), ("1.2.3", .invalid),
        ("--1", .invalid), ("-", .invalid), (".", .invalid), ("NaN", .invalid), ("٣", .invalid), ("1 000", .invalid),
        (String(repeating: "0", count: 65), .invalid), ("1.234", .outOfRange), ("1.000", .outOfRange), ("1000000000", .outOfRange),
        ("-1", .outOfRange), ("-0.01", .outOfRange), (String(repeating: "9", count: 60), .outOfRange),
    ])
    func noDecimal(_ typed: String, _ code: ErrorCode) {
        #expect(refusal(.event, "cost", .text(typed))?.code == code)
    }

    @Test("P12 Dates that exist", arguments: ["0001-01-01", "2024-02-29", "2000-02-29", "2026-12-31", "9999-12-31"])
    func date(_ text: String) throws {
        #expect(try canonical(.event, "start_date", .text(text)) == .text(text))
    }

    @Test("Dates that do not", arguments: [
        "0000-01-01", "2026-02-29", "1900-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "2026-01-00", "2026-1-01", "26-01-01", "2026/01/01",
        "2026-01-01T00:00", "10000-01-01", "-001-01-01", "２０２６-01-01", "2026-01-32",
    ])
    func noDate(_ text: String) {
        let rejection = refusal(.event, "start_date", .text(text))
        #expect(rejection?.code == .invalid)
        #expect(rejection?.message == "Start date must be a date that exists, such as 2026-04-15.")
    }

    @Test("Times of a day", arguments: ["00:00", "09:30", "23:59"])
    func time(_ text: String) throws {
        #expect(try canonical(.event, "start_time", .text(text)) == .text(text))
    }

    @Test("Texts that are not a time of day", arguments: ["24:00", "9:30", "09:60", "09:30:00", "09.30", "noon", "-1:00", "09:3a"])
    func noTime(_ text: String) {
        #expect(refusal(.event, "start_time", .text(text))?.code == .invalid)
    }

    @Test("A zone that the zone data has", arguments: ["Europe/Warsaw", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "UTC"])
    func zone(_ name: String) throws {
        #expect(try canonical(.event, "time_zone", .text(name)) == .text(name))
    }

    @Test("Names that could leave the zone folder never reach the environment", arguments: [
        "../etc/passwd", "/etc/localtime", "Europe//Warsaw", "Europe/", "Europe/Warsaw ../x", ".", "a\u{0}b", "Zürich",
        String(repeating: "a", count: 65),
    ])
    func zoneGrammar(_ name: String) {
        let trusting = RuleEnvironment { name in
            Issue.record("asked for \(name)")
            return true
        }
        var operation = Operation(
            kind: .event, id: id(1), action: .create(athlete: nil, patch: patch(.event, ["time_zone": .text(name)])))
        #expect(throws: Rejection.self) { try Validation.canonicalize(&operation, index: 0, environment: trusting) }
    }

    @Test("An unknown zone is refused")
    func unknownZone() {
        #expect(refusal(.event, "time_zone", .text("Mars/Olympus"))?.code == .invalid)
    }

    @Test("P20 R060 Links to the web", arguments: [
        ("https://example.com", "https://example.com"), ("http://example.com/a?b=c#d", "http://example.com/a?b=c#d"),
        ("HTTPS://Example.com/A", "https://Example.com/A"), (" https://x.pl ", "https://x.pl"), ("http://localhost:8080/", "http://localhost:8080/"),
        ("https://[::1]:443/x", "https://[::1]:443/x"), ("https://żółw.pl/ścieżka", "https://żółw.pl/ścieżka"), ("http://1.2.3.4", "http://1.2.3.4"),
        ("https://example.com/user@host:80", "https://example.com/user@host:80"),
    ])
    func url(_ typed: String, _ kept: String) throws {
        #expect(try canonical(.event, "url", .text(typed)) == .text(kept))
    }

    @Test("Everything else is not a link", arguments: [
        "example.com", "www.example.com", "ftp://example.com", "javascript:alert(1)", "https:/example.com", "https://", "https:///x", "http://?x",
        "https://a b.com", "https://a.com/x y", "https://a.com/\u{202F}x", "https://user:pw@a.com", "https://a..b", "https://.a", "https://a:99999",
        "https://a:80:80", "https://a:x", "https://[::1", "https://[]", "https://a.com/<script>", "https://a.com/\"x", "data:text/html,x", "http",
        "https://a.com\\@b.com", "https://a.com/\u{1}",
    ])
    func noURL(_ text: String) {
        let rejection = refusal(.event, "url", .text(text))
        #expect(rejection?.code == .invalid)
        #expect(rejection?.message == "Please enter a valid URL (e.g., https://...)")
        #expect(rejection?.field == "url")
    }

    @Test("A link has at most 2,048 octets")
    func urlLength() {
        let stem = "https://example.com/"
        #expect(refusal(.event, "url", .text(stem + String(repeating: "x", count: 2_048 - stem.utf8.count))) == nil)
        #expect(refusal(.event, "url", .text(stem + String(repeating: "x", count: 2_049 - stem.utf8.count)))?.code == .tooLong)
    }

    @Test("R068 P20 A state is stored in upper case", arguments: [("ny", "NY"), (" Tx ", "TX"), ("a", "A")])
    func state(_ typed: String, _ kept: String) throws {
        #expect(try canonical(.event, "state", .text(typed)) == .text(kept))
    }

    @Test("R068 P20 A state is at most two letters", arguments: ["NYC", "N1", "ß", "N Y", "ŁA"])
    func noState(_ text: String) {
        let rejection = refusal(.event, "state", .text(text))
        #expect(rejection?.code == .invalid)
        #expect(rejection?.message == "State is at most two letters.")
    }

    @Test("A set holds each id once, in order, and nothing that the server writes")
    func set() throws {
        let typed = [SetElement(id: id(3), name: "x", role: "y"), SetElement(id: id(1)), SetElement(id: id(3))]
        #expect(try canonical(.event, "coaches_present", .set(typed)) == .set([SetElement(id: id(1)), SetElement(id: id(3))]))
        #expect(try canonical(.event, "coaches_present", .set([])) == nil)
    }

    @Test("A set is bounded, at and past the bound")
    func setBound() {
        let elements = (1...101).map { SetElement(id: id($0)) }
        #expect(refusal(.event, "coaches_present", .set(Array(elements.prefix(100)))) == nil)
        #expect(refusal(.event, "coaches_present", .set(elements))?.code == .tooMany)
        let repeated = Array(repeating: SetElement(id: id(1)), count: 201)
        #expect(refusal(.event, "coaches_present", .set(repeated))?.code == .tooMany)
    }

    @Test("A value of another type is refused for every field", arguments: Kind.allCases)
    func wrongType(_ kind: Kind) {
        let values: [Value] = [
            .text("x"), .integer(1), .flag(true), .reference(id(1)), .link(.event, id(1)), .set([SetElement(id: id(1))]), .json(Array("{}".utf8)),
        ]
        for field in kind.declaration.fields where !field.isServerOnly {
            var refused = 0
            for value in values {
                var operation = Operation(
                    kind: kind, id: id(1), action: .update(base: 1, merge: .none, patch: patch(kind, [field.name: value])))
                do {
                    try Validation.canonicalize(&operation, index: 0, environment: earth)
                } catch {
                    if error.message.hasSuffix("wrong type.") { refused += 1 }
                }
            }
            #expect(refused == values.count - 1, "\(kind.name).\(field.name)")
        }
    }
}

@Suite("Free JSON (semantics.md, Data)")
struct FreeJSONTests {
    @Test("An object is kept octet for octet", arguments: ["{}", "{ \"a\" : [1, 2.50, 1e3, null] }", "{\"z\":{\"b\":\"\\u00e9\"}}"])
    func kept(_ text: String) throws {
        #expect(try canonical(.event, "stats_recorded", .json(Array(text.utf8))) == .json(Array(text.utf8)))
    }

    @Test("Anything but one object is refused", arguments: ["", "[]", "1", "null", "{", "{\"a\":1,\"a\":2}", "{} {}", "{\"a\":01}", "\"{}\""])
    func refused(_ text: String) {
        #expect(refusal(.event, "stats_recorded", .json(Array(text.utf8)))?.code == .invalid)
    }

    @Test("It has its own bounds of size and depth, at and past them")
    func bounds() {
        func nested(_ depth: Int) -> Value {
            .json(Array((String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)).utf8))
        }
        #expect(refusal(.event, "stats_recorded", nested(8)) == nil)
        #expect(refusal(.event, "stats_recorded", nested(9))?.message == "Statistics: objects and lists can be nested at most 8 deep.")
        func sized(_ octets: Int) -> Value { .json(Array(("{\"a\":\"" + String(repeating: "x", count: octets - 8) + "\"}").utf8)) }
        #expect(refusal(.event, "stats_recorded", sized(16_384)) == nil)
        #expect(refusal(.event, "stats_recorded", sized(16_385))?.code == .tooLong)
    }
}
