import Testing

@testable import HTTP1

@Suite("Requests that two readers could interpret differently, RFC 9112 §11")
struct SmugglingTests {
    static let good = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)

    @Test("The cases exist")
    func loaded() {
        #expect(SmugglingCase.all.count > 160)
    }

    @Test("Each case gets the response that the RFC requires, no smuggled request is served, and the stream ends or stays in step",
        arguments: SmugglingCase.all, [false, true])
    func outcome(one: SmugglingCase, reads: Bool) throws {
        let answers = reads ? one.read : one.answers
        func check(_ script: ServerScript, _ how: String, prefix: [Int] = []) throws {
            #expect(try script.statuses() == prefix + answers, "\(how)")
            #expect(!script.targets.contains { $0.hasPrefix("/smuggled") }, "\(how)")
            if answers == one.answers { #expect((script.machine.phase == .closing) == one.ends, "\(how)") }
        }
        var whole = ServerScript(reads: reads)
        whole.receive(one.sent)
        try check(whole, "whole")
        if !one.ends {
            whole.receive(Self.good)
            #expect(try whole.statuses() == answers + [200])
        }
        for cut in stride(from: 1, to: one.sent.count, by: max(1, one.sent.count / 150)) {
            var script = ServerScript(reads: reads)
            script.receive(Array(one.sent[..<cut]))
            script.receive(Array(one.sent[cut...]))
            try check(script, "cut at \(cut)")
        }
        var drip = ServerScript(reads: reads)
        for octet in one.sent { drip.receive([octet]) }
        try check(drip, "octet by octet")
        var glued = ServerScript(reads: reads)
        glued.receive(Self.good + one.sent)
        try check(glued, "behind another request", prefix: [200])
    }
}
