import Blobs
import Bytes
import Crypto
import Family
import MemoryDisk
import Posix
import TestSupport
import Testing
import Uploads

@testable import Server

/// A disk with everything that a data folder may hold outside of the database, of two families.
private struct Folder {
    static let (doomed, other) = (Identifier(high: 1, low: 1), Identifier(high: 1, low: 2))
    /// A word in the content of each file of the family.
    static let secret = Array("Xylophone".utf8)

    let disk: MemoryDisk
    let files: ErasedFiles

    init() throws {
        let disk = MemoryDisk(root: "/d")
        self.disk = disk
        files = ErasedFiles(
            blobs: BlobFolder(path: "/d/blobs", disk: disk), thumbnails: ThumbnailFolder(path: "/d/thumbnails"), uploads: UploadFolder(path: "/d/uploads", disk: disk),
            folder: "/d", disk: disk)
        try files.uploads.prepare()
        for (family, word) in [(Self.doomed, "Xylophone"), (Self.other, "Evergreen")] {
            for number in 0..<2 { _ = try files.blobs.put(Array("\(word) document \(number)".utf8), family: family) }
            // A file of an import that was cut short has no digest for a name.
            try write("/d/blobs/\(family)/0011223344556677.incoming", "\(word) of an import")
            _ = try BlobFolder(path: "/d/thumbnails", disk: disk).put(Array("\(word) picture".utf8), family: family)
            for number in 0..<2 {
                let id = Identifier(high: family.low, low: UInt64(10 + number))
                let lines = ["family \(family)", "athlete \(id)", "type transcript", "title \(word)", "filename \(word).pdf"].map { line in
                    let parts = line.split(separator: " ")
                    return "\(parts[0]) \(Base64.encode(Array(parts[1].utf8)))"
                }
                let record = try UploadRecord(member: id, createdAt: 0, endsWhenFull: true, metadata: UploadMetadata([lines.joined(separator: ",")]))
                let upload = try files.uploads.create(id, length: 100, description: record.encoded)
                try upload.append(Array("\(word) upload".utf8))
            }
        }
        _ = try disk.makeFolder("/d/upgrade")
        for name in ["huddle-v15.db", "huddle-v15.db.part"] { try write("/d/upgrade/\(name)", "Xylophone") }
        for folder in ["/d", "/d/upgrade"] { try disk.synchronizeFolder(folder) }
    }

    private func write(_ path: String, _ text: String) throws {
        let file = try disk.create(path)
        defer { disk.close(file) }
        _ = try Array(text.utf8).span.bytes.withUnsafeBytes { (all) throws(Errno) in try disk.write(file, all, at: 0) }
        try disk.synchronize(file)
    }

    func remove(isStopped: () -> Bool = { false }) throws -> Bool { try files.remove(of: Self.doomed, isStopped: isStopped) }

    /// The files that are left of the family, by the content and by the names of files.
    var traces: [String] {
        disk.files.filter { file in
            file.value.holds(Self.secret) || file.key.contains("\(Self.doomed)") || Self.uploads(of: Self.doomed).contains { file.key.contains($0) }
        }.keys.sorted()
    }

    private static func uploads(of family: Identifier) -> [String] { (0..<2).map { "\(Identifier(high: family.low, low: UInt64(10 + $0)))" } }

    /// The files of the other family.
    var others: [String: [UInt8]] {
        disk.files.filter { file in file.key.contains("\(Self.other)") || Self.uploads(of: Self.other).contains { file.key.contains($0) } }
    }
}

@Suite("The files of an erased family")
struct ErasedFilesTests {
    @Test("Documents, small pictures, uploads under way, files of an import and copies of the database are gone; another family's files are as they were")
    func whole() throws {
        let folder = try Folder()
        let others = folder.others
        #expect(folder.traces.count == 3 + 1 + 6 + 2 && others.count == 3 + 1 + 6)
        #expect(try folder.remove())
        #expect(folder.traces == [] && folder.others == others)
        #expect(try folder.remove(), "a second time")
        #expect(folder.disk.openFiles == 0)
    }

    @Test("Stopped after any number of files, it continues where it ended")
    func stops() throws {
        let folder = try Folder()
        let others = folder.others
        var (rounds, left) = (0, folder.traces.count)
        while true {
            var asked = 0
            let isDone = try folder.remove {
                asked += 1
                return asked > 2
            }
            rounds += 1
            if isDone { break }
            #expect(folder.traces.count < left, "each round removes something")
            left = folder.traces.count
        }
        #expect(rounds > 2 && folder.traces == [] && folder.others == others)
    }

    @Test("Killed, without power, or refused by the disk at any call, the next run removes the rest, and no power cut after it brings anything back",
        arguments: ["kill", "power", "refusal"])
    func faults(kind: String) throws {
        let total = try {
            let folder = try Folder()
            let before = folder.disk.calls
            _ = try folder.remove()
            return folder.disk.calls - before
        }()
        #expect(total > 20)
        for call in 0..<total {
            let folder = try Folder()
            let others = folder.others
            folder.disk.fail(after: call, kind == "refusal" ? .fails(.noSpace) : .cut)
            #expect(throws: (any Error).self, "call \(call)") { try folder.remove() }
            switch kind {
            case "kill": folder.disk.restart()
            case "power": folder.disk.powerOn()
            default: folder.disk.forgetFaults()
            }
            // As a start does.
            if kind != "refusal" { try folder.files.uploads.removeLeftovers() }
            #expect(try folder.remove(), "call \(call)")
            #expect(folder.traces == [], "call \(call)")
            folder.disk.powerOn()
            #expect(folder.traces == [] && folder.others.keys == others.keys, "call \(call)")
        }
    }
}
