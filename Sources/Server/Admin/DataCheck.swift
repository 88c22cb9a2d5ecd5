import Blobs
import Family
import Posix
package import Store

/// `huddled check`: looks whether a data folder is whole.
package enum DataCheck {
    /// - Parameters:
    ///   - isRepairing: mends what can be mended; no server may run then.
    ///   - isDeep: reads every file.
    /// - Throws: a sentence when nothing could be checked.
    package static func run(dataFolder path: String, isRepairing: Bool, isDeep: Bool) throws(ServerError) -> CheckReport {
        guard Files.exists(DataFolder.databasePath(in: path)) else {
            throw ServerError("There is no database in \(path). Give the data folder of a server.")
        }
        // Held until the end, so that no server starts in the middle of it.
        let folder: DataFolder
        do throws(DataFolderError) { folder = try DataFolder(path: path) } catch {
            switch error {
            case .inUse:
                guard !isRepairing else { throw ServerError("A server runs on \(path). Stop it, then repair; checking alone goes beside it.") }
                return try check(path, isDeep)
            case .failed(let errno): throw ServerError("\(path) cannot be used: \(errno.text).")
            }
        }
        var report = try check(path, isDeep)
        guard isRepairing, !report.findings.isEmpty else { return report }
        do throws(StoreFailure) {
            let store = try ServerDatabase(folder).openStore(Limits())
            try report.repair(
                store, blobs: BlobFolder(path: folder.blobsPath), uploads: UploadFolder(path: folder.uploadsPath), now: Clock.wallMilliseconds())
            try store.stop()
        } catch { throw ServerError("What was found could not be mended: \(error).") }
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
