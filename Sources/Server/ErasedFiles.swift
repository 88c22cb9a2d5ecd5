import Blobs
import Bytes
import Family
import Posix

/// All places outside of the database in which a data folder may hold something of a family: files of documents, small pictures, uploads under way, and the
/// copies of the database that were made before upgrades.
struct ErasedFiles {
    let blobs: BlobFolder
    let thumbnails: ThumbnailFolder
    let uploads: UploadFolder
    /// The data folder.
    let folder: String

    /// Removes everything of a family. May be called again after any failure.
    ///
    /// - Returns: false if it was stopped before the end.
    func remove(of family: Identifier, isStopped: () -> Bool) throws -> Bool {
        for id in try uploads.list().uploads {
            guard let description = try uploads.description(id) else { continue }
            // One that cannot be read is nobody's: `huddled check` reports it, and nothing but a number is known of it.
            guard let record = UploadRecord(description), record.family == family else { continue }
            if isStopped() { return false }
            try uploads.remove(id)
        }
        guard try blobs.removeAll(of: family, isStopped: isStopped) else { return false }
        guard try BlobFolder(path: thumbnails.path).removeAll(of: family, isStopped: isStopped) else { return false }
        // A copy is of all families. It serves a step back to an older program, and the request is older than 14 days.
        let copies = ServerDatabase.upgradePath(in: folder)
        if Files.exists(copies) { for name in try Files.list(copies) { try Files.remove("\(copies)/\(name)") } }
        return true
    }
}
