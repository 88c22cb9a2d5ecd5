import Blobs
import Bytes
import Crypto
import Family
import Ledger
import Posix
import Store
import Tar
import TestSupport
import Testing

/// A world with its files on the machine's disk, as commands have it.
private struct Place {
    let world: World
    let home: World.Home
    let leo: Identifier
    var blobs: BlobFolder { BlobFolder(path: world.blobsPath) }

    init(seed: UInt64) throws {
        world = try World(seed: seed)
        home = try world.home()
        leo = try world.athlete(home)
    }

    func add(_ content: [UInt8]) throws -> Identifier {
        let blob = try blobs.put(content, family: home.family)
        var document = world.document(home, leo, octets: Int64(content.count))
        document.file.sha256 = blob.sha256
        try world.add(document)
        return document.id
    }

    func export(to path: String) throws -> Result<ArchiveManifest, ArchiveError> {
        let file = try Files.create(path)
        return try world.reader.export(home.family, to: file.raw, blobs: blobs, isPrivate: true)
    }
}

private func load(_ path: String, into world: World) throws -> Result<(ArchiveManifest, ImportOutcome), ArchiveError> {
    let file = try Files.openForReading(path)
    return try FamilyArchive.read(file.raw, reader: world.reader, blobs: BlobFolder(path: world.blobsPath)) { step throws(ArchiveError) in
        let refusal: Rejection?
        do throws(StoreFailure) { refusal = try world.store.perform(step) } catch { throw .stopped }
        if let refusal { throw .refused(refusal) }
    }
}

/// A file in an archive.
private struct Part {
    var name: String
    var octets: [UInt8]
}

@Suite("Archive of a family: the files of its documents", .bothEngines)
struct FilesArchiveTests {
    let folder: TemporaryFolder
    private let place: Place
    private let other: World
    private let contents: [[UInt8]]

    init() throws {
        folder = try TemporaryFolder()
        place = try Place(seed: 1)
        other = try World(seed: 2)
        other.surroundings.now = place.world.surroundings.now
        // Empty, larger than one reading, and one that two documents have.
        contents = [[], (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &>> 3) }, Array("Transcript".utf8)]
        for content in contents + [contents[2]] { _ = try place.add(content) }
    }

    private var path: String { folder.path + "/family.tar" }

    @Test("files are archived whole, each once, and the check passes at the new server; any tar opens the archive")
    func travels() throws {
        _ = try place.export(to: path).get()
        let (_, outcome) = try load(path, into: other).get()
        #expect(outcome == .imported)
        let report = try other.openCheck().run(
            blobs: BlobFolder(path: other.blobsPath), uploads: UploadFolder(path: other.uploadsPath), isDeep: true, now: other.surroundings.now)
        #expect(report.findings == [] && report.documents == 4 && report.files == 3 && report.octets == 600_010)
        #expect(try load(path, into: other).get().1 == .alreadyHere)
        for content in contents {
            let blob = BlobName(family: place.home.family, sha256: Digest.sha256(content))
            var read: [UInt8] = []
            #expect(try BlobFolder(path: other.blobsPath).read(blob) { read.append(contentsOf: $0) })
            #expect(read == content)
        }
        let again = folder.path + "/again.tar"
        let file = try Files.create(again)
        _ = try other.reader.export(place.home.family, to: file.raw, blobs: BlobFolder(path: other.blobsPath), isPrivate: true).get()
        #expect(try Files.status(again)?.size == Files.status(path)?.size)
        let listed = try ChildProcess.run(["/bin/tar", "-tf", path])
        #expect(String(decoding: listed.output, as: UTF8.self).contains("blobs/" + Hex.encode(Digest.sha256(contents[2]))))
    }

    @Test("a file that is missing or damaged ends an export with its name")
    func lost() throws {
        let sha256 = Hex.encode(Digest.sha256(contents[1]))
        let name = try #require(BlobName(family: place.home.family, sha256: sha256))
        let file = try Files.openForUpdating(place.blobs.path(of: name))
        try Files.overwrite(file.raw, [0xFF], at: 300_000)
        #expect(throws: ArchiveError.lostFile(sha256)) { try place.export(to: path).get() }
        try Files.remove(place.blobs.path(of: name))
        #expect(throws: ArchiveError.lostFile(sha256)) { try place.export(to: path).get() }
    }

    @Test("an archive whose files were changed, left out or added to is refused, and no family is there")
    func forged() throws {
        _ = try place.export(to: path).get()
        let whole = try Files.read(path)
        let parts = try unpack(whole)
        let blobs = parts.filter { $0.name.hasPrefix("blobs/") }
        #expect(blobs.count == 3)
        func expectRefusal(_ parts: [Part], _ comment: Comment) throws {
            try Files.write(pack(parts), to: path)
            guard case .failure(let error) = try load(path, into: other) else {
                Issue.record(comment)
                return
            }
            #expect(!error.sentence.isEmpty)
            #expect(try other.reader.families(named: "\(place.home.family)").isEmpty)
        }
        for blob in blobs {
            try expectRefusal(parts.filter { $0.name != blob.name }, "left out")
            try expectRefusal(parts.map { $0.name == blob.name ? Part(name: $0.name, octets: $0.octets + [1]) : $0 }, "longer")
            if !blob.octets.isEmpty {
                try expectRefusal(parts.map { $0.name == blob.name ? Part(name: $0.name, octets: [$0.octets[0] ^ 1] + $0.octets.dropFirst()) : $0 }, "changed")
            }
        }
        let foreign: [UInt8] = [4, 5, 6]
        for name in [Hex.encode(Digest.sha256(foreign)), "../../x"] {
            var more = parts
            more.insert(Part(name: "blobs/" + name, octets: foreign), at: parts.count - 1)
            try expectRefusal(more, "added")
        }
        try Files.write(whole, to: path)
        _ = try load(path, into: other).get()
    }

    private func unpack(_ archive: [UInt8]) throws -> [Part] {
        var parts: [Part] = []
        var offset = 0
        while let header = try TarHeader.decode(Array(archive[offset..<offset + 512])) {
            parts.append(Part(name: header.name, octets: Array(archive[offset + 512..<offset + 512 + header.size])))
            offset += 512 + header.size + header.padding
        }
        return parts
    }

    private func pack(_ parts: [Part]) -> [UInt8] {
        parts.flatMap { part in
            let header = TarHeader(name: part.name, size: part.octets.count, modified: 0)
            return header.encode() + part.octets + [UInt8](repeating: 0, count: header.padding)
        } + [UInt8](repeating: 0, count: 1_024)
    }
}
