import Bytes
import Family
import Store
import Testing

@Suite("Notes of looks and uses that are written together", .bothEngines)
struct UsageNotesTests {
    let world: World
    let home: World.Home
    let leo: Identifier

    init() throws {
        world = try World()
        home = try world.home()
        leo = try world.athlete(home)
    }

    private func look(_ record: Identifier? = nil) -> AccessNote {
        AccessNote(family: home.family, athlete: leo, member: home.parent, subject: record == nil ? .context : .document, record: record)
    }

    private func entries() throws -> [AccessRow] {
        var entries: [AccessRow] = []
        try world.stored { try $0.accesses.forEach(family: 1) { entries.append($0) } }
        return entries
    }

    private func times() throws -> [Int64] {
        try entries().map(\.at)
    }

    @Test("an entry has the time of the first look, however much later it is written, and is in the order of time")
    func time() throws {
        var notes = UsageNotes()
        let document = world.newID()
        notes.add(look(document), at: 1_400)
        notes.add(look(), at: 1_000)
        notes.add(look(), at: 1_900)
        try world.store.write(notes, now: 3_000)
        let now = world.surroundings.now
        #expect(try times() == [now - 1_600, now - 2_000].sorted())
        #expect(try entries().map { $0.record == nil } == [true, false])
    }

    @Test("a clock that goes back gives no time in the future")
    func backwards() throws {
        var notes = UsageNotes()
        notes.add(look(), at: 5_000)
        try world.store.write(notes, now: 4_000)
        #expect(try times() == [world.surroundings.now])
    }

    @Test("sessions are renewed; nothing to write takes no transaction")
    func sessions() throws {
        guard case .token(let created) = try world.store.perform(.token(member: home.parent)).0.get() else { throw Unexpected() }
        let session = try #require(try world.reader.signIn(token: created.token)).session
        world.surroundings.now += 2 * Surroundings.day
        #expect(try world.reader.signIn(token: created.token)?.isRenewalDue == true)
        var notes = UsageNotes()
        #expect(notes.isEmpty)
        notes.add(session: session)
        notes.add(session: session)
        #expect(!notes.isEmpty)
        try world.store.write(notes, now: 0)
        #expect(try world.reader.signIn(token: created.token)?.isRenewalDue == false)
    }

    @Test("each part is bounded: above its bound notes are left out and counted, repetitions are not")
    func bounds() {
        var notes = UsageNotes()
        for number in 0..<UsageNotes.maxAccesses { notes.add(look(Identifier(high: 1, low: UInt64(number))), at: 0) }
        notes.add(look(Identifier(high: 1, low: 0)), at: 0)
        #expect(notes.takeDropped() == 0)
        notes.add(look(Identifier(high: 2, low: 0)), at: 0)
        #expect(notes.takeDropped() == 1 && notes.takeDropped() == 0)

        func visit(_ number: Int) -> ShareVisit { ShareVisit(family: home.family, link: Identifier(high: 1, low: UInt64(number)), what: .page) }
        for number in 0..<UsageNotes.maxLinks { notes.add(visit(number), at: 0) }
        notes.add(visit(0), at: 0)
        #expect(notes.takeDropped() == 0)
        notes.add(visit(UsageNotes.maxLinks), at: 0)
        #expect(notes.takeDropped() == 1)

        for number in 0..<UsageNotes.maxSessions { notes.add(session: Int64(number)) }
        notes.add(session: 7)
        #expect(notes.takeDropped() == 0)
        notes.add(session: -1)
        #expect(notes.takeDropped() == 1)
    }

    @Test("the rows of openings are bounded, their counts are not")
    func rows() throws {
        let school = world.newID()
        let document = world.newID()
        try world.mutate(home, home.parent, create(.school, school, ["name": .text("Rice")]))
        try world.add(world.document(home, leo, id: document))
        let link = try world.store.share(NewShare(family: home.family, member: home.parent, document: document, school: school)).0.get().link.id
        var notes = UsageNotes()
        for _ in 0..<UsageNotes.maxRows { notes.add(ShareVisit(family: home.family, link: world.newID(), what: .page), at: 0) }
        for _ in 0..<3 { notes.add(ShareVisit(family: home.family, link: link, what: .download), at: 0) }
        try world.store.write(notes, now: 0)
        // The links above the bound were left out, and this one with them.
        #expect(try world.reader.shares(family: home.family).first?.downloads == 0)
        notes = UsageNotes()
        for _ in 0..<UsageNotes.maxRows + 3 { notes.add(ShareVisit(family: home.family, link: link, what: .download), at: 0) }
        notes.add(ShareVisit(family: home.family, link: link, what: .page), at: 0)
        try world.store.write(notes, now: 0)
        let figures = try #require(try world.reader.shares(family: home.family).first)
        #expect(figures.downloads == Int64(UsageNotes.maxRows) + 3 && figures.views == 1)
        #expect(try world.reader.visits(family: home.family, link: link).count == 1_000)
    }
}
