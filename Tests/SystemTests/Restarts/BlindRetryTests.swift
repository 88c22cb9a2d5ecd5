import Bytes
import Family
import Posix
import TestSupport
import Testing
import Wire

extension SystemTests.RestartTests {
    /// Promise: exactly-once. A session of ours catches up before it sends again, and so finds most of its own changes done; other
    /// clients send immediately.
    @Test("a client that blindly sends everything again has it done once, and gets the first answers")
    func sendsAgain() throws {
        let seed = SplitMix64.freshSeed()
        print("Sent again: HUDDLE_SEED=\(seed)")
        var random = SplitMix64(seed: seed)
        let (_, demo, server) = try Demo.served()
        let installation = Ask.id()
        let event = try #require(try DatabaseContent(server.folder, demo.family).records.values.filter { $0.kind == .event }.min { $0.id < $1.id })
        let mutations = (0..<400).map { number in
            // Messages are done; of the edits with one base the first is, and the others are refused for good.
            switch number % 3 {
            case 0: Ask.say("Message \(number)")
            case 1: Ask.update(event, ["description": .text("Edit \(number)")])
            default: Ask.update(event, ["name": .text("Name \(number)")], merge: .none)
            }
        }
        var answers: [Int: ServerFrame] = [:]
        var again = 0
        var cuts = 0
        while answers.count < mutations.count {
            let client = try RawClient(server)
            _ = try client.signIn(demo.parents[0].token)
            client.send(.join(Join(family: demo.family, client: installation)))
            try client.frame { if case .joined = $0 { () } else { nil } }
            let open = mutations.indices.filter { answers[$0] == nil }.prefix(random.number(1..<100))
            let known = (0..<5).compactMap { _ in answers.keys.sorted().randomElement(using: &random) }
            // In the order of their ids, as they were sent before.
            let sent = Set(open).union(known).sorted()
            for index in sent { client.send(.mutate(id: Int64(index + 1), operations: [mutations[index]])) }
            let isLast = cuts >= 15
            for _ in 0..<(isLast ? sent.count : random.number(0..<sent.count + 1)) {
                let (id, frame) = try client.frame { frame -> (Int64, ServerFrame)? in
                    switch frame {
                    case .ack(let ack): (ack.mutation, frame)
                    case .reject(let id, let rejection): rejection.code.isRetryable ? nil : (id, frame)
                    default: nil
                    }
                }
                let index = Int(id - 1)
                if let first = answers[index] {
                    again += 1
                    #expect(frame == first)
                }
                answers[index] = frame
            }
            guard !isLast else { continue }
            cuts += 1
            try server.kill()
            try server.restart()
        }
        #expect(again > 10)
        try server.kill()

        let book = try DatabaseContent(server.folder, demo.family)
        let logged = book.changes(of: installation)
        #expect(logged.values.allSatisfy { $0.count == 1 })
        var done: [Int64: Int64] = [:]
        for case .ack(let ack) in answers.values { done[ack.mutation] = ack.sequence }
        #expect(logged.compactMapValues { $0.first?.sequence } == done)
        for case .reject(_, let rejection) in answers.values { #expect(rejection.code == .conflict) }
        print("Sent again: \(mutations.count) mutations, \(cuts) kills, \(again) answers given again")
    }
}
