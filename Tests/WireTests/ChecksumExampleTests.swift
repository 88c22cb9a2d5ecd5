import Bytes
import Family
import Testing
import Wire

@Suite("The checksum in protocol.md")
struct ChecksumExampleTests {
    /// The frames that the server sends in a section, in their order: each begins with an arrow and continues over indented lines.
    private static func frames(of section: String) throws -> [ServerFrame] {
        let text = String(decoding: try #require(ProtoFolder.read("protocol.md")), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let first = try #require(lines.firstIndex { $0.hasPrefix(section) })
        let last = lines[(first + 1)...].firstIndex { $0.hasPrefix("## ") } ?? lines.endIndex
        var frames: [String] = []
        var isOpen = false
        for line in lines[(first + 1)..<last] {
            if line.hasPrefix("← {") {
                isOpen = true
                frames.append(String(line.dropFirst(2)))
            } else if isOpen, line.hasPrefix("  ") {
                frames[frames.count - 1] += line
            } else {
                isOpen = false
            }
        }
        return try frames.map { try ServerFrame.decode(Array($0.utf8)) }
    }

    @Test("The family of section 4 has the sums that its frames state")
    func example() throws {
        var held: [Identifier: Int64] = [:]
        var compared = 0
        func sum() -> StateChecksum { held.reduce(into: StateChecksum()) { $0.add($1.key, version: $1.value) } }
        for frame in try Self.frames(of: "## 4 ") {
            switch frame {
            case .snapshot(_, let records, _): for record in records { held[record.id] = record.version }
            case .snapshotEnd(118, let sums?):
                #expect(sums == SnapshotVerification(checksum: sum(), unsent: StateChecksum()))
                compared += 1
            case .change(let change): for entry in change.entries { held[entry.id] = entry.version }
            case .live(119, let checksum?):
                #expect(checksum == sum())
                compared += 1
            default: Issue.record("\(frame) is not part of the example")
            }
        }
        #expect(held.count == 2 && compared == 2)
    }

    @Test("The table of terms is right, and the frame after it has the last sum")
    func terms() throws {
        let text = String(decoding: try #require(ProtoFolder.read("protocol.md")), as: UTF8.self)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `01998c") }.map { $0.split(separator: "|").map { $0.trimmingPrefix(" ") } }
        #expect(rows.count == 3)
        for row in rows {
            let id = try #require(Identifier(String(row[0].dropFirst().prefix(36))))
            let version = try #require(Int64(row[1].prefix { $0 != " " }))
            #expect("\(StateChecksum.term(id, version: version))" == row[2].prefix { $0 != " " })
        }
        #expect(try Self.frames(of: "### The checksum").contains(.checksum(sequence: 119, StateChecksum(4_234_660_265))))
        #expect(text.contains("961754238 + 250228231 = 1211982469"))
        #expect(text.contains("1211982469 − 250228231 + 3272906027 = 4234660265"))
    }
}
