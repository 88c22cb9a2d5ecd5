package import Posix

/// The claim of a program that copies a data folder, with or without a running server. No document's file is removed
/// while it is held.
///
/// It is a lock (flock(2)) on the folder of the files. It ends with the process that holds it, however that process
/// ends, so a copy that was killed blocks nobody.
package enum CopyLock {
    /// Claims the data folder `folder` for one copy.
    ///
    /// - Parameter milliseconds: how long to wait for a sweep, or for another copy, to end.
    /// - Throws: `.locked` after that time.
    package static func take(in folder: String, waiting milliseconds: Int) throws(Errno) -> FolderLock {
        let blobs = DataFolder.blobsPath(in: folder)
        try Files.makeFolder(blobs)
        return try Files.lock(folder: blobs, timeoutMilliseconds: milliseconds)
    }

    /// Runs `body`, which removes files, and keeps copies from beginning during it.
    ///
    /// - Returns: false, without a call of `body`, while a copy is being made.
    package static func keepOut(of folder: String, while body: () throws -> Void) throws -> Bool {
        let blobs = DataFolder.blobsPath(in: folder)
        guard Files.exists(blobs) else {
            try body()
            return true
        }
        guard let claim = try share(blobs) else { return false }
        try body()
        withExtendedLifetime(claim) {}
        return true
    }

    /// - Returns: `nil` while another process has exclusive use of the folder.
    private static func share(_ blobs: String) throws(Errno) -> FolderLock? {
        do throws(Errno) {
            return try Files.lock(folder: blobs, isShared: true)
        } catch {
            guard error == .locked else { throw error }
            return nil
        }
    }

    /// Whether a copy is being made now. This takes some microseconds.
    package static func isHeld(in folder: String) -> Bool {
        do throws(Errno) {
            // The lock is released immediately.
            guard let claim = try share(DataFolder.blobsPath(in: folder)) else { return true }
            withExtendedLifetime(claim) {}
        } catch {}
        return false
    }
}
