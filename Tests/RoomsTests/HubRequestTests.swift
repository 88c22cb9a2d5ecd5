import Bytes
import Family
import Queries
import Rooms
import Testing
import Wire

@Suite("Lists, figures, history: the hub's part (semantics.md, Rooms: context)")
struct HubRequestTests {
    private func read(_ script: HubScript) -> ReadRequest? {
        for case .read(_, let request) in script.hub.takeEffects() { return request }
        return nil
    }

    @Test("The context is whose records are listed, unless the request says whose; the client cannot choose a stranger")
    func context() {
        let script = HubScript()
        let id = script.live(at: 0)
        _ = script.seen()
        func athlete(_ athlete: Context?) -> Identifier?? {
            script.say(.list(ListRequest(request: 1, kind: .event, athlete: athlete, limit: 5)), id)
            guard case .page(_, let query, _)? = read(script) else { return .none }
            script.answer(.page([]), id)
            _ = script.seen()
            return .some(query.athlete)
        }
        #expect(athlete(nil) == .some(nil))
        script.say(.context(.athlete(HubScript.maya)), id)
        _ = script.seen()
        #expect(athlete(nil) == .some(HubScript.maya))
        #expect(athlete(.all) == .some(nil))
        #expect(athlete(.athlete(HubScript.maya)) == .some(HubScript.maya))
        script.say(.list(ListRequest(request: 1, kind: .event, athlete: .athlete(HubScript.dana), limit: 5)), id)
        #expect(script.seen() == [.frame(id, "error not_found")])
    }

    @Test("An unknown member of a list request is refused with the request's number, and the session continues")
    func refusals() {
        let script = HubScript()
        let id = script.live(at: 0)
        _ = script.seen()
        script.say(.list(ListRequest(request: 1, kind: .event, sort: .mostShared, limit: 5)), id)
        #expect(script.seen() == [.frame(id, "error invalid")])
        script.say(text: "{\"type\":\"list\",\"request\":1,\"kind\":\"event\",\"filter\":{\"weather\":\"dry\"},\"limit\":5}", id)
        #expect(script.seen() == [.frame(id, "error invalid")])
        script.say(.list(ListRequest(request: 1, kind: .event, limit: 5)), id)
        #expect(script.seen() == [.read(id, "page")])
    }

    @Test("Each request goes to a reader, as the member who asks; before the join none does")
    func routes() {
        let script = HubScript()
        let id = script.live(at: 0)
        _ = script.seen()
        let requests: [(ClientFrame, String)] = [
            (.statistics(StatisticsRequest(request: 1, kind: .event)), "statistics"),
            (.history(HistoryRequest(request: 1, limit: 5)), "history"), (.digest(DigestRequest(request: 1)), "digest"),
            (.accessLog(AccessLogRequest(request: 1, limit: 5)), "access log"),
        ]
        for (frame, word) in requests {
            script.say(frame, id)
            #expect(script.seen() == [.read(id, word)])
            script.answer(.page(Array("answer".utf8)), id)
            #expect(script.seen() == [.frame(id, "answer")])
        }
        let outside = script.hub.opened(now: 0)
        for (frame, _) in requests {
            script.say(frame, outside)
            #expect(script.seen() == [.frame(outside, "error not_signed_in")])
        }
    }
}
