import Blobs
import Bytes
import Crypto
import MemoryDisk
import Posix
import TestSupport
import Testing

@Suite("The folder of blobs")
struct BlobFolderTests {
    private let place = Place()

    @Test("The folder names a blob by family and content, in folders of two digits")
    func name() throws {
        let blob = try place.blobs.put(Array("abc".utf8), family: family)
        #expect(place.blobs.path(of: blob) == "/data/blobs/\(family)/ba/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(BlobName(family: family, sha256: String(repeating: "A", count: 64)) == nil)
        #expect(BlobName(family: family, sha256: "../../../../etc/passwd") == nil)
    }

    @Test("The folder stores the same content once per family, and never shares it between two")
    func deduplicated() throws {
        let one = try place.blobs.put([1, 2], family: family)
        let two = try place.blobs.put([1, 2], family: family)
        let other = try place.blobs.put([1, 2], family: otherFamily)
        #expect(one == two)
        #expect(place.blobs.path(of: one) != place.blobs.path(of: other))
        #expect(place.disk.files.count == 2)
    }

    @Test("The folder leaves the part of a second upload with the same content to its owner")
    func second() throws {
        try place.uploads.prepare()
        let blob = try place.blobs.put([1, 2], family: family)
        let upload = try place.uploads.create(document, length: 2, description: [])
        try upload.append([1, 2])
        #expect(failure { _ = try upload.adopt(into: place.blobs, family: family) } == .invalid)
        _ = try upload.complete()
        #expect(try upload.adopt(into: place.blobs, family: family) == blob)
        #expect(try place.uploads.partOctets(document) == 2)
        try upload.end(outcome: [])
        #expect(try place.uploads.partOctets(document) == nil)
        #expect(try place.blobs.verify(blob, octets: 2, isDeep: true) == .agrees)
    }

    @Test("The folder replaces a blob whose length does not fit its content")
    func mended() throws {
        let blob = try place.blobs.put([1, 2, 3], family: family)
        let file = try place.disk.open(place.blobs.path(of: blob))
        try place.disk.cut(file, to: 1)
        place.disk.close(file)
        #expect(try place.blobs.verify(blob, octets: 3, isDeep: false) == .otherLength(1))
        _ = try place.blobs.put([1, 2, 3], family: family)
        #expect(try place.blobs.verify(blob, octets: 3, isDeep: true) == .agrees)
    }

    @Test("The folder reports differences from a row")
    func verified() throws {
        let blob = try place.blobs.put([1, 2, 3], family: family)
        #expect(try place.blobs.verify(blob, octets: 3, isDeep: true) == .agrees)
        #expect(try place.blobs.verify(blob, octets: 4, isDeep: true) == .otherLength(3))
        place.disk.spoil(place.blobs.path(of: blob))
        #expect(try place.blobs.verify(blob, octets: 3, isDeep: false) == .agrees)
        #expect(try place.blobs.verify(blob, octets: 3, isDeep: true) == .otherContent)
        #expect(try place.blobs.remove(blob, unusedSince: 1))
        #expect(try place.blobs.verify(blob, octets: 3, isDeep: false) == .missing)
    }

    @Test("The folder removes only blobs that were not taken into use since")
    func swept() throws {
        place.disk.setTime(1_000)
        let blob = try place.blobs.put([1], family: family)
        place.disk.setTime(5_000)
        #expect(try !place.blobs.remove(blob, unusedSince: 1_000))
        _ = try place.blobs.put([1], family: family)
        #expect(try !place.blobs.remove(blob, unusedSince: 2_000))
        #expect(try place.blobs.status(blob)?.modified == 5_000)
        #expect(try place.blobs.remove(blob, unusedSince: 5_001))
        #expect(try place.blobs.status(blob) == nil)
        #expect(try place.blobs.remove(blob, unusedSince: 5_001))
    }

    @Test("The folder lists blobs, and other files")
    func listed() throws {
        let blob = try place.blobs.put([1, 2], family: family)
        var incoming = try place.blobs.receive(family: family)
        try [UInt8(1)].withUnsafeBytes { try incoming.append($0) }
        var found: [BlobFolder.Entry] = []
        try place.blobs.forEach { found.append($0) }
        #expect(found.contains(.blob(blob, octets: 2, modified: 0)))
        #expect(found.count == 2)
        guard case .stranger(let name, _)? = found.first(where: { if case .stranger = $0 { true } else { false } }) else {
            Issue.record("an import under way is not a blob")
            return
        }
        #expect(name.hasSuffix(".incoming"))
        try place.blobs.removeStranger(name, unusedSince: 1)
        #expect(place.disk.files.count == 1)
    }

    @Test("An interrupted import leaves nothing")
    func dropped() throws {
        do {
            var incoming = try place.blobs.receive(family: family)
            try [UInt8(1)].withUnsafeBytes { try incoming.append($0) }
        }
        #expect(place.disk.files.isEmpty)
        #expect(place.disk.openFiles == 0)
    }

    @Test("An import whose n-th call fails leaves no part and no open file, for every n, and the next one makes the blob")
    func fails() throws {
        let calls = try { () throws in
            let place = Place()
            _ = try place.blobs.put([1, 2, 3], family: family)
            return place.disk.calls
        }()
        #expect(calls > 8)
        for call in 0..<calls {
            let place = Place()
            place.disk.fail(after: call, .fails(.noSpace))
            #expect(failure { _ = try place.blobs.put([1, 2, 3], family: family) } == .noSpace, "call \(call)")
            place.disk.forgetFaults()
            #expect(!place.disk.files.keys.contains { $0.hasSuffix(IncomingBlob.suffix) } && place.disk.openFiles == 0, "call \(call)")
            let blob = try place.blobs.put([1, 2, 3], family: family)
            #expect(place.disk.files == [place.blobs.path(of: blob): [1, 2, 3]], "call \(call)")
        }
    }

    @Test("On the machine's own disk the folder works the same, unreadable for others, in a real folder")
    func real() throws {
        let folder = try Files.makeTemporaryFolder(prefix: "blobs-tests")
        defer { try? Files.removeTree(folder) }
        let blobs = BlobFolder(path: folder + "/blobs")
        let uploads = UploadFolder(path: folder + "/uploads")
        try uploads.prepare()
        var random = SplitMix64(seed: 7)
        let content = random.octets(300_000)
        let upload = try uploads.create(document, length: Int64(content.count), description: Array("{\"a\":1}".utf8))
        try upload.append(Array(content[..<100_000]))
        try upload.synchronize()
        try upload.append(Array(content[100_000..<150_000]))
        let again = try #require(try uploads.open(document))
        #expect(again.written == 100_000)
        try again.append(Array(content[100_000...]))
        #expect(try again.complete() == Digest.sha256(content))
        let blob = try again.adopt(into: blobs, family: family)
        #expect(try again.adopt(into: blobs, family: family) == blob)
        try again.end(outcome: [1])
        try uploads.remove(document)
        #expect(try Files.list(uploads.path) == [])
        #expect(try Files.read(blobs.path(of: blob)) == content)
        #expect(try Files.status(blobs.path(of: blob))?.mode == 0o600)
        #expect(try Files.status(blobs.path)?.mode == 0o700)
        #expect(try blobs.open(blob) != nil)
        #expect(try blobs.verify(blob, octets: 300_000, isDeep: true) == .agrees)
        var read: [UInt8] = []
        #expect(try blobs.read(blob) { read.append(contentsOf: $0) })
        #expect(read == content)
        #expect(try blobs.remove(blob, unusedSince: .max))
        #expect(try blobs.open(blob) == nil)
        #expect(try !blobs.read(blob) { _ in })
    }
}
