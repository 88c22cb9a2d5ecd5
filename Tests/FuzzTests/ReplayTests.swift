import Bytes
import Posix
import TestSupport
import Testing

/// The kept inputs of a target: one per line, base64; lines that begin with `#` say what the next one found.
private func keptInputs(_ target: FuzzTarget) throws -> [[UInt8]] {
    let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let text = String(decoding: try Files.read(folder + "/corpus/" + target.name + ".txt", limit: 4 << 20), as: UTF8.self)
    return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { try #require(Base64.decode(String($0))) }
}

@Suite("Fuzz targets: kept inputs and noise")
struct ReplayTests {
    @Test("Every kept input keeps the promises of its target", arguments: FuzzTarget.all.map(\.name))
    func replay(_ name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let inputs = try keptInputs(target)
        #expect(!inputs.isEmpty, "the corpus of \(name) is missing")
        for (index, input) in inputs.enumerated() {
            do { try target.run(input) } catch { Issue.record("\(name), input \(index): \(error)") }
        }
    }

    @Test("Seeded noise keeps the promises of every target", arguments: FuzzTarget.all.map(\.name))
    func noise(_ name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let seed = UInt64.random(in: 0...UInt64.max)
        var noise = SplitMix64(seed: seed)
        for _ in 0..<40 {
            let octets = (0..<Int(noise.next() % 300)).map { _ in UInt8(truncatingIfNeeded: noise.next()) }
            do { try target.run(octets) } catch { Issue.record("seed \(seed), \(octets): \(error)") }
        }
    }

    @Test("A broken promise is reported")
    func hasTeeth() {
        #expect(throws: Broken.self) { try hold(false, "no") }
    }
}

