import Bytes
import Family
import SQLite
import TestSupport
import Testing
import Wire

@testable import Store
@testable import StoreSQLite

@Suite("The store keeps the checksum of a family's records, guarantees.md (verifiable)", .bothEngines)
struct ChecksumTests {
    /// The checksum in the newest row of the log; `nil` if it holds none.
    private func stored(_ world: World, _ home: World.Home) throws -> StateChecksum? {
        try world.stored { engine in
            guard let family = try engine.families.find(home.family)?.key else { throw Unexpected() }
            return try engine.log.entry(family: family, sequence: try engine.log.head(family: family))?.checksum
        }
    }

    /// Compares the three sources of the checksum with the records of a snapshot.
    private func check(_ world: World, _ home: World.Home, _ place: String) throws {
        let records = try world.snapshot(home).records.values
        let naive = StateChecksum(records)
        #expect(try stored(world, home) == naive, "\(place)")
        let snapshot = try world.frames(home)
        #expect(snapshot.verification == SnapshotVerification(checksum: naive, unsent: StateChecksum()), "\(place)")
        #expect(try world.reader.changes(family: home.family, after: snapshot.sequence, maxOctets: 1).checksum == naive, "\(place)")
    }

    @Test("After each batch of random mutations the log holds the sum over the records", arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func random(seed: UInt64) throws {
        guard EngineKind.takes(seed, upTo: 2) else { return }
        let source = try World(seed: seed)
        var life = try RandomFamily(source, seed: seed)
        try life.hurry(steps: 200)

        let world = try World(seed: seed)
        let family = try RandomFamily(world, seed: seed)
        try #require(family.home.family == life.home.family)
        var twin = family.twin
        var sizes = SplitMix64(seed: seed &+ 7)
        var rest = life.episodes[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Int.random(in: 1...40, using: &sizes))
            rest = rest.dropFirst(batch.count)
            for answer in try world.commit(batch.map(\.proposal)) {
                guard let change = answer.change else { continue }
                twin.apply(change)
                #expect(answer.committed?.checksum == StateChecksum(twin.records.values), "seed \(seed), change \(change.sequence)")
            }
            try check(world, family.home, "seed \(seed), change \(twin.sequence)")
            if Int.random(in: 0..<4, using: &sizes) == 0 { try world.reopen() }
        }
        #expect(twin.sequence > 60, "seed \(seed)")
    }

    @Test("Deletions, restorations and purges keep it", arguments: [1, 2, 3] as [UInt64])
    func purges(seed: UInt64) throws {
        guard EngineKind.takes(seed, upTo: 1) else { return }
        let world = try World(seed: seed)
        var family = try RandomFamily(world, seed: seed)
        try family.live(steps: 120)
        try check(world, family.home, "seed \(seed), before the purge")
        world.surroundings.now += 31 * Surroundings.day
        let before = try stored(world, family.home)
        #expect(try world.purge().records > 0, "seed \(seed)")
        #expect(try stored(world, family.home) == before, "a purge changes nothing")
        try family.live(steps: 30)
        try check(world, family.home, "seed \(seed), after the purge")
    }

    @Test("Rows of an earlier program have none: it is computed, and the next change stores it")
    func earlier() throws {
        let world = try World()
        var family = try RandomFamily(world, seed: 3)
        try family.live(steps: 60)
        let checksum = try #require(try stored(world, family.home))
        try world.change { try $0.log.forgetChecksums(family: 1) }
        #expect(try stored(world, family.home) == nil)
        #expect(try world.frames(family.home).verification.checksum == checksum)
        let head = try world.snapshot(family.home).sequence
        #expect(try world.reader.changes(family: family.home.family, after: head - 1, maxOctets: .max).checksum == checksum)
        try world.mutate(family.home, family.home.parent, school(world.newID(), "Rice"))
        try check(world, family.home, "after a change")
    }

    @Test("A database from before the step gets the column, and no checksum is made up", .sqliteOnly("It is a step of its schema"))
    func migrates() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/huddle.db"
        let database = try Database(path: path, mode: .readWriteCreate)
        let steps = Array(Schema.migrations.prefix { $0 != Schema.checksums })
        #expect(steps.count < Schema.migrations.count)
        try Schema.migrate(database, epoch: "e", at: 0, steps: steps)
        try database.execute("INSERT INTO log (family, seq, at, messages, frame) VALUES (1, 1, 0, 0, x'00')")
        _ = try FamilyStore(path: path, environment: Surroundings().environment)
        #expect(try database.prepare("SELECT count(*) FROM log WHERE checksum IS NULL").first { row throws(SQLiteError) in row.int64(0) } == 1)
    }

    @Test("A page that ends before the end of the log has no checksum: it would be of another sequence")
    func pages() throws {
        let world = try World()
        let home = try world.home()
        for number in 0..<5 { try world.mutate(home, home.parent, school(world.newID(), "School \(number)")) }
        let head = try world.snapshot(home).sequence
        let first = try world.reader.changes(family: home.family, after: 0, maxOctets: 1)
        #expect(!first.reachedEnd && first.checksum == nil)
        #expect(try world.reader.changes(family: home.family, after: 0, maxOctets: .max).checksum == stored(world, home))
        #expect(try world.reader.changes(family: home.family, after: head + 3, maxOctets: .max).checksum == nil, "a position that never was")
    }

    @Test("A snapshot states the sum over the messages that it leaves out, edited and deleted ones too")
    func oldMessages() throws {
        let world = try World { $0.limits.snapshotMessages = 5 }
        let home = try world.home()
        let ids = (0..<20).map { _ in world.newID() }
        for id in ids { try world.mutate(home, home.parent, message(id, "Hi")) }
        var left = ids.prefix(15).reduce(into: StateChecksum()) { $0.add($1, version: 1) }
        #expect(try world.frames(home).verification.unsent == left)

        try world.mutate(home, home.parent, update(.message, ids[3], base: 1, ["text": .text("Hi again")]))
        left.subtract(ids[3], version: 1)
        left.add(ids[3], version: 2)
        try world.mutate(home, home.parent, delete(.message, ids[4], base: 1))
        left.subtract(ids[4], version: 1)
        let snapshot = try world.frames(home)
        #expect(snapshot.verification.unsent == left)
        #expect(try StateChecksum(world.snapshot(home).records.values) + left == snapshot.verification.checksum)
        #expect(try stored(world, home) == snapshot.verification.checksum)
    }

    @Test("A record that is damaged on disk counts as left out, so that clients agree with the server", .sqliteOnly("It damages a row"))
    func damaged() throws {
        let world = try World()
        let home = try world.home()
        let id = world.newID()
        try world.mutate(home, home.parent, school(id, "Rice"))
        let before = try #require(try stored(world, home))
        try world.damage("UPDATE records SET fields = CAST('{' AS BLOB) WHERE kind = \(Kind.school.rawValue)")
        let verification = try world.frames(home).verification
        #expect(verification.checksum == before)
        #expect(verification.unsent.value == StateChecksum.term(id, version: 1))
    }
}
