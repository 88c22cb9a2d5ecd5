import Bytes
import Crypto
import Posix

/// Reads the content of a backup without writing anything, so that a read-only disk is enough.
enum BackupSource {
    /// Octets per read.
    private static let piece = 262_144

    /// The manifest of the backup in `folder`.
    static func manifest(_ folder: String) throws(BackupFault) -> BackupManifest {
        let octets: [UInt8]
        do throws(Errno) {
            octets = try Files.read("\(folder)/\(BackupNames.manifest)", limit: BackupManifest.maxOctets)
        } catch {
            throw error == .noEntry ? .unfinished : .unreadable(BackupNames.manifest, error.text)
        }
        return try BackupManifest(octets)
    }

    /// Reads a file in pieces.
    ///
    /// - Returns: its SHA-256 in hex.
    static func read(_ path: String, _ body: (UnsafeRawBufferPointer) throws(Errno) -> Void = { _ in }) throws(Errno) -> String {
        let file = try Files.openForReading(path)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 4_096)
        defer { buffer.deallocate() }
        var digest = SHA256()
        var offset: Int64 = 0
        while true {
            let count = try Files.read(file.raw, into: buffer, at: offset)
            if count == 0 { return Hex.encode(digest.finish()) }
            let octets = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            digest.update(octets)
            try body(octets)
            offset += Int64(count)
        }
    }
}
