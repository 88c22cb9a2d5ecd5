import Arguments
import Family
import Posix
import Server
import TestSupport
import Testing

@testable import huddled

/// The pages that are made from the table of options. `HUDDLE_WRITE_DEPLOY=1 swift test --filter OptionPagesTests`
/// writes them instead of comparing them.
@Suite("The pages about the options of huddled", .serialized)
struct OptionPagesTests {
    private static var isWriting: Bool { Environment.value("HUDDLE_WRITE_DEPLOY") == "1" }

    private static func path(_ name: String) -> String {
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/") + "/deploy/" + name
    }

    private static func lines(_ name: String) throws -> [String] {
        String(decoding: try Files.read(path(name)), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static let head = [
        "Options of huddled, written by a test from the table of options. Copy this file to /etc/huddle/huddled.conf, remove the # of",
        "the lines that you change, and start: huddled serve --config /etc/huddle/huddled.conf", "",
        "name = value, without quotes. A line that begins with # is a comment. There are no sections. An option that may be given several",
        "times has one line for each value. A flag (--listen) overrides a variable of the environment (HUDDLED_LISTEN), and a variable",
        "overrides a line. huddled config --check --config FILE says whether a file can be used.",
    ]

    @Test("The example of a file is the one of the table, and each of its settings can be used")
    func example() throws {
        let written = ServeOptions.table.file(head: Self.head) + [""]
        if Self.isWriting { try Files.write(Array(written.joined(separator: "\n").utf8), to: Self.path("huddled.conf"), mode: 0o644) }
        #expect(try Self.lines("huddled.conf") == written, "write it again with HUDDLE_WRITE_DEPLOY=1")
        // The file as it is sets nothing. With all defaults uncommented it sets the defaults.
        let none = OptionFile(path: "f", Array(written.joined(separator: "\n").utf8), ServeOptions.table)
        #expect(none.problems == [] && none.entries == [])
        let all = written.map { line in line.hasPrefix("#") && !line.hasPrefix("# ") && !line.hasPrefix("##") ? String(line.dropFirst()) : line }
        let file = OptionFile(path: "f", Array(all.joined(separator: "\n").utf8), ServeOptions.table)
        #expect(file.problems == [])
        for entry in file.entries { #expect(ServeOptions.table[entry.name]?.initial.map { $0 == entry.value } ?? true, "\(entry)") }
        #expect(Set(file.entries.map(\.name)) == Set(ServeOptions.table.options.filter { !$0.isOutsideFile }.map(\.name)))
    }

    @Test("The options of the manual are those of the table")
    func manual() throws {
        var lines = try Self.lines("huddled.8")
        let first = try #require(lines.firstIndex(of: #".\" options: written by a test from the table of options"#))
        let last = try #require(lines.firstIndex(of: #".\" end of options"#))
        if Self.isWriting {
            lines.replaceSubrange((first + 1)..<last, with: ServeOptions.table.manual)
            try Files.write(Array(lines.joined(separator: "\n").utf8), to: Self.path("huddled.8"), mode: 0o644)
        } else {
            #expect(Array(lines[(first + 1)..<last]) == ServeOptions.table.manual, "write it again with HUDDLE_WRITE_DEPLOY=1")
        }
    }

    @Test("The text of consent of this release is the file in deploy/terms, under its version")
    func consentText() throws {
        let text = ConsentText.standard
        #expect(try Self.lines("terms/\(text.version).md").joined(separator: "\n") == text.text)
    }

    @Test("An operator's own text has its file's name as its version; a file that is not a valid text is refused with its path")
    func ownConsentText() throws {
        let folder = try TemporaryFolder()
        func options(_ name: String, _ octets: [UInt8]?) throws -> ServerOptions {
            let path = "\(folder.path)/\(name)"
            if let octets { try Files.write(octets, to: path) }
            return try ServeOptions.options(ServeOptions.settings(try ServeOptions.table.flags(["--data", "/d", "--consent-text", path]), environment: []))
        }
        let own = try options("club-consent-1.md", Array("# Ours\n".utf8)).consent
        #expect(own.version == "club-consent-1" && own.text == "# Ours\n" && own.digest.utf8.count == 64)
        #expect(try options("club.txt", Array("x".utf8)).consent.version == "club.txt")
        for (name, octets) in [
            ("missing.md", nil), ("empty.md", []), ("large.md", [UInt8](repeating: 0x61, count: ConsentText.maxOctets + 1)), ("latin.md", [0x61, 0xE9]),
            ("zwölf.md", [0x61]), ("a b.md", [0x61]), (String(repeating: "x", count: 65) + ".md", [0x61]),
        ] as [(String, [UInt8]?)] {
            let error = #expect(throws: UsageError.self) { try options(name, octets) }
            #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
        }
    }

    @Test("Each option has a description of whole sentences, and a default that it accepts")
    func declarations() {
        for option in ServeOptions.table.options {
            #expect(option.summary.hasSuffix(".") && option.reason.hasSuffix("."), "\(option.name)")
            if let initial = option.initial { #expect(option.form.problem(initial) == nil, "\(option.name)") }
            #expect(option.name.utf8.allSatisfy { $0 == 0x2D || (0x61...0x7A).contains($0) }, "\(option.name)")
        }
    }

    @Test("A server without options starts with the values of the table")
    func defaults() throws {
        let flags = try ServeOptions.table.flags(["--data", "/d"])
        let settings = try ServeOptions.settings(flags, environment: [])
        #expect(settings.problems == [] && settings.warnings == [])
        let options = try ServeOptions.options(settings)
        #expect(options.host == "127.0.0.1" && options.port == 8787 && options.tls == nil && options.dataFolder == "/d")
        #expect(ServeOptions.live(settings) == .init())
    }
}
