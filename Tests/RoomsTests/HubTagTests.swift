import Family
import Testing
import Wire

@testable import Rooms

@Suite("Hub: every answer echoes the request of its frame")
struct HubTagTests {
    private let script = HubScript()
    private let join = ClientFrame.join(Join(family: HubScript.family, client: HubScript.client))

    private func tell(_ frame: ClientFrame, _ request: Int64, _ id: SessionID) { script.say(.tagged(frame, request: request), id) }

    private func signedIn() -> SessionID {
        let id = script.hub.opened(now: script.now)
        script.say(.signIn(token: "t"), id)
        script.answer(.signIn(HubScript.signedIn()), id)
        _ = script.hub.takeEffects()
        return id
    }

    @Test("Signing in: welcome, unknown token, a second frame before the answer, one after it")
    func signIn() {
        let id = script.hub.opened(now: script.now)
        tell(join, 1, id)
        tell(.signOut, 2, id)
        tell(.signIn(token: "t"), 3, id)
        tell(.signIn(token: "t"), 4, id)
        script.answer(.signIn(HubScript.signedIn()), id)
        tell(.signIn(token: "t"), 5, id)
        #expect(
            script.answers() == [
                "error not_signed_in (request 1)", "error not_signed_in (request 2)", "error too_many_pending (request 4)",
                "welcome (request 3)", "error already_signed_in (request 5)",
            ])
        let other = script.hub.opened(now: script.now)
        tell(.signIn(token: "x"), 6, other)
        script.answer(.signIn(nil), other)
        #expect(script.answers() == ["error token_unknown (request 6)"])
    }

    @Test("Redeeming: token, an unknown code, a full disk")
    func redeem() {
        let nonce = "5f1c9a7e20b4d3865f1c9a7e20b4d386"
        let id = script.hub.opened(now: script.now)
        func ask(_ request: Int64, _ refusal: Rejection? = nil) {
            tell(.redeem(code: "X", nonce: nonce), request, id)
            script.answer(.redemption(code: "X", nonce: nonce, refusal: refusal), id)
        }
        ask(1, Rejection(.codeUnknown, ErrorCode.codeUnknown.sentence))
        ask(2)
        script.hub.commanded(id, .rejected(Rejection(.storageFull, ErrorCode.storageFull.sentence)))
        ask(3)
        script.hub.commanded(id, .token("t", family: HubScript.family, member: HubScript.dana, ended: nil))
        #expect(script.answers() == ["error code_unknown (request 1)", "error storage_full (request 2)", "token (request 3)"])
    }

    @Test("Joining: a strange family, a cursor from the future, a context that is nobody's, joined, and once more")
    func joins() {
        let id = signedIn()
        tell(.join(Join(family: HubScript.maya, client: HubScript.client)), 1, id)
        tell(join, 2, id)
        script.answer(.join(.failure(Rejection(.cursorAhead, ErrorCode.cursorAhead.sentence))), id)
        tell(.join(Join(family: HubScript.family, client: HubScript.client, context: .athlete(HubScript.dana))), 3, id)
        script.answer(.join(.success(HubScript.seat(head: 4))), id)
        tell(join, 4, id)
        script.answer(.join(.success(HubScript.seat(head: 4, resume: .snapshot))), id)
        tell(join, 5, id)
        #expect(
            script.answers() == [
                "error not_found (request 1)", "error cursor_ahead (request 2)", "error not_found (request 3)", "joined at 4 (request 4)",
                "error already_joined (request 5)",
            ])
    }

    @Test("A context: before the join, in force, of nobody, above the rate; a context that a parent causes has no request")
    func contexts() {
        var limits = Limits()
        limits.mutationsPerSecond = 1
        limits.mutationBurst = 1
        let script = HubScript(limits: limits)
        let id = script.hub.opened(now: script.now)
        script.say(.signIn(token: "t"), id)
        script.answer(.signIn(HubScript.signedIn()), id)
        _ = script.hub.takeEffects()
        script.say(.tagged(.context(.all), request: 1), id)
        #expect(script.answers() == ["error not_joined (request 1)"])
        let live = script.live(at: 0)
        script.say(.tagged(.context(.athlete(HubScript.client)), request: 2), live)
        script.say(.tagged(.context(.all), request: 3), live)
        script.say(.tagged(.context(.all), request: 4), live)
        #expect(script.answers() == ["error not_found (request 2)", "context (request 3)", "error rate_limited (request 4)"])
        script.commit(1, members: [(HubScript.dana, .guest)])
        #expect(script.answers().prefix(2) == ["role guest", "context"])
    }

    @Test("Signing out: only the connection that asked gets the request; a full disk and the answer after it have it too")
    func signOut() {
        let one = script.live(at: 0)
        let two = script.live(at: 0)
        _ = script.hub.takeEffects()
        tell(.signOut, 7, one)
        _ = script.hub.takeEffects()
        tell(.context(.all), 8, two)
        script.hub.didNotEnd(1, Rejection(.storageFull, ErrorCode.storageFull.sentence))
        script.hub.endSessions(1)
        #expect(
            script.answers() == ["error not_signed_in (request 8)", "error storage_full (request 7)", "signed out (request 7)", "signed out"])
    }

    @Test("A frame that breaks the protocol: its request is echoed before the close, if it can be read")
    func badFrames() {
        for (text, answer) in [
            ("{\"type\":\"join\",\"request\":9}", "error bad_frame (request 9)"), ("{\"type\":\"join\"}", "error bad_frame"),
            ("{\"type\":\"context\",\"context\":\"all\",\"request\":9,\"more\":1}", "error bad_frame (request 9)"),
        ] {
            let id = script.live(at: 0)
            script.say(text: text, id)
            #expect(script.answers() == [answer])
        }
    }

    @Test("Before the welcome every frame but sign_in and redeem is not_signed_in: without a sign-in, and while the sign-in is looked up")
    func notSignedIn() {
        let frames: [(ClientFrame, Int64)] = [
            (.tagged(join, request: 1), 1), (.tagged(.context(.all), request: 2), 2), (.tagged(.signOut, request: 3), 3),
            (.list(ListRequest(request: 4, kind: .message, limit: 5)), 4), (.statistics(StatisticsRequest(request: 5, kind: .event)), 5),
            (.history(HistoryRequest(request: 6, limit: 5)), 6), (.digest(DigestRequest(request: 7)), 7),
            (.accessLog(AccessLogRequest(request: 8, limit: 5)), 8),
        ]
        for isSigningIn in [false, true] {
            let id = script.hub.opened(now: script.now)
            if isSigningIn { script.say(.signIn(token: "t"), id) }
            _ = script.hub.takeEffects()
            for (frame, _) in frames { script.say(frame, id) }
            script.say(text: "{\"type\":\"list\",\"request\":9,\"kind\":\"budget\",\"limit\":5}", id)
            script.say(text: "{\"type\":\"mutate\",\"mutation\":1,\"undo\":1}", id)
            #expect(
                script.answers() == (frames.map(\.1) + [9]).map { "error not_signed_in (request \($0))" } + ["reject 1 not_signed_in"],
                "while signing in: \(isSigningIn)")
        }
    }

    @Test("A question about a kind that the server does not know is refused by its request, and the connection stays", arguments: [
        "{\"type\":\"list\",\"request\":9,\"kind\":\"budget\",\"limit\":5}", "{\"type\":\"statistics\",\"request\":9,\"kind\":\"budget\"}",
        "{\"type\":\"history\",\"request\":9,\"record\":{\"kind\":\"budget\",\"id\":\"01910000-0000-7000-8000-000000000001\"},\"limit\":5}",
    ])
    func unknownKind(_ text: String) {
        let id = script.live(at: 0)
        _ = script.hub.takeEffects()
        script.say(text: text, id)
        #expect(script.answers() == ["error unknown_kind (request 9)"])
        script.say(.tagged(.context(.all), request: 10), id)
        #expect(script.answers() == ["context (request 10)"])
    }

    @Test("A frame before the join may be sent again: it says when, and no wait is a busy loop")
    func notJoined() {
        let id = signedIn()
        script.say(text: "{\"type\":\"mutate\",\"mutation\":1,\"undo\":1}", id)
        script.say(.list(ListRequest(request: 2, kind: .message, limit: 5)), id)
        script.say(.context(.all), id)
        var waits: [Int64?] = []
        for case .send(_, let octets) in script.hub.takeEffects() {
            switch try? ServerFrame.decode(octets) {
            case .reject(1, let rejection), .error(let rejection, _):
                #expect(rejection.code == .notJoined && rejection.code.isRetryable)
                waits.append(rejection.retryAfter)
            case let other: Issue.record("\(String(describing: other))")
            }
        }
        #expect(waits == [100, 100, 100])
    }
}
