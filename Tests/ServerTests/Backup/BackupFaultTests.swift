import Blobs
import Bytes
import Crypto
import Dates
import Family
import Posix
import Store
import TestSupport
import Testing

@testable import Server

@Suite("Backups on failing disks, and damaged backups", .serialized)
struct BackupFaultTests {
    /// ENOSPC and EIO once, and EIO for good: a process that was killed changes nothing more either.
    static let faults: [(errno: Errno, isCut: Bool)] = [(.noSpace, false), (Errno(5, "fsync"), false), (Errno(5, "write"), true)]

    @Test("A backup of which any call fails is none, and the next one is good", arguments: 0..<3)
    func failingBackup(_ index: Int) throws {
        let (errno, isCut) = Self.faults[index]
        let fixture = try BackupFixture(documents: 1)
        var call = 1
        var wholes = 0
        while true {
            // Nothing is there yet, so that every file is copied.
            try Files.removeTree("\(fixture.place)/files")
            let disk = FailingDisk(at: call, errno, isCut: isCut)
            let outcome = Result { try fixture.backUp(disk: disk) }
            if disk.failures == 0 {
                _ = try outcome.get()
                break
            }
            let error = #expect(throws: ServerError.self, "call \(call)") { try outcome.get() }
            #expect(error?.sentence.isEmpty == false)
            let finished = try fixture.entries().filter(\.isFinished)
            // If the disk fails for good after the last name was given, that name cannot be taken back: then the backup is whole.
            for entry in finished {
                #expect(isCut)
                let target = fixture.folder.path + "/restored-\(call)"
                _ = try Restore("\(fixture.place)/\(entry.name)", to: target, endsSessions: false).run()
                try fixture.expectWhole(target, head: try fixture.head(DataFolder.databasePath(in: fixture.data)))
                try Files.removeTree("\(fixture.place)/\(entry.name)")
                wholes += 1
            }
            #expect(!fixture.isNoted, "call \(call)")
            try fixture.expectFree()
            call += 1
        }
        #expect(call > 30 && wholes <= 1)
        #expect(fixture.isNoted)
        // The rest of the others is gone.
        #expect(try fixture.entries().map(\.isFinished) == [true])
        _ = try Restore(fixture.place, to: fixture.folder.path + "/restored", endsSessions: false).run()
    }

    @Test("A restore of which any call fails leaves nothing that a server would serve, and the next one ends it", arguments: 0..<3)
    func failingRestore(_ index: Int) throws {
        let (errno, isCut) = Self.faults[index]
        let fixture = try BackupFixture(documents: 1)
        let head = try fixture.head(DataFolder.databasePath(in: fixture.data))
        let backup = try fixture.backUp()
        let manifest = try Files.read(backup.path + "/MANIFEST")
        var call = 1
        while true {
            let target = fixture.folder.path + "/restored-\(call)"
            let disk = FailingDisk(at: call, errno, isCut: isCut)
            let outcome = Result { try Restore(backup.path, to: target, endsSessions: true, disk: disk).run() }
            if disk.failures == 0 {
                _ = try outcome.get()
                try fixture.expectWhole(target, head: head)
                break
            }
            #expect(throws: ServerError.self, "call \(call)") { try outcome.get() }
            // Whatever is there, no server takes it for a data folder; or it is whole, and only that it is durable is not known.
            if try !Files.list(target).isEmpty, Files.exists(DataFolder.unfinishedPath(in: target)) {
                #expect(throws: DataFolderError.unfinished) { _ = try DataFolder(path: target) }
                #expect(throws: ServerError.self) { try AdminGate.perform(.ask(.status), dataFolder: target) }
                _ = try Restore(backup.path, to: target, endsSessions: true).run()
            }
            if Files.exists(DataFolder.databasePath(in: target)) { try fixture.expectWhole(target, head: head) } else { #expect(try Files.list(target) == []) }
            call += 1
        }
        #expect(call > 15)
        #expect(try Files.read(backup.path + "/MANIFEST") == manifest)
    }

    /// Ways in which a backup can be wrong, and a word of the sentence that says so.
    static let damage: [(name: String, word: String)] = [
        ("no manifest", "not finished"), ("cut manifest", "truncated"), ("changed manifest", "changed"), ("other form", "format 2"), ("newer", "version 9999"),
        ("no database", "huddle.db is missing"), ("cut database", "huddle.db is not the file"), ("changed database", "huddle.db is not the file"),
        ("no file", "is missing"), ("cut file", "is not the file"), ("changed file", "is not the file"), ("foreign path", "damaged"),
    ]

    @Test("A damaged, cut or foreign backup is refused with its fault, and nothing is touched", arguments: 0..<12)
    func refusals(_ index: Int) throws {
        let (name, word) = Self.damage[index]
        let fixture = try BackupFixture(documents: 1)
        let backup = try fixture.backUp()
        var manifest = try BackupSource.manifest(backup.path)
        let path = "\(backup.path)/MANIFEST"
        let database = "\(backup.path)/huddle.db"
        let file = BackupFolder(path: fixture.place, disk: SystemDisk()).files.path(of: try #require(manifest.files.first))
        func change(_ path: String, _ body: (inout [UInt8]) -> Void) throws {
            var octets = try Files.read(path)
            body(&octets)
            try Files.write(octets, to: path)
        }
        /// A manifest that somebody wrote by hand, with a digest that fits.
        func forge(_ body: (String) -> String) throws {
            let text = String(decoding: try Files.read(path).dropLast(71), as: UTF8.self)
            let octets = Array(body(text).utf8)
            try Files.write(octets + Array("# end \(Hex.encode(Digest.sha256(octets)))\n".utf8), to: path)
        }
        switch name {
        case "no manifest": try Files.remove(path)
        case "cut manifest": try change(path) { $0.removeLast(40) }
        case "changed manifest": try change(path) { $0[30] ^= 1 }
        case "other form": try forge { $0.replacing("# huddle-backup 1", with: "# huddle-backup 2") }
        case "newer":
            manifest.schema = 9_999
            try Files.write(manifest.encode(), to: path)
        case "no database": try Files.remove(database)
        case "cut database": try change(database) { $0.removeLast(4_096) }
        case "changed database": try change(database) { $0[$0.count / 2] ^= 1 }
        case "no file": try Files.remove(file)
        case "cut file": try change(file) { $0.removeLast() }
        case "changed file": try change(file) { $0[3] ^= 1 }
        default: try forge { $0.replacing("../files/", with: "../../etc/") }
        }
        let target = fixture.folder.path + "/restored"
        let error = #expect(throws: ServerError.self) { try Restore(backup.path, to: target, endsSessions: false).run() }
        #expect(error?.sentence.contains(word) == true, "\(name): \(error?.sentence ?? "")")
        #expect(error?.sentence.contains("Nothing was restored") == true)
        #expect(!Files.exists(target))
    }

    @Test("A restore never writes over data")
    func occupied() throws {
        let fixture = try BackupFixture(documents: 1)
        let backup = try fixture.backUp()
        let before = try Files.read(fixture.data + "/huddle.db")
        let error = #expect(throws: ServerError.self) { try Restore(backup.path, to: fixture.data, endsSessions: false).run() }
        #expect(error?.sentence.contains("not empty") == true)
        #expect(try Files.read(fixture.data + "/huddle.db") == before)
        let file = fixture.folder.path + "/file"
        try Files.write([7], to: file)
        #expect(throws: ServerError.self) { try Restore(backup.path, to: file, endsSessions: false).run() }
        #expect(try Files.read(file) == [7])
        // Neither a folder of something else nor one that is missing is a backup.
        for other in [fixture.folder.path, fixture.folder.path + "/nowhere"] {
            let error = #expect(throws: ServerError.self) { try Restore(other, to: fixture.folder.path + "/new", endsSessions: false).run() }
            #expect(error?.sentence.contains(other) == true, "\(error?.sentence ?? "")")
        }
        #expect(throws: ServerError.self) { try Backup(dataFolder: fixture.folder.path + "/nowhere", to: fixture.place).run() }
    }

    @Test("A manifest that is cut or changed anywhere is refused, and no text is taken for one")
    func manifests() throws {
        let family = Identifier(high: 1, low: 2)
        let manifest = BackupManifest(
            madeAt: 1_795_237_200_123, program: "0.2.0", schema: 14, families: 2, database: Hex.encode(Digest.sha256([1])),
            files: [BlobName(family: family, sha256: Digest.sha256([2])), BlobName(family: family, sha256: Digest.sha256([3]))])
        let octets = manifest.encode()
        #expect(try BackupManifest(octets) == manifest)
        for count in 0..<octets.count { #expect(throws: BackupFault.self) { try BackupManifest(Array(octets[..<count])) } }
        for index in octets.indices {
            var changed = octets
            changed[index] ^= 1
            #expect(throws: BackupFault.self, "octet \(index)") { try BackupManifest(changed) }
        }
        var random = SplitMix64(seed: 7)
        for _ in 0..<2_000 {
            let text = (0..<Int(random.next() % 300)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            #expect(throws: BackupFault.self) { try BackupManifest(text + Array("# end \(Hex.encode(Digest.sha256(text)))\n".utf8)) }
        }
    }

    @Test("The name of a backup is its time, and no other name is one", arguments: ["", "files", "2026-11-21", "2026-11-21T05-00-00.000", "2026-11-21T05:00:00.000Z", "2026-11-31T05-00-00.000Z", "2026-11-21T25-00-00.000Z"])
    func names(other: String) {
        #expect(BackupFolder.name(1_795_237_200_123) == "2026-11-21T05-00-00.123Z")
        #expect(BackupFolder.instant("2026-11-21T05-00-00.123Z") == 1_795_237_200_123)
        #expect(BackupFolder.instant(other) == nil)
    }

    @Test("An archive of which any write fails has no manifest, and says why")
    func failingArchive() throws {
        let fixture = try BackupFixture(documents: 1)
        var call = 1
        while true {
            var calls = 0
            var written: [UInt8] = []
            let stream = BackupStream(dataFolder: fixture.data, scratch: fixture.folder.path) { octets throws(Errno) in
                calls += 1
                guard calls < call else { throw .noSpace }
                written += octets
            }
            let outcome = Result { try stream.run() }
            #expect(try Files.list(fixture.folder.path) == ["data"], "no copy of the database is left")
            guard calls >= call else {
                #expect(try outcome.get().files == 1)
                #expect(written.count % 512 == 0 && written.suffix(1_024).allSatisfy { $0 == 0 })
                break
            }
            let error = #expect(throws: ServerError.self, "call \(call)") { try outcome.get() }
            #expect(error?.sentence.contains("not a backup") == true)
            // The manifest is one write with the end of the archive.
            #expect(!String(decoding: written, as: UTF8.self).contains("# huddle-backup"))
            #expect(!fixture.isNoted)
            try fixture.expectFree()
            call += 1
        }
        #expect(call > 6)
        #expect(fixture.isNoted)
    }

    @Test("An archive of a data folder with a damaged document is refused before anything is written")
    func damagedSource() throws {
        let fixture = try BackupFixture(documents: 1)
        let blob = try #require(try ServerDatabase.openReader(of: DataFolder.databasePath(in: fixture.data)).filesInUse().first?.blob)
        let path = fixture.blobs.path(of: blob)
        var octets = try Files.read(path)
        octets[100] ^= 1
        try Files.write(octets, to: path)
        var written = 0
        let error = #expect(throws: ServerError.self) {
            try BackupStream(dataFolder: fixture.data, scratch: fixture.folder.path) { octets throws(Errno) in written += octets.count }.run()
        }
        #expect(written == 0 && error?.sentence.contains("check --deep") == true)
        #expect(!fixture.isNoted)
    }
}
