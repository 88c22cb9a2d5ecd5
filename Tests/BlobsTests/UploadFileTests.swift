import Blobs
import Bytes
import Crypto
import MemoryDisk
import Posix
import Testing

@Suite("An upload on disk")
struct UploadFileTests {
    private let place = Place()

    private func begin(_ length: Int64? = 10) throws -> UploadFile {
        try place.uploads.prepare()
        return try place.uploads.create(document, length: length, description: Array("{}".utf8))
    }

    @Test("An upload reports only synced octets as its offset")
    func offset() throws {
        let upload = try begin()
        try upload.append([1, 2, 3])
        #expect(upload.written == 3)
        #expect(upload.progress.offset == 0)
        #expect(try upload.synchronize() == 3)
        #expect(upload.progress == (try place.uploads.progress(document))?.progress)
    }

    @Test("An upload resumes after a restart from the synced octets, and has the digest of all of them")
    func restart() throws {
        let upload = try begin()
        try upload.append([1, 2, 3])
        try upload.synchronize()
        try upload.append([9, 9])
        let again = try #require(try place.uploads.open(document))
        #expect(again.written == 3)
        try again.append([4, 5, 6, 7, 8, 9, 10])
        #expect(try again.complete() == Digest.sha256([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]))
        #expect(try again.complete() == Digest.sha256([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]))
    }

    @Test("An upload accepts nothing above its length, and is not complete before it")
    func length() throws {
        let upload = try begin(3)
        #expect(failure { try upload.append([1, 2, 3, 4]) } == .tooBig)
        try upload.append([1, 2])
        #expect(failure { _ = try upload.complete() } == .invalid)
        try upload.append([3])
        _ = try upload.complete()
        #expect(failure { try upload.append([4]) } == .invalid)
    }

    @Test("An upload gets a deferred length once")
    func declared() throws {
        let upload = try begin(nil)
        try upload.append([1, 2])
        #expect(failure { try upload.declare(length: 1) } == .tooBig)
        try upload.declare(length: 2)
        try upload.declare(length: 2)
        #expect(failure { try upload.declare(length: 3) } == .invalid)
        #expect(try place.uploads.open(document)?.progress.length == 2)
    }

    @Test("An upload may be empty")
    func empty() throws {
        let upload = try begin(0)
        #expect(try upload.complete() == Digest.sha256([]))
        let blob = try upload.adopt(into: place.blobs, family: family)
        #expect(try place.blobs.verify(blob, octets: 0, isDeep: true) == .agrees)
    }

    @Test("An upload is cut back before a piece with a wrong checksum, also if the piece was synced", arguments: [false, true])
    func cut(isSynced: Bool) throws {
        let upload = try begin(6)
        try upload.append([1, 2, 3])
        try upload.synchronize()
        try upload.append([7, 7, 7])
        if isSynced { try upload.synchronize() }
        try upload.cut(to: 3)
        #expect(upload.written == 3)
        #expect(upload.progress.offset == 3)
        try upload.append([4, 5, 6])
        #expect(try upload.complete() == Digest.sha256([1, 2, 3, 4, 5, 6]))
        #expect(failure { try upload.cut(to: 0) } == .invalid)
    }

    @Test("An upload returns its first octets to a reader")
    func peek() throws {
        let upload = try begin()
        try upload.append(Array("%PDF-1.7".utf8))
        #expect(try upload.read(at: 0, count: 5) == Array("%PDF-".utf8))
        #expect(try upload.read(at: 6, count: 100) == Array(".7".utf8))
        #expect(try upload.read(at: 60, count: 1) == [])
    }

    @Test("An ended upload keeps its outcome, and none of its octets")
    func ended() throws {
        let upload = try begin()
        try upload.append([1])
        try upload.end(outcome: Array("refused".utf8))
        try upload.end(outcome: Array("twice".utf8))
        #expect(try place.uploads.partOctets(document) == nil)
        let again = try #require(try place.uploads.open(document))
        #expect(again.progress.phase == .ended(outcome: Array("refused".utf8)))
        #expect(failure { try again.append([1]) } == .invalid)
    }

    @Test("Each id has one upload; after removal it has none")
    func folder() throws {
        _ = try begin()
        #expect(failure { _ = try place.uploads.create(document, length: 1, description: []) } == .exists)
        #expect(try place.uploads.list().uploads == [document])
        #expect(try place.uploads.description(document) == Array("{}".utf8))
        try place.uploads.remove(document)
        try place.uploads.remove(document)
        #expect(try place.uploads.open(document) == nil)
        #expect(try place.uploads.progress(document) == nil)
        #expect(place.disk.files.isEmpty)
        #expect(place.disk.openFiles == 0)
    }

    @Test("An upload is refused if both its progress slots are damaged; one intact slot is enough")
    func damaged() throws {
        let upload = try begin()
        try upload.append([1])
        try upload.synchronize()
        let path = "/data/uploads/\(document).at"
        let file = try place.disk.open(path)
        let zeros = [UInt8](repeating: 0, count: 512)
        // The slot that was written last.
        _ = try zeros.withUnsafeBytes { try place.disk.write(file, $0, at: 0) }
        #expect(try place.uploads.open(document)?.progress.offset == 0)
        _ = try zeros.withUnsafeBytes { try place.disk.write(file, $0, at: 512) }
        #expect(failure { _ = try place.uploads.open(document) } == .invalid)
        place.disk.close(file)
    }

    @Test("An upload with fewer octets than promised is refused")
    func lost() throws {
        let upload = try begin()
        try upload.append([1, 2])
        try upload.synchronize()
        let file = try place.disk.open(upload.partPath)
        try place.disk.cut(file, to: 1)
        place.disk.close(file)
        #expect(failure { _ = try place.uploads.open(document) } == .invalid)
        try place.uploads.removeLeftovers()
        #expect(try place.uploads.list().uploads == [document])
    }

    @Test("An interrupted creation or removal leaves no upload, and its files are removed", arguments: [".part", ".at"])
    func halved(missing: String) throws {
        _ = try begin()
        try place.disk.remove("/data/uploads/\(document)\(missing)")
        #expect(try place.uploads.open(document) == nil)
        try place.uploads.removeLeftovers()
        #expect(place.disk.files.isEmpty)
    }

    @Test("Files that belong to no upload are reported and removed")
    func leftovers() throws {
        _ = try begin()
        for name in ["\(family).part", "\(document).json.new", "notes.txt"] { place.disk.close(try place.disk.create("/data/uploads/" + name)) }
        #expect(try place.uploads.list().leftovers == ["\(family).part", "\(document).json.new", "notes.txt"])
        try place.uploads.removeLeftovers()
        #expect(try place.uploads.list().leftovers == [])
        #expect(try place.uploads.open(document) != nil)
    }
}
