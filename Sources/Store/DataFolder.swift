package import Posix

/// The folder with all data of one server, claimed by one process at a time.
///
/// The claim is a lock on the folder (flock(2)); it ends with the value or with the process, however the process ends.
package struct DataFolder: ~Copyable {
    package let path: String
    private let claim: FolderLock

    /// Creates the folder (mode 0700) if it is missing, and claims it.
    ///
    /// - Throws: `.inUse` if another process holds it: send commands to that one through `socketPath`.
    package init(path: String) throws(DataFolderError) {
        // A database created now would take the place of the one that is not restored yet.
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
        // The names of the database files are only as durable as their folder.
        try Files.synchronizeFolder(of: path)
        let claim = try Files.lock(folder: path)
        // Other users may be able to enter the folder. SQLite gives its log the mode of the database; a log that a
        // killed process left behind has its own.
        let database = databasePath(in: path)
        try Files.makePrivate(database)
        for log in [database + "-wal", database + "-shm"] where Files.exists(log) { try Files.makePrivate(log) }
        return claim
    }

    /// The database. SQLite keeps its log beside it (`-wal`, `-shm`).
    package var databasePath: String { DataFolder.databasePath(in: path) }

    /// The mark that shows the next start whether the database is still the same file; see `PlacementMark`.
    package var markPath: String { path + "/huddle.mark" }

    /// The permission bits of the folder; 0700 unless another user created it.
    package var mode: UInt32 { ((try? Files.status(path)) ?? nil)?.mode ?? 0o700 }

    /// The socket on which the running server accepts admin commands.
    package var socketPath: String { DataFolder.socketPath(in: path) }

    /// The files of documents (`BlobFolder`).
    package var blobsPath: String { DataFolder.blobsPath(in: path) }

    /// Running uploads (`UploadFolder`).
    package var uploadsPath: String { DataFolder.uploadsPath(in: path) }

    /// Pictures of documents' files, made again if they are missing, so that copies leave them out.
    package var thumbnailsPath: String { DataFolder.thumbnailsPath(in: path) }

    package static func blobsPath(in folder: String) -> String { folder + "/blobs" }

    package static func uploadsPath(in folder: String) -> String { folder + "/uploads" }

    package static func thumbnailsPath(in folder: String) -> String { folder + "/thumbnails" }

    package static func databasePath(in folder: String) -> String { folder + "/huddle.db" }

    /// The mark of a restore into the folder that is running or was interrupted.
    package static func unfinishedPath(in folder: String) -> String { folder + "/restore.unfinished" }

    package static func socketPath(in folder: String) -> String { folder + "/huddled.sock" }
}

/// The reason why a data folder could not be claimed.
package enum DataFolderError: Error, Equatable {
    /// Another process has it.
    case inUse
    /// A restore into it was interrupted; see `DataFolder.unfinishedPath`.
    case unfinished
    /// The system refused: permissions, a file in the way, no space.
    case failed(Errno)
}

extension DataFolderError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .inUse: "the data folder is in use by another process"
        case .unfinished: "a restore into the data folder was not finished"
        case .failed(let errno): "the data folder cannot be used: \(errno)"
        }
    }
}
