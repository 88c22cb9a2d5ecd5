import Bytes
import Dates
import Family
import Ledger
import Posix
import StoreMemory
import TestSupport
import Testing
import Wire

@testable import Store
@testable import StoreSQLite

@Suite("Consent, ages and last days: who may enter a family, and the acts of parents that decide it (issue 15)", .bothEngines)
struct ConsentTests {
    let world: World
    let home: World.Home
    private static let text = ConsentText.standard
    private static let day = Surroundings.day

    init() throws {
        world = try World()
        home = try world.home()
    }

    // MARK: Short words

    private func act(_ act: MemberCommand.Act, _ member: Identifier, by: Identifier? = nil) throws -> (Result<Standing, Rejection>, BarredMember?) {
        try world.store.perform(MemberCommand(act, member: member, family: home.family, by: by ?? home.parent))
    }

    private static let consent = MemberCommand.Act.consent(version: text.version, digest: text.digest)

    /// An athlete of 15 without a consent.
    private func athlete(_ name: String = "Leo", born: String = "2011-05-05") throws -> Identifier {
        try world.invite(home, .athlete, name: name, born: born).member
    }

    private func token(_ member: Identifier) throws -> Result<String, Rejection> {
        try world.store.perform(.token(member: member)).0.map { if case .token(let created) = $0 { created.token } else { "" } }
    }

    private func acts() throws -> [String] {
        try world.reader.audit(family: home.family, member: home.parent, AuditRequest(request: 1, limit: 200)).get().entries.reversed().map(\.act)
    }

    private func invite(_ member: Identifier) throws -> Result<MadeInvite, Rejection> {
        let origin = NewInvite.Origin.session(id: world.newID(), nonce: World.nonce(3))
        return try world.store.perform(.make(NewInvite(family: "\(home.family)", member: member, by: home.parent, origin: origin))).0
    }

    private func enter(_ member: Identifier) throws -> Result<JoinState, Rejection> {
        let person = try #require(try world.stored { try $0.people.membership(member)?.person })
        switch try world.reader.join(person: person, Join(family: home.family, client: world.newID())) {
        case .joined(let state): return .success(state)
        case .refused(let rejection): return .failure(rejection)
        }
    }

    // MARK: Consent

    @Test("The host proposes an athlete of 13 to 17 without a code, however the host names a parent; a parent's consent opens the invite, and the athlete signs in")
    func proposal() throws {
        let invited = try world.invite(home, .athlete, name: "Leo", born: "2011-05-05")
        #expect(invited.code == nil)
        #expect(try token(invited.member).failure?.message.contains("consent") == true)
        let again = AdminCommand.invite(NewInvite(family: "\(home.family)", member: invited.member, by: home.parent))
        let refused = try world.store.perform(again).0.failure
        #expect(refused?.code == .required && refused?.field == "consent" && refused?.message.contains(Self.text.version) == true)
        #expect(try invite(invited.member).failure == refused)
        let (answer, barred) = try act(Self.consent, invited.member)
        let standing = try answer.get()
        #expect(standing.state == .consented && !standing.hasSignIn && !standing.isInvited && standing.isDue && barred == nil)
        #expect(standing.consent == .init(by: home.parent, at: world.surroundings.now, version: Self.text.version))
        let code = try #require(try invite(invited.member).get().code)
        guard case .token(let created) = try world.store.perform(.redeem(code: code, nonce: World.nonce(1), name: "Leo")).0.get() else { throw Unexpected() }
        #expect(try world.reader.signIn(token: created.token)?.memberships.map(\.member) == [invited.member])
        #expect(try enter(invited.member).failure == nil)
    }

    @Test("The server stores the version and the SHA-256 of the text, the person and the time")
    func stored() throws {
        _ = try token(home.parent).get()
        let leo = try athlete()
        _ = try act(Self.consent, leo).0.get()
        let (consent, person) = try world.stored { engine in
            (try engine.people.consent(family: 1, member: leo), try engine.people.membership(home.parent)?.person)
        }
        #expect(consent?.terms == Self.text.version && consent?.digest.map { Hex.encode($0) } == Self.text.digest)
        #expect(consent?.by == home.parent && consent?.at == world.surroundings.now && consent?.person == person && person != nil)
    }

    @Test("Consent by a guest, an athlete or a stranger, to an older text, or for somebody who needs none is refused, naming the text, and changes nothing")
    func refusals() throws {
        let leo = try athlete(), gus = try world.member(home, .guest, name: "Gus"), mia = try world.athlete(home, name: "Mia")
        let adult = try athlete("Ada", born: "2000-01-01"), child = try athlete("Kim", born: "2020-01-01")
        let stranger = try world.home("Other").parent
        let before = try acts()
        for by in [gus, mia] {
            let refused = try #require(try act(Self.consent, leo, by: by).0.failure)
            #expect(refused.code == .notAllowed && refused.message.contains(Self.text.version))
        }
        for by in [stranger, world.newID(), leo] { #expect(try act(Self.consent, leo, by: by).0.failure?.code == .notFound) }
        for (version, digest) in [("huddle-consent-1", Self.text.digest), (Self.text.version, String(repeating: "0", count: 64)), ("", "")] {
            let refused = try #require(try act(.consent(version: version, digest: digest), leo).0.failure)
            #expect(refused.code == .invalid && refused.field == "version" && refused.message.contains(Self.text.version))
        }
        for (member, code) in [(gus, ErrorCode.invalid), (home.parent, .invalid), (child, .notAllowed), (adult, .contradicted), (world.newID(), .notFound)] {
            #expect(try act(Self.consent, member).0.failure?.code == code)
        }
        #expect(try acts() == before)
        #expect(try world.stored { try $0.people.consent(family: 1, member: leo) } == nil)
    }

    @Test("A consent and its withdrawal that are sent again change nothing and leave no second entry")
    func repeated() throws {
        let leo = try athlete()
        for _ in 0..<2 { _ = try act(Self.consent, leo).0.get() }
        for _ in 0..<2 { #expect(try act(.withdrawConsent, leo).0.get().state == .consentNeeded) }
        #expect(try acts().suffix(2) == ["consent_given", "consent_withdrawn"])
        #expect(try acts().count == 4)
    }

    @Test("The withdrawal ends the athlete's sessions, an open invite, and every way in; a new consent opens no session by itself")
    func withdrawal() throws {
        let leo = try athlete()
        _ = try act(Self.consent, leo).0.get()
        let tokens = try [token(leo).get(), token(leo).get()]
        let keys = try tokens.map { try #require(try world.reader.signIn(token: $0)?.session) }
        let (answer, barred) = try act(.withdrawConsent, leo)
        #expect(try answer.get().state == .consentNeeded)
        #expect(barred == BarredMember(family: home.family, member: leo, sessions: keys.sorted()))
        for token in tokens { #expect(try world.reader.signIn(token: token) == nil) }
        #expect(try enter(leo).failure?.message.contains("consent") == true)
        #expect(try world.mutate(home, leo, message(world.newID(), "Hi")).code == .notFound, "a frame that waited for the writer")
        #expect(try token(leo).failure?.code == .notAllowed)
        #expect(try acts().suffix(2) == ["consent_withdrawn", "sessions_ended"])
        _ = try act(Self.consent, leo).0.get()
        for token in tokens { #expect(try world.reader.signIn(token: token) == nil) }
        #expect(try enter(leo).failure == nil)
        // An invite that is open ends as well.
        let mia = try athlete("Mia")
        _ = try act(Self.consent, mia).0.get()
        let code = try #require(try invite(mia).get().code)
        _ = try act(.withdrawConsent, mia).0.get()
        #expect(try world.store.perform(.redeem(code: code, nonce: World.nonce(1), name: "Mia")).0.failure?.code == .codeUnknown)
    }

    @Test("A new text leaves the consents to the old one in force, and each new consent has to be to the new one")
    func newText() throws {
        let text = try #require(ConsentText(version: "club-consent-3", text: "# New\n"))
        let surroundings = Surroundings()
        let world = try World(inMemory: surroundings)
        let home = try world.home()
        let leo = try world.athlete(home)
        let environment = StoreEnvironment(
            now: surroundings.environment.now, random: surroundings.environment.random, localDate: surroundings.environment.localDate,
            rules: surroundings.environment.rules, consent: text)
        let database = try #require(world.memory)
        let store = try FamilyStore(MemoryEngine(database), environment: environment)
        #expect(try store.perform(AdminCommand.token(member: leo)).0.failure == nil)
        let old = MemberCommand(Self.consent, member: leo, family: home.family, by: home.parent)
        #expect(try store.perform(old).0.failure?.message.contains("club-consent-3") == true)
        let new = MemberCommand(.consent(version: text.version, digest: text.digest), member: leo, family: home.family, by: home.parent)
        #expect(try store.perform(new).0.get().consent?.version == "club-consent-3")
    }

    // MARK: Days

    /// The instant at which a day begins in a zone.
    private func midnight(_ day: String, _ zone: String) throws -> Int64 {
        let date = try #require(CalendarDate(day))
        return world.surroundings.environment.rules.rules(zone).instant(of: LocalDateTime(date: date, time: .midnight))
    }

    /// A birth date, and the days on which the athlete is 13, 16 and 18.
    struct Birthday: Sendable {
        var born: String
        var days: [String]
    }

    @Test("13, 16 and 18 take effect on the day by the family's zone, for births on leap days and others", arguments: [
        Birthday(born: "2012-02-29", days: ["2025-03-01", "2028-02-29", "2030-03-01"]),
        Birthday(born: "2012-03-01", days: ["2025-03-01", "2028-03-01", "2030-03-01"]),
        Birthday(born: "2012-02-28", days: ["2025-02-28", "2028-02-28", "2030-02-28"]),
        Birthday(born: "2011-12-31", days: ["2024-12-31", "2027-12-31", "2029-12-31"]),
    ], ["Pacific/Kiritimati", "Pacific/Honolulu", "America/New_York", "UTC"])
    func birthdays(_ birthday: Birthday, zone: String) throws {
        let world = world
        world.surroundings.now = 1_700_000_000_000
        let home = try world.home("Zone", zone: zone)
        let leo = try world.invite(home, .athlete, born: birthday.born).member
        func standing() throws -> Standing.State {
            let list = try world.reader.standings(family: home.family, member: home.parent, StandingsRequest(request: 1)).get()
            return try #require(list.standings.first { $0.member == leo }).state
        }
        func token() throws -> ErrorCode? { try world.store.perform(AdminCommand.token(member: leo)).0.failure?.code }
        func access(_ word: String) throws -> ErrorCode? {
            let version = try world.record(home, leo).version
            return try world.mutate(
                home, leo, Operation(kind: .member, id: leo, action: .update(base: version, merge: .none, patch: patch(.member, ["parent_access": .text(word)])))
            ).code
        }
        let days = try birthday.days.map { try midnight($0, zone) }
        world.surroundings.now = days[0] - 1
        #expect(try standing() == .underAge)
        #expect(try world.store.approve(leo, in: home.family, by: home.parent)?.code == .notAllowed)
        #expect(try token() == .notAllowed)
        world.surroundings.now = days[0]
        #expect(try standing() == .consentNeeded)
        #expect(try token() == .notAllowed)
        #expect(try world.store.approve(leo, in: home.family, by: home.parent) == nil)
        #expect(try token() == nil)
        world.surroundings.now = days[1] - 1
        #expect(try access("view") == .notAllowed)
        world.surroundings.now = days[1]
        #expect(try access("view") == nil)
        _ = try world.store.perform(MemberCommand(.withdrawConsent, member: leo, family: home.family, by: home.parent)).0.get()
        world.surroundings.now = days[2] - 1
        #expect(try standing() == .consentNeeded)
        #expect(try access("edit") == .notFound)
        world.surroundings.now = days[2]
        #expect(try standing() == .open)
        #expect(try token() == nil)
        #expect(try access("edit") == nil)
    }

    @Test("A guest is in the family through the last day, by its zone, and out of it on the next", arguments: ["Pacific/Kiritimati", "Pacific/Honolulu", "UTC"])
    func lastDay(zone: String) throws {
        let home = try world.home("Zone", zone: zone)
        world.surroundings.now = try midnight("2028-02-20", zone)
        let new = NewInvite(
            family: "\(home.family)", name: "Gus", role: .guest, lastDay: "2028-02-29", by: home.parent, origin: .session(id: world.newID(), nonce: World.nonce(2)))
        let made = try world.store.perform(.make(new)).0.get()
        #expect(made.invite.lastDay == "2028-02-29")
        let gus = made.invite.member
        guard case .token(let created) = try world.store.perform(.redeem(code: try #require(made.code), nonce: World.nonce(1), name: "Gus")).0.get()
        else { throw Unexpected() }
        world.surroundings.now = try midnight("2028-03-01", zone) - 1
        #expect(try world.reader.signIn(token: created.token)?.memberships.count == 1)
        #expect(try world.store.endGuests().isEmpty)
        world.surroundings.now += 1
        #expect(try world.reader.signIn(token: created.token)?.memberships.isEmpty == true)
        let person = try #require(try world.stored { try $0.people.membership(gus)?.person })
        guard case .refused(let refused) = try world.reader.join(person: person, Join(family: home.family, client: world.newID())) else { throw Unexpected() }
        #expect(refused.code == .notAllowed)
        let changes = try world.store.endGuests()
        guard case .change(let change)? = changes.first else { throw Unexpected() }
        #expect(changes.count == 1 && change.members.map(\.member) == [gus] && change.members.map(\.role) == [nil])
        #expect(try world.record(home, gus).isDeleted)
        #expect(try world.reader.signIn(token: created.token) == nil)
        #expect(try world.store.endGuests().isEmpty)
        let log = try world.reader.audit(family: home.family, member: home.parent, AuditRequest(request: 1, limit: 1)).get()
        #expect(log.entries.first == Audit.Entry(at: world.surroundings.now, act: "guest_ended", author: .server, about: gus, detail: "2028-02-29"))
    }

    @Test("A parent sets, moves and lifts the last day of a guest, and of nobody else; a day that is over is refused")
    func settingLastDay() throws {
        let gus = try world.member(home, .guest, name: "Gus"), leo = try world.athlete(home)
        for (member, day, code) in [
            (gus, "2026-11-20", ErrorCode.invalid), (gus, "2026-02-30", .invalid), (gus, "2126-01-01", .invalid), (leo, "2027-01-01", .invalid),
            (home.parent, "2027-01-01", .invalid),
        ] { #expect(try act(.setLastDay(day), member).0.failure?.code == code, "\(day)") }
        #expect(try act(.setLastDay("2026-11-21"), gus).0.get().lastDay == "2026-11-21", "today is the last day")
        for _ in 0..<2 { #expect(try act(.setLastDay("2026-12-24"), gus).0.get().lastDay == "2026-12-24") }
        #expect(try act(.setLastDay(nil), gus).0.get().lastDay == nil)
        #expect(try acts().filter { $0 == "guest_end_set" }.count == 3)
        world.surroundings.now += 90 * Self.day
        #expect(try world.store.endGuests().isEmpty)
        for by in [gus, leo] { #expect(try act(.setLastDay(nil), gus, by: by).0.failure?.code == .notAllowed) }
    }

    // MARK: Birth dates

    @Test("A younger birth date closes the sign-in; the right one again opens nothing by itself; an invite does")
    func corrections() throws {
        let leo = try world.athlete(home, born: "2010-05-05")
        let token = try token(leo).get()
        let (answer, barred) = try act(.correctBirthDate("2015-05-05"), leo)
        #expect(try answer.get().state == .underAge)
        #expect(barred?.sessions.count == 1 && barred?.member == leo)
        #expect(try world.reader.signIn(token: token) == nil)
        let (back, nobody) = try act(.correctBirthDate("2008-01-01"), leo)
        let standing = try back.get()
        #expect(standing.state == .consented && !standing.hasSignIn && nobody == nil, "the former sign-in does not lead here any more")
        #expect(try world.stored { try $0.people.membership(leo)?.person } == nil)
        #expect(try invite(leo).failure == nil)
        #expect(try acts().filter { $0 == "birth_date_corrected" }.count == 2)
        for born in ["2027-01-01", "1800-01-01", "x", "2010-02-30"] { #expect(try act(.correctBirthDate(born), leo).0.failure?.field == "born", "\(born)") }
        #expect(try act(.correctBirthDate("2000-01-01"), home.parent).0.failure?.field == "born")
        let log = try world.reader.changes(family: home.family, after: 0, maxOctets: .max).frames
        #expect(!log.contains { String(decoding: $0.frame, as: UTF8.self).contains("2015-05-05") }, "a birth date is never broadcast")
    }

    // MARK: Standings

    @Test("Parents see everybody's standing and who is due, others their own; nobody sees a birth date")
    func standings() throws {
        let leo = try athlete(), kim = try athlete("Kim", born: "2020-01-01"), ada = try athlete("Ada", born: "2000-01-01")
        let gus = try world.member(home, .guest, name: "Gus"), stranger = try world.home("Other").parent
        func list(_ member: Identifier) throws -> Result<StandingList, Rejection> {
            let answer = try world.reader.standings(family: home.family, member: member, StandingsRequest(request: 4))
            guard case .success(let list) = answer, case .standings(let read) = try travelled(.standings(list)) else { return answer }
            return .success(read)
        }
        let all = try list(home.parent).get()
        #expect(all.text == Self.text)
        #expect(Set(all.standings.filter(\.isDue).map(\.member)) == [leo], "she is invited")
        #expect(Set(all.standings.map(\.member)) == [home.parent, leo, kim, ada, gus])
        for member in [leo, gus] { #expect(try list(member).get().standings.map(\.member) == [member]) }
        for member in [stranger, world.newID()] { #expect(try list(member).failure?.code == .notFound) }
        #expect(!String(decoding: ServerFrame.standings(all).encode(), as: UTF8.self).contains("2020"))
    }

    // MARK: The matrix

    enum Place: CaseIterable, Sendable { case inside, former, stranger }

    struct Cell: Sendable, CustomTestStringConvertible {
        var role: Role
        var age: Int?
        var hasConsent = false
        /// Days from today to the guest's last day.
        var lastDay: Int?
        var place: Place

        var testDescription: String {
            "\(place) \(role)\(age.map { " of \($0)" } ?? "")\(hasConsent ? " with consent" : "")\(lastDay.map { ", last day \($0)" } ?? "")"
        }

        /// Said again in other words than the store's: who may enter.
        var mayEnter: Bool {
            guard place == .inside else { return false }
            switch role {
            case .parent: return true
            case .guest: return (lastDay ?? 0) >= 0
            case .athlete: return [18, 40].contains(age) || (hasConsent && [13, 15, 16, 17].contains(age))
            }
        }

        static let all: [Cell] = Place.allCases.flatMap { place -> [Cell] in
            let athletes = [nil, 12, 13, 15, 16, 17, 18, 40].flatMap { age in
                [false, true].map { Cell(role: .athlete, age: age, hasConsent: $0, place: place) }
            }
            return athletes + [nil, -1, 0, 1].map { Cell(role: .guest, lastDay: $0, place: place) } + [Cell(role: .parent, place: place)]
        }
    }

    @Test("Role, age, consent, last day and act: each combination, for members, former members and strangers", arguments: Cell.all)
    func matrix(cell: Cell) throws {
        let home = cell.place == .stranger ? try world.home("Theirs") : home
        let today = try #require(CalendarDate("2026-11-21"))
        let me: Identifier
        switch cell.role {
        case .athlete: me = try world.invite(home, .athlete, name: "Me", born: "2013-11-22").member
        case .guest, .parent: me = try world.member(home, cell.role, name: "Me")
        }
        // Behind the rules, so that every combination is there.
        guard case .done(let person) = try world.store.transaction({ _ -> Int64 in
            let key = try #require(try world.store.people.membership(me)?.family)
            if cell.role == .athlete {
                if let age = cell.age, let born = CalendarDate(year: today.year - age, month: 11, day: 21) {
                    try world.store.people.setBirth(born, family: key, member: me)
                } else {
                    try world.store.people.forgetBirth(family: key, member: me)
                }
            }
            if cell.hasConsent { try world.store.people.setConsent(Consent(by: home.parent, at: 1, terms: "t"), family: key, member: me) }
            if let days = cell.lastDay { try world.store.people.setLastDay(today.adding(days: days), family: key, member: me) }
            world.store.forgetFamily(key: key)
            let at = world.surroundings.now
            let person = try world.store.people.person(of: try #require(try world.store.people.membership(me)), at: at)
            _ = try world.store.makeSession(NewSession(person: person, kind: .terminal), token: "me", at: at)
            return person
        }) else { throw Unexpected() }
        let leo = try athlete("Sibling"), gus = try world.member(self.home, .guest, name: "Gus")
        _ = try token(self.home.parent).get()
        if cell.place == .former { try world.mutate(home, home.parent, delete(.member, me, base: 1)) }
        let outside = ErrorCode.notFound
        func expected(parent: ErrorCode?, athlete: ErrorCode?, guest: ErrorCode?) -> ErrorCode? {
            guard cell.mayEnter else { return outside }
            switch cell.role {
            case .parent: return parent
            case .athlete: return athlete
            case .guest: return guest
            }
        }
        func check(_ name: String, _ got: ErrorCode?, _ wanted: ErrorCode?) { #expect(got == wanted, "\(name): \(cell.testDescription)") }

        // Reading: sign-in and join.
        let families = try world.reader.signIn(token: "me")?.memberships.map(\.family) ?? []
        #expect(families.contains(self.home.family) == cell.mayEnter, "sign-in: \(cell.testDescription)")
        guard case .joined = try world.reader.join(person: person, Join(family: self.home.family, client: world.newID())) else {
            #expect(!cell.mayEnter, "join: \(cell.testDescription)")
            return try performActs()
        }
        #expect(cell.mayEnter, "join: \(cell.testDescription)")
        try performActs()

        func performActs() throws {
            // Writing, as a frame that reached the writer.
            check("message", try world.mutate(self.home, me, message(world.newID(), "Hi")).code, expected(parent: nil, athlete: nil, guest: .notAllowed))
            let access = Operation(kind: .member, id: me, action: .update(base: 1, merge: .none, patch: patch(.member, ["parent_access": .text("view")])))
            check(
                "parent_access", try world.mutate(self.home, me, access).code,
                expected(parent: .notAllowed, athlete: (cell.age ?? 0) >= 16 ? nil : .notAllowed, guest: .notAllowed))
            let parentsOnly = expected(parent: nil, athlete: .notAllowed, guest: .notAllowed)
            check("consent", try act(Self.consent, leo, by: me).0.failure?.code, parentsOnly)
            check("withdrawal", try act(.withdrawConsent, leo, by: me).0.failure?.code, parentsOnly)
            check("birth date", try act(.correctBirthDate("2011-06-06"), leo, by: me).0.failure?.code, parentsOnly)
            check("last day", try act(.setLastDay("2027-01-01"), gus, by: me).0.failure?.code, parentsOnly)
            let new = NewInvite(
                family: "\(self.home.family)", name: "New", role: .guest, by: me, origin: .session(id: world.newID(), nonce: World.nonce(4)))
            check("invite", try world.store.perform(.make(new)).0.failure?.code, parentsOnly)
            let role = Operation(kind: .member, id: gus, action: .update(base: 1, merge: .none, patch: patch(.member, ["role": .text("parent")])))
            check("role", try world.mutate(self.home, me, role).code, parentsOnly)
            try performActsOfSession()
            // A session of the host's.
            let token = try world.store.perform(AdminCommand.token(member: me)).0.failure?.code
            switch cell.place {
            case .inside: check("token", token, cell.mayEnter ? nil : .notAllowed)
            case .former: check("token", token, .notFound)
            case .stranger: break
            }
            check("leaving", try world.mutate(self.home, me, delete(.member, me, base: try version())).code, expected(parent: nil, athlete: nil, guest: nil))
        }
        /// The acts of a session of the person, which may have been opened before the person was barred.
        func performActsOfSession() throws {
            guard let session = try world.stored({ try $0.people.session(hash: SessionToken.hash("me")) })?.key else { return }
            check(
                "recovery of a member", try world.store.makeRecovery(of: self.home.parent, family: self.home.family, by: session).failure?.code,
                expected(parent: nil, athlete: .notAllowed, guest: .notAllowed))
            let calendar = NewToken(id: world.newID(), nonce: World.nonce(6), name: "Calendar", scope: .calendar, days: 9, athletes: [leo])
            check("calendar token", try world.store.makeToken(calendar, by: session).failure?.code, expected(parent: nil, athlete: nil, guest: nil))
            // Another device of the person is in no other families than the person.
            guard case .success(let device) = try world.store.makeDeviceCode(by: session) else { return }
            let redeemed = try world.store.perform(.redeem(code: device.code, nonce: World.nonce(7))).0
            guard case .success(.token(let created)) = redeemed else { return #expect(!cell.mayEnter, "device: \(cell.testDescription)") }
            let families = try world.reader.signIn(token: created.token)?.memberships.map(\.family) ?? []
            #expect(families.contains(self.home.family) == cell.mayEnter, "device: \(cell.testDescription)")
        }
        func version() throws -> Int64 { try world.snapshot(home).records[me]?.version ?? 1 }
    }
}
