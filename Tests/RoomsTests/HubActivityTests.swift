import Bytes
import Family
import Testing
import Wire

@testable import Rooms

@Suite("Hub: activity of the moment, and pings")
struct HubActivityTests {
    static let record = HistoryRequest.Target(kind: .event, id: HubScript.family)

    private func typing(_ id: SessionID) -> HubScript.Seen { .frame(id, "activity typing") }

    @Test("The other members' live sessions receive an activity; its author's sessions, quiet ones and another family do not")
    func receivers() {
        let script = HubScript()
        let dana = script.live(at: 0)
        let danasPhone = script.live(at: 0)
        let maya = script.live(HubScript.maya, role: .athlete, at: 0)
        let other = Identifier("01930000-0000-7000-8000-0000000000f2")!
        let stranger = script.live(HubScript.maya, in: other, at: 0)
        let late = script.joined(HubScript.maya, at: 0)
        _ = script.seen()
        script.say(.activity(Activity(.editing, Self.record)), dana)
        #expect(script.seen() == [.frame(maya, "activity editing")])
        script.say(.activity(Activity(.typing)), stranger)
        #expect(script.seen() == [])
        // A session that is not live yet says something too.
        script.say(.activity(Activity(.typing)), late)
        #expect(Set(script.seen().map(\.description)) == Set([typing(dana), typing(danasPhone)].map(\.description)))
    }

    @Test("A guest is heard like everybody; a quiet session is not")
    func senders() {
        let script = HubScript()
        let dana = script.live(at: 0)
        let guest = script.live(HubScript.maya, role: .guest, at: 0)
        _ = script.seen()
        script.say(.activity(Activity(.looking, Self.record)), guest)
        #expect(script.seen() == [.frame(dana, "activity looking")])
        let quiet = script.hub.opened(now: script.now)
        script.say(.signIn(token: "t"), quiet)
        script.answer(.signIn(HubScript.signedIn(HubScript.maya)), quiet)
        script.say(.join(Join(family: HubScript.family, client: HubScript.client, cursor: Cursor(epoch: "e1", sequence: 0), isQuiet: true)), quiet)
        script.answer(.join(.success(HubScript.seat(head: 0, member: HubScript.maya))), quiet)
        script.answer(.changes(frames: [], last: 0, reachedEnd: true, checksum: nil), quiet)
        _ = script.seen()
        script.say(.activity(Activity(.typing)), quiet)
        #expect(script.seen() == [])
    }

    @Test("One session is heard once per second; the newest of what it said in between follows")
    func pace() {
        var script = HubScript()
        let dana = script.live(at: 0)
        let maya = script.live(HubScript.maya, at: 0)
        _ = script.seen()
        script.say(.activity(Activity(.typing)), maya)
        #expect(script.seen() == [typing(dana)])
        script.now += 100
        script.say(.activity(Activity(.looking, Self.record)), maya)
        script.say(.activity(Activity(.idle)), maya)
        script.hub.tick(now: script.now)
        #expect(script.seen() == [])
        script.now += 1_000
        // A waiting activity goes first, so nothing overtakes it and the pace is kept.
        script.say(.activity(Activity(.typing)), maya)
        #expect(script.seen() == [])
        script.hub.tick(now: script.now)
        #expect(script.seen() == [typing(dana)])
        script.hub.tick(now: script.now + 1_000)
        #expect(script.seen() == [])
    }

    @Test("Nothing is kept of a session that has gone, or of one that says nothing more")
    func forgotten() {
        var script = HubScript()
        _ = script.live(at: 0)
        let maya = script.live(HubScript.maya, at: 0)
        script.say(.activity(Activity(.typing)), maya)
        #expect(script.hub.activities.count == 1)
        script.now += Activity.life + 1
        script.hub.tick(now: script.now)
        #expect(script.hub.activities.isEmpty)
        script.say(.activity(Activity(.typing)), maya)
        script.say(.activity(Activity(.idle)), maya)
        script.hub.closed(maya)
        #expect(script.hub.activities.isEmpty)
        _ = script.seen()
        script.hub.tick(now: script.now + 2_000)
        #expect(script.seen() == [])
    }

    @Test("The deliveries of one family are bounded; those above wait and are not lost")
    func bounded() {
        var limits = Limits()
        limits.connectionsPerMember = 1_000
        limits.connectionsPerFamily = 1_000
        var script = HubScript(limits: limits)
        let authors = (0..<12).map { script.live(Identifier(high: 7, low: UInt64($0)), at: 0) }
        for _ in 0..<488 { _ = script.live(HubScript.maya, at: 0) }
        _ = script.seen()
        for author in authors { script.say(.activity(Activity(.typing)), author) }
        let first = script.seen().count
        #expect(first >= 4_000 && first < 4_000 + 500, "\(first)")
        var rest = 0
        for _ in 0..<5 {
            script.now += 1_000
            script.hub.tick(now: script.now)
            rest += script.seen().count
        }
        #expect(first + rest == 12 * 499)
    }

    @Test("A ping is answered with its number; before the join it is refused")
    func pings() {
        let script = HubScript()
        let dana = script.live(at: 0)
        _ = script.seen()
        script.say(.ping(request: 7), dana)
        #expect(script.seen() == [.frame(dana, "pong 7")])
        let anybody = script.hub.opened(now: script.now)
        for frame in [ClientFrame.ping(request: 1), .activity(Activity(.typing))] {
            script.say(frame, anybody)
            #expect(script.seen() == [.frame(anybody, "error not_signed_in")])
        }
    }
}
