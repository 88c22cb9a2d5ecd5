import Bytes
import Family
import Testing
import Wire
import Words

@Suite("Members' occupations at this moment")
struct MemberActivityTests {
    private let ana = Identifier(high: 1, low: 1), bob = Identifier(high: 1, low: 2)
    private let event = HistoryRequest.Target(kind: .event, id: Identifier(high: 2, low: 1))

    @Test("An activity is forgotten after its life, with the next one, and with the member's message")
    func others() {
        var all = MemberActivities()
        func news(_ member: Identifier, _ activity: Activity, _ now: Int64) -> Bool { all.receive(MemberActivity(member: member, activity), now: now) }
        func expires(_ now: Int64) -> Bool { all.expire(now: now) }
        func ends(_ member: Identifier) -> Bool { all.end(member) }
        #expect(news(ana, Activity(.typing), 1_000))
        #expect(!news(ana, Activity(.typing), 2_000), "repeated, it is not news")
        #expect(all.deadline == 2_000 + Activity.life)
        #expect(news(bob, Activity(.looking, event), 3_000))
        #expect(!expires(2_000 + Activity.life - 1))
        #expect(expires(2_000 + Activity.life))
        #expect(all.deadline == 3_000 + Activity.life)
        #expect(news(bob, Activity(.idle), 4_000))
        #expect(all.deadline == nil)
        #expect(news(ana, Activity(.typing), 5_000))
        #expect(ends(ana))
        #expect(!ends(ana))
    }

    @Test("The own activity is sent at the first key, repeated while it lasts, and ended once")
    func own() {
        var own = OwnActivity()
        func told(_ wanted: Activity?, _ now: Int64) -> Activity? { own.next(wanted, now: now) }
        #expect(told(nil, 0) == nil)
        #expect(told(Activity(.typing), 0) == Activity(.typing))
        for now in stride(from: Int64(50), to: Activity.repetition, by: 50) { #expect(told(Activity(.typing), now) == nil) }
        #expect(told(Activity(.typing), Activity.repetition) == Activity(.typing))
        #expect(told(nil, Activity.repetition + 1) == Activity(.idle))
        #expect(told(nil, Activity.repetition + 2) == nil)
    }

    @Test("Another activity is sent no sooner than a second after the last one")
    func pace() {
        var own = OwnActivity()
        func told(_ wanted: Activity?, _ now: Int64) -> Activity? { own.next(wanted, now: now) }
        #expect(told(Activity(.typing), 0) != nil)
        #expect(told(Activity(.looking, event), Activity.pace - 1) == nil)
        #expect(told(Activity(.looking, event), Activity.pace) == Activity(.looking, event))
    }
}
