import Blobs
import Bytes
import Family
import Ledger
import MemoryDisk
import Store
import TestSupport
import Testing

/// A store and the folders of its documents, on a disk in memory.
final class StoreFixture {
    let world: World
    let home: World.Home
    let leo: Identifier
    let disk: MemoryDisk
    let blobs: BlobFolder
    let uploads: UploadFolder

    init() throws {
        world = try World()
        home = try world.home()
        leo = try world.athlete(home)
        disk = MemoryDisk(root: "/data")
        blobs = BlobFolder(path: "/data/blobs", disk: disk)
        uploads = UploadFolder(path: "/data/uploads", disk: disk)
        try uploads.prepare()
        disk.setTime(world.surroundings.now)
    }

    func pass(_ milliseconds: Int64) {
        world.surroundings.now += milliseconds
        disk.setTime(world.surroundings.now)
    }

    /// A document with a file of its own, or one that others have.
    @discardableResult
    func add(_ content: [UInt8], to home: World.Home? = nil, athlete: Identifier? = nil) throws -> (id: Identifier, blob: BlobName) {
        let family = home ?? self.home
        let blob = try blobs.put(content, family: family.family)
        var document = world.document(family, athlete ?? leo, octets: Int64(content.count))
        document.file.sha256 = blob.sha256
        try world.add(document)
        return (document.id, blob)
    }

    func isThere(_ blob: BlobName) throws -> Bool { try blobs.status(blob) != nil }

    @discardableResult
    func sweep() throws -> Swept {
        try BlobSweep(reader: world.reader, blobs: blobs, uploads: uploads).run(now: world.surroundings.now) { try world.store.forget($0) }
    }

    func remove(_ id: Identifier) throws {
        try world.mutate(home, home.parent, delete(.document, id, base: try world.record(home, id).version))
    }

    func check(isDeep: Bool = true) throws -> CheckReport {
        try world.openCheck().run(blobs: blobs, uploads: uploads, isDeep: isDeep, now: world.surroundings.now)
    }
}

@Suite("Sweeping of files, semantics.md (Documents)", .bothEngines)
struct SweepTests {
    let fixture: StoreFixture
    static let hour: Int64 = 3_600_000

    init() throws { fixture = try StoreFixture() }

    @Test("a file goes 24 hours after its last record was purged, and not a millisecond earlier")
    func grace() throws {
        let (one, blob) = try fixture.add([1, 2, 3])
        let (two, _) = try fixture.add([1, 2, 3])
        try fixture.remove(one)
        fixture.pass(31 * Surroundings.day)
        try fixture.world.purge()
        fixture.pass(2 * Surroundings.day)
        #expect(try fixture.sweep() == Swept())
        try fixture.remove(two)
        fixture.pass(30 * Surroundings.day)
        try fixture.world.purge()
        fixture.pass(Surroundings.day)
        #expect(try fixture.sweep() == Swept())
        #expect(try fixture.isThere(blob))
        fixture.pass(1)
        var swept = Swept()
        (swept.blobs, swept.octets) = (1, 3)
        #expect(try fixture.sweep() == swept)
        #expect(try !fixture.isThere(blob))
        #expect(try fixture.world.count("blobs") == 0)
        #expect(try fixture.check().findings.isEmpty)
    }

    @Test("a file that an upload uses again between two steps of a sweep stays")
    func revived() throws {
        let (id, blob) = try fixture.add([1, 2, 3])
        try fixture.remove(id)
        fixture.pass(31 * Surroundings.day)
        try fixture.world.purge()
        fixture.pass(2 * Surroundings.day)
        // The upload has its file, its record comes in a moment.
        _ = try fixture.blobs.put([1, 2, 3], family: fixture.home.family)
        #expect(try fixture.sweep() == Swept())
        #expect(try fixture.isThere(blob))
        // Or the record came while the sweep went on.
        try fixture.add([1, 2, 3])
        #expect(try fixture.world.store.forget([blob]))
        #expect(try fixture.world.stored { try $0.blobs.inUse(family: 1).count == 1 && $0.blobs.miscounted() == 0 })
        #expect(try fixture.check().findings.isEmpty)
    }

    @Test("a file that a crash left without a record is removed after a day, unless its upload still waits to be finished")
    func orphans() throws {
        let orphan = try fixture.blobs.put([9], family: fixture.home.family)
        let upload = try fixture.uploads.create(fixture.world.newID(), length: 1, description: [])
        try upload.append([8])
        _ = try upload.complete()
        let awaited = try upload.adopt(into: fixture.blobs, family: fixture.home.family)
        fixture.pass(Surroundings.day)
        #expect(try fixture.sweep() == Swept())
        fixture.pass(1)
        #expect(try fixture.sweep().blobs == 1)
        #expect(try !fixture.isThere(orphan) && fixture.isThere(awaited))
    }

    @Test("files of a family that the database does not know are left alone: it may be the wrong database")
    func unknownFamily() throws {
        let blob = try fixture.blobs.put([9], family: fixture.world.newID())
        fixture.pass(40 * Surroundings.day)
        #expect(try fixture.sweep() == Swept())
        #expect(try fixture.isThere(blob))
        #expect(try fixture.check().findings.map(\.code) == [.fileUnused])
    }

    @Test("a full disk ends a sweep; the next one continues")
    func full() throws {
        let (id, _) = try fixture.add([1])
        try fixture.remove(id)
        fixture.pass(31 * Surroundings.day)
        try fixture.world.purge()
        fixture.pass(2 * Surroundings.day)
        let sweep = BlobSweep(reader: fixture.world.reader, blobs: fixture.blobs, uploads: fixture.uploads)
        #expect(try sweep.run(now: fixture.world.surroundings.now) { _ in false }.blobs == 1)
        #expect(try fixture.check().findings.isEmpty)
        try fixture.sweep()
        #expect(try fixture.world.count("blobs") == 0)
    }

    @Test("a copy of the files that ends within a day of a copy of the database has every file of it", arguments: 1...12 as ClosedRange<UInt64>)
    func backup(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var living: [Identifier] = []
        var swept = 0
        func step() throws {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4: living.append(try fixture.add([UInt8.random(in: 0..<12, using: &random)]).id)
            case 4..<7:
                guard let index = living.indices.randomElement(using: &random) else { return }
                try fixture.remove(living.remove(at: index))
            case 7: try fixture.world.purge()
            default: swept += try fixture.sweep().blobs
            }
        }
        for round in 0..<4 {
            // Long enough that some of what was deleted is purged and swept.
            for _ in 0..<40 {
                try step()
                fixture.pass(Int64.random(in: 0..<(4 * Surroundings.day), using: &random))
            }
            // The database is copied: so it will say, whatever happens from now on.
            let promised = try fixture.documents()
            let end = fixture.world.surroundings.now + Surroundings.day
            var steps = 0
            while true {
                try step()
                swept += try fixture.sweep().blobs
                // At whichever moment each file is copied.
                for blob in promised { #expect(try fixture.isThere(blob), "seed \(seed), round \(round), step \(steps)") }
                let pause = Int64.random(in: 0..<(2 * Self.hour), using: &random)
                guard fixture.world.surroundings.now + pause <= end else { break }
                fixture.pass(pause)
                steps += 1
            }
            #expect(steps > 10)
            #expect(try fixture.check().findings.filter { !$0.code.isHarmless }.isEmpty, "seed \(seed)")
        }
        #expect(swept > 0, "seed \(seed)")
    }
}

extension StoreFixture {
    /// Every file that a record speaks of, deleted ones included.
    fileprivate func documents() throws -> [BlobName] {
        try world.snapshot(home).records.values.filter { $0.kind == .document }.compactMap { record in
            record.fields.text("sha256").flatMap { BlobName(family: home.family, sha256: $0) }
        }
    }
}
