import Bytes
import Family
import HTTP1
import Store
import TestSupport
import Testing

@testable import Server

@Suite("Two calendar programs and the room edit one entry", .serialized)
struct DAVModelTests {
    /// A program with the last version that it has read.
    private struct Program {
        var tag: String?
        var text = ""
    }

    @Test("Each edit is applied whole or refused whole: the entry has the last applied value of each field, after every step")
    func edits() throws {
        let base = try DAVRouteTests()
        var random = SplitMix64.fresh()
        let id = Identifier(high: 0x1234_5678_0000_4000, low: 0x8000_0000_0000_0002)
        let address = "\(base.season)\(id).ics"
        try base.mutate(
            1,
            "{\"op\":\"create\",\"kind\":\"event\",\"id\":\"\(id)\",\"athlete\":\"\(base.server.athlete.member)\",\"fields\":{\"type\":\"game\",\"name\":\"T0\","
                + "\"start_date\":\"2026-12-05\",\"description\":\"D0\"}}")
        var programs = [Program(), Program()]
        var (title, description, version, applied, refused) = ("T0", "D0", 1, 0, 0)
        for step in 1...40 {
            let current = try base.ask("GET \(address)")
            let tag = try #require(current.fields.only("etag"))
            #expect(tag.hasPrefix("\"\(version)-"), "seed \(random.seed), step \(step)")
            #expect(current.text.contains("SUMMARY:\(title)\r\n") && current.text.contains("DESCRIPTION:\(description)\r\n"), "seed \(random.seed), step \(step)")
            let number = random.below(2)
            switch random.below(3) {
            case 0: programs[number] = Program(tag: tag, text: current.text)
            case 1:
                description = "D\(step)"
                try base.mutate(step + 1, "{\"op\":\"update\",\"kind\":\"event\",\"id\":\"\(id)\",\"base\":\(version),\"fields\":{\"description\":\"\(description)\"}}")
                version += 1
            default:
                guard let known = programs[number].tag else { continue }
                let edited = programs[number].text.replacing(/SUMMARY:[^\r]*/, with: "SUMMARY:T\(step)")
                let answer = try base.ask("PUT \(address)", ["If-Match: \(known)"], edited)
                #expect(answer.status == (known == tag ? 204 : 412), "seed \(random.seed), step \(step): \(answer.text)")
                if answer.status == 204 {
                    (title, version, applied) = ("T\(step)", version + 1, applied + 1)
                } else {
                    refused += 1
                }
                // A program reads again after each change, whether it was accepted or not.
                programs[number] = Program()
            }
        }
        let last = try base.ask("GET \(address)")
        #expect(last.text.contains("SUMMARY:\(title)\r\n") && last.text.contains("DESCRIPTION:\(description)\r\n"), "\(applied) applied, \(refused) refused")
    }
}
