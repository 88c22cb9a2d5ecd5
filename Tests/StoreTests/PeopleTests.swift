import Bytes
import Family
import Store
import Testing
import Wire

@Suite("People, members, sessions, semantics.md; people under age, product.md", .bothEngines)
struct PeopleTests {
    let world: World
    let home: World.Home

    init() throws {
        world = try World()
        home = try world.home()
    }

    private func perform(_ command: AdminCommand) throws -> Result<AdminAnswer, Rejection> { try world.store.perform(command).0 }

    private func refusal(_ command: AdminCommand) throws -> Rejection? {
        guard case .failure(let rejection) = try perform(command) else { return nil }
        return rejection
    }

    private func redeem(_ code: String, _ nonce: String = World.nonce(1), name: String = "Gus") throws -> SessionCreated {
        guard case .token(let created) = try perform(.redeem(code: code, nonce: nonce, name: name)).get() else { throw Unexpected() }
        return created
    }

    @Test("a family begins with one change: its own record and its first parent")
    func families() throws {
        let (result, changes) = try world.store.perform(.createFamily(name: " Kim ", zone: "Europe/Warsaw", parent: "Bo"))
        guard case .family(let created) = try result.get(), case .change(let change)? = changes.first else { throw Unexpected() }
        #expect(changes.count == 1)
        #expect(change.family == created.family)
        #expect(change.sequence == 1)
        #expect(change.members.map(\.member) == [created.member])
        #expect(change.members.map(\.role) == [.parent])
        let records = try world.snapshot(World.Home(family: created.family, parent: created.member)).records
        #expect(records.count == 2)
        #expect(records[created.family]?.fields.text("name") == "Kim")
        #expect(records[created.family]?.fields.text("time_zone") == "Europe/Warsaw")
        #expect(records[created.member]?.fields.text("role") == "parent")
        #expect(try redeem(created.code, name: "Bo").member == created.member)
    }

    @Test("names and zones follow the rules of the kinds")
    func refusesFamilies() throws {
        #expect(try refusal(.createFamily(name: " ", zone: "UTC", parent: "Bo"))?.field == "name")
        #expect(try refusal(.createFamily(name: "Kim", zone: "Mars/Base", parent: "Bo"))?.field == "time_zone")
        #expect(try refusal(.createFamily(name: "Kim", zone: "UTC", parent: ""))?.code == .required)
        #expect(try refusal(.invite(NewInvite(family: home.family, name: "", role: .guest, by: home.parent)))?.field == "name")
        #expect(try world.count("families") == 1, "what was refused left nothing")
    }

    @Test("A person who is invited is in no change until they accept; the change of joining is theirs, and has the id that the invite named")
    func invites() throws {
        let command = AdminCommand.invite(NewInvite(family: home.family, name: " Gus ", role: .guest, by: home.parent))
        let (result, changes) = try world.store.perform(command)
        guard case .invited(let invited) = try result.get() else { throw Unexpected() }
        #expect(changes.isEmpty)
        #expect(invited.name == "Gus" && invited.role == .guest)
        #expect(try world.log(home).last?.sequence == 1)
        #expect(try world.snapshot(home).records[invited.member] == nil)
        #expect(invited.expiresAt == world.surroundings.now + 7 * Surroundings.day)
        let (answer, joined) = try world.store.perform(.redeem(code: try #require(invited.code), nonce: World.nonce(1), name: "Gus"))
        guard case .token(let created) = try answer.get(), case .change(let told)? = joined.first else { throw Unexpected() }
        #expect(created.member == invited.member && created.role == .guest)
        #expect(joined.count == 1 && told.members.map(\.member) == [invited.member] && told.members.map(\.role) == [.guest])
        let change = try #require(try world.log(home).last)
        #expect(change.sequence == 2)
        #expect(change.member == invited.member)
        #expect(change.client == nil && change.mutation == nil)
        #expect(change.entries.map(\.id) == [invited.member])
        #expect(try world.record(home, invited.member).fields.text("name") == "Gus")
    }

    @Test("an athlete needs a birth date and a parent who asks")
    func athletes() throws {
        func invite(born: String?, by: Identifier?) throws -> Rejection? {
            try refusal(.invite(NewInvite(family: home.family, name: "Leo", role: .athlete, born: born, by: by)))
        }
        #expect(try invite(born: nil, by: home.parent)?.field == "born")
        #expect(try invite(born: "2010-05-05", by: nil)?.field == "by")
        for born in ["2027-01-01", "1800-01-01", "2010-5-5", "05.05.2010", "", "2010-13-01", "2010-02-30"] {
            #expect(try invite(born: born, by: home.parent)?.code == .invalid, "\(born)")
        }
        let leo = try world.athlete(home)
        let elsewhere = try world.home("Other")
        for by in [leo, elsewhere.parent, world.newID()] { #expect(try invite(born: "2010-05-05", by: by)?.field == "by") }
        #expect(try refusal(.invite(NewInvite(family: world.newID(), name: "Leo", role: .guest, by: home.parent)))?.code == .notFound)
        #expect(try refusal(.invite(NewInvite(family: home.family, name: "Gus", role: .guest)))?.field == "by", "a guest needs a parent's word, too")
        #expect(try refusal(.invite(NewInvite(family: home.family, name: "Gus", role: .guest, born: "2010-05-05", by: home.parent)))?.field == "born")
    }

    struct Ages: Sendable {
        var born: String
        var hasCode: Bool
        var hasConsent: Bool
    }

    @Test("P09 P01 below 13 no login, from 13 to 17 with a parent's stored consent, from 18 without", arguments: [
        Ages(born: "2013-11-22", hasCode: false, hasConsent: false), Ages(born: "2013-11-21", hasCode: false, hasConsent: true),
        Ages(born: "2008-11-22", hasCode: false, hasConsent: true), Ages(born: "2008-11-21", hasCode: true, hasConsent: false),
    ])
    func ages(_ ages: Ages) throws {
        let invited = try world.invite(home, .athlete, born: ages.born)
        #expect((invited.code != nil) == ages.hasCode)
        #expect((try refusal(.token(member: invited.member)) == nil) == ages.hasCode, "the host opens no sign-in without a consent")
        #expect((try world.store.approve(invited.member, in: home.family, by: home.parent) == nil) == ages.hasConsent)
        let consents = try world.stored { try $0.people.persons(family: 1) }.filter {
            $0.consentAt == world.surroundings.now && $0.consentTerms?.isEmpty == false && $0.consentBy != nil
        }
        #expect(consents.count == (ages.hasConsent ? 1 : 0))
        let refused = try refusal(.token(member: invited.member))
        #expect((refused == nil) == (ages.hasCode || ages.hasConsent))
        if !ages.hasCode, !ages.hasConsent { #expect(refused?.code == .notAllowed) }
        let record = try world.record(home, invited.member)
        #expect(record.fields.text("parent_access") == "edit")
        let log = try world.reader.changes(family: home.family, after: 0, maxOctets: .max).frames
        #expect(!log.contains { String(decoding: $0.frame, as: UTF8.self).contains(ages.born) }, "a birth date is never broadcast")
    }

    @Test("P09 An athlete who turns 13 gets a login by a parent's invite of the profile that is there, on the day, and nobody is doubled")
    func turningThirteen() throws {
        let invited = try world.invite(home, .athlete, born: "2013-11-22")
        let again = AdminCommand.invite(NewInvite(family: home.family.description, member: invited.member, by: home.parent))
        #expect(try refusal(again)?.code == .notAllowed, "a day too early")
        world.surroundings.now += Surroundings.day
        #expect(try refusal(.token(member: invited.member))?.message.contains("consent") == true)
        #expect(try refusal(again)?.field == "consent")
        #expect(try world.store.approve(invited.member, in: home.family, by: home.parent) == nil)
        guard case .invited(let second) = try perform(again).get() else { throw Unexpected() }
        #expect(second.member == invited.member && second.role == .athlete && second.name == "Leo")
        let created = try redeem(try #require(second.code), name: "Leo")
        #expect(created.member == invited.member)
        #expect(try world.snapshot(home).records.values.filter { $0.kind == .member }.count == 2)
        #expect(try world.stored { try $0.people.persons(family: 1) }.first { $0.member == invited.member }?.consentBy == home.parent)
    }

    @Test("codes, tokens and nonces are nowhere in the database", .sqliteOnly("It looks into columns"))
    func secretsAreHashed() throws {
        let code = try #require(try world.invite(home, .guest, name: "Gus").code)
        let created = try redeem(code)
        let plain = code.replacing("-", with: "")
        for (table, hash) in [("codes", "hash"), ("codes", "nonce_hash"), ("sessions", "hash")] {
            for secret in [code, plain, created.token, World.nonce(1)] {
                #expect(try world.query("SELECT count(*) FROM \(table) WHERE instr(\(hash), CAST('\(secret)' AS BLOB)) > 0") == 0)
            }
            #expect(try world.query("SELECT count(*) FROM \(table) WHERE length(\(hash)) = 32") > 0)
        }
    }

    @Test("P10 a code is good for 7 days")
    func codesExpire() throws {
        let code = try #require(try world.invite(home, .guest, name: "Gus").code)
        let other = try #require(try world.invite(home, .guest, name: "Gil").code)
        world.surroundings.now += 7 * Surroundings.day - 1
        _ = try redeem(code)
        world.surroundings.now += 1
        #expect(try refusal(.redeem(code: other, nonce: World.nonce(1)))?.code == .codeUnknown)
        guard case .purged(let purged) = try perform(.purge).get() else { throw Unexpected() }
        #expect(purged.invites == 3)
    }

    @Test("R002 signing out ends that session and no other")
    func signsOut() throws {
        guard case .token(let one) = try perform(.token(member: home.parent)).get(),
            case .token(let two) = try perform(.token(member: home.parent)).get()
        else { throw Unexpected() }
        let session = try #require(try world.reader.signIn(token: one.token)).session
        #expect(try perform(.signOut(token: one.token)) == .success(.signedOut(session: session)))
        #expect(try perform(.signOut(token: one.token)) == .success(.signedOut(session: nil)))
        #expect(try world.reader.signIn(token: one.token) == nil)
        #expect(try world.reader.signIn(token: two.token) != nil)
        guard case .token(let three) = try perform(.token(member: home.parent)).get() else { throw Unexpected() }
        #expect(try #require(try world.reader.signIn(token: three.token)).session != session, "keys of sessions do not come back")
    }

    @Test("removing a member ends their sessions and codes, and notifies the room")
    func removes() throws {
        let guest = try world.invite(home, .guest, name: "Gus")
        let code = try #require(guest.code)
        let token = try redeem(code).token
        #expect(try world.mutate(home, home.parent, delete(.member, home.parent, base: 1)).code == .lastParent)
        let answer = try world.mutate(home, home.parent, delete(.member, guest.member, base: 1))
        #expect(answer.committed?.members.map(\.member) == [guest.member])
        #expect(answer.committed?.members.map(\.role) == [nil])
        #expect(try world.reader.signIn(token: token) == nil)
        #expect(try refusal(.redeem(code: code, nonce: World.nonce(1)))?.code == .codeUnknown)
        #expect(try refusal(.token(member: guest.member))?.code == .notFound)
        #expect(try world.mutate(home, guest.member, message(world.newID(), "Hi")).code == .notFound)
        let restored = try world.mutate(home, home.parent, restore(.member, guest.member, base: 2))
        #expect(restored.committed?.members.map(\.role) == [.guest])
        #expect(try refusal(.token(member: guest.member)) == nil)
    }

    @Test("a rejected removal ends nothing")
    func rejectedRemoval() throws {
        let guest = try world.invite(home, .guest, name: "Gus")
        let token = try redeem(try #require(guest.code)).token
        let bad = create(.school, world.newID(), ["location": .text("X")])
        #expect(try world.mutate(home, home.parent, delete(.member, guest.member, base: 1), bad).code == .required)
        #expect(try world.reader.signIn(token: token) != nil)
        #expect(try world.mutate(home, home.parent, update(.member, guest.member, base: 1, ["role": .text("parent")])).code == nil)
    }

    @Test("P07 a family keeps at least one parent, also within one batch")
    func lastParent() throws {
        let me = home.parent
        #expect(try world.mutate(home, me, delete(.member, me, base: 1)).code == .lastParent)
        #expect(try world.mutate(home, me, update(.member, me, base: 1, ["role": .text("guest")])).rejection?.field == "role")
        let other = try world.member(home, .parent, name: "Bo")
        let both = try world.mutate(home, me, delete(.member, other, base: 1), delete(.member, me, base: 1))
        #expect(both.code == .lastParent)
        #expect(both.rejection?.operation == 1)
        #expect(try world.mutate(home, me, delete(.member, me, base: 1)).code == nil)
        #expect(try world.mutate(home, other, delete(.member, other, base: 1)).code == .lastParent)
    }

    @Test("The records of a removed athlete stay: parents edit and delete them, and nobody adds any; a restore brings the athlete back, without a session")
    func removedAthlete() throws {
        let leo = try world.athlete(home)
        guard case .token(let created) = try perform(.token(member: leo)).get() else { throw Unexpected() }
        let (token, event, second) = (created.token, world.newID(), world.newID())
        let values: KeyValuePairs<String, Value?> = ["type": .text("camp"), "name": .text("Fall"), "start_date": .text("2026-12-05")]
        #expect(try world.mutate(home, home.parent, create(.event, event, athlete: leo, values), create(.event, second, athlete: leo, values)).code == nil)
        #expect(try world.mutate(home, home.parent, delete(.member, leo, base: 1)).code == nil)
        let records = try world.snapshot(home).records
        #expect(records[event]?.athlete == leo && records[event]?.isDeleted == false && records[leo]?.isDeleted == true)
        #expect(try world.page(home, ListRequest(request: 1, kind: .event, limit: 9)).get().records.count == 2)
        #expect(try world.mutate(home, home.parent, update(.event, event, base: 1, ["name": .text("Winter")])).code == nil)
        #expect(try world.mutate(home, home.parent, delete(.event, second, base: 1)).code == nil)
        #expect(try world.mutate(home, home.parent, restore(.event, second, base: 2)).code == nil)
        let refused = try world.mutate(home, home.parent, create(.event, world.newID(), athlete: leo, values))
        #expect(refused.code == .unknownReference && refused.rejection?.field == "athlete")
        #expect(try world.reader.signIn(token: token) == nil)
        #expect(try world.mutate(home, home.parent, restore(.member, leo, base: 2)).code == nil)
        #expect(try world.reader.signIn(token: token) == nil)
        #expect(try world.mutate(home, home.parent, create(.event, world.newID(), athlete: leo, values)).code == nil)
    }

    @Test("A school that gets another name keeps the old one in records that name it, until it is deleted")
    func renamedSchool() throws {
        let (school, coach) = (world.newID(), world.newID())
        let names: KeyValuePairs<String, Value?> = ["first_name": .text("Dana"), "last_name": .text("Whitlock"), "school_id": .reference(school)]
        #expect(try world.mutate(home, home.parent, create(.school, school, ["name": .text("Rice")]), create(.coach, coach, names)).code == nil)
        #expect(try world.mutate(home, home.parent, update(.school, school, base: 1, ["name": .text("Calder")])).code == nil)
        #expect(try world.snapshot(home).records[coach]?.fields.text("school_name") == "Rice")
        #expect(try world.mutate(home, home.parent, delete(.school, school, base: 2)).code == nil)
        let record = try #require(try world.snapshot(home).records[coach])
        #expect(record.fields.text("school_name") == "Calder" && record.fields["school_id"] == .reference(school))
    }

    @Test("A parent hands over in one batch if the new parent comes first: each operation leaves the family a parent")
    func handover() throws {
        let me = home.parent
        let other = try world.member(home, .guest, name: "Bo")
        let promote = update(.member, other, base: 1, ["role": .text("parent")])
        let stepDown = update(.member, me, base: 1, ["role": .text("guest")])
        let early = try world.mutate(home, me, stepDown, promote)
        #expect(early.code == .lastParent && early.rejection?.operation == 0)
        #expect(try world.mutate(home, me, promote, stepDown).code == nil)
        #expect(try world.mutate(home, other, delete(.member, other, base: 2)).code == .lastParent)
    }

    @Test("a new role counts from the next operation on, and the room is notified")
    func roles() throws {
        let guest = try world.member(home, .guest, name: "Gus")
        #expect(try world.mutate(home, guest, message(world.newID(), "Hi")).code == .notAllowed)
        let promoted = try world.mutate(home, home.parent, update(.member, guest, base: 1, ["role": .text("parent")]))
        #expect(promoted.committed?.members.map(\.role) == [.parent])
        #expect(try world.mutate(home, guest, message(world.newID(), "Hi")).code == nil)
        let renamed = try world.mutate(home, home.parent, update(.member, guest, base: 2, ["name": .text("Augustus")]))
        #expect(renamed.committed?.members.isEmpty == true)
        #expect(try world.mutate(home, home.parent, update(.member, guest, base: 3, ["role": .text("athlete")])).rejection?.field == "role")
        try world.reopen()
        #expect(try world.mutate(home, guest, message(world.newID(), "Hi")).code == nil)
    }
}
