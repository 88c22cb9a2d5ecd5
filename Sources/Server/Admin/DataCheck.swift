import Blobs
import Family
import Posix
package import Store

/// `huddled check`: checks whether a data folder is intact.
package enum DataCheck {
    /// - Parameters:
    ///   - isRepairing: repairs the faults that can be repaired; no server may run then.
    ///   - isDeep: reads every file.
    /// - Throws: a sentence, if nothing could be checked.
    package static func run(dataFolder path: String, isRepairing: Bool, isDeep: Bool) throws(ServerError) -> CheckReport {
        guard Files.exists(DataFolder.databasePath(in: path)) else {
            throw ServerError("There is no database in \(path). Give the data folder of a server.")
        }
        // The folder is held until the end, so that no server starts during the check.
        let folder: DataFolder
        do throws(DataFolderError) { folder = try DataFolder(path: path) } catch {
            switch error {
            case .inUse:
                guard !isRepairing else { throw ServerError("A server runs on \(path). Stop it, then repair; a check without --repair works beside it.") }
                return try check(path, isDeep)
            case .unfinished: throw .unfinishedRestore(path)
            case .failed(let errno): throw ServerError("\(path) cannot be used: \(errno.text).")
            }
        }
        var report = try check(path, isDeep)
        guard isRepairing, !report.findings.isEmpty else { return report }
        do {
            let store = try ServerDatabase(folder).openStore(Limits())
            let (blobs, uploads) = (BlobFolder(path: folder.blobsPath), UploadFolder(path: folder.uploadsPath))
            let isDone = try CopyLock.keepOut(of: path) { try report.repair(store, blobs: blobs, uploads: uploads, now: Clock.wallMilliseconds()) }
            try store.stop()
            guard isDone else { throw ServerError("A backup of \(path) is being made. Repair when it has ended.") }
        } catch let error as ServerError {
            throw error
        } catch { throw ServerError("The faults could not be repaired: \(error).") }
        return report
    }

    private static func check(_ path: String, _ isDeep: Bool) throws(ServerError) -> CheckReport {
        do throws(StoreFailure) {
            return try ServerDatabase.openCheck(in: path).run(
                blobs: BlobFolder(path: DataFolder.blobsPath(in: path)), uploads: UploadFolder(path: DataFolder.uploadsPath(in: path)),
                isDeep: isDeep, now: Clock.wallMilliseconds())
        } catch { throw ServerError("\(path) cannot be checked: \(error).") }
    }
}
