import Blobs
import Bytes
import CFaultVFS
import Crypto
import Family
import Ledger
import MemoryDisk
import Store
import StoreSQLite
import Testing
import Wire

/// One upload from its first octet to its document, with the disk of the files and that of the database both failing.
private final class Delivery {
    static let content = (0..<1_300).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let vfs = FaultDisk()
    let surroundings = Surroundings()
    let disk: MemoryDisk
    private(set) var home: World.Home?
    private var leo: Identifier?
    private let id = Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_4711)
    /// The uploader has the answer that the document is there.
    private(set) var isConfirmed = false
    private var promised: Int64 = 0

    init(seed: UInt64) throws {
        disk = MemoryDisk(root: "/data", seed: seed)
        let world = try vfs.world(surroundings)
        let home = try world.home()
        self.home = home
        leo = try world.athlete(home)
    }

    var blobs: BlobFolder { BlobFolder(path: "/data/blobs", disk: disk) }
    var uploads: UploadFolder { UploadFolder(path: "/data/uploads", disk: disk) }

    /// The work of server and client after a start: stored octets are taken up, missing ones are sent.
    func run() throws {
        guard let home, let leo else { throw Unexpected() }
        let world = try vfs.world(surroundings)
        let (blobs, uploads) = (self.blobs, self.uploads)
        try uploads.prepare()
        try uploads.removeLeftovers()
        if isConfirmed, try uploads.open(id) == nil { return }
        let upload = try uploads.open(id) ?? uploads.create(id, length: Int64(Self.content.count), description: [1])
        #expect(upload.progress.offset >= promised)
        if case .receiving = upload.progress.phase {
            while upload.written < Self.content.count {
                let start = Int(upload.written)
                try upload.append(Array(Self.content[start..<min(start + 300, Self.content.count)]))
                promised = try upload.synchronize()
            }
            _ = try upload.complete()
        }
        if case .complete(let sha256) = upload.progress.phase {
            let blob = try upload.adopt(into: blobs, family: home.family)
            #expect(blob == BlobName(family: home.family, sha256: sha256))
            let document = NewDocument(
                id: id, family: home.family, member: home.parent, athlete: leo,
                fields: patch(.document, ["type": .text("transcript"), "title": .text("Transcript")]),
                file: .init(name: "t.pdf", type: "application/pdf", octets: Int64(Self.content.count), sha256: blob.sha256))
            #expect(try world.store.addDocument(document).0.get() == 1)
            isConfirmed = true
            try upload.end(outcome: [1])
        }
        isConfirmed = true
        try uploads.remove(id)
    }

    func check() throws -> CheckReport {
        try StoreCheck(path: "huddle.db", vfs: vfs.name).run(blobs: blobs, uploads: uploads, isDeep: true, now: surroundings.now)
    }

    /// Whether what holds at any moment holds now.
    func verify(_ place: String) throws {
        do {
            // The next start, which migrates and rolls forward.
            let world = try vfs.world(surroundings)
            let report = try check()
            #expect(report.findings.filter { !$0.code.isHarmless } == [], "\(place)")
            let documents = try world.query("SELECT count(*) FROM records WHERE kind = 11")
            #expect(documents == (isConfirmed ? 1 : documents) && documents <= 1, "\(place)")
            #expect(report.documents == Int(documents) && report.files == Int(documents), "\(place)")
        }
        try run()
        let report = try check()
        #expect(report.findings == [] && report.documents == 1 && report.octets == 1_300, "\(place)")
        #expect(disk.files.count == 1, "\(place)")
        #expect(disk.openFiles == 0)
    }
}

@Suite("Files and rows agree, guarantees.md: the end at every step", .serialized)
struct PowerCutTests {
    /// Calls of the files' disk, and operations of the database's, of one delivery without failure.
    private func steps() throws -> (calls: Int, operations: Int) {
        let delivery = try Delivery(seed: 1)
        let before = faultvfs_operations(delivery.vfs.name)
        try delivery.run()
        return (delivery.disk.calls, Int(faultvfs_operations(delivery.vfs.name) - before))
    }

    @Test("the process is killed at each call for a file: nothing promised is missing, nothing is half done, and the upload completes")
    func killedAtFile() throws {
        let calls = try steps().calls
        #expect(calls > 50)
        for call in 0..<calls {
            let delivery = try Delivery(seed: UInt64(call))
            delivery.disk.fail(after: call, .cut)
            #expect(throws: (any Error).self, "call \(call)") { try delivery.run() }
            faultvfs_crash_now(delivery.vfs.name, FAULTVFS_KILL, 0)
            #expect(faultvfs_restart(delivery.vfs.name) == 0)
            delivery.disk.restart()
            try delivery.verify("call \(call)")
        }
    }

    @Test("the power is cut at each call for a file, and what was not synced is lost or not", arguments: 1...6 as ClosedRange<UInt64>)
    func cutAtFile(seed: UInt64) throws {
        for call in 0..<(try steps().calls) {
            let delivery = try Delivery(seed: seed &* 1_000 &+ UInt64(call))
            delivery.disk.fail(after: call, .cut)
            #expect(throws: (any Error).self, "call \(call)") { try delivery.run() }
            faultvfs_crash_now(delivery.vfs.name, seed % 2 == 0 ? FAULTVFS_LOSE : FAULTVFS_RANDOM, seed)
            #expect(faultvfs_restart(delivery.vfs.name) == 0)
            delivery.disk.powerOn()
            try delivery.verify("seed \(seed), call \(call)")
        }
    }

    @Test("the power is cut at each operation of the database, and what was not synced is lost or not", arguments: 1...4 as ClosedRange<UInt64>)
    func cutAtDatabase(seed: UInt64) throws {
        let operations = try steps().operations
        #expect(operations > 5)
        for operation in 1...operations {
            let delivery = try Delivery(seed: seed &* 1_000 &+ UInt64(operation))
            faultvfs_crash_at(delivery.vfs.name, operation, seed % 2 == 0 ? FAULTVFS_LOSE : FAULTVFS_RANDOM, seed)
            // The last ones are the closing of the database, whose failure is reported to nobody.
            do { try delivery.run() } catch { #expect(error is StoreFailure, "operation \(operation): \(error)") }
            #expect(faultvfs_crashed(delivery.vfs.name) != 0)
            #expect(faultvfs_restart(delivery.vfs.name) == 0)
            delivery.disk.powerOn()
            try delivery.verify("seed \(seed), operation \(operation)")
        }
    }
}
