import Blobs
import Bytes
import Family
import MemoryDisk
import SQLite
import Testing
import Wire

@testable import Store
@testable import StoreSQLite

@Suite("The size of a family's changes, guarantees.md (bounded)", .bothEngines)
struct FamilyHistoryTests {
    /// The noted size in the rows, and the size of the tables.
    private func usage(_ world: World, _ home: World.Home) throws -> (noted: Int64, held: Int64) {
        let database = try Database(path: world.path, mode: .readOnly)
        let find = try database.prepare("SELECT key, freed, (SELECT max(seq) FROM log WHERE family = f.key) FROM families f WHERE uuid = ?")
        find.bind(1, home.family)
        let (key, freed, head) = try #require(try find.one { ($0.int64(0), $0.int64(1), $0.int64(2)) })
        let held = try database.prepare(LogTable.computedUsage)
        held.bind(1, key)
        let written = try database.prepare("SELECT written FROM log WHERE family = ? AND seq = ?")
        written.bind(1, key)
        written.bind(2, head)
        return (try #require(try written.one { $0.optionalInt64(0) } ?? nil) - freed, try held.one { $0.int64(0) } ?? 0)
    }

    @Test("The noted usage is what log and history hold: after random changes, purges, compaction, a restart and an upgrade", .sqliteOnly("It counts what its rows take"), arguments: [1, 2, 3])
    func counts(seed: UInt64) throws {
        let world = try World(seed: seed)
        var family = try RandomFamily(world, seed: seed)
        func expectAgreement() throws {
            let (noted, held) = try usage(world, family.home)
            #expect(noted == held)
        }
        try family.live(steps: 150)
        try expectAgreement()
        world.surroundings.now += 31 * Surroundings.day
        try world.purge()
        try expectAgreement()
        try world.reopen()
        try family.live(steps: 20)
        try expectAgreement()
        world.surroundings.now += 366 * Surroundings.day
        try world.purge()
        try expectAgreement()
        #expect(try usage(world, family.home).held > 0)
        // As a database of an older program.
        try world.damage("UPDATE log SET written = NULL")
        try family.live(steps: 20)
        try expectAgreement()
    }

    @Test("Usage that was noted wrongly is found by a check and counted again by a repair; then it is right for good", .sqliteOnly("It damages rows"))
    func repairs() throws {
        let world = try World()
        let home = try world.home()
        try world.mutate(home, home.parent, message(world.newID(), "Hi"))
        let disk = MemoryDisk(root: "/data")
        let (blobs, uploads) = (BlobFolder(path: "/data/blobs", disk: disk), UploadFolder(path: "/data/uploads", disk: disk))
        try uploads.prepare()
        func check() throws -> CheckReport { try world.openCheck().run(blobs: blobs, uploads: uploads, isDeep: false, now: world.surroundings.now) }
        for sql in ["UPDATE log SET written = written + 9", "UPDATE families SET freed = freed + 3", "UPDATE families SET freed = freed - 30"] {
            try world.damage(sql)
            try world.reopen()
            var report = try check()
            #expect(report.findings.map(\.code) == [.usageDiffers] && report.findings.first?.family == home.family && !report.agrees)
            try report.repair(world.store, blobs: blobs, uploads: uploads, now: world.surroundings.now)
            #expect(report.agrees)
            #expect(try check().findings == [])
            try world.mutate(home, home.parent, message(world.newID(), "Again"))
            let (noted, held) = try usage(world, home)
            #expect(noted == held)
        }
    }

    @Test("Beyond the limit changes are refused with figures and for good; other families, and taking rights away, are not affected")
    func refuses() throws {
        let world = try World { $0.limits.familyHistory = 20_000 }
        let home = try world.home()
        let guest = try world.member(home, .guest, name: "Gus")
        var refused: Answer?
        var proposal = world.proposal(home, home.parent, [message(world.newID(), "")])
        for _ in 0..<40 where refused == nil {
            proposal = world.proposal(home, home.parent, [message(world.newID(), String(repeating: "x", count: 2_000))])
            let answer = try world.commit(proposal)
            if answer.code != nil { refused = answer }
        }
        #expect(refused?.code == .quotaExceeded)
        #expect(refused?.rejection?.message.contains("takes 21") == true || refused?.rejection?.message.contains("takes 20") == true)
        #expect(refused?.rejection?.message.contains("19.5 KB is its limit") == true)
        #expect(try world.commit(proposal).frame == refused?.frame)
        let other = try world.home("Other")
        #expect(try world.mutate(other, other.parent, message(world.newID(), "Hi")).sequence != nil)
        let version = try world.record(home, guest).version
        #expect(try world.mutate(home, home.parent, delete(.member, guest, base: version)).sequence != nil)
    }

    @Test("A refusal that the frame alone decides leaves its code, and a conflict the contested values")
    func shortReceipts() throws {
        let world = try World()
        let home = try world.home()
        _ = try world.commit(world.refused(home, home.parent, String(repeating: "x", count: 9_000)))
        #expect(try world.receipts().map(\.receipt.frame.count).max() ?? .max < 40)

        let event = world.newID()
        let notes = String(repeating: "n", count: 9_000)
        try world.mutate(home, home.parent, create(.event, event, athlete: try world.athlete(home), [
            "type": .text("camp"), "name": .text("Fall"), "start_date": .text("2026-12-05"), "description": .text(notes),
        ]))
        try world.mutate(home, home.parent, update(.event, event, base: 1, ["name": .text("Winter")]))
        let stale = world.proposal(home, home.parent, [update(.event, event, base: 1, ["name": .text("Spring")])])
        let first = try world.commit(stale)
        #expect(first.code == .conflict)
        #expect(first.frame.count > 9_000)
        #expect(try world.receipts().max { $0.mutation < $1.mutation }?.receipt.frame.count ?? .max < 1_500)
        #expect(try world.commit(stale).rejection == first.rejection)
        // Repeated later it shows the record, and what is to be replaced, as they are then.
        try world.mutate(home, home.parent, update(.event, event, base: 2, ["name": .text("Summer")]))
        try world.reopen()
        let later = try #require(try world.commit(stale).rejection)
        #expect(later.conflict?.record == (try world.record(home, event)))
        #expect(later.conflict?.fields.map(\.theirs) == [.text("Summer")])
        #expect(later.conflict?.fields.map(\.yours) == [.text("Spring")])
        #expect(later.conflict?.fields.map(\.base) == [.text("Fall")])
    }

    @Test("Refusals of one client are bounded; the older ones are refused as expired and never performed; acks stay")
    func boundsRefusals() throws {
        let world = try World()
        let home = try world.home()
        let acked = world.proposal(home, home.parent, [message(world.newID(), "First")])
        let ack = try world.commit(acked)
        let oldest = world.refused(home, home.parent, "{}")
        for round in 0..<12 {
            let refused = round == 0 ? [oldest] : []
            _ = try world.commit(refused + (0..<200).map { _ in world.refused(home, home.parent, "{}") })
            #expect(try world.receipts().count { !$0.receipt.isOfChange } <= UnloggedReceipts.maxCount)
        }
        let newest = world.refused(home, home.parent, "{}")
        let answer = try world.commit(newest)
        for _ in 0..<2 {
            #expect(try world.commit(newest).frame == answer.frame)
            #expect(try world.commit(acked).frame == ack.frame)
            #expect(try world.commit(oldest).code == .mutationExpired)
            try world.reopen()
        }
        // Not to be performed with other content either.
        var other = world.proposal(home, home.parent, [message(world.newID(), "Late")])
        other.mutation.id = oldest.mutation.id
        #expect(try world.commit(other).code == .mutationExpired)
        #expect(try world.snapshot(home).sequence == 2)
    }

    @Test("Long refusals of one client are bounded by their octets")
    func boundsOctets() throws {
        let world = try World()
        let home = try world.home()
        let school = world.newID()
        let text = String(repeating: "n", count: 4_000)
        try world.mutate(home, home.parent, create(.school, school, ["name": .text("State"), "notes": .text(text)]))
        try world.mutate(home, home.parent, update(.school, school, base: 1, ["notes": .text(text + "!")]))
        for _ in 0..<100 {
            #expect(try world.mutate(home, home.parent, update(.school, school, base: 1, ["notes": .text(text + "?")])).code == .conflict)
        }
        let kept = try world.receipts().filter { !$0.receipt.isOfChange }.reduce(0) { $0 + $1.receipt.frame.count }
        #expect(kept > UnloggedReceipts.maxOctets / 4 && kept <= UnloggedReceipts.maxOctets)
    }

    @Test("A member has a bounded number of clients at a time")
    func boundsClients() throws {
        let world = try World { $0.limits.clientsPerMember = 3 }
        let home = try world.home()
        let clients = (0..<5).map { _ in world.newID() }
        func say(_ client: Identifier) throws -> Answer { try world.mutate(home, home.parent, message(world.newID(), "Hi"), client: client) }
        for client in clients.prefix(3) { #expect(try say(client).sequence != nil) }
        let refused = try say(clients[3])
        #expect(refused.code == .quotaExceeded && refused.rejection?.message.contains("3 client ids") == true)
        #expect(try world.count("clients") == 3)
        // All in one batch.
        let guest = try world.member(home, .guest, name: "Gus")
        let answers = try world.commit(clients.map { world.refused(home, guest, "{}", client: $0) })
        #expect(answers.map(\.code) == [.unknownField, .unknownField, .unknownField, .quotaExceeded, .quotaExceeded])
        // After 30 days the ids of old clients are free.
        #expect(try say(clients[0]).sequence != nil)
        world.surroundings.now += 31 * Surroundings.day
        try world.purge()
        #expect(try say(clients[3]).sequence != nil)
    }

    @Test("Values replaced more than 365 days ago go from log and history; the record, its log and who changed it stay")
    func compacts() throws {
        let world = try World()
        let home = try world.home()
        let leo = try world.athlete(home)
        let event = world.newID()
        try world.mutate(home, home.parent, camp(event, athlete: leo, name: "OldName"))
        let renamed = try world.mutate(home, home.parent, update(.event, event, base: 1, ["name": .text("MiddleName"), "city": .text("Waco")]))
        try world.mutate(home, home.parent, update(.event, event, base: 2, ["name": .text("LastName")]))
        let cursor = Cursor(epoch: Cursor.epoch(of: home.family, database: world.store.epoch), sequence: 3)
        world.surroundings.now += 364 * Surroundings.day
        let young = try world.mutate(home, home.parent, update(.event, event, base: 3, ["city": .text("Austin")]))
        func holds(_ text: String) throws -> [String] { try world.holders(of: text).filter { $0 == "log" || $0 == "history" } }
        try world.purge()
        #expect(try holds("OldName") == ["log", "history"])
        #expect(try world.stored { try $0.families.all().map(\.floor) } == [0])

        world.surroundings.now += 2 * Surroundings.day
        let before = try world.snapshot(home)
        try world.purge()
        #expect(try holds("OldName") == [])
        #expect(try holds("MiddleName") == [])
        #expect(try holds("LastName") == ["log"], "the record has it still")
        #expect(try holds("Waco") == ["history"], "replaced two days ago")
        #expect(try world.snapshot(home).records == before.records)

        // A cursor from before is asked to load again, and an undo says why it cannot be done.
        guard case .joined(let state) = try world.join(home, home.parent, cursor: cursor) else { throw Unexpected() }
        #expect(state.resume == .reset(.logTrimmed))
        let undone = try world.undo(home, home.parent, try #require(renamed.sequence))
        #expect(undone.code == .purged)
        #expect(undone.rejection?.message.hasPrefix("This change is more than 365 days old") == true)
        #expect(try world.undo(home, home.parent, try #require(young.sequence)).sequence != nil)
        // An edit that rests on a version whose successors are not known any more is a conflict.
        #expect(try world.mutate(home, home.parent, update(.event, event, base: 2, merge: .disjoint, ["url": .text("https://a.example")])).code == .conflict)
        // History says who and when, and that it cannot be undone.
        let request = HistoryRequest(request: 1, record: .init(kind: .event, id: event), limit: 9)
        let found = try world.reader.history(family: home.family, member: home.parent, request).get()
        guard case .history(let page) = try travelled(.history(found)) else { throw Unexpected() }
        #expect(page.entries.count == 5)
        #expect(page.entries.first { $0.sequence == renamed.sequence }?.isUndoable == false)
        #expect(page.entries.allSatisfy { $0.member == home.parent })
    }

    @Test("Records are what a compacted log makes of them, and compaction ends and begins again where it ended", .sqliteOnly("It looks into columns"), arguments: [1, 2, 3, 4])
    func compactedLogAgrees(seed: UInt64) throws {
        let world = try World(seed: seed)
        var family = try RandomFamily(world, seed: seed)
        for _ in 0..<4 {
            try family.live(steps: 120)
            world.surroundings.now += 200 * Surroundings.day
            // Tombstones would be purged, which has its own tests.
            while try world.store.compactOnce() {}
            let database = try Database(path: world.path, mode: .readOnly)
            var replayed = ReplayedFamily()
            let frames = try database.prepare("SELECT frame FROM log WHERE family = (SELECT key FROM families WHERE uuid = ?) ORDER BY seq")
            frames.bind(1, family.home.family)
            for octets in try frames.all({ $0.octets(0) }) {
                // Not a frame that is sent, so not one that the schema knows.
                guard case .change(let change) = try ServerFrame.decode(octets) else { throw Unexpected() }
                #expect(replayed.apply(change) == nil)
            }
            for record in try world.snapshot(family.home).records.values {
                if case let difference? = replayed.compare(record) { Issue.record("\(difference)") }
            }
            try world.reopen()
        }
        #expect(try world.query("SELECT compacted FROM meta") > 100)
        #expect(try world.query("SELECT freed FROM families") > 1_000)
    }
}

extension FamilyStore {
    /// One portion of compaction alone.
    fileprivate func compactOnce() throws -> Bool {
        guard case .done(let hasMore) = try transaction({ _ in try compact(before: environment.now() - Int64(environment.limits.historyAge)) }) else {
            return false
        }
        return hasMore
    }
}
