import Testing

@testable import HTTP1

@Suite("Dates, RFC 9110 §5.6.7")
struct HTTPDateTests {
    static let now: Int64 = 1_795_219_200

    @Test("The three formats of the RFC's example are one time", arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func forms(text: String) {
        #expect(HTTPDate.seconds(text, now: Self.now) == 784_111_777)
    }

    @Test("A written date reads back, to the ends of the calendar", arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"),
        (1_795_219_200, "Sat, 21 Nov 2026 00:00:00 GMT"),
    ] as [(Int64, String)])
    func written(seconds: Int64, text: String) {
        #expect(HTTPDate.text(seconds) == text)
        #expect(HTTPDate.seconds(text, now: Self.now) == seconds)
    }

    @Test("A time without a format is written as the nearest that has one",
        arguments: [(Int64.max, "Fri, 31 Dec 9999 23:59:59 GMT"), (Int64.min, "Mon, 01 Jan 0001 00:00:00 GMT")])
    func clamped(seconds: Int64, text: String) {
        #expect(HTTPDate.text(seconds) == text)
    }

    @Test("A two-digit year is at most 50 years ahead", arguments: [("76", "2076"), ("77", "1977"), ("00", "2000"), ("26", "2026")])
    func shortYears(short: String, year: String) {
        let text = HTTPDate.seconds("Sunday, 06-Nov-\(short) 08:49:37 GMT", now: Self.now).map { HTTPDate.text($0) }
        #expect(text?.contains(year) == true)
    }

    @Test("The reader accepts asctime with a two-digit day, and a leap second")
    func more() {
        #expect(HTTPDate.seconds("Wed Nov 16 08:49:37 1994", now: Self.now) == 784_975_777)
        #expect(HTTPDate.seconds("Sat, 31 Dec 2016 23:59:60 GMT", now: Self.now) == 1_483_228_800)
    }

    @Test("Any other text is not a date", arguments: [
        "", " ", "now", "784111777", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000",
        "sun, 06 nov 1994 08:49:37 gmt",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
        "Xxx, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov  16 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 0000 08:49:37 GMT", ",", "Sun,",
    ])
    func noDate(text: String) {
        #expect(HTTPDate.seconds(text, now: Self.now) == nil)
    }

    @Test("The clock formats its text again when the second changes")
    func clock() {
        var clock = HTTPDateClock()
        for second: Int64 in [5, 5, 6, 4] { #expect(clock.text(second) == HTTPDate.text(second)) }
    }
}

@Suite("Entity tags, RFC 9110 §8.8.3")
struct EntityTagTests {
    @Test("The RFC's table of comparisons holds", arguments: [
        ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false), ("W/\"1\"", "\"1\"", false, true),
        ("\"1\"", "\"1\"", true, true),
    ])
    func table(one: String, other: String, strong: Bool, weak: Bool) throws {
        let one = try #require(EntityTag.only(one))
        let other = try #require(EntityTag.only(other))
        #expect(one.isStronglyEqual(to: other) == strong)
        #expect(one.isWeaklyEqual(to: other) == weak)
        #expect(EntityTag.only(one.text) == one)
    }

    @Test("The reader accepts lists, with commas within tags", arguments: [
        ("*", nil), ("\"a\"", ["\"a\""]), ("\"a\", W/\"b,c\" ,\"\"", ["\"a\"", "W/\"b,c\"", "\"\""]), (",\"a\",,", ["\"a\""]),
    ] as [(String, [String]?)])
    func lists(text: String, tags: [String]?) throws {
        guard let tags else {
            #expect(EntityTagList(text) == .any)
            return
        }
        guard case .tags(let found)? = EntityTagList(text) else { throw HTTPError.startLine }
        #expect(found.map(\.text) == tags)
    }

    @Test("An invalid list is refused", arguments: ["", ",", "a", "\"a", "a\"", "w/\"a\"", "W/a", "W/", "\"a\" \"b\"", "\"a b\"", "\"a\"x",
        "*, \"a\"", "\"a\", *", "\"\u{7F}\""])
    func noList(text: String) {
        #expect(EntityTagList(text) == nil)
    }
}

@Suite("Preconditions in their order, RFC 9110 §13")
struct PreconditionTests {
    static let early = "Sun, 06 Nov 1994 08:49:36 GMT"
    static let same = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let late = "Sun, 06 Nov 1994 08:49:38 GMT"
    static let now: Int64 = 784_200_000

    /// The result of a request with these fields; the resource has the tag "v2" and was modified at `same`.
    static func outcome(_ method: String, _ fields: [(String, String)], exists: Bool = true) -> Preconditions.Outcome {
        let current = Validators(tag: EntityTag("v2"), lastModified: 784_111_777)
        return Preconditions.evaluate(method, HTTPFields(fields.map { Field($0.0, $0.1) }), exists ? current : nil, now: now)
    }

    @Test("A single condition decides", arguments: [
        ("GET", "if-match", "\"v2\"", .proceed), ("PUT", "if-match", "\"v1\", \"v2\"", .proceed), ("PUT", "if-match", "\"v1\"", .failed),
        ("PUT", "if-match", "W/\"v2\"", .failed), ("PUT", "if-match", "*", .proceed), ("PUT", "if-match", "v2", .failed),
        ("GET", "if-none-match", "\"v2\"", .notModified), ("HEAD", "if-none-match", "W/\"v2\"", .notModified),
        ("PUT", "if-none-match", "\"v2\"", .failed),
        ("GET", "if-none-match", "\"v1\"", .proceed), ("GET", "if-none-match", "*", .notModified), ("PUT", "if-none-match", "*", .failed),
        ("GET", "if-none-match", "v2", .proceed), ("PUT", "if-none-match", "v2", .failed),
        ("GET", "if-modified-since", same, .notModified), ("GET", "if-modified-since", late, .notModified),
        ("GET", "if-modified-since", early, .proceed),
        ("GET", "if-modified-since", "yesterday", .proceed), ("PUT", "if-modified-since", same, .proceed),
        ("PUT", "if-unmodified-since", same, .proceed), ("PUT", "if-unmodified-since", late, .proceed),
        ("PUT", "if-unmodified-since", early, .failed),
        ("GET", "if-unmodified-since", early, .failed), ("PUT", "if-unmodified-since", "yesterday", .proceed),
    ] as [(String, String, String, Preconditions.Outcome)])
    func one(method: String, name: String, value: String, outcome: Preconditions.Outcome) {
        #expect(Self.outcome(method, [(name, value)]) == outcome)
    }

    @Test("The stronger of two conditions decides", arguments: [
        ([("if-match", "\"v2\""), ("if-unmodified-since", early)], "PUT", .proceed),
        ([("if-match", "\"v1\""), ("if-unmodified-since", same)], "PUT", .failed),
        ([("if-none-match", "\"v1\""), ("if-modified-since", same)], "GET", .proceed),
        ([("if-none-match", "\"v2\""), ("if-modified-since", early)], "GET", .notModified),
        ([("if-match", "\"v1\""), ("if-none-match", "\"v2\"")], "GET", .failed),
        ([("if-match", "\"v2\""), ("if-none-match", "\"v2\"")], "GET", .notModified),
        ([("if-unmodified-since", early), ("if-none-match", "\"v2\"")], "GET", .failed),
        ([("if-none-match", "\"v1\""), ("if-none-match", "\"v2\"")], "GET", .notModified),
        ([], "GET", .proceed),
    ] as [([(String, String)], String, Preconditions.Outcome)])
    func two(fields: [(String, String)], method: String, outcome: Preconditions.Outcome) {
        #expect(Self.outcome(method, fields) == outcome)
    }

    @Test("Nothing matches a missing resource")
    func absent() {
        #expect(Self.outcome("PUT", [("if-match", "*")], exists: false) == .failed)
        #expect(Self.outcome("PUT", [("if-none-match", "*")], exists: false) == .proceed)
        #expect(Self.outcome("PUT", [("if-none-match", "\"v2\"")], exists: false) == .proceed)
        #expect(Self.outcome("PUT", [("if-unmodified-since", Self.early)], exists: false) == .proceed)
    }
}

@Suite("Ranges, RFC 9110 §14")
struct ByteRangeTests {
    @Test("The reader accepts each form, for 10,000 octets", arguments: [
        ("bytes=0-499", [0..<500]), ("bytes=500-999", [500..<1000]), ("bytes=-500", [9500..<10000]), ("bytes=9500-", [9500..<10000]),
        ("bytes=0-0,-1", [0..<1, 9999..<10000]), ("bytes= 0-999, 4500-5499, -1000", [0..<1000, 4500..<5500, 9000..<10000]),
        ("bytes=500-600,601-999", [500..<1000]), ("bytes=500-700,601-999", [500..<1000]), ("BYTES=1-1", [1..<2]), ("bytes=,1-1,,", [1..<2]),
        ("bytes=0-20000", [0..<10000]), ("bytes=-20000", [0..<10000]), ("bytes=9999-", [9999..<10000]), ("bytes=5-5,20000-", [5..<6]),
        ("bytes=-0,5-5", [5..<6]),
        ("bytes=0-99999999999999999999999", [0..<10000]), ("bytes=-99999999999999999999999", [0..<10000]), ("bytes=1-2,5-6,3-4", [1..<7]),
        ("bytes=8-9,0-1", [8..<10, 0..<2]),
        ("bytes=0-9,20-29,5-24", [0..<30]), ("bytes=\(Array(repeating: "7-8", count: 16).joined(separator: ","))", [7..<9]),
    ])
    func forms(text: String, ranges: [Range<Int>]) {
        #expect(ByteRanges(text, length: 10_000) == .ranges(ranges))
    }

    @Test("An unsupported or excessive range is ignored", arguments: [
        "", "bytes", "bytes=", "bytes=,", "bytes 0-1", "items=0-1", "bytes=a-b", "bytes=1", "bytes=-", "bytes=--1", "bytes=5-4",
        "bytes=1-2-3", "bytes=0-1,5-4", "bytes=+1-2", "bytes=1- 2",
        "bytes=0x1-2", " bytes=0-1", "bytes=\(Array(repeating: "7-8", count: 17).joined(separator: ","))",
    ])
    func whole(text: String) {
        #expect(ByteRanges(text, length: 10_000) == .whole)
    }

    @Test("A range of missing octets cannot be satisfied", arguments: [("bytes=10000-", 10_000), ("bytes=-0", 10_000),
        ("bytes=10000-20000,30000-", 10_000), ("bytes=0-", 0), ("bytes=99999999999999999999-", 10_000)])
    func unsatisfiable(text: String, length: Int) {
        #expect(ByteRanges(text, length: length) == .unsatisfiable)
        #expect(ByteRanges("bytes=-5", length: 0) == .whole)
    }

    @Test("Ranges never overlap or touch, and contain the requested octets, for any field")
    func property() {
        var state: UInt64 = 20_261_121
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<2_000 {
            var wanted: Set<Int> = []
            let parts = (0..<1 + next(8)).map { _ in
                let first = next(60)
                let last = first + next(20)
                wanted.formUnion((first...last).filter { $0 < 50 })
                return "\(first)-\(last)"
            }
            switch ByteRanges("bytes=" + parts.joined(separator: ","), length: 50) {
            case .whole: Issue.record("\(parts)")
            case .unsatisfiable: #expect(wanted.isEmpty)
            case .ranges(let ranges):
                #expect(ranges.flatMap { Array($0) }.sorted() == wanted.sorted(), "\(parts)")
                let inOrder = ranges.sorted { $0.lowerBound < $1.lowerBound }
                for (one, other) in zip(inOrder, inOrder.dropFirst()) { #expect(one.upperBound < other.lowerBound, "\(parts)") }
            }
        }
    }
}

@Suite("Responses about a representation, RFC 9110 §14.2, §15.3.7, §15.5.17")
struct SelectionTests {
    static let content = Array("0123456789".utf8)
    static let page = Representation(
        length: 10, contentType: "text/plain", validators: Validators(tag: EntityTag("v2"), lastModified: 784_111_777),
            fields: [Field("Cache-Control", "no-cache")])

    static func select(method: String = "GET", _ fields: [(String, String)], _ page: Representation = page,
        now: Int64 = 784_200_000) -> ContentSelection {
        ContentSelection(RequestHead(method: method, target: "/", fields: HTTPFields(fields.map { Field($0.0, $0.1) })), page, now: now,
            boundary: "XYZ")
    }

    static func text(_ selection: ContentSelection) -> String {
        let octets = selection.pieces.flatMap { piece in
            switch piece {
            case .octets(let octets): octets
            case .part(let range): Array(content[range])
            }
        }
        #expect(octets.count == selection.length)
        return String(decoding: octets, as: UTF8.self)
    }

    static func field(_ selection: ContentSelection, _ name: String) -> String? { selection.fields.first { $0.name == name }?.value }

    @Test("A response has the right status, content and Content-Range", arguments: [
        ("GET", [], 200, "0123456789", nil), ("HEAD", [("range", "bytes=0-1")], 200, "0123456789", nil),
        ("GET", [("range", "bytes=2-4")], 206, "234", "bytes 2-4/10"),
        ("GET", [("range", "bytes=-3")], 206, "789", "bytes 7-9/10"), ("GET", [("range", "bytes=10-")], 416, "", "bytes */10"),
        ("GET", [("range", "lines=1-2")], 200, "0123456789", nil),
        ("GET", [("range", "bytes=0-1"), ("range", "bytes=3-4")], 200, "0123456789", nil),
        ("GET", [("if-none-match", "\"v2\""), ("range", "bytes=0-1")], 304, "", nil),
        ("GET", [("if-match", "\"v1\""), ("range", "bytes=0-1")], 412, "", nil),
        ("GET", [("range", "bytes=0-1"), ("if-range", "\"v2\"")], 206, "01", "bytes 0-1/10"),
        ("GET", [("range", "bytes=0-1"), ("if-range", "\"v1\"")], 200, "0123456789", nil),
        ("GET", [("range", "bytes=0-1"), ("if-range", "W/\"v2\"")], 200, "0123456789", nil),
        ("GET", [("range", "bytes=0-1"), ("if-range", PreconditionTests.same)], 206, "01", "bytes 0-1/10"),
        ("GET", [("range", "bytes=0-1"), ("if-range", PreconditionTests.late)], 200, "0123456789", nil),
        ("GET", [("range", "bytes=0-1"), ("if-range", "never")], 200, "0123456789", nil),
        ("GET", [("range", "bytes=99-"), ("if-range", "\"v1\"")], 200, "0123456789", nil),
        ("GET", [("if-range", "\"v1\"")], 200, "0123456789", nil),
    ] as [(String, [(String, String)], Int, String, String?)])
    func table(method: String, fields: [(String, String)], status: Int, content: String, contentRange: String?) {
        let selection = Self.select(method: method, fields)
        #expect(selection.status == status)
        #expect(Self.text(selection) == content)
        #expect(Self.field(selection, "Content-Range") == contentRange)
        #expect(Self.field(selection, "ETag") == "\"v2\"")
        #expect(Self.field(selection, "Cache-Control") == "no-cache")
        #expect(Self.field(selection, "Content-Type") == ([200, 206].contains(status) ? "text/plain" : nil))
    }

    @Test("Several ranges are parts between boundaries")
    func multipart() {
        let selection = Self.select([("range", "bytes=0-1,-2")])
        #expect(selection.status == 206)
        #expect(Self.field(selection, "Content-Type") == "multipart/byteranges; boundary=XYZ")
        #expect(Self.field(selection, "Content-Range") == nil)
        #expect(
            Self.text(selection)
                == "--XYZ\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\n01\r\n--XYZ\r\nContent-Type: text/plain\r\n"
                + "Content-Range: bytes 8-9/10\r\n\r\n89\r\n--XYZ--\r\n")
    }

    @Test("Within the second of a change a date identifies no state")
    func weakDate() {
        #expect(Self.select([("range", "bytes=0-1"), ("if-range", PreconditionTests.same)], now: 784_111_777).status == 200)
        #expect(Self.select([("range", "bytes=0-1"), ("if-range", PreconditionTests.same)], now: 784_111_778).status == 206)
    }

    @Test("Empty content is sent whole")
    func empty() {
        let empty = Representation(length: 0, contentType: "text/plain", validators: Validators())
        #expect(Self.select([], empty).pieces == [.part(0..<0)])
        #expect(Self.select([("range", "bytes=-5")], empty).status == 200)
        #expect(Self.select([("range", "bytes=0-")], empty).status == 416)
    }
}
