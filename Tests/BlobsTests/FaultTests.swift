import Blobs
import Bytes
import Crypto
import MemoryDisk
import Posix
import TestSupport
import Testing

/// A client that sends a file and sometimes reads the server's offset, and a server that stores it, on a disk that
/// fails.
///
/// After each failure the test checks that all promised octets exist, and that the final blob equals the file, octet
/// for octet.
private struct Transmission {
    /// The size of the file and of its portions: less than a block of the disk, or several blocks that the portions cut
    /// across.
    struct Shape: Sendable, CustomTestStringConvertible {
        var octets: Int
        var portion: Int
        var testDescription: String { "\(octets) by \(portion)" }
        static let all = [Shape(octets: 1_300, portion: 256), Shape(octets: 13_000, portion: 2_700)]
    }

    let content: [UInt8]
    let portion: Int
    let place: Place
    var upload: UploadFile?
    /// The last offset that the client received.
    var promised: Int64 = 0

    init(disk: MemoryDisk, _ shape: Shape) {
        var random = SplitMix64(seed: 1)
        content = random.octets(shape.octets)
        portion = shape.portion
        place = Place(disk)
    }

    /// Everything from the first octet to the blob, as far as the disk allows.
    mutating func run() throws -> BlobName {
        try place.uploads.prepare()
        if upload == nil { upload = try place.uploads.open(document) }
        let upload = try upload ?? place.uploads.create(document, length: Int64(content.count), description: [7])
        self.upload = upload
        if case .receiving = upload.progress.phase {
            #expect(upload.progress.offset >= promised)
            while upload.written < content.count {
                let start = Int(upload.written)
                try upload.append(Array(content[start..<min(start + portion, content.count)]))
                if start / portion % 2 == 1 { promised = try upload.synchronize() }
            }
            _ = try upload.complete()
            promised = Int64(content.count)
        }
        let blob = try upload.adopt(into: place.blobs, family: family)
        return blob
    }

    /// A restarted server, with nothing in memory.
    mutating func restart() {
        upload = nil
    }

    func check(_ blob: BlobName) throws {
        #expect(try place.blobs.verify(blob, octets: Int64(content.count), isDeep: true) == .agrees)
        #expect(blob == BlobName(family: family, sha256: Digest.sha256(content)))
        try upload?.end(outcome: [])
        try place.uploads.remove(document)
        #expect(place.disk.files.keys.sorted() == [place.blobs.path(of: blob)])
    }
}

@Suite("Files when the disk fails")
struct FaultTests {
    /// The number of calls of a transmission without failures.
    private func calls(_ shape: Transmission.Shape) throws -> Int {
        let disk = MemoryDisk(root: "/data")
        var transmission = Transmission(disk: disk, shape)
        _ = try transmission.run()
        return disk.calls
    }

    @Test("The n-th call fails once, for every n: the same process continues, and the blob equals the file", arguments: [Errno.noSpace, Errno(5)], Transmission.Shape.all)
    fileprivate func failsOnce(errno: Errno, shape: Transmission.Shape) throws {
        let count = try calls(shape)
        #expect(count > 30)
        for call in 0..<count {
            let disk = MemoryDisk(root: "/data", seed: UInt64(call))
            var transmission = Transmission(disk: disk, shape)
            disk.fail(after: call, .fails(errno))
            var blob: BlobName?
            do { blob = try transmission.run() } catch { #expect(error as? Errno == errno, "call \(call)") }
            disk.forgetFaults()
            if blob == nil { blob = try transmission.run() }
            try transmission.check(try #require(blob))
        }
    }

    @Test("The n-th call is short, for every n: reads and writes continue, others fail and are repeated", arguments: Transmission.Shape.all)
    fileprivate func short(shape: Transmission.Shape) throws {
        for call in 0..<(try calls(shape)) {
            let disk = MemoryDisk(root: "/data", seed: UInt64(call))
            var transmission = Transmission(disk: disk, shape)
            disk.fail(after: call, .short)
            var blob: BlobName?
            do { blob = try transmission.run() } catch { #expect(error as? Errno == .noSpace, "call \(call)") }
            disk.forgetFaults()
            if blob == nil { blob = try transmission.run() }
            try transmission.check(try #require(blob))
        }
    }

    @Test("The process is killed at the n-th call, for every n: after a restart all promised octets exist", arguments: Transmission.Shape.all)
    fileprivate func killed(shape: Transmission.Shape) throws {
        for call in 0..<(try calls(shape)) {
            let disk = MemoryDisk(root: "/data", seed: UInt64(call))
            var transmission = Transmission(disk: disk, shape)
            disk.fail(after: call, .cut)
            #expect(throws: (any Error).self) { _ = try transmission.run() }
            transmission.restart()
            disk.restart()
            try transmission.place.uploads.prepare()
            try transmission.place.uploads.removeLeftovers()
            try transmission.check(try transmission.run())
        }
    }

    @Test("The power is cut at the n-th call, for every n and several ways to lose unsynced octets", arguments: 1...40 as ClosedRange<UInt64>, Transmission.Shape.all)
    fileprivate func powerCut(seed: UInt64, shape: Transmission.Shape) throws {
        for call in 0..<(try calls(shape)) {
            let disk = MemoryDisk(root: "/data", seed: seed &* 1_000 &+ UInt64(call))
            var transmission = Transmission(disk: disk, shape)
            disk.fail(after: call, .cut)
            #expect(throws: (any Error).self) { _ = try transmission.run() }
            transmission.restart()
            disk.powerOn()
            // A new process: it knows no folder yet.
            var next = Transmission(disk: disk, shape)
            next.promised = transmission.promised
            try next.place.uploads.prepare()
            try next.place.uploads.removeLeftovers()
            if next.promised > 0 { #expect(try next.place.uploads.open(document) != nil, "seed \(seed), call \(call)") }
            try next.check(try next.run())
        }
    }

    @Test("An adopted blob exists after a power cut at any later moment", arguments: 1...20 as ClosedRange<UInt64>)
    func adopted(seed: UInt64) throws {
        let disk = MemoryDisk(root: "/data", seed: seed)
        let place = Place(disk)
        let blob = try place.blobs.put([1, 2, 3], family: family)
        // In use by a second document, whose own part is dropped.
        let again = try place.blobs.put([1, 2, 3], family: family)
        disk.powerOn()
        #expect(try place.blobs.verify(blob, octets: 3, isDeep: true) == .agrees)
        #expect(again == blob)
    }

    @Test("A failed sync does not count: the upload continues from before it")
    func syncFails() throws {
        let disk = MemoryDisk(root: "/data")
        let place = Place(disk)
        try place.uploads.prepare()
        let upload = try place.uploads.create(document, length: 4, description: [])
        try upload.append([1, 2])
        try upload.synchronize()
        try upload.append([3, 4])
        disk.fail(after: 0, .fails(Errno(5)))
        #expect(failure { try upload.synchronize() } == Errno(5))
        #expect(upload.written == 2)
        #expect(upload.progress.offset == 2)
        try upload.append([3, 4])
        #expect(try upload.complete() == Digest.sha256([1, 2, 3, 4]))
    }
}
