import Blobs
import Bytes
import Crypto
import MemoryDisk
import Posix
import Testing

/// SplitMix64: everything random in these tests comes from its seed.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func octets(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}

let family = Identifier(high: 1, low: 1)
let otherFamily = Identifier(high: 1, low: 2)
let document = Identifier(high: 2, low: 1)

/// The folders of a server on a disk of its own.
struct Place {
    let disk: MemoryDisk
    let blobs: BlobFolder
    let uploads: UploadFolder

    init(_ disk: MemoryDisk) {
        self.disk = disk
        blobs = BlobFolder(path: "/data/blobs", disk: disk)
        uploads = UploadFolder(path: "/data/uploads", disk: disk)
    }

    init(seed: UInt64 = 1) { self.init(MemoryDisk(root: "/data", seed: seed)) }
}

/// The error that `body` throws, or `nil`.
func failure(_ body: () throws -> Void) -> Errno? {
    do {
        try body()
        return nil
    } catch {
        return error as? Errno
    }
}
