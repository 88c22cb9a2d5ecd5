import Blobs
import Family
import Store

/// The check that makes a copy of a database a backup: it opens the copy, checks it deeply with its files, and reads a
/// family from it as a client that joins does.
struct BackupCheck {
    /// The path of the copy.
    let database: String
    let files: BlobFolder

    /// The deep check. Files that the copy does not mention are not findings.
    func report(now: Int64) throws(StoreFailure) -> CheckReport {
        try ServerDatabase.openCheck(of: database).run(
            blobs: files, uploads: UploadFolder(path: "\(files.path)/uploads"), isDeep: true, now: now, isShared: true)
    }

    /// - Parameter report: the result of `report(now:)`.
    /// - Returns: the number of families.
    /// - Throws: a sentence, if the copy is not a backup.
    func expectWhole(_ report: CheckReport) throws -> Int {
        guard report.agrees else {
            let first = report.findings.first?.sentence ?? "The check did not finish."
            throw ServerError("The copy is inconsistent, so it is not a backup. \(first) Run huddled check --deep on the data folder.")
        }
        let reader = try ServerDatabase.openReader(of: database)
        if let family = try reader.allFamilies().first {
            let records = try reader.snapshot(family: family) { $0.records.count }.parts.reduce(0, +)
            guard records > 0, reader.damaged.isEmpty else { throw ServerError("No family can be read from the copy, so it is not a backup. Run huddled check on the data folder.") }
        }
        return report.families
    }
}
