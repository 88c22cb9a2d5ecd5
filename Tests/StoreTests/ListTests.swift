import Bytes
import Dates
import Family
import Queries
import TestSupport
import Testing
import Wire

@testable import Store

@Suite("Lists of the server: product.md (Events), R021-R038; page marks, semantics.md (Rooms)", .bothEngines)
struct ListTests {
    let world: World
    let home: World.Home
    let leo: Identifier
    let maya: Identifier

    init() throws {
        world = try World()
        home = try world.home(zone: "Europe/Warsaw")
        leo = try world.athlete(home)
        maya = try world.athlete(home, name: "Maya")
    }

    private func event(_ random: inout SplitMix64, _ id: Identifier) -> Operation {
        let names = ["Fall Camp", "fall camp", "Łódź Open", "Ärmel", "Zoo", "Émile"]
        let day = Int.random(in: 1...28, using: &random)
        return create(
            .event, id, athlete: Bool.random(using: &random) ? leo : maya,
            [
                "type": .text(["camp", "showcase", "official_visit", "game"].randomElement(using: &random) ?? "camp"),
                "name": .text(names.randomElement(using: &random) ?? ""),
                "start_date": .text("2026-1\(Int.random(in: 0...2, using: &random))-\(day < 10 ? "0" : "")\(day)"),
                "start_time": Bool.random(using: &random) ? .text("09:00") : nil,
                "city": Bool.random(using: &random) ? .text("Łódź") : nil,
                "registered": .flag(Bool.random(using: &random)), "attended": .flag(Int.random(in: 0...3, using: &random) == 0),
            ])
    }

    private func request(_ random: inout SplitMix64) -> ListRequest {
        var filter = Query.Filter()
        if Int.random(in: 0...2, using: &random) == 0 { filter.types = [["camp", "visit", "game"].randomElement(using: &random) ?? "camp"] }
        if Int.random(in: 0...2, using: &random) == 0 { filter.status = Query.Status.allCases.randomElement(using: &random) }
        if Int.random(in: 0...1, using: &random) == 0 { filter.date = Query.Window.allCases.randomElement(using: &random) }
        return ListRequest(
            request: 1, kind: .event, athlete: [nil, .all, .athlete(leo)].randomElement(using: &random) ?? nil, filter: filter,
            search: ["", "", "lodz", "FALL"].randomElement(using: &random) ?? "",
            sort: [nil, .dateAscending, .name, .type].randomElement(using: &random) ?? nil, limit: Int.random(in: 1...9, using: &random),
            counts: true, deleted: Int.random(in: 0...7, using: &random) == 0)
    }

    /// The result of the same query on the records of any client.
    private func expected(_ request: ListRequest) throws -> [Identifier] {
        let rules = world.surroundings.environment.rules
        let today = rules.rules("Europe/Warsaw").localDate(at: world.surroundings.now)
        let query = try request.query(context: .all)
        return query.apply(try world.snapshot(home).records.values, today: today) { rules.zone($0)?.instant(of: $1) }.map(\.id)
    }

    /// Reads page after page; between two of them `change` may do anything.
    private func walk(_ asked: ListRequest, isCounted: Bool = true, change: () throws -> Void = {}) throws -> [Identifier] {
        var seen: [Identifier] = []
        var request = asked
        repeat {
            let page = try world.page(home, request).get()
            #expect(page.records.count <= request.limit)
            if isCounted {
                let count = try expected(request).count
                #expect(page.total == count)
            }
            seen += page.records.map(\.id)
            request.before = page.next
            if page.next != nil { try change() }
        } while request.before != nil
        return seen
    }

    @Test("Pages glued together are what a client finds among its own records", arguments: 1...8)
    func sameAsClient(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<40 {
            let id = world.newID()
            try world.mutate(home, home.parent, event(&random, id))
            if Int.random(in: 0...6, using: &random) == 0 { try world.mutate(home, home.parent, delete(.event, id, base: 1)) }
            guard Int.random(in: 0...3, using: &random) == 0 else { continue }
            // The listing follows what was written between two questions.
            let request = request(&random)
            let (pages, whole) = (try walk(request), try expected(request))
            #expect(pages == whole, "seed \(seed): \(request)")
        }
    }

    @Test("Whatever is written between pages, nothing comes twice and what was there throughout comes once", arguments: 1...8)
    func concurrent(seed: UInt64) throws {
        guard EngineKind.takes(seed, upTo: 2) else { return }
        var random = SplitMix64(seed: seed)
        var moving: [Identifier] = []
        for number in 0..<40 {
            let id = world.newID()
            if number % 2 == 0 { moving.append(id) }
            try world.mutate(home, home.parent, event(&random, id))
        }
        for _ in 0..<6 {
            var request = request(&random)
            request.deleted = false
            let still = Set(try expected(request)).subtracting(moving)
            // An edit may carry a record over the place where the next page begins.
            var edited: Set<Identifier> = []
            let seen = try walk(request) {
                switch Int.random(in: 0...2, using: &random) {
                case 0:
                    let id = world.newID()
                    try world.mutate(home, home.parent, event(&random, id))
                    moving.append(id)
                case 1:
                    guard let id = moving.randomElement(using: &random) else { return }
                    let version = try world.record(home, id).version
                    edited.insert(id)
                    try world.mutate(home, home.parent, update(.event, id, base: version, ["name": .text("Moved \(version)")]))
                default:
                    guard let id = moving.randomElement(using: &random) else { return }
                    try world.mutate(home, home.parent, delete(.event, id, base: try world.record(home, id).version))
                }
            }
            let steady = seen.filter { !edited.contains($0) }
            #expect(Set(steady).count == steady.count, "seed \(seed): something came twice")
            #expect(Set(seen).isSuperset(of: still), "seed \(seed): something was skipped")
        }
    }

    @Test("R035 P12 today is that of the family's zone, to the minute")
    func today() throws {
        let id = world.newID()
        try world.mutate(home, home.parent, camp(id, athlete: leo, date: "2026-11-22"))
        var past = Query.Filter()
        past.date = .past
        let request = ListRequest(request: 1, kind: .event, filter: past, limit: 9)
        // Midnight in Warsaw is 23:00 of UTC in winter.
        world.surroundings.now = try #require(RFC3339.instant("2026-11-22T22:59:00.000Z"))
        #expect(try world.page(home, request).get().records.isEmpty)
        world.surroundings.now = try #require(RFC3339.instant("2026-11-22T23:00:00.000Z"))
        #expect(try world.page(home, request).get().records.map(\.id) == [id])
    }

    @Test("A mark of another list is refused, and so is another athlete's page of the same")
    func marks() throws {
        for _ in 0..<3 { try world.mutate(home, home.parent, camp(world.newID(), athlete: leo)) }
        let page = try world.page(home, ListRequest(request: 1, kind: .event, limit: 1)).get()
        let mark = try #require(page.next)
        #expect(throws: Never.self) { try world.page(home, ListRequest(request: 1, kind: .event, before: mark, limit: 2)).get() }
        func field(_ request: ListRequest) throws -> String? {
            guard case .failure(let rejection) = try world.page(home, request) else { return nil }
            return rejection.field
        }
        #expect(try field(ListRequest(request: 1, kind: .event, sort: .name, before: mark, limit: 1)) == "before")
        #expect(try field(ListRequest(request: 1, kind: .event, search: "x", before: mark, limit: 1)) == "before")
        #expect(try field(ListRequest(request: 1, kind: .event, athlete: .athlete(leo), before: mark, limit: 1)) == "before")
        #expect(try field(ListRequest(request: 1, kind: .message, before: mark, limit: 1)) == "before")
    }

    @Test("A mark that nobody gave is a place like any other: every number is answered, and nothing comes that is not there")
    func forged() throws {
        for number in 0..<3 {
            try world.mutate(home, home.parent, camp(world.newID(), athlete: leo), message(world.newID(), "Word \(number)"))
        }
        let numbers: [Int64] = [.min, .min + 1, -1, 0, 1, 20_000, .max - 1, .max]
        let about = try #require(try world.snapshot(home).records.values.first { $0.kind == .event }).id
        for kind in Kind.allCases {
            for sort in QueryDeclaration.of(kind).sorts {
                var asked = ListRequest(request: 1, kind: kind, sort: sort, limit: 2, counts: true)
                for filter in kind == .message ? [nil, about] : [nil] {
                    asked.filter.about = filter
                    let query = try asked.query(context: .all)
                    let whole = Set(try walk(ListRequest(request: 1, kind: kind, filter: asked.filter, sort: sort, limit: 50), isCounted: false))
                    for first in numbers {
                        for second in numbers {
                            let place = OrderKey(first: first, second: second, id: Identifier(high: .max, low: 0))
                            asked.before = PageMark.text(place, query)
                            let page = try world.page(home, asked).get()
                            #expect(whole.isSuperset(of: page.records.map(\.id)), "\(kind) \(sort) \(first) \(second)")
                        }
                    }
                }
            }
        }
    }

    @Test("Nothing of another family is in a list, a count or a figure")
    func isolated() throws {
        let other = try world.home("Other")
        let stranger = try world.athlete(other)
        try world.mutate(other, other.parent, camp(world.newID(), athlete: stranger))
        let page = try world.page(home, ListRequest(request: 1, kind: .event, limit: 9, counts: true)).get()
        #expect(page.records.isEmpty && page.total == 0)
        let page2 = try world.page(home, ListRequest(request: 1, kind: .event, athlete: .athlete(stranger), limit: 9, counts: true)).get()
        #expect(page2.records.isEmpty && page2.total == 0)
        guard case .statistics(let answer) = try travelled(
            .statistics(try world.reader.statistics(family: home.family, StatisticsRequest(request: 1, kind: .event), athlete: nil).get()))
        else { throw Unexpected() }
        #expect(answer.statistics == .events(Statistics.Events()))
    }

    @Test("P49 Comments on a record come newest first, by pages, and are counted; other messages are not among them")
    func comments() throws {
        let camp = world.newID()
        try world.mutate(home, home.parent, StoreTests.camp(camp, athlete: leo))
        var comments: [Identifier] = []
        for number in 0..<7 {
            comments.append(world.newID())
            try world.mutate(
                home, home.parent,
                create(.message, comments[number], ["text": .text("Comment \(number)"), "about": .link(.event, camp)]),
                message(world.newID(), "chat"))
        }
        try world.mutate(home, home.parent, delete(.message, comments[2], base: 1))
        comments.remove(at: 2)
        var filter = Query.Filter()
        filter.about = camp
        var request = ListRequest(request: 1, kind: .message, filter: filter, limit: 4, counts: true)
        var seen: [Identifier] = []
        repeat {
            let page = try world.page(home, request).get()
            #expect(page.total == 6)
            seen += page.records.map(\.id)
            request.before = page.next
        } while request.before != nil
        #expect(seen == comments.reversed())
        request.search = "COMMENT 5"
        #expect(try world.page(home, request).get().records.map(\.id) == [comments[4]])
    }

    @Test("A listing that is far behind is read again; so is one that was released")
    func readAnew() throws {
        let id = world.newID()
        try world.mutate(home, home.parent, camp(id, athlete: leo))
        let request = ListRequest(request: 1, kind: .event, limit: 9)
        #expect(try world.page(home, request).get().records.map(\.id) == [id])
        for number in 0..<21 {
            _ = try world.commit((0..<100).map { world.proposal(home, home.parent, [message(world.newID(), "\(number).\($0)")]) })
        }
        try world.mutate(home, home.parent, delete(.event, id, base: 1))
        #expect(try world.page(home, request).get().records.isEmpty)
    }

    @Test("The next reader takes over the listing of a reader once, and follows from there; a prepared listing equals one that is read on demand")
    func shared() throws {
        for number in 0..<SharedListingCache.smallest { try world.mutate(home, home.parent, camp(world.newID(), athlete: number % 3 == 0 ? leo : maya)) }
        let sharedListings = SharedListingCache()
        func reader() throws -> StoreReader { try world.openReader(sharedListings: sharedListings) }
        let asked = ListRequest(request: 1, kind: .event, limit: 200, counts: true)
        let query = try asked.query(context: .all)
        func page(_ reader: StoreReader) throws -> Page { try reader.page(family: home.family, query, asked).get() }
        let (first, second, third) = (try reader(), try reader(), try reader())
        var asks = 0
        try first.prepareLists(family: home.family) {
            asks += 1
            return asks < 100
        }
        #expect(first.listings.count == asks && asks > 5)
        let name = ListingCache.Name(family: 1, kind: .event)
        #expect(sharedListings.take(name, upTo: 0) == nil, "younger than wanted")
        // Changes since then are followed.
        try world.mutate(home, home.parent, camp(world.newID(), athlete: leo))
        let whole = try page(world.reader)
        #expect(try page(second) == whole)
        #expect(sharedListings.take(name, upTo: .max) == nil, "one reader takes it")
        #expect(try page(first) == whole && page(third) == whole)
        #expect(sharedListings.take(name, upTo: .max) != nil)
        // Nothing is prepared where there is something better to do, and nothing twice.
        let busy = try reader()
        try busy.prepareLists(family: home.family) { false }
        #expect(busy.listings.count == 0)
        try first.prepareLists(family: home.family) { true }
        #expect(sharedListings.take(name, upTo: .max) == nil)
    }

    @Test("Listings that were used longest ago are let go when all are too large, the last one never")
    func cache() {
        let cache = ListingCache(maxOctets: 1)
        func name(_ family: Int64) -> ListingCache.Name { .init(family: family, kind: .event) }
        for family in 1...3 as ClosedRange<Int64> {
            let listing = Listing(sequence: 1)
            listing.set(
                ListKeys(
                    Record(
                        kind: .event, id: home.family, athlete: nil, version: 1, createdAt: 0, createdBy: leo, updatedAt: 0, updatedBy: leo,
                        fields: Fields(.event)), instant: { _, _ in nil }))
            cache.keep(listing, name(family))
            cache.trim()
            #expect(cache.count == 1)
            #expect(cache.find(name(family)) != nil)
        }
    }
}

@Suite("Reads that take too long, guarantee `fair`", .bothEngines)
struct StoppedReadTests {
    @Test("A page of the log ends when its time is over, after one change at least, and the next page continues there")
    func log() throws {
        let world = try World()
        let home = try world.home()
        for number in 0..<20 { try world.mutate(home, home.parent, school(world.newID(), "School \(number)")) }
        let whole = try world.reader.changes(family: home.family, after: 0, maxOctets: .max)
        var frames: [Int64] = []
        var pages = 0
        while true {
            var asked = 0
            let page = try world.reader.changes(family: home.family, after: frames.last ?? 0, maxOctets: .max) {
                asked += 1
                return asked >= min(pages, 3)
            }
            frames += page.frames.map(\.sequence)
            pages += 1
            #expect(!page.frames.isEmpty || page.reachedEnd)
            #expect(page.checksum == (page.reachedEnd ? whole.checksum : nil))
            if page.reachedEnd { break }
        }
        #expect(frames == whole.frames.map(\.sequence) && pages > 5)
    }

    @Test("a list whose records are not in memory yet is stopped, gets further each time, and is whole in the end")
    func listing() throws {
        let world = try World()
        let home = try world.home()
        func add(_ count: Int, high: UInt64 = 0x0191_0000_0000_7000) throws {
            for _ in 0..<count / 50 {
                let operations = (0..<50).map { create(.school, Identifier(high: high, low: world.newID().low), ["name": .text("School \($0)")]) }
                try world.mutate(home, home.parent, operations: operations)
            }
        }
        try add(600)
        func list(asking most: Int) throws -> Page? {
            var asked = 0
            let query = try Query(.school)
            let request = ListRequest(request: 1, kind: .school, before: nil, limit: 200, counts: true)
            do {
                let found = try world.reader.stopping(when: {
                    asked += 1
                    return asked > most
                }) { () throws(StoreFailure) in try world.reader.page(family: home.family, query, request) }
                guard case .page(let page) = try travelled(.page(try found.get())) else { throw Unexpected() }
                return page
            } catch let failure as StoreFailure where failure.isStopped {
                return nil
            }
        }
        #expect(try list(asking: 0) == nil)
        var tries = 1
        var page: Page?
        while page == nil, tries < 100 {
            // Others write in the meantime, and their ids come after those that were read, or before.
            if tries == 2 { try add(50) }
            if tries == 3 { try add(50, high: 0x0190_0000_0000_7000) }
            page = try list(asking: 30)
            tries += 1
        }
        #expect(tries > 3 && tries < 100, "\(tries) tries")
        #expect(page?.total == 700)
        // It is in memory now.
        #expect(try list(asking: 30)?.total == 700)
    }
}

@Suite("History, digest and access log: guarantees.md (undo), R-less parts of issue 4", .bothEngines)
struct HistoryTests {
    let world: World
    let home: World.Home
    let leo: Identifier

    init() throws {
        world = try World()
        home = try world.home()
        leo = try world.athlete(home)
    }

    private func history(_ request: HistoryRequest, by member: Identifier? = nil) throws -> HistoryPage {
        let found = try world.reader.history(family: home.family, member: member ?? home.parent, request).get()
        guard case .history(let page) = try travelled(.history(found)) else { throw Unexpected() }
        return page
    }

    @Test("A record's history has each change with what it replaced, who and when, down to the creation")
    func ofRecord() throws {
        let id = world.newID()
        let created = try #require(try world.mutate(home, home.parent, camp(id, athlete: leo)).sequence)
        world.surroundings.now += 1_000
        let changed = try #require(
            try world.mutate(home, home.parent, update(.event, id, base: 1, ["name": .text("Winter Camp"), "city": .text("Austin")])).sequence)
        try world.mutate(home, home.parent, message(world.newID(), "unrelated"))
        let deleted = try #require(try world.mutate(home, home.parent, delete(.event, id, base: 2)).sequence)
        let page = try history(HistoryRequest(request: 4, record: .init(kind: .event, id: id), limit: 10))
        #expect(page.entries.map(\.sequence) == [deleted, changed, created])
        #expect(page.next == nil)
        let update = page.entries[1]
        #expect(update.member == home.parent && update.at == world.surroundings.now)
        #expect(update.changes.first?.before == [
            .init(field: Kind.event.field("name"), value: .text("Fall Camp")), .init(field: Kind.event.field("city"), value: nil),
        ])
        // Deleted since: only the deletion contradicts nothing.
        #expect(page.entries.map(\.isUndoable) == [true, false, false])

        let first = try history(HistoryRequest(request: 4, record: .init(kind: .event, id: id), limit: 2))
        #expect(first.entries.count == 2 && first.next == changed)
        let rest = try history(HistoryRequest(request: 4, record: .init(kind: .event, id: id), before: first.next, limit: 2))
        #expect(rest.entries.map(\.sequence) == [created] && rest.next == nil)
    }

    @Test("The writer undoes every change that history calls undoable, sets element by element, and an undo names the change")
    func undo() throws {
        let id = world.newID(), (jo, ann) = (world.newID(), world.newID())
        try world.mutate(home, home.parent, coach(jo, "Jo", "Diaz"), coach(ann, "Ann", "Lee"), camp(id, athlete: leo))
        let first = try #require(try world.mutate(home, home.parent, editSet(.event, id, base: 1, "coaches_present", add: [jo])).sequence)
        try world.mutate(home, home.parent, editSet(.event, id, base: 2, "coaches_present", add: [ann]))
        let request = HistoryRequest(request: 1, record: .init(kind: .event, id: id), limit: 9)
        #expect(try history(request).entries.map(\.isUndoable) == [true, true, false])
        let undone = try #require(try world.undo(home, home.parent, first).sequence)
        let after = try history(request).entries
        #expect(after.first?.sequence == undone && after.first?.undoes == first)
        #expect(after.map(\.isUndoable) == [true, true, false, false])
        #expect(try world.undo(home, home.parent, first).code == .contradicted)
    }

    @Test("History calls a change undoable for the members who may undo it: for parents, athletes and guests the writer agrees")
    func undoRights() throws {
        let (maya, guest) = (try world.athlete(home, name: "Maya"), try world.member(home, .guest, name: "Gran"))
        let (camp, other, school, word) = (world.newID(), world.newID(), world.newID(), world.newID())
        try world.mutate(home, home.parent, StoreTests.camp(camp, athlete: leo), StoreTests.school(school, "Rice"))
        try world.mutate(home, leo, update(.event, camp, base: 1, ["city": .text("Austin")]))
        try world.mutate(home, home.parent, StoreTests.camp(other, athlete: maya))
        try world.mutate(home, maya, update(.school, school, base: 1, ["location": .text("Houston")]))
        try world.mutate(home, leo, message(word, "We leave at five"))
        try world.mutate(home, leo, update(.message, word, base: 1, ["text": .text("We leave at six")]))
        try world.mutate(home, home.parent, update(.member, maya, base: 1, ["name": .text("Maya R.")]))
        // Leo is sixteen, and from here on parents only look at his season.
        try world.mutate(home, leo, update(.member, leo, base: 1, ["parent_access": .text("view")]))
        try world.mutate(home, maya, delete(.event, other, base: 1))
        var seen: Set<Bool> = []
        for member in [home.parent, leo, maya, guest] {
            for entry in try history(HistoryRequest(request: 1, limit: 50), by: member).entries {
                let answer = try world.undo(home, member, entry.sequence)
                #expect((answer.sequence != nil) == entry.isUndoable, "\(member) \(entry.sequence) \(String(describing: answer.code))")
                seen.insert(entry.isUndoable)
                // All is as it was again, by somebody who may.
                guard let undone = answer.sequence else { continue }
                #expect(try world.undo(home, member, undone).sequence != nil)
            }
        }
        #expect(seen == [true, false])
    }

    @Test("Of a batch a record's history shows only its own part, the family's all")
    func batches() throws {
        let id = world.newID()
        let sequence = try #require(
            try world.mutate(home, home.parent, camp(id, athlete: leo), school(world.newID(), "Austin")).sequence)
        #expect(try history(HistoryRequest(request: 1, record: .init(kind: .event, id: id), limit: 9)).entries.first?.changes.count == 1)
        let family = try history(HistoryRequest(request: 1, limit: 1))
        #expect(family.entries.first?.sequence == sequence && family.entries.first?.changes.count == 2)
        #expect(family.next == sequence)
    }

    @Test("The family's pages have every sequence once")
    func pages() throws {
        for number in 0..<23 { try world.mutate(home, home.parent, message(world.newID(), "\(number)")) }
        let head = try world.snapshot(home).sequence
        var seen: [Int64] = []
        var before: Int64?
        repeat {
            let page = try history(HistoryRequest(request: 1, before: before, limit: 5))
            seen += page.entries.map(\.sequence)
            before = page.next
        } while before != nil
        #expect(seen == (1...head).reversed())
    }

    @Test("A record of another family is not found, like one that does not exist")
    func strangers() throws {
        let other = try world.home("Other")
        let theirs = world.newID()
        try world.mutate(other, other.parent, school(theirs, "Theirs"))
        func refusal(_ id: Identifier, _ kind: Kind = .school) throws -> Rejection? {
            guard case .failure(let rejection) = try world.reader.history(
                family: home.family, member: home.parent, HistoryRequest(request: 1, record: .init(kind: kind, id: id), limit: 9))
            else { return nil }
            return rejection
        }
        let nothing = world.newID()
        let (stranger, nobody) = (try refusal(theirs), try refusal(nothing))
        #expect(stranger?.code == .notFound)
        #expect(stranger?.message == nobody?.message)
        #expect(try refusal(leo)?.code == .notFound, "a member asked for as a school")
        #expect(try refusal(leo, .member) == nil)
    }

    private func digest(_ member: Identifier, after: Int64? = nil) throws -> DigestAnswer {
        guard case .digest(let digest) = try travelled(
            .digest(try world.reader.digest(family: home.family, member: member, DigestRequest(request: 3, after: after))))
        else { throw Unexpected() }
        return digest
    }

    @Test("P50 A digest counts what others did since the reading position, and names who, what was said and what mentions one")
    func digests() throws {
        let dana = try world.member(home, .parent, name: "Dana")
        let before = try world.snapshot(home).sequence
        let position = ReadingPosition.id(of: dana)
        try world.mutate(home, dana, create(.readingPosition, position, ["sequence": .integer(before)]))
        let camp = world.newID(), hello = world.newID()
        try world.mutate(home, home.parent, StoreTests.camp(camp, athlete: leo))
        try world.mutate(home, home.parent, update(.event, camp, base: 1, ["city": .text("Austin")]))
        try world.mutate(home, dana, update(.event, camp, base: 2, ["city": .text("Dallas")]))
        try world.mutate(
            home, home.parent,
            create(.message, hello, ["text": .text("See you"), "mentions": .set([SetElement(id: dana)])]))
        let digest = try digest(dana)
        #expect(digest.after == before && digest.isComplete && digest.changes == 3)
        #expect(digest.kinds == [
            .init(kind: .event, created: 1, updated: 1), .init(kind: .message, created: 1),
        ])
        #expect(digest.authors == [.init(member: home.parent, changes: 3)])
        #expect(digest.messages == 1 && digest.mentions == [hello])
        #expect(digest.records.map(\.id) == [hello, camp])
        // Their author sees only the changes of the other.
        #expect(try self.digest(home.parent, after: before).changes == 1)
    }

    @Test("A digest looks at a bounded number of changes, says so, and takes a position from the future")
    func digestBounds() throws {
        let head = { try world.snapshot(home).sequence }
        let most = Int(StoreReader.digestChanges)
        for part in 0..<(most / 100 + 1) {
            _ = try world.commit((0..<100).map { world.proposal(home, home.parent, [message(world.newID(), "\(part).\($0)")]) })
        }
        let all = try digest(leo, after: 0)
        let newest = try head()
        #expect(!all.isComplete && all.changes == most && all.after == newest - Int64(most))
        #expect(try digest(leo, after: newest - Int64(most)).isComplete)
        #expect(all.records.count == StoreReader.digestRecords)
        #expect(try digest(leo, after: 9_000_000_000).changes == 0)
    }

    @Test("P11 The access log is for the athlete, and for parents of athletes without a login or that they edit; not for guests")
    func accessLog() throws {
        let dana = try world.member(home, .parent, name: "Dana")
        let guest = try world.member(home, .guest, name: "Gus")
        let maya = try world.athlete(home, name: "Maya")
        for number in 0..<5 {
            world.surroundings.now += AccessRow.visit + 1
            try world.store.note([AccessNote(family: home.family, athlete: number == 4 ? maya : leo, member: dana, subject: .context)])
        }
        func read(_ member: Identifier, before: String? = nil, limit: Int = 50) throws -> AccessPage? {
            switch try world.reader.accessLog(
                family: home.family, member: member, AccessLogRequest(request: 1, before: before, limit: limit)) {
            case .failure: return nil
            case .success(let found):
                guard case .accessLog(let page) = try travelled(.accessLog(found)) else { throw Unexpected() }
                return page
            }
        }
        #expect(try read(leo)?.entries.count == 4)
        #expect(try read(maya)?.entries.map(\.athlete) == [maya])
        #expect(try read(home.parent)?.entries.count == 5)
        #expect(try read(guest) == nil)
        let first = try #require(try read(home.parent, limit: 2))
        let second = try #require(try read(home.parent, before: first.next, limit: 9))
        let whole = try read(home.parent)
        #expect(first.entries + second.entries == whole?.entries)
        #expect(second.next == nil)
        for mark in ["", "x", "1", "1.1.1", "-1.0", "01.0", "1.99999"] { #expect(try read(home.parent, before: mark) == nil, "\(mark)") }
    }
}
