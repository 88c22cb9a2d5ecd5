import Bytes
internal import Crypto
package import Posix

/// A file on its way to be a blob, in one go: what is cut short is thrown away. It has one owner, and what that owner ends is gone.
package struct IncomingBlob: ~Copyable {
    /// How the names of such files end, which no blob's name does.
    package static let suffix = ".incoming"

    private let folder: BlobFolder
    private let disk: any Disk
    private let family: Identifier
    private let path: String
    private var file: AppendingFile
    private var isMoved = false
    /// Octets that came so far.
    package var octets: Int64 { file.count }

    init(folder: BlobFolder, disk: any Disk, family: Identifier) throws(Errno) {
        // Not a name that a blob can have, and in the family's folder: a rename must not cross file systems.
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

    /// Makes it a blob, which a power cut cannot take away from now on. When it throws, what is left of it is a blob that nobody speaks of, at
    /// most, which the sweeper removes.
    package consuming func finish() throws(Errno) -> BlobName {
        let blob = BlobName(family: family, sha256: try file.sha256())
        try file.synchronize()
        isMoved = try folder.adopt(path, as: blob, octets: octets)
        return blob
    }
}
