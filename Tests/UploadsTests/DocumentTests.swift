import Bytes
import Family
import Testing

@testable import Uploads

@Suite("The types of documents (R119, R120, R134)")
struct DocumentTypeTests {
    @Test("Types and labels are those of the kind")
    func declaration() throws {
        let field = try #require(KindDeclaration.of(.document).fields.first { $0.name == "type" })
        guard case .choice(let names, let labels) = field.type else { throw Mismatch() }
        #expect(DocumentType.allCases.map(\.rawValue) == names)
        #expect(DocumentType.allCases.map(\.label) == labels)
    }

    private struct Mismatch: Error {}

    @Test("R134 The sentence names the formats of the type", arguments: [
        (.transcript, "Invalid file type. Transcript requires .pdf, .txt."),
        (.highlightVideo, "Invalid file type. Highlight Video requires .mp4, .mov, .avi."),
        (.resume, "Invalid file type. Resume requires .pdf, .doc, .docx."),
        (.recommendationLetter, "Invalid file type. Recommendation Letter requires .pdf."),
        (.questionnaire, "Invalid file type. Questionnaire requires .pdf, .doc, .docx."),
        (.statsSheet, "Invalid file type. Stats Sheet requires .csv, .xls, .xlsx."),
    ] as [(DocumentType, String)])
    func sentence(type: DocumentType, sentence: String) {
        #expect(UploadRefusal.fileType(type).sentence == sentence)
    }

    @Test("R120 The extension is the text after the last dot, in any case", arguments: [
        ("a.pdf", .pdf), ("A.PDF", .pdf), ("a.b.Docx", .docx), (".csv", .csv), ("a.pdf.exe", nil), ("pdf", nil), ("a.", nil), ("", nil), ("a.pdf ", nil),
    ] as [(String, FileExtension?)])
    func extensions(name: String, kind: FileExtension?) {
        #expect(FileExtension(fileName: name) == kind)
    }
}

@Suite("The document that an upload becomes")
struct DocumentDescriptionTests {
    static let family = "0198c2a4-0000-7000-8000-000000000001"

    static func metadata(_ changes: [String: String?] = [:]) throws -> UploadMetadata {
        var values: [String: String?] = [
            "family": family, "athlete": "0198c2a4-0000-7000-8000-000000000002", "type": "resume", "title": " Fall résumé ", "filename": "r.pdf",
        ]
        values.merge(changes) { $1 }
        var metadata = UploadMetadata()
        for (name, value) in values { if let value { try metadata.add(name, value) } }
        return metadata
    }

    @Test("A description reads all metadata")
    func all() throws {
        let digest = String(repeating: "aB", count: 32)
        let found = try DocumentDescription(
            Self.metadata([
                "school_id": Self.family, "replaces": Self.family, "description": "text", "filetype": "x/y", "sha256": digest, "filename": "C:\\x\\A.Docx",
            ]))
        #expect(found.title == "Fall résumé" && found.type == .resume && found.text == "text")
        #expect(found.fileName == "A.Docx" && found.fileExtension == .docx)
        #expect(found.school == found.replaces && found.school == Identifier(Self.family))
        #expect(found.sha256 == [UInt8](repeating: 0xAB, count: 32))
        let least = try DocumentDescription(Self.metadata(["school_id": "", "description": ""]))
        #expect(least.school == nil && least.text == nil && least.replaces == nil && least.sha256 == nil)
    }

    @Test("A refusal names the missing or unreadable metadata", arguments: [
        ("family", nil, "required"), ("family", "x", "invalid"), ("athlete", nil, "required"), ("type", nil, "required"), ("type", "essay", "invalid"),
        ("title", nil, "required"), ("title", " \n", "required"), ("school_id", "x", "invalid"), ("replaces", "x", "invalid"), ("filename", nil, "required"),
        ("filename", "a/", "required"), ("filename", "a\u{7}.pdf", "invalid"), ("filename", String(repeating: "a", count: 252) + ".pdf", "invalid"),
        ("filename", "r.exe", "file_type"), ("filename", "r", "file_type"), ("filename", "r.txt", "file_type"), ("sha256", "abc", "invalid"),
    ] as [(String, String?, String)])
    func refused(name: String, value: String?, code: String) throws {
        let metadata = try Self.metadata([name: value])
        let refusal = #expect(throws: UploadRefusal.self) { try DocumentDescription(metadata) }
        #expect(refusal?.code == code && refusal?.field == name)
        #expect(refusal?.sentence.hasSuffix(".") == true)
    }
}

@Suite("First octets")
struct FirstOctetsTests {
    static func zip(_ names: [String], flags: UInt8 = 0, size: Int = 10) -> [UInt8] {
        var octets: [UInt8] = []
        for name in names {
            octets += [0x50, 0x4B, 3, 4, 20, 0, flags, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            octets += [UInt8(size), 0, 0, 0, UInt8(size), 0, 0, 0, UInt8(name.utf8.count), 0, 0, 0]
            octets += Array(name.utf8) + [UInt8](repeating: 0xEE, count: size)
        }
        return octets
    }

    static let program: [UInt8] = [0x4D, 0x5A, 0x90, 0, 3, 0, 0, 0] + [UInt8](repeating: 0, count: 100)
    static let elf: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0] + [UInt8](repeating: 0, count: 100)
    static let script = Array("#!/bin/sh\nrm -rf /\n".utf8)
    static let page = Array("<html><script>alert(1)</script>".utf8)

    @Test("A program, a script or a page under another name is refused", arguments: FileExtension.allCases)
    func renamed(kind: FileExtension) {
        for octets in [Self.program, Self.elf, Self.script, [0xCA, 0xFE, 0xBA, 0xBE] + Self.elf] {
            #expect(!FirstOctets.agree(octets, with: kind, isWhole: true))
        }
        if kind != .txt, kind != .csv { #expect(!FirstOctets.agree(Self.page, with: kind, isWhole: true)) }
    }

    @Test("Every format begins like itself, and like no other family of formats", arguments: [
        (Array("%PDF-1.7\n\0".utf8), [.pdf]), ([0xEF, 0xBB, 0xBF] + Array("\r\n%PDF-1.4 \u{1}".utf8), [.pdf]),
        ([0, 0, 0, 24] + Array("ftypisom".utf8), [.mp4, .mov]), ([0, 0, 0, 8] + Array("wide".utf8) + [0, 0, 0, 1] + Array("mdat".utf8), [.mov]),
        ([0, 0, 0, 1] + Array("mdat".utf8), [.mov]), (Array("RIFF".utf8) + [1, 2, 3, 4] + Array("AVI LIST".utf8), [.avi]),
        ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1, 0], [.doc, .xls]),
        (zip(["[Content_Types].xml", "_rels/.rels", "word/document.xml"]), [.docx]), (zip(["[Content_Types].xml", "xl/workbook.xml"]), [.xlsx]),
        (zip(["[Content_Types].xml"], flags: 8), [.docx, .xlsx]), (zip(["word/document.xml"]), [.docx]),
        (Array("a,b\n1,2\n".utf8), [.txt, .csv]), (Array("Größe\té".utf8), [.txt, .csv]), (Array("Gr".utf8) + [0xF6, 0xDF] + Array("e".utf8), [.txt, .csv]),
    ] as [([UInt8], [FileExtension])])
    func kinds(octets: [UInt8], expected: [FileExtension]) {
        #expect(FileExtension.allCases.filter { FirstOctets.agree(octets, with: $0, isWhole: true) } == FileExtension.allCases.filter(expected.contains))
    }

    @Test("Other archives are not documents", arguments: [
        zip(["META-INF/MANIFEST.MF"]), zip(["run.exe"]), zip(["AndroidManifest.xml"]), zip(["[Content_Types].xml", "ppt/presentation.xml"]), [0x50, 0x4B, 3, 4],
        [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 18),
    ])
    func archives(octets: [UInt8]) {
        #expect(!FirstOctets.agree(octets, with: .docx, isWhole: true) && !FirstOctets.agree(octets, with: .xlsx, isWhole: true))
    }

    @Test("A WAV, a WebP and an audio file are not videos")
    func notFilms() {
        for octets in [Array("RIFF\0\0\0\0WAVEfmt ".utf8), Array("RIFF\0\0\0\0WEBP".utf8), Array("ID3\u{3}".utf8), [0, 0, 0, 2] + Array("ftyp".utf8)] {
            for kind in [FileExtension.mp4, .mov, .avi] { #expect(!FirstOctets.agree(octets, with: kind, isWhole: true)) }
        }
    }

    @Test("A text has no NUL and no control octets; its last letter may be cut if more follows")
    func texts() {
        #expect(!FirstOctets.agree(Array("a\0b".utf8), with: .txt, isWhole: true))
        #expect(!FirstOctets.agree(Array("a\u{1B}[2J".utf8), with: .txt, isWhole: true))
        #expect(FirstOctets.agree([UInt8](), with: .csv, isWhole: true))
        let japanese = Array("試合の成績".utf8)
        #expect(FirstOctets.agree(japanese, with: .txt, isWhole: true))
        for cut in 1...2 { #expect(FirstOctets.agree(japanese.dropLast(cut), with: .txt, isWhole: false)) }
        #expect(!FirstOctets.agree([0xFF, 0xFE] + [UInt8](repeating: 0x90, count: 50), with: .txt, isWhole: true))
    }

    @Test("Only the first 4096 octets count")
    func window() {
        #expect(FirstOctets.agree([UInt8](repeating: 0x61, count: 4_096) + [0], with: .txt, isWhole: false))
        #expect(!FirstOctets.agree([UInt8](repeating: 0x61, count: 4_095) + [0], with: .txt, isWhole: false))
    }

    @Test("The check traps neither on an empty file nor on any beginning of any format")
    func prefixes() {
        let whole = Self.zip(["[Content_Types].xml", "_rels/.rels", "word/document.xml"])
        for count in 0...whole.count {
            for kind in FileExtension.allCases { _ = FirstOctets.agree(whole.prefix(count), with: kind, isWhole: false) }
        }
        #expect(!FirstOctets.agree(whole.prefix(29), with: .docx, isWhole: false))
    }
}

@Suite("Refusals")
struct UploadRefusalTests {
    @Test("The family's rules keep their code and get a status", arguments: [
        (.notFound, 404), (.notAllowed, 403), (.storageFull, 507), (.busy, 503), (.rateLimited, 429), (.unknownReference, 400), (.familyFull, 507),
        (.conflict, 409), (.alreadyExists, 409), (.tooMany, 422),
    ] as [(ErrorCode, Int)])
    func rejections(code: ErrorCode, status: Int) {
        let refusal = UploadRefusal(Rejection(code, "A sentence.", field: "title", retryAfter: 1_500))
        #expect(refusal.code == code.rawValue && refusal.status == status && refusal.field == "title")
        // A final refusal has no time: a retry cannot help.
        #expect(refusal.retryAfter == (code.isRetryable ? 2 : nil))
        #expect(refusal.sentence == "A sentence.")
    }

    @Test("A refusal passes on the sentence of a rule unchanged")
    func sentences() {
        let refusal = UploadRefusal(Rejection(.unknownReference, "School: this school no longer exists. Nothing was changed"))
        #expect(refusal.sentence == "School: this school no longer exists. Nothing was changed.")
    }
}
