import Blobs
import Bytes
import Family
import Store
import Testing
import Wire

@Suite("Share links, product.md (Documents)", .bothEngines)
struct ShareTests {
    let world: World
    let home: World.Home
    let leo: Identifier
    let rice: Identifier
    let document: Identifier

    init() throws {
        world = try World()
        home = try world.home()
        leo = try world.athlete(home)
        rice = world.newID()
        document = world.newID()
        try world.mutate(home, home.parent, school(rice, "Rice"))
        try world.add(world.document(home, leo, id: document, octets: 77))
    }

    private func share(
        _ school: Identifier? = nil, by: Identifier? = nil, life: Int64? = nil, document other: Identifier? = nil
    ) throws -> (created: ShareCreated, changes: [CommitResult]) {
        let (result, changes) = try world.store.share(
            NewShare(family: home.family, member: by ?? home.parent, document: other ?? document, school: school ?? rice, life: life))
        return (try result.get(), changes)
    }

    private func opens(_ token: String) throws -> Bool { try world.reader.share(token: token) != nil }

    private func end(_ link: Identifier, _ family: Identifier, _ member: Identifier) throws {
        let end = ShareEnd(family: family, member: member, document: nil, link: link)
        if let rejection = try world.store.revoke([.share(end)])[0] { throw rejection }
    }

    private func note(_ visits: [ShareVisit]) throws {
        var notes = UsageNotes()
        for visit in visits { notes.add(visit, at: 0) }
        try world.store.write(notes, now: 0)
    }

    private func code(_ body: () throws -> Void) -> ErrorCode? {
        do { try body() } catch { return (error as? Rejection)?.code }
        return nil
    }

    @Test("a link opens its document, for whom it was made, and the school joins those that have it, in the same change")
    func opens() throws {
        let (created, changes) = try share()
        #expect(created.token.utf8.count == 32)
        #expect(changes.count == 1)
        #expect(try world.record(home, document).fields.set("shared_with_schools").map(\.id) == [rice])
        let shared = try #require(try world.reader.share(token: created.token))
        #expect(shared.document.id == document && shared.document.octets == 77 && shared.document.fileName == "t.pdf")
        #expect(shared.school == "Rice" && shared.link == created.link.id)
        #expect(shared.document.blob.sha256 == World.digest(1) && shared.document.family == home.family)
        if world.memory == nil {
            #expect(try world.query("SELECT count(*) FROM share_links WHERE instr(token_hash, CAST('\(created.token)' AS BLOB))") == 0)
        }
        #expect(try !opens("") && !opens(String(created.token.dropLast())) && !opens(created.token + "A"))
    }

    @Test("P47 a new link for the same school takes the place of the old one, and leaves the change log alone")
    func replaces() throws {
        let first = try share().created
        world.surroundings.now += 1
        let (second, changes) = try share()
        #expect(changes.isEmpty)
        #expect(try !opens(first.token) && opens(second.token))
        let links = try world.reader.shares(family: home.family, document: document)
        #expect(links.map(\.id) == [second.link.id, first.link.id])
        #expect(links.map { $0.endedAt == nil } == [true, false])
    }

    @Test("P47 a link ends with its time, to the millisecond; an hour is possible, more than a year is not")
    func expires() throws {
        let usual = try share().created
        #expect(usual.link.expiresAt == world.surroundings.now + 30 * Surroundings.day)
        world.surroundings.now = usual.link.expiresAt - 1
        #expect(try opens(usual.token))
        world.surroundings.now += 1
        #expect(try !opens(usual.token))
        let hour = try share(life: 3_600_000).created
        world.surroundings.now += 3_600_000
        #expect(try !opens(hour.token))
        #expect(code { _ = try share(life: NewShare.longestLife + 1) } == .outOfRange)
        #expect(code { _ = try share(life: 0) } == .outOfRange)
        _ = try share(life: NewShare.longestLife)
    }

    @Test("P47 revoking ends a link immediately and for good; twice is not an error, an unknown link is not found")
    func revokes() throws {
        let created = try share().created
        try end(created.link.id, home.family, home.parent)
        #expect(try !opens(created.token))
        try end(created.link.id, home.family, home.parent)
        #expect(code { try end(world.newID(), home.family, home.parent) } == .notFound)
        #expect(try world.record(home, document).fields.set("shared_with_schools").map(\.id) == [rice])
    }

    @Test("several rights end in one transaction; one that the rules refuse leaves the others as they are")
    func revokesTogether() throws {
        let created = try share().created
        let gus = try world.member(home, .guest, name: "Gus")
        guard case .token(let guest) = try world.store.perform(.token(member: gus)).0.get() else { throw Unexpected() }
        let session = try #require(try world.reader.signIn(token: guest.token)).session
        let refused = ShareEnd(family: home.family, member: gus, document: nil, link: created.link.id)
        let elsewhere = ShareEnd(family: home.family, member: home.parent, document: world.newID(), link: created.link.id)
        let allowed = ShareEnd(family: home.family, member: leo, document: document, link: created.link.id)
        let answers = try world.store.revoke([.share(refused), .session(session), .share(elsewhere), .share(allowed), .session(session)])
        #expect(answers.map { $0?.code } == [.notAllowed, nil, .notFound, nil, nil])
        #expect(try !opens(created.token))
        #expect(try world.reader.signIn(token: guest.token) == nil)
    }

    @Test("a reader decides as the writer does who may end a link: members who may edit the document; others get the answer that they get about the document")
    func endsEarly() throws {
        let link = try share().created.link.id
        let gus = try world.member(home, .guest, name: "Gus")
        let other = try world.home("Nowak")
        func early(_ member: Identifier, _ link: Identifier, of document: Identifier) throws -> Result<ShareEnd, Rejection>? {
            guard case .token(let created) = try world.store.perform(.token(member: member)).0.get() else { throw Unexpected() }
            return try world.reader.shareEnd(link, of: document, by: try #require(try world.reader.signIn(token: created.token)))
        }
        for member in [home.parent, leo] {
            let wanted = ShareEnd(family: home.family, member: member, document: document, link: link)
            #expect(try early(member, link, of: document)?.get() == wanted)
        }
        #expect(code { _ = try early(gus, link, of: document)?.get() } == .notAllowed)
        #expect(code { _ = try early(home.parent, world.newID(), of: document)?.get() } == .notFound)
        #expect(try early(other.parent, link, of: document) == nil)
        #expect(try early(home.parent, link, of: world.newID()) == nil)
    }

    @Test("ending the sharing, deleting the document, and their undoing do not leave or bring back a link", arguments: ["unshare", "delete", "undo"])
    func ends(how: String) throws {
        let (created, changes) = try share()
        let base = try world.record(home, document).version
        switch how {
        case "unshare":
            try world.mutate(home, home.parent, update(.document, document, base: base, ["shared_with_schools": .set([])]))
            #expect(try !opens(created.token))
            try world.mutate(home, home.parent, update(.document, document, base: base + 1, ["shared_with_schools": .set([SetElement(id: rice)])]))
        case "delete":
            try world.mutate(home, home.parent, delete(.document, document, base: base))
            #expect(try !opens(created.token))
            try world.mutate(home, home.parent, restore(.document, document, base: base + 1))
        default:
            guard case .change(let change)? = changes.first else { throw Unexpected() }
            let undo = try world.undo(home, home.parent, change.sequence)
            #expect(try !opens(created.token))
            _ = try world.undo(home, home.parent, try #require(undo.sequence))
        }
        #expect(try world.record(home, document).fields.set("shared_with_schools").map(\.id) == [rice])
        #expect(try !opens(created.token))
    }

    @Test("the removal of a member ends the links that they made, in its commit; other members' links stay, and a restoration brings none back")
    func creatorRemoved() throws {
        let oak = world.newID()
        try world.mutate(home, home.parent, school(oak, "Oak"))
        let theirs = [try share(by: leo).created, try share(oak, by: leo).created]
        let second = world.newID()
        try world.add(world.document(home, leo, id: second))
        let mine = try share(document: second).created
        let expired = try share(rice, by: leo, life: NewShare.shortestLife, document: second).created
        let kept = try share(oak, document: second).created
        #expect(try !opens(mine.token), "replaced by the one of the same school")
        world.surroundings.now += NewShare.shortestLife
        let ended = world.surroundings.now
        try world.mutate(home, home.parent, delete(.member, leo, base: 1))
        for link in theirs { #expect(try !opens(link.token)) }
        #expect(try opens(kept.token))
        let links = try world.reader.shares(family: home.family)
        for link in theirs + [expired] { #expect(links.first { $0.id == link.link.id }?.endedAt == ended) }
        #expect(links.first { $0.id == kept.link.id }?.endedAt == nil)
        try world.mutate(home, home.parent, restore(.member, leo, base: 2))
        for link in theirs { #expect(try !opens(link.token)) }
        #expect(try opens(kept.token))
        #expect(try opens(try share(by: leo).created.token))
    }

    @Test("a removal that is refused ends no link, and neither does one of the same id in another family")
    func creatorStays() throws {
        let created = try share(by: leo).created
        let other = try world.home("Nowak")
        #expect(try world.mutate(home, home.parent, delete(.member, leo, base: 7)).code != nil)
        #expect(try world.mutate(other, other.parent, delete(.member, leo, base: 1)).code == .notFound)
        #expect(try opens(created.token))
    }

    @Test("a link does not open while its school is deleted")
    func schoolGone() throws {
        let created = try share().created
        try world.mutate(home, home.parent, delete(.school, rice, base: 1))
        #expect(try !opens(created.token))
        #expect(code { _ = try share() } == .unknownReference)
    }

    @Test("P47 visits are counted and listed, newest first; an ended link keeps its figures")
    func visits() throws {
        let created = try share().created
        let visit = ShareVisit(family: home.family, link: created.link.id, what: .page)
        try note([visit, visit])
        world.surroundings.now += 5
        try note([ShareVisit(family: home.family, link: created.link.id, what: .download)])
        try note([ShareVisit(family: home.family, link: world.newID(), what: .page), ShareVisit(family: world.newID(), link: created.link.id, what: .page)])
        try end(created.link.id, home.family, home.parent)
        let link = try #require(try world.reader.shares(family: home.family).first)
        #expect(link.views == 2 && link.downloads == 1 && link.lastOpenedAt == world.surroundings.now)
        let log = try world.reader.visits(family: home.family, link: created.link.id)
        #expect(log.map(\.what) == [.download, .page, .page])
        #expect(log.first?.at == world.surroundings.now)
    }

    @Test("the log of a link is bounded, its counts are not")
    func bounded() throws {
        let created = try share().created
        let visit = ShareVisit(family: home.family, link: created.link.id, what: .page)
        try note(Array(repeating: visit, count: 1_050))
        #expect(try world.reader.visits(family: home.family, link: created.link.id).count == 1_000)
        #expect(try world.reader.shares(family: home.family).first?.views == 1_050)
    }

    @Test("a member who may not change a document may not share it; a stranger learns nothing")
    func rights() throws {
        let mia = try world.athlete(home, name: "Mia")
        let gus = try world.member(home, .guest, name: "Gus")
        #expect(code { _ = try share(by: mia) } == .notAllowed)
        #expect(code { _ = try share(by: gus) } == .notAllowed)
        let created = try share(by: leo).created
        #expect(code { try end(created.link.id, home.family, gus) } == .notAllowed)
        let other = try world.home("Nowak")
        #expect(code { try end(created.link.id, other.family, other.parent) } == .notFound)
        #expect(code { _ = try share(by: other.parent) } == .notFound)
        #expect(code { _ = try share(document: rice) } == .notFound)
        #expect(code { _ = try share(document) } == .unknownReference)
        #expect(try world.reader.shares(family: other.family).isEmpty)
        #expect(try opens(created.token))
    }

    @Test("a purged document takes its links and their logs along; ended links go after a year")
    func purged() throws {
        let created = try share().created
        try note([ShareVisit(family: home.family, link: created.link.id, what: .page)])
        try world.mutate(home, home.parent, delete(.document, document, base: try world.record(home, document).version))
        world.surroundings.now += 31 * Surroundings.day
        try world.purge()
        #expect(try world.count("share_links") == 0)
        #expect(try world.count("share_visits") == 0)
        let second = world.newID()
        try world.add(world.document(home, leo, id: second))
        _ = try share(document: second)
        world.surroundings.now += 394 * Surroundings.day
        try world.purge()
        #expect(try world.count("share_links") == 1)
        world.surroundings.now += 2 * Surroundings.day
        try world.purge()
        #expect(try world.count("share_links") == 0)
    }
}
