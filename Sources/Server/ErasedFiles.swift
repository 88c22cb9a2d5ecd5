import Blobs
import Bytes
import Family
import Posix

/// All places outside of the database in which a data folder may hold data of a family: files of documents, thumbnails,
/// running uploads, and the copies of the database from before upgrades.
struct ErasedFiles {
    let blobs: BlobFolder
    let thumbnails: ThumbnailFolder
    let uploads: UploadFolder
    /// The data folder.
    let folder: String
    /// The disk of the data folder.
    var disk: any Disk = SystemDisk()

    /// Removes all data of a family. It may be called again after any failure.
    ///
    /// - Returns: false if it was stopped before the end.
    func remove(of family: Identifier, isStopped: () -> Bool) throws -> Bool {
        for id in try uploads.list().uploads {
            guard let description = try uploads.description(id) else { continue }
            // A record that cannot be read belongs to nobody: `huddled check` reports it, and contains nothing but its
            // number.
            guard let record = UploadRecord(description), record.family == family else { continue }
            if isStopped() { return false }
            try uploads.remove(id)
        }
        // An earlier call may have ended before its sync.
        try disk.synchronizeFolder(uploads.path)
        guard try blobs.removeAll(of: family, isStopped: isStopped) else { return false }
        guard try BlobFolder(path: thumbnails.path, disk: disk).removeAll(of: family, isStopped: isStopped) else { return false }
        // A copy contains all families. It is only for a step back to an older program, and the request is older than
        // 14 days.
        let copies = ServerDatabase.upgradePath(in: folder)
        guard try disk.status(copies) != nil else { return true }
        for name in try disk.list(copies) { try disk.remove("\(copies)/\(name)") }
        try disk.synchronizeFolder(copies)
        return true
    }
}
