import Testing

@testable import Uploads

@Suite("Structured fields, RFC 9651")
struct StructuredFieldTests {
    @Test("The reader accepts items", arguments: [
        ("42", .integer(42)), ("-42", .integer(-42)), ("0", .integer(0)), ("-0", .integer(0)), ("  5 ", .integer(5)), ("042", .integer(42)),
        ("999999999999999", .integer(999_999_999_999_999)), ("4.5", .decimal(4_500)), ("-4.502", .decimal(-4_502)), ("\"a \\\" b\"", .string("a \" b")),
        ("foo123/456", .token("foo123/456")), ("*a", .token("*a")), (":aGk=:", .octets([0x68, 0x69])), ("::", .octets([])), ("?1", .boolean(true)),
        ("?0", .boolean(false)), ("@1659578233", .date(1_659_578_233)), ("%\"f%c3%bc\"", .displayString("fü")), ("5;a;b=?0;c=\"x\"", .integer(5)),
        ("1; a", .integer(1)),
    ] as [(String, StructuredField.Item)])
    func items(text: String, item: StructuredField.Item) {
        #expect(StructuredField.item(text) == item)
    }

    @Test("An invalid item counts as absent", arguments: [
        "", " ", "-", "--1", "1000000000000000", "1.", "1.2345", "1234567890123.1", ".5", "+1", "1,2", "1 2", "\"", "\"\\a\"", "\"é\"", ":aGk:", ":aGk=",
        "?", "?2", "?true", "@", "@1.5", "%\"%C3\"", "%\"%c3\"", "%x", "1;", "1;A", "1;a=", "é", "()", "1\t",
    ])
    func noItems(text: String) {
        #expect(StructuredField.item(text) == nil)
    }

    @Test("An item of another type counts as absent")
    func types() {
        for text in ["1.0", "\"1\"", "?1", "one"] { #expect(StructuredField.integer(text) == nil) }
        for text in ["1", "\"?1\"", "true"] { #expect(StructuredField.boolean(text) == nil) }
    }

    @Test("In a dictionary the last value of a key counts, a key alone is true, inner lists are skipped")
    func dictionaries() {
        #expect(StructuredField.dictionary("a=1, b;x=5, c=(1 \"2\";q  3);p,\ta=2") == ["a": .integer(2), "b": .boolean(true), "c": .list])
        #expect(StructuredField.dictionary("") == [:])
    }

    @Test("The reader refuses invalid dictionaries", arguments: ["a=1,", ",a", "a=1 b=2", "A=1", "a=", "a=(1", "a=(1,2)", "a=(1\"2\")", "=1", "a =1"])
    func noDictionaries(text: String) {
        #expect(StructuredField.dictionary(text) == nil)
    }
}

@Suite("Upload-Metadata, tus 1.0.0")
struct UploadMetadataTests {
    @Test("The reader accepts pairs of a name and a value in base64, and names alone", arguments: [
        (["filename d29ybGRfZG9taW5hdGlvbl9wbGFuLnBkZg==,is_confidential"], ["filename", "is_confidential"]), (["a YQ==", "b Yg=="], ["a", "b"]),
        (["a YQ==, b Yg==", "c"], ["a", "b", "c"]), (["a "], ["a"]), ([], []),
    ])
    func pairs(lines: [String], names: [String]) throws {
        let metadata = try UploadMetadata(lines)
        #expect(metadata.entries.map(\.name) == names)
        #expect(metadata.written == (lines.isEmpty ? nil : lines.joined(separator: ",")))
        #expect(try UploadMetadata(lines.isEmpty ? [] : [metadata.text]).entries == metadata.entries)
    }

    @Test("A repeated or missing name, more than a pair, or a value that is not base64 is refused", arguments: [
        "a YQ==,a Yg==", "a,,b", ",", "", "a YQ== x", "a YQ", "a Y!==", "a YR==",
    ])
    func refused(text: String) {
        #expect(throws: UploadRefusal.self) { try UploadMetadata([text]) }
    }

    @Test("32 names are accepted, 33 are not")
    func bound() throws {
        func names(_ count: Int) -> [String] { [(0..<count).map { "k\($0)" }.joined(separator: ",")] }
        #expect(try UploadMetadata(names(32)).entries.count == 32)
        #expect(throws: UploadRefusal.self) { try UploadMetadata(names(33)) }
    }

    @Test("A value that is not UTF-8 is not text")
    func notText() throws {
        let metadata = try UploadMetadata(["title /w=="])
        #expect(metadata["title"] == [0xFF])
        #expect(throws: UploadRefusal.self) { try metadata.text("title") }
    }

    @Test("Query parameters are percent-encoded", arguments: [("a=%4", false), ("a=%zz", false), ("=1", false), ("a=1&b", true), ("a=1&a=2", false)])
    func query(text: String, isTaken: Bool) {
        var metadata = UploadMetadata()
        if isTaken {
            #expect(throws: Never.self) { try metadata.add(query: text) }
        } else {
            #expect(throws: UploadRefusal.self) { try metadata.add(query: text) }
        }
    }
}

@Suite("Content-Disposition, RFC 6266")
struct ContentDispositionTests {
    @Test("The reader finds the name of the file", arguments: [
        ("attachment; filename=a.pdf", "a.pdf"), ("inline; filename=\"a b.pdf\"", "a b.pdf"), ("inline;FileName = \"a\\\"b.pdf\" ", "a\"b.pdf"),
        ("inline; filename=\"x.pdf\"; filename*=UTF-8''%e2%82%ac%20rates.pdf", "€ rates.pdf"), ("inline; filename*=utf-8'en'a.pdf", "a.pdf"),
        ("inline; filename*=ISO-8859-1''%A3.pdf; filename=b.pdf", "b.pdf"), ("inline; filename*=UTF-8''%FF; filename=b.pdf", "b.pdf"),
        ("inline; a=b; filename=c; filename=d", "c"), ("inline; x=\";filename=no\"; filename=yes", "yes"),
        ("inline", nil), ("", nil), ("filename=a", nil), ("inline; filename", nil), ("inline; filename=\"a", nil), ("inline; filename=\"a\" b", nil), (";", nil),
    ] as [(String, String?)])
    func names(field: String, name: String?) {
        #expect(ContentDisposition.fileName(field) == name)
    }
}
