import EngineScripts
import Family
import Folding
import Posix
import TestSupport
import Testing

@Suite("Vectors for the pages of clients")
struct ViewVectorTests {
    @Test("The vectors in proto/views are the results of the Swift client", arguments: ViewVectors.pages.keys.sorted())
    func pages(name: String) throws {
        let page = try #require(ViewVectors.pages[name])
        let text = page()
        let file = ViewVectors.folder + name
        if Environment.value("HUDDLE_WRITE_PROTO") != nil { try Files.write(Array(text.utf8), to: file, mode: 0o644) }
        let held = (try? Files.read(file)).map { String(decoding: $0, as: UTF8.self) }
        #expect(held == text, "\(name) differs from the Swift client: run this test with HUDDLE_WRITE_PROTO=1")
    }

    @Test("The sentences of forms are in the catalogue, under their codes", arguments: RuleVectors.named.map(\.name))
    func sentences(name: String) throws {
        let found = try #require(RuleVectors.named.first { $0.name == name })
        #expect(found.code.sentences.contains { $0.template == found.template })
    }

    @Test("The runs of the folding table say for every code point what folding does")
    func runs() throws {
        let table = FoldingTable()
        var changes: [Int: String] = [:]
        for run in table.shifted {
            for index in 0..<run.count { changes[run.start + index * run.step] = Unicode.Scalar(UInt32(run.start + index * run.step + run.distance)).map { String($0) } }
        }
        for run in table.same { for index in 0..<run.count { changes[run.start + index] = run.target } }
        for run in table.listed { for (index, target) in run.targets.enumerated() { changes[run.start + index] = target } }
        for value in UInt32(0x80)...0x10FFFF where !FoldingTable.hangul.contains(Int(value)) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let octets = FoldedText(String(scalar)).octets
            guard octets != Array((changes[Int(value)] ?? String(scalar)).utf8) else { continue }
            Issue.record("U+\(String(value, radix: 16)) is folded to \(octets)")
        }
    }
}
