package import Posix

/// The folder that holds everything one server keeps: claimed by one process at a time.
///
/// The claim is a lock on the folder (flock(2)); it ends with the value or with the process, however that ends.
package struct DataFolder: ~Copyable {
    package let path: String
    private let claim: FolderLock

    /// Makes the folder (mode 0700) when it is missing and claims it.
    ///
    /// - Throws: `.inUse` when another process holds it: talk to that one through `socketPath`.
    package init(path: String) throws(DataFolderError) {
        // A database that is made now would take the place of the one that is not restored yet.
        guard !Files.exists(DataFolder.unfinishedPath(in: path)) else { throw .unfinished }
        do throws(Errno) {
            claim = try DataFolder.claim(path)
        } catch {
            throw error == .locked ? .inUse : .failed(error)
        }
        self.path = path
    }

    private static func claim(_ path: String) throws(Errno) -> FolderLock {
        try Files.makeFolders(path, mode: 0o700)
        // The names of the database files are only as durable as the folder they stand in.
        try Files.synchronizeFolder(of: path)
        let claim = try Files.lock(folder: path)
        // The folder may be one that others can enter. SQLite gives its log the mode of the database; one that a killed process left
        // behind has its own.
        let database = databasePath(in: path)
        try Files.makePrivate(database)
        for log in [database + "-wal", database + "-shm"] where Files.exists(log) { try Files.makePrivate(log) }
        return claim
    }

    /// The database. SQLite keeps its log beside it (`-wal`, `-shm`).
    package var databasePath: String { DataFolder.databasePath(in: path) }

    /// Tells at the next start whether the database is still the same file; see `PlacementMark`.
    package var markPath: String { path + "/huddle.mark" }

    /// The permission bits of the folder; 0700 unless somebody else made it.
    package var mode: UInt32 { ((try? Files.status(path)) ?? nil)?.mode ?? 0o700 }

    /// The socket on which the running server takes admin commands.
    package var socketPath: String { DataFolder.socketPath(in: path) }

    /// The files of documents (`BlobFolder`).
    package var blobsPath: String { DataFolder.blobsPath(in: path) }

    /// Uploads under way (`UploadFolder`).
    package var uploadsPath: String { DataFolder.uploadsPath(in: path) }

    /// Pictures of documents' files, made anew when they are missing: no part of a copy.
    package var thumbnailsPath: String { DataFolder.thumbnailsPath(in: path) }

    package static func blobsPath(in folder: String) -> String { folder + "/blobs" }

    package static func uploadsPath(in folder: String) -> String { folder + "/uploads" }

    package static func thumbnailsPath(in folder: String) -> String { folder + "/thumbnails" }

    package static func databasePath(in folder: String) -> String { folder + "/huddle.db" }

    /// Present while a backup is being restored into the folder, and after such a restore was cut short.
    package static func unfinishedPath(in folder: String) -> String { folder + "/restore.unfinished" }

    package static func socketPath(in folder: String) -> String { folder + "/huddled.sock" }
}

/// Why a data folder could not be claimed.
package enum DataFolderError: Error, Equatable {
    /// Another process has it.
    case inUse
    /// A restore into it was cut short; see `DataFolder.unfinishedPath`.
    case unfinished
    /// The machine said no: rights, a file in the way, no room.
    case failed(Errno)
}

extension DataFolderError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .inUse: "the data folder is in use by another process"
        case .unfinished: "a backup was not restored into the data folder to the end"
        case .failed(let errno): "the data folder cannot be used: \(errno)"
        }
    }
}
