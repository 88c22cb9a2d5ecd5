import Bytes
internal import Crypto
package import Posix

/// A file that becomes a blob in one go: an interrupted one is removed. It has one owner, and when the owner destroys
/// the value the file is gone.
package struct IncomingBlob: ~Copyable {
    /// The suffix of the names of such files, which no blob's name has.
    package static let suffix = ".incoming"

    private let folder: BlobFolder
    private let disk: any Disk
    private let family: Identifier
    private let path: String
    private var file: AppendingFile
    private var isMoved = false
    /// The number of octets received so far.
    package var octets: Int64 { file.count }

    init(folder: BlobFolder, disk: any Disk, family: Identifier) throws(Errno) {
        // Not a valid name of a blob, and in the family's folder: a rename must not cross file systems.
        let path = "\(folder.path)/\(family)/\(Hex.encode(Random.octets(8)))\(Self.suffix)"
        file = AppendingFile(try DiskFile.create(path, on: disk), count: 0)
        self.path = path
        self.folder = folder
        self.disk = disk
        self.family = family
    }

    deinit {
        if !isMoved { try? disk.remove(path) }
    }

    package mutating func append(_ octets: UnsafeRawBufferPointer) throws(Errno) {
        try file.append(octets)
    }

    /// Makes the file a blob, which a power cut can no longer remove. If it throws, at most a blob without a row
    /// remains, which the sweeper removes.
    package consuming func finish() throws(Errno) -> BlobName {
        let blob = BlobName(family: family, sha256: try file.sha256())
        try file.synchronize()
        isMoved = try folder.adopt(path, as: blob, octets: octets)
        return blob
    }
}
