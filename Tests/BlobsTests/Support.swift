import Blobs
import Bytes
import Crypto
import MemoryDisk
import Posix
import Testing

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
