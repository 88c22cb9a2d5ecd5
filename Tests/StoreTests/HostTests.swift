import Bytes
import Family
import JSON
import Queries
import TestSupport
import Testing
import Wire

@testable import Store
@testable import StoreSQLite

@Suite("Acts and questions of the host, issue 15 (commands, fairness)", .bothEngines)
struct HostTests {
    let world: World
    let home: World.Home

    init() throws {
        world = try World()
        home = try world.home()
    }

    /// SQL that makes a database of this program what the step before `familyQuotas` made.
    static let takenBack = """
        DROP INDEX IF EXISTS audit_by_host;
        DROP TABLE quotas;
        """

    // MARK: Short words

    private func set(_ values: [FamilyQuota: Int], clear: Set<FamilyQuota> = [], of family: String? = nil) throws -> Result<JSONTree, Rejection> {
        var own = FamilyQuotas()
        for (quota, value) in values { own[quota] = value }
        return try world.store.perform(.setQuotas(family: family ?? home.family.description, own: own, cleared: clear))
    }

    private func ask(_ question: HostQuestion) throws -> JSONTree {
        let tree = try world.reader.answer(question).get()
        // As it crosses the admin socket.
        return try JSONTree(tree.octets)
    }

    /// All rows of a list, page by page.
    private func all(_ key: String, _ question: (JSONTree?) -> HostQuestion) throws -> (rows: [JSONTree], pages: Int) {
        var (rows, pages, next): ([JSONTree], Int, JSONTree?) = ([], 0, nil)
        repeat {
            let page = try ask(question(next))
            #expect((page[key]?.elements.count ?? 0) <= HostQuestion.rows)
            rows += page[key]?.elements ?? []
            next = page["next"]
            pages += 1
        } while next != nil && pages < 100
        return (rows, pages)
    }

    private func keys(_ tree: JSONTree?) -> [String] { tree?.members.map(\.key) ?? [] }

    private func acts(_ family: Identifier? = nil) throws -> [String] {
        try ask(.audit(family: (family ?? home.family).description, after: nil))["entries"]?.elements.reversed().map { entry in
            [entry["act"]?.text, entry["by"]?.text, entry["about_name"]?.text, entry["detail"]?.text].compactMap(\.self).joined(separator: " ")
        } ?? []
    }

    private func text(_ octets: Int) -> Operation { message(world.newID(), String(repeating: "x", count: octets)) }

    // MARK: Limits

    @Test("A limit is set for one family, told to its room, entered into its audit log once, kept over a restart, and cleared again")
    func sets() throws {
        let other = try world.home("Nowak")
        let answer = try set([.connections: 300, .rows: 5_000_000], of: "Rivera").get()
        #expect(keys(answer) == ["family", "name", "quotas"] && answer["name"]?.text == "Rivera")
        var own = FamilyQuotas()
        (own[.connections], own[.rows]) = (300, 5_000_000)
        #expect(world.store.takeNotices() == [.quotas(own, of: home.family)])
        try world.reopen()
        #expect(try world.store.ownQuotas() == [home.family: own])
        let shown = try ask(.quotas(family: "Rivera"))
        #expect(shown["quotas"]?.elements.map { $0["quota"]?.text } == FamilyQuota.allCases.map(\.rawValue))
        #expect(shown["quotas"]?.elements.map { $0["value"]?.integer } == [300, 200, 2_000, 50, 5_000_000, 5_368_709_120, 100])
        #expect(shown["quotas"]?.elements.map { $0["default"]?.integer } == [256, 200, 2_000, 50, 1_073_741_824, 5_368_709_120, 100])
        #expect(shown["quotas"]?.elements.map { $0["own"]?.flag } == [true, false, false, false, true, false, false])
        #expect(shown["quotas"]?.elements.map { keys($0).contains("used") } == [false, false, false, false, true, true, false])
        #expect(try ask(.quotas(family: "Nowak"))["quotas"]?.elements.allSatisfy { $0["own"]?.flag == false } == true)

        // Again: no difference, so no entry.
        _ = try set([.connections: 300]).get()
        #expect(world.store.takeNotices() == [.quotas(own, of: home.family)])
        own[.connections] = nil
        own[.files] = 1
        _ = try set([.files: 1], clear: [.connections, .lists]).get()
        #expect(world.store.takeNotices() == [.quotas(own, of: home.family)])
        _ = try set([:], clear: Set(FamilyQuota.allCases)).get()
        #expect(try world.store.ownQuotas() == [:])
        #expect(try acts() == [
            "family_created host Ana", "quota_set host connections 300", "quota_set host rows 5000000", "quota_set host connections default",
            "quota_set host files 1", "quota_set host rows default", "quota_set host files default",
        ])
        #expect(try acts(other.family) == ["family_created host Ana"])
    }

    @Test("At the ends of its range a limit is set, past them it is refused and nothing changes", arguments: FamilyQuota.allCases)
    func range(quota: FamilyQuota) throws {
        for value in [quota.range.lowerBound, quota.range.upperBound] { _ = try set([quota: value]).get() }
        let before = try world.store.ownQuotas()
        for value in [quota.range.lowerBound - 1, quota.range.upperBound + 1, .min] {
            guard case .failure(let rejection) = try set(quota == .uploads ? [quota: value] : [quota: value, .uploads: 5]) else { throw Unexpected() }
            #expect(rejection.code == .outOfRange && rejection.field == quota.rawValue)
        }
        #expect(try world.store.ownQuotas() == before)
    }

    @Test("A family that is not there, or a name that several have, is refused")
    func families() throws {
        _ = try world.home("Rivera")
        for (name, code) in [("Nobody", ErrorCode.notFound), (Identifier(high: 1, low: 1).description, .notFound), ("Rivera", .invalid)] {
            guard case .failure(let rejection) = try set([.lists: 1], of: name) else { throw Unexpected() }
            #expect(rejection.code == code, "\(name)")
            for question in [HostQuestion.family(name), .people(family: name, after: nil), .invites(family: name), .quotas(family: name), .audit(family: name, after: nil)] {
                guard case .failure(let rejection) = try world.reader.answer(question) else { throw Unexpected() }
                #expect(rejection.code == code, "\(name)")
            }
        }
    }

    @Test("A family writes up to its own limit of rows; past it its changes are refused with figures and counted, until the host raises it")
    func rows() throws {
        let guest = try world.member(home, .guest, name: "Gus")
        let other = try world.home("Nowak")
        let used = try #require(try ask(.quotas(family: "Rivera"))["quotas"]?.elements.first { $0["quota"]?.text == "rows" }?["used"]?.integer)
        _ = try set([.rows: Int(used) + 1]).get()
        // One octet is left: the change that passes the limit is the last one.
        #expect(try world.mutate(home, home.parent, text(500)).sequence != nil)
        let refused = try world.mutate(home, home.parent, text(1))
        #expect(refused.code == .quotaExceeded && refused.rejection?.message.contains("\(ByteCount.text(used + 1)) is its limit") == true)
        #expect(world.store.takeQuotaRefusals() == [.rows: 1] && world.store.takeQuotaRefusals() == [:])
        #expect(try world.mutate(other, other.parent, text(1)).sequence != nil)
        let version = try world.record(home, guest).version
        #expect(try world.mutate(home, home.parent, delete(.member, guest, base: version)).sequence != nil, "taking rights away is possible")
        _ = try set([.rows: Int(used) + 100_000]).get()
        #expect(try world.mutate(home, home.parent, text(1)).sequence != nil)
        try world.reopen()
        _ = try set([.rows: 1]).get()
        #expect(try world.mutate(home, home.parent, text(1)).code == .quotaExceeded)
        #expect(try world.mutate(other, other.parent, text(1)).sequence != nil)
    }

    @Test("A family stores files up to its own limit, by the writer and by the reader that admits uploads; its figures show it")
    func files() throws {
        let leo = try world.athlete(home)
        _ = try set([.files: 1_000]).get()
        try world.add(world.document(home, leo, content: 1, octets: 1_000))
        let more = world.document(home, leo, content: 2, octets: 1)
        guard case .failure(let rejection) = try world.store.addDocument(more).0 else { throw Unexpected() }
        #expect(rejection.code == .quotaExceeded && rejection.message.contains("1000 B") && world.store.takeQuotaRefusals() == [.files: 1])
        let signIn = try world.signIn(home, home.parent)
        guard case .failure(let early) = try world.reader.checkUpload(more, by: signIn, isLengthKnown: true, promised: 0) else { throw Unexpected() }
        #expect(early.code == .quotaExceeded)
        #expect(try world.documentFigures(home).storageQuota == 1_000)
        _ = try set([.files: 1_001]).get()
        #expect(try world.reader.checkUpload(more, by: signIn, isLengthKnown: true, promised: 0).get().room == 1)
        try world.add(more)
    }

    // MARK: Other acts

    @Test("The host takes an invite back: its code is dead, and the family's audit log has it; again it changes nothing")
    func withdraws() throws {
        let invited = try world.invite(home, .guest, name: "Gus")
        // Besides the one of the family's first parent.
        func ofGus() throws -> [JSONTree] { try #require(try ask(.invites(family: "Rivera"))["invites"]?.elements).filter { $0["name"]?.text == "Gus" } }
        let listed = try ofGus()
        #expect(listed.map { keys($0) } == [["invite", "member", "name", "role", "state", "by", "created_at", "expires_at"]])
        #expect(listed.first?["member"]?.text == invited.member.description && listed.first?["state"]?.text == "pending")
        let id = try #require(listed.first?["invite"]?.text.flatMap { Identifier($0) })
        for _ in 0..<2 {
            let answer = try world.store.perform(.withdrawInvite(id, family: "Rivera")).get()
            #expect(keys(answer) == ["family", "invite", "member", "state"] && answer["state"]?.text == "withdrawn")
        }
        let code = try #require(invited.code)
        guard case .failure(let rejection) = try world.store.perform(.redeem(code: code, nonce: World.nonce(1), name: "Gus")).0 else { throw Unexpected() }
        #expect(rejection.code == .codeUnknown)
        #expect(try ofGus().isEmpty)
        #expect(try acts().filter { $0.hasPrefix("invite_withdrawn") } == ["invite_withdrawn host"])
        guard case .failure(let nothing) = try world.store.perform(.withdrawInvite(world.newID(), family: "Rivera")) else { throw Unexpected() }
        #expect(nothing.code == .notFound)
        let other = try world.home("Nowak")
        guard case .failure(let foreign) = try world.store.perform(.withdrawInvite(id, family: other.family.description)) else { throw Unexpected() }
        #expect(foreign.code == .notFound)
    }

    @Test("The host ends one session of a person, or all: their connections are closed, their families' audit logs have it")
    func endsSessions() throws {
        let signIns = try (0..<3).map { _ in try world.signIn(home, home.parent) }
        let listed = try #require(try ask(.sessions(member: home.parent))["sessions"]?.elements)
        #expect(listed.count == 3 && listed.allSatisfy { keys($0) == ["session", "name", "kind", "created_on", "used_on", "ends_on"] })
        let one = try #require(listed.first?["session"]?.text.flatMap { Identifier($0) })
        func end(_ session: Identifier?) throws -> Int64? {
            let answer = try world.store.perform(.endSessions(member: home.parent, session: session)).get()
            #expect(keys(answer) == ["member", "ended"])
            return answer["ended"]?.integer
        }
        #expect(try end(one) == 1)
        #expect(world.store.takeEndedSessions().count == 1)
        guard case .failure(let gone) = try world.store.perform(.endSessions(member: home.parent, session: one)) else { throw Unexpected() }
        #expect(gone.code == .notFound)
        #expect(try end(nil) == 2)
        #expect(Set(world.store.takeEndedSessions()).isSubset(of: Set(signIns.map(\.session))))
        #expect(try end(nil) == 0)
        #expect(try acts().filter { $0.hasPrefix("sessions_ended") }.count == 2)
        // A session of another person, a member who never signed in, an unknown member.
        let other = try world.home("Nowak")
        _ = try world.signIn(other, other.parent)
        let foreign = try #require(try ask(.sessions(member: other.parent))["sessions"]?.elements.first?["session"]?.text.flatMap { Identifier($0) })
        _ = try world.signIn(home, home.parent)
        guard case .failure(let refused) = try world.store.perform(.endSessions(member: home.parent, session: foreign)) else { throw Unexpected() }
        #expect(refused.code == .notFound)
        let leo = try world.athlete(home)
        #expect(try world.store.perform(.endSessions(member: leo, session: nil)).get()["ended"]?.integer == 0)
        guard case .failure(let nobody) = try world.store.perform(.endSessions(member: world.newID(), session: nil)) else { throw Unexpected() }
        #expect(nobody.code == .notFound)
    }

    // MARK: Questions

    @Test("Families, one family and its people are shown with these keys, and never with a secret or a birth date")
    func keys() throws {
        let leo = try world.athlete(home)
        _ = try world.signIn(home, home.parent)
        try world.mutate(home, home.parent, text(10))
        let summary = [
            "family", "name", "zone", "created_at", "last_change_at", "members", "records", "rows_octets", "files_octets", "rows_limit", "files_limit", "own_quotas",
        ]
        let families = try ask(.families(after: nil, withPeople: false))
        #expect(keys(families) == ["families"] && keys(families["families"]?.elements.first) == summary)
        let row = try #require(families["families"]?.elements.first)
        #expect(row["members"]?.integer == 2 && row["records"]?.integer == 4 && row["rows_octets"]?.integer ?? 0 > 400)
        let family = try ask(.family("Rivera"))
        #expect(keys(family) == summary + ["changes", "people", "pending_invites"])
        #expect(family["people"]?.elements.map { $0["name"]?.text } == ["Ana", "Leo"])
        let listed = try ask(.people(family: "Rivera", after: nil))["people"]?.elements ?? []
        #expect(listed.map { keys($0) } == [
            ["family", "member", "name", "role", "signs_in", "sessions"], ["family", "member", "name", "role", "signs_in"],
        ])
        let ana = try ask(.person(member: home.parent))
        #expect(keys(ana) == ["member", "signs_in", "families", "password", "second_factor", "recovery_codes", "passkeys", "tokens", "sessions"])
        #expect(ana["families"]?.elements.map { keys($0) } == [["family", "family_name", "member", "name", "role"]])
        #expect(keys(try ask(.person(member: leo))) == ["member", "signs_in", "families"])
        #expect(keys(try ask(.status)) == ["families", "files_octets", "position", "consumers"])
        for question in [HostQuestion.families(after: nil, withPeople: true), .family("Rivera"), .people(family: nil, after: nil), .person(member: leo)] {
            let text = String(decoding: try ask(question).octets, as: UTF8.self)
            #expect(!text.contains("2010-05-05") && !text.contains("born"), "no birth date")
        }
    }

    @Test("Long lists come in pages: each family and each member once, in order, also if the time of a page is over")
    func pages() throws {
        let homes = [home] + (try (1..<HostQuestion.rows * 2 + 3).map { try world.home("Family \($0)") })
        for number in 0..<5 { _ = try world.athlete(homes[3], name: "Athlete \(number)") }
        let (families, pages) = try all("families") { .families(after: $0?.integer, withPeople: false) }
        #expect(families.map { $0["family"]?.text } == homes.map(\.family.description) && pages == 3)
        let (people, _) = try all("people") { .people(family: nil, after: $0?.text) }
        #expect(people.count == homes.count + 5 && Set(people.compactMap { $0["member"]?.text }).count == people.count)
        let (members, _) = try all("people") { .people(family: homes[3].family.description, after: $0?.text) }
        #expect(members.count == 6)
        let (withPeople, _) = try all("families") { .families(after: $0?.integer, withPeople: true) }
        #expect(withPeople.reduce(0) { $0 + ($1["people"]?.elements.count ?? 0) } == people.count)
        // One family in each page.
        var (after, seen): (Int64?, Int) = (nil, 0)
        repeat {
            let page = try world.reader.answer(.families(after: after, withPeople: false)) { true }.get()
            seen += page["families"]?.elements.count ?? 0
            after = page["next"]?.integer
        } while after != nil
        #expect(seen == homes.count)
        for mark in ["x", "1", "1.2.3", "-1.x", ""] {
            guard case .failure(let rejection) = try world.reader.answer(.people(family: nil, after: mark)) else { throw Unexpected() }
            #expect(rejection.code == .invalid && rejection.field == "after")
        }
    }

    @Test("A family with more members than a page holds comes whole")
    func manyMembers() throws {
        let ids = try (0..<HostQuestion.rows + 5).map { number in
            // A family makes 50 invites per day.
            if number % 40 == 39 { world.surroundings.now += 2 * Surroundings.day }
            return try world.invite(home, .athlete, name: "A \(number)", born: "2020-01-01").member
        }
        let (people, pages) = try all("people") { .people(family: "Rivera", after: $0?.text) }
        #expect(people.compactMap { $0["member"]?.text.flatMap { Identifier($0) } } == ([home.parent] + ids).sorted() && pages == 2)
    }

    @Test("The host's own acts are shown over all families, the newest first, in pages; acts of others are not among them")
    func hostActs() throws {
        let other = try world.home("Nowak")
        _ = try world.signIn(home, home.parent)
        for number in 1...HostQuestion.rows {
            // Two of three share their time with another; the last is newer than all.
            world.surroundings.now += number % 3 == 1 ? 1 : 0
            _ = try set([.lists: number], of: (number % 2 == 0 ? home : other).family.description).get()
        }
        let (acts, pages) = try all("entries") { .audit(family: nil, after: $0?.text) }
        #expect(acts.count == HostQuestion.rows + 3 && pages == 2)
        #expect(acts.first?["detail"]?.text == "lists \(HostQuestion.rows)" && acts.allSatisfy { $0["by"]?.text == "host" })
        let times = acts.compactMap { $0["at"]?.integer }
        #expect(times == times.sorted(by: >))
        #expect(Set(acts.map { "\($0["family"]?.text ?? "") \($0["detail"]?.text ?? "") \($0["act"]?.text ?? "")" }).count == acts.count)
        let (family, _) = try all("entries") { .audit(family: "Rivera", after: $0?.text) }
        #expect(family.count == HostQuestion.rows / 2 + 2)
        #expect(keys(acts.first) == ["family", "at", "act", "by", "count", "detail"])
        for mark in ["x", "1", "1.2", "-1.2.3"] {
            guard case .failure(let rejection) = try world.reader.answer(.audit(family: nil, after: mark)) else { throw Unexpected() }
            #expect(rejection.code == .invalid)
        }
    }

    // MARK: Lines

    static let one = AdminCodecTests.one
    private static var own: FamilyQuotas {
        var own = FamilyQuotas()
        (own[.connections], own[.files]) = (1, 1_000_000 << 30)
        return own
    }

    @Test("Acts and questions read as they were written, in one line; a line that is cut is refused")
    func lines() throws {
        let acts: [HostAct] = [
            .setQuotas(family: "Rivera \"&\" Söhne\n", own: Self.own, cleared: [.rows, .lists]), .withdrawInvite(Self.one, family: "Rivera"),
            .endSessions(member: Self.one, session: nil), .endSessions(member: Self.one, session: Self.one),
        ]
        for act in acts {
            let line = act.encode()
            #expect(!line.contains(UInt8(ascii: "\n")) && line.starts(with: #"{"act":"#.utf8))
            #expect(try HostAct.decode(line) == act)
            for end in line.indices { #expect(throws: JSONError.self) { try HostAct.decode(Array(line[..<end])) } }
        }
        let questions: [HostQuestion] = [
            .families(after: nil, withPeople: false), .families(after: 7, withPeople: true), .family("R"), .people(family: nil, after: nil),
            .people(family: "R", after: "1.2"), .person(member: Self.one), .invites(family: "R"), .sessions(member: Self.one), .quotas(family: "R"),
            .audit(family: nil, after: "1.2.3"), .audit(family: "R", after: nil), .reminders(member: Self.one, from: 5, to: 7, after: nil), .reminders(member: Self.one, from: 5, to: 7, after: 64), .status,
        ]
        for question in questions {
            let line = question.encode()
            #expect(!line.contains(UInt8(ascii: "\n")) && line.starts(with: #"{"question":"#.utf8))
            #expect(try HostQuestion.decode(line) == question)
            for end in line.indices { #expect(throws: JSONError.self) { try HostQuestion.decode(Array(line[..<end])) } }
        }
    }

    @Test("A line with something missing or of another type is refused", arguments: [
        "{}", "[]", #"{"act":"dance"}"#, #"{"act":"set_quotas"}"#, #"{"act":"set_quotas","family":"R","own":{"speed":1}}"#,
        #"{"act":"set_quotas","family":"R","own":{"rows":"1"}}"#, #"{"act":"set_quotas","family":"R","clear":["speed"]}"#,
        #"{"act":"withdraw_invite","family":"R"}"#, #"{"act":"withdraw_invite","family":"R","invite":"x"}"#, #"{"act":"end_sessions","member":7}"#,
        #"{"act":"end_sessions","member":"01910000-0000-7000-8000-000000000001","session":"x"}"#, #"{"question":"dance"}"#, #"{"question":"family"}"#,
        #"{"question":"person","member":"x"}"#, #"{"question":"reminders","member":"01910000-0000-7000-8000-000000000001","from":1}"#, #"{"question":7}"#,
    ])
    func refuses(line: String) {
        #expect(throws: JSONError.self) { try HostAct.decode(Array(line.utf8)) }
        #expect(throws: JSONError.self) { try HostQuestion.decode(Array(line.utf8)) }
    }
}
