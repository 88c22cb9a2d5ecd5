import Bytes
import Dates
import Family
import Testing
import Wire

@testable import Rooms

@Suite("Hub: sessions of an account, listed, named and ended")
struct HubSessionTests {
    private static let id = HubScript.client
    private static let list = ClientFrame.sessions(SessionsRequest(request: 7, .list))
    private static let rename = ClientFrame.sessions(SessionsRequest(request: 8, .rename(id, "Kitchen")))
    private static let end = ClientFrame.sessions(SessionsRequest(request: 9, .end(id)))
    private static let endOthers = ClientFrame.sessions(SessionsRequest(request: 10, .endOthers))
    private static let all = [list, rename, end, endOthers]
    private static let named = AccountSession(
        id: id, name: "Kitchen", kind: .terminal, createdOn: .init(utc: 0), usedOn: .init(utc: 0), endsOn: .init(utc: 0))

    @Test("A list goes to a reader, a name to the writer; each answer goes to the session that asked")
    func asks() {
        let script = HubScript()
        let id = script.live(at: 0), other = script.live(HubScript.maya, role: .athlete, at: 0)
        _ = script.seen()
        script.say(Self.list, id)
        #expect(script.seen() == [.read(id, "sessions")])
        script.answer(.page(Array("answer".utf8)), id)
        #expect(script.seen() == [.frame(id, "answer")])
        script.say(Self.rename, other)
        guard case .command(other, .renameSession(Self.id, "Kitchen", by: 2))? = script.hub.takeEffects().last else {
            Issue.record("the writer is not asked")
            return
        }
        script.say(Self.end, other)
        #expect(script.answers() == ["error too_many_pending (request 9)"])
        script.hub.commanded(other, .sessions([Self.named]))
        #expect(script.seen() == [.frame(other, "sessions")])
    }

    @Test("Others end before the answer: their connections get signed_out and 4501, and their frames in the meantime are ignored")
    func ends() {
        let script = HubScript()
        let asking = script.live(at: 0), other = script.live(HubScript.maya, role: .athlete, at: 0)
        _ = script.seen()
        script.say(Self.endOthers, asking)
        #expect(script.seen() == [.endSessions(by: 1, nil)])
        script.hub.endSessions(2)
        script.hub.didEndSessions(asking, nil)
        let seen = script.seen()
        let close = seen.firstIndex(of: .close(other, .sessionEnded, dropsQueue: false)), read = seen.firstIndex(of: .read(asking, "sessions"))
        #expect(seen.contains(.frame(other, "signed out")))
        #expect(close != nil && read != nil && (close ?? 0) < (read ?? 0), "\(seen)")
        script.say(Self.list, other)
        #expect(script.seen() == [])
    }

    @Test("A session that ends itself gets signed_out once, and a refusal leaves everything as it is")
    func itself() {
        let script = HubScript()
        let id = script.live(at: 0)
        _ = script.seen()
        script.say(Self.end, id)
        #expect(script.seen() == [.endSessions(by: 1, Self.id)])
        script.hub.didEndSessions(id, Rejection(.notFound, "There is no such session or token. Nothing was changed"))
        #expect(script.answers() == ["error not_found (request 9)"])
        script.say(Self.end, id)
        _ = script.seen()
        script.hub.endSessions(1)
        script.hub.didEndSessions(id, nil)
        #expect(script.seen() == [.frame(id, "signed out"), .close(id, .sessionEnded, dropsQueue: false)])
    }

    @Test("Before the join nobody is heard, and a token for a program manages no account")
    func refused() {
        let script = HubScript()
        let outside = script.hub.opened(now: 0)
        let id = script.live(at: 0)
        _ = script.seen()
        for scope in TokenScope.allCases {
            script.hub.session(id)?.scope = scope
            for frame in Self.all {
                script.say(frame, id)
                #expect(script.seen() == [.frame(id, "error not_allowed")])
            }
        }
        for frame in Self.all {
            script.say(frame, outside)
            #expect(script.seen() == [.frame(outside, "error not_signed_in")])
        }
    }
}
