import Bytes
import DAV
import Family
import HTTP1
import Store
import TestSupport
import Testing
import Wire
import XML

@testable import Server

@Suite("Changes by calendar programs, over HTTP", .serialized)
struct DAVChangeTests {
    private let base: DAVRouteTests
    private var server: TestShard { base.server }
    private let id = Identifier(high: 0x1234_5678_0000_4000, low: 0x8000_0000_0000_0001)
    private let address: String

    init() throws {
        base = try DAVRouteTests()
        address = "\(base.season)\(id).ics"
    }

    private func object(_ uid: String? = nil, _ lines: String...) -> String {
        (["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Phone//EN", "BEGIN:VEVENT", "UID:\(uid ?? id.description)", "DTSTAMP:20260101T000000Z"]
            + (lines.isEmpty ? ["DTSTART:20260620T130000Z", "DTEND:20260620T150000Z", "SUMMARY:Final", "X-PHONE:1"] : lines) + ["END:VEVENT", "END:VCALENDAR", ""])
            .joined(separator: "\r\n")
    }

    private func put(_ content: String, _ fields: String..., to address: String? = nil, token: String? = nil) throws -> DAVRouteTests.Answer {
        try base.ask("PUT \(address ?? self.address)", fields, content, token: token)
    }

    private func tag() throws -> String { try #require(try base.ask("GET \(address)").fields.only("etag")) }

    /// The next change that the room hears.
    private func change() throws -> String { try base.member.skip(to: "change") }

    @Test("A program makes, changes and deletes an entry, and the room sees each as a change of its member")
    func flow() throws {
        let made = try put(object(), "If-None-Match: *")
        #expect(made.status == 201 && !made.fields.contains("etag"), "\(made.text)")
        _ = try change()
        let read = try base.ask("GET \(address)")
        #expect(read.text.contains("SUMMARY:Final\r\n") && read.text.contains("CATEGORIES:Game\r\n"))
        let tag = try self.tag()
        #expect(try put(read.text.replacing("SUMMARY:Final", with: "SUMMARY:Semifinal"), "If-Match: \(tag)").status == 204)
        _ = try change()
        let changed = try base.ask("GET \(address)")
        #expect(changed.text.contains("SUMMARY:Semifinal\r\n") && changed.fields.only("etag")?.hasPrefix("\"2-") == true)
        #expect(try put(changed.text, "If-Match: \(try self.tag())").status == 204)
        #expect(try self.tag() == changed.fields.only("etag"), "nothing differs, so nothing is written")
        #expect(try base.ask("DELETE \(address)", ["If-Match: \(tag)"]).status == 412)
        #expect(try base.ask("DELETE \(address)").status == 204, "a deletion can be undone")
        _ = try change()
        #expect(try base.ask("GET \(address)").status == 404 && base.ask("DELETE \(address)").status == 404)
        #expect(try put(read.text, "If-None-Match: *").status == 201, "a program that takes its deletion back")
        #expect(try base.ask("GET \(address)").text.contains("SUMMARY:Final\r\n"))
    }

    @Test("Another version is never overwritten: 412 with another tag, 428 without one, and nothing changes")
    func conditions() throws {
        #expect(try put(object(), "If-Match: \"1-00000000\"").status == 412)
        #expect(try put(object(), "If-Match: *").status == 412)
        #expect(try put(object()).status == 201)
        let tag = try self.tag()
        for (fields, status) in [([], 428), (["If-None-Match: *"], 412), (["If-Match: \"1-00000000\""], 412), (["If-Match: W/\(tag)"], 412), (["If-Match: x"], 412)] as [([String], Int)] {
            let refused = try base.ask("PUT \(address)", fields, object().replacing("Final", with: "Other"))
            #expect(refused.status == status, "\(fields)")
        }
        #expect(try self.tag() == tag)
        #expect(try put(object().replacing("Final", with: "Other"), "If-Match: *").status == 204)
        let stale = try put(object().replacing("Final", with: "Third"), "If-Match: \(tag)")
        #expect(stale.status == 412 && stale.text.contains("changed since"))
        #expect(try base.ask("GET \(address)").text.contains("SUMMARY:Other\r\n"))
    }

    @Test("A UID with capital letters is the same entry; another UID, or a name that is not an id, is refused with its condition")
    func names() throws {
        let capital = "\(base.season)\(id.description.uppercased()).ics"
        #expect(try put(object(id.description.uppercased()), to: capital).status == 201)
        #expect(try base.ask("GET \(capital)").status == 200 && base.ask("GET \(address)").status == 200)
        for (content, path) in [(object("other"), address), (object("x"), "\(base.season)x.ics"), (object(nil, "DTSTART:20260620T130000Z", "RRULE:FREQ=DAILY"), address)] {
            let refused = try put(content, "If-Match: *", to: path)
            #expect(try refused.status == 403 && refused.condition == DAVNames.c("valid-calendar-object-resource"), "\(refused.text)")
        }
        // The id of a record of another kind.
        let taken = try put(object(server.athlete.member.description), to: "\(base.season)\(server.athlete.member).ics")
        #expect(try taken.status == 403 && taken.condition == DAVNames.c("no-uid-conflict"))
        #expect(try put(object().replacing("SUMMARY:Final\r\n", with: "")).status == 428)
        let nameless = Identifier(high: 5, low: 5)
        let refused = try put(object(nameless.description).replacing("SUMMARY:Final\r\n", with: ""), to: "\(base.season)\(nameless).ics")
        #expect(try refused.status == 403 && refused.condition == DAVNames.c("valid-calendar-object-resource") && refused.text.contains("is required"))
    }

    @Test("Invalid content is refused by its fault, collections are not made or deleted, and nothing is too large")
    func faults() throws {
        for (content, condition) in [("x", "valid-calendar-data"), (object().replacing("VEVENT", with: "VTODO"), "supported-calendar-component")] {
            let refused = try put(content)
            #expect(try refused.status == 403 && refused.condition == DAVNames.c(condition), "\(refused.text)")
        }
        #expect(try base.ask("PUT \(address)", ["Content-Length: 65537"]).status == 413)
        #expect(try base.ask("DELETE \(base.season)").status == 403 && base.ask("PUT \(base.season)", [], object()).status == 403)
        #expect(try put(object(), to: "/dav/calendars/season-\(server.stranger.family)-\(server.stranger.member)/\(id).ics").status == 404)
    }

    @Test("The rights of the member decide: a parent who may only look on is refused, and so is the privilege")
    func rights() throws {
        #expect(try put(object()).status == 201)
        let athlete = try server.live(server.athlete, client: 5)
        athlete.say("{\"type\":\"mutate\",\"mutation\":1,\"operations\":[{\"op\":\"update\",\"kind\":\"member\",\"id\":\"\(server.athlete.member)\",\"base\":1,\"fields\":{\"parent_access\":\"view\"}}]}")
        try athlete.skip(to: "ack 1")
        for refused in [try put(object().replacing("Final", with: "Other"), "If-Match: *"), try base.ask("DELETE \(address)")] {
            #expect(refused.status == 403 && refused.text.contains("need-privileges"), "\(refused.text)")
        }
        let privileges = try base.ask("PROPFIND \(base.season)", ["Depth: 0"], "<propfind xmlns=\"DAV:\"><prop><current-user-privilege-set/></prop></propfind>").text
        #expect(privileges.contains("<d:read/>") && !privileges.contains("<d:write/>"))
    }

    @Test("Two entries of a trip at the same time are both kept, with the reason in the change")
    func overlap() throws {
        let trip = Identifier(high: 8, low: 50)
        try base.mutate(1, "{\"op\":\"create\",\"kind\":\"trip\",\"id\":\"\(trip)\",\"fields\":{\"name\":\"Trip\",\"start_date\":\"2099-06-20\"}}")
        let calendar = "/dav/calendars/itinerary-\(server.parent.family)-\(trip)/"
        for number in 1...2 as ClosedRange<UInt64> {
            let id = Identifier(high: 9, low: number)
            let made = try put(object(id.description, "DTSTART:20990620T130000Z", "DTEND:20990620T150000Z", "SUMMARY:Item \(number)"), to: "\(calendar)\(id).ics")
            #expect(made.status == 201, "\(made.text)")
        }
        let list = try base.ask("PROPFIND \(calendar)", ["Depth: 1"])
        #expect(try list.responses.count == 3)
        let family = server.parent.family
        var log: String?
        server.shard.workers.read { reader throws(StoreFailure) in
            try reader.changes(family: family, after: 0, maxOctets: .max).frames.map { String(decoding: $0.1, as: UTF8.self) }.joined(separator: "\n")
        } then: { log = $0 }
        try server.until("the log") { log != nil }
        #expect(log?.contains("\"reason\":\"from a calendar app\"") == true)
    }
}
