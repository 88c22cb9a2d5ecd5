import Family
import Testing

/// The version is written once in the sources; the documents that name it must say the same.
@Suite("The version")
struct VersionTests {
    private static func text(_ path: String) throws -> String {
        String(decoding: try #require(ProtoFolder.read("../" + path), "there is no \(path)"), as: UTF8.self)
    }

    @Test("The newest release in RELEASES.md is the version of the programs")
    func releases() throws {
        let newest = try #require(try Self.text("deploy/RELEASES.md").split(separator: "\n").first { $0.hasPrefix("## ") })
        #expect(newest.split(separator: " ").dropFirst().first.map(String.init) == HuddleVersion.text)
    }

    @Test("The manual page, the README and the example of welcome name no other version", arguments: [
        ("deploy/huddle.1", "\"Huddle ", true), ("deploy/huddled.8", "\"Huddle ", true), ("proto/protocol.md", "\"server\":\"", true), ("README.md", "Huddle ", false), ("README.md", "huddle ", false),
    ])
    func documents(_ path: String, _ before: String, _ isNeeded: Bool) throws {
        let pieces = try Self.text(path).split(separator: before, omittingEmptySubsequences: false).dropFirst()
        let versions = pieces.map { String($0.prefix { "0123456789.".contains($0) }) }.filter { $0.contains(".") && $0.first != "." }
        #expect(versions.allSatisfy { $0 == HuddleVersion.text }, "\(versions)")
        #expect(!isNeeded || !versions.isEmpty)
    }
}
