import Crypto
import MemoryDisk
import Posix
import TestSupport
import Testing

@testable import Blobs

@Suite("A file that grows at its end, past the page cache")
struct AppendingFileTests {
    private static let places = ["memory", "machine"]

    /// A disk, a folder on it, and a function that removes the folder.
    private func place(_ name: String) throws -> (disk: any Disk, path: String, end: () -> Void) {
        guard name == "machine" else { return (MemoryDisk(root: "/data"), "/data", {}) }
        let path = "/var/tmp/huddle-\(UInt64.random(in: 0 ... .max))"
        _ = try Files.makeFolder(path)
        return (SystemDisk(), path, { try? Files.removeTree(path) })
    }

    /// No assistant; an immediate one; one on a thread of its own.
    private static func assistant(_ seed: UInt64) -> Assistant {
        switch seed % 3 {
        case 0: { _ in }
        case 1: { $0() }
        default: { work in Thread.start(name: "assistant") { work() }.join() }
        }
    }

    @Test("After any adds, syncs, cuts, rewinds, reads and reopenings, the file has the added octets", arguments: places, 0..<12 as Range<UInt64>)
    func model(name: String, seed: UInt64) throws {
        let (disk, folder, end) = try place(name)
        defer { end() }
        let path = folder + "/file"
        var random = SplitMix64(seed: seed)
        let assistant = Self.assistant(seed)
        let piece = [4_096, 8_192, 65_536][Int(random.next() % 3)]
        var file = AppendingFile(try DiskFile.create(path, on: disk), count: 0, pieceOctets: piece, assistant: assistant)
        var model: [UInt8] = []
        var synced = 0
        for step in 0..<120 {
            switch random.next() % 9 {
            case 0...3:
                let sizes = [1, 100, 4_095, 4_096, 4_097, 12_288, 20_000, 100_000]
                let octets = random.octets(sizes[Int(random.next() % 8)])
                try octets.withUnsafeBytes { try file.append($0) }
                model += octets
            case 4:
                try file.synchronize()
                synced = model.count
                #expect(try disk.status(path)?.octets == Int64(model.count), "seed \(seed), step \(step)")
            case 5:
                let length = Int(random.next() % UInt64(model.count + 1))
                if random.next() % 2 == 0 { try file.cut(to: Int64(length)) } else { file.rewind(to: Int64(length)) }
                model.removeLast(model.count - length)
                synced = min(synced, length)
            case 6:
                let start = Int(random.next() % UInt64(model.count + 1))
                let wanted = Int(random.next() % 9_000)
                #expect(try file.read(at: Int64(start), count: wanted) == Array(model[start...].prefix(wanted)), "seed \(seed), step \(step)")
            case 7:
                #expect(try file.sha256() == Digest.sha256(model), "seed \(seed), step \(step)")
            default:
                // As after a crash: unsynced octets are cut off.
                try file.cut(to: Int64(synced))
                model.removeLast(model.count - synced)
                file = AppendingFile(try DiskFile.open(path, on: disk), count: Int64(synced), pieceOctets: piece, assistant: assistant)
            }
            #expect(file.count == Int64(model.count))
        }
        try file.synchronize()
        let length = model.count + 10
        #expect(try DiskFile.open(path, on: disk).read(at: 0, count: length) == model, "seed \(seed)")
        #expect(try file.sha256() == Digest.sha256(model), "seed \(seed)")
    }

    @Test("Whichever call of the disk fails, octets added again afterwards are there once, and in the digest", arguments: 0..<24)
    func failsAnywhere(calls: Int) throws {
        let disk = MemoryDisk(root: "/data")
        var file = AppendingFile(try DiskFile.create("/data/file", on: disk), count: 0, pieceOctets: 8_192)
        var random = SplitMix64(seed: UInt64(calls))
        let octets = random.octets(60_000)
        disk.fail(after: calls, .fails(.noSpace))
        var synced: Int64 = 0
        var failures = 0
        for end in [3_000, 9_000, 30_000, 30_100, 50_000, 60_000] {
            // As an upload does: failed octets are added again, and after a failed sync all unsynced ones.
            while file.count < end || synced < end {
                do throws(Errno) {
                    let rest = Array(octets[Int(file.count)..<end])
                    try rest.span.bytes.withUnsafeBytes { (all) throws(Errno) in try file.append(all) }
                    do throws(Errno) { try file.synchronize() } catch {
                        file.rewind(to: synced)
                        throw error
                    }
                    synced = file.count
                } catch {
                    #expect(error == .noSpace)
                    failures += 1
                }
            }
        }
        disk.forgetFaults()
        #expect(failures <= 1 && (calls > 10 || failures == 1))
        #expect(disk.files["/data/file"] == octets)
        #expect(try file.sha256() == Digest.sha256(octets))
    }

    @Test("Octets that could not be written are not added, and later ones are")
    func fails() throws {
        let disk = MemoryDisk(root: "/data")
        var file = AppendingFile(try DiskFile.create("/data/file", on: disk), count: 0, pieceOctets: 4_096)
        let octets = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        try octets[..<5_000].withUnsafeBytes { try file.append($0) }
        disk.fail(after: 0, .fails(.noSpace))
        #expect(failure { try octets[5_000...].withUnsafeBytes { try file.append($0) } } == .noSpace)
        #expect(file.count == 5_000)
        try octets[5_000...].withUnsafeBytes { try file.append($0) }
        try file.synchronize()
        #expect(disk.files["/data/file"] == octets)
    }

    @Test("Whole blocks bypass the page cache, if the file system supports it")
    func pastCache() throws {
        let (disk, folder, end) = try place("machine")
        defer { end() }
        let blocks = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * DiskBlock.octets, alignment: DiskBlock.octets)
        defer { blocks.deallocate() }
        blocks.initializeMemory(as: UInt8.self, repeating: 7)
        let all = UnsafeRawBufferPointer(blocks)
        #expect(DiskBlock.fits(all, at: 4_096) && !DiskBlock.fits(all, at: 512))
        #expect(!DiskBlock.fits(UnsafeRawBufferPointer(rebasing: all[1...]), at: 0) && !DiskBlock.fits(UnsafeRawBufferPointer(rebasing: all[..<512]), at: 0))
        var file = try disk.create(folder + "/file")
        defer { disk.close(file) }
        // A folder whose files survive a restart, that is, on a disk. A busy file system may take a single write
        // through its cache.
        var isPastCache = false
        for attempt in 1...20 {
            guard let written = try Files.writePastCache(file, all, at: 0) else { return }
            #expect(written == all.count)
            isPastCache = !FileCache.holds(file, at: 0) && !FileCache.holds(file, at: 4_096)
            if isPastCache { break }
            disk.close(file)
            file = try disk.create(folder + "/file-\(attempt)")
        }
        #expect(isPastCache)
        // Octets that are not a block are written through the kernel.
        #expect(try disk.write(file, UnsafeRawBufferPointer(rebasing: all[..<100]), at: 8_192) == 100)
        let (head, last) = (UnsafeMutableRawBufferPointer.allocate(byteCount: 9_000, alignment: 16), 8_292)
        defer { head.deallocate() }
        #expect(try disk.read(file, into: head, at: 0) == last && head[..<last].allSatisfy { $0 == 7 })
    }
}
