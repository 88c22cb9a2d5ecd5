import Bytes
import Dates
import Family
import Posix
import Testing
import Wire

@testable import Server
@testable import Store

@Suite("Reminders over the socket", .serialized)
struct ReminderFrameTests {
    private let server: TestShard

    init() throws { server = try TestShard() }

    /// Adds a camp of the athlete's that begins in two hours.
    private func addCamp(_ client: TestClient) throws {
        let start = ZoneRules.utc.local(at: Clock.wallMilliseconds() + 7_200_000)
        client.say(
            "{\"type\":\"mutate\",\"mutation\":1,\"operations\":[{\"op\":\"create\",\"kind\":\"event\",\"id\":\"\(Identifier(high: 5, low: 5))\","
                + "\"athlete\":\"\(server.athlete.member)\",\"fields\":{\"type\":\"camp\",\"name\":\"Camp\",\"start_date\":\"\(start.date)\",\"start_time\":\"\(start.time)\"}}]}")
        #expect(try client.skip(to: "ack 1") == "ack 1")
    }

    /// Lets the reminders fire that are due 90 minutes from now, as the writer does when their time has come.
    private func fire() {
        server.passDay(milliseconds: 5_400_000)
        #expect(server.shard.workers.writer.submit(.reminders))
    }

    @Test("A reminder reaches all devices of its members and nobody else, waits for a later device, and ends everywhere when one has seen it")
    func frames() throws {
        let (first, second) = (try server.live(server.parent), try server.live(server.parent, client: 2))
        let stranger = try server.live(server.stranger, client: 3)
        try addCamp(first)
        fire()
        for device in [first, second] { #expect(try device.skip(to: "reminder").hasSuffix("Upcoming: Camp")) }
        let key = try #require(first.reminder?.key)
        #expect(key.item == Identifier(high: 5, low: 5) && key.lead == 30 && second.reminder?.key == key)
        #expect(first.reminder?.body == "No location")
        let late = try server.live(server.athlete, client: 4)
        #expect(late.reminder?.key == key)
        first.say(String(decoding: ClientFrame.reminderSeen(key).encode(), as: UTF8.self))
        for device in [first, second] { #expect(try device.skip(to: "reminder_seen") == "reminder_seen") }
        let next = try server.live(server.parent, client: 5)
        #expect(next.reminder == nil)
        #expect(try server.live(server.athlete, client: 6).reminder?.key == key, "the athlete has not seen it")
        try stranger.receive()
        #expect(stranger.reminder == nil)
    }

    @Test("The clock of every second lets the writer arm what is not armed, and the next reminder is then the camp's")
    func clock() throws {
        let next = server.shard.workers.writer.nextReminder
        try addCamp(try server.live(server.parent))
        let now = Clock.wallMilliseconds()
        try server.until("the camp's reminder is the next one") {
            server.shard.workers.remind()
            return next.isDue(at: now + 5_400_000) && !next.isDue(at: now + 5_000_000)
        }
    }
}
