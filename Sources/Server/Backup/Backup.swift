import Blobs
import Bytes
import Dates
import Family
import JSON
import Locks
import Posix
import Store

/// `huddled backup`: a verified copy of a data folder, made with or without a running server.
///
/// The command reads the database on a connection of its own, so the server, which may not write outside of its data
/// folder, takes no part in it. A file never changes once it has its name, so only new files are copied. The manifest
/// comes last, after the copy was checked: a failure or an end before that leaves a folder without a manifest. No
/// command treats such a folder as a backup, and the next run removes it.
package struct Backup {
    package struct Report: Equatable, Sendable {
        /// The folder of the backup.
        package var path = ""
        package var families = 0
        package var files = 0
        package var octets: Int64 = 0
        /// Files that no earlier backup had.
        package var newFiles = 0
        package var newOctets: Int64 = 0
        /// Backups that were removed (`--keep`).
        package var removed = 0
    }

    /// Milliseconds to wait for a sweep of files to end.
    private static let sweepTime = 60_000
    /// Milliseconds to wait for another backup, which may be about to end.
    private static let claimTime = 2_000

    let data: String
    let place: BackupFolder
    let keep: BackupKeep?
    let now: () -> Int64
    private let pace: BackupPace

    /// - Parameters:
    ///   - dataFolder: the data folder; its server may be running.
    ///   - path: the folder of backups; created if it is missing.
    ///   - keep: the backups to keep; `nil` keeps all.
    init(
        dataFolder: String, to path: String, keep: BackupKeep? = nil, disk: any Disk = SystemDisk(),
        now: @escaping () -> Int64 = { Clock.wallMilliseconds() }
    ) {
        data = dataFolder
        place = BackupFolder(path: path, disk: disk)
        self.keep = keep
        self.now = now
        pace = BackupPace(dataFolder: dataFolder)
    }

    /// Makes a backup, on a thread with a lower priority than a server.
    ///
    /// - Throws: a sentence. If it does not say that a backup was added, none was.
    package static func make(dataFolder: String, to path: String, keep: BackupKeep?) throws(ServerError) -> Report {
        try onOwnThread { () throws(ServerError) in try Backup(dataFolder: dataFolder, to: path, keep: keep).run() }
    }

    static func onOwnThread(_ body: @escaping @Sendable () throws(ServerError) -> Report) throws(ServerError) -> Report {
        let outcome = Lock<Result<Report, ServerError>>(.failure(ServerError("The backup ended without a result.")))
        let thread = Thread.start(name: "backup", nice: FilePool.nice) {
            let result = Result { () throws(ServerError) in try body() }
            outcome.withLock { $0 = result }
        }
        thread.join()
        return try outcome.withLock { $0 }.get()
    }

    func run() throws(ServerError) -> Report {
        try Self.expectDatabase(in: data)
        do {
            return try copy()
        } catch let error as ServerError {
            throw error
        } catch let error as Errno {
            throw ServerError("The backup in \(place.path) was not made: \(error.text). Check both disks, then try again.")
        } catch {
            throw ServerError("The backup in \(place.path) was not made: \(error).")
        }
    }

    // MARK: Steps

    private func copy() throws -> Report {
        try Files.makeFolders(place.path)
        try Files.synchronizeFolder(of: place.path)
        // Both claims end with this process.
        let claim = try Self.take(place.path) { () throws(Errno) in try Files.lock(folder: place.path, timeoutMilliseconds: Self.claimTime) }
        let source = try Self.claimSource(data)
        for entry in try place.entries() where !entry.isFinished { try place.remove(entry.name) }

        let madeAt = now()
        let folder = "\(place.path)/\(BackupFolder.name(madeAt))"
        guard try place.disk.makeFolder(folder) else { throw ServerError("\(folder) already exists. Check the clock of this machine, then try again.") }
        try place.disk.synchronizeFolder(place.path)
        var report = Report(path: folder)
        let manifest = try fill(folder, madeAt, &report)
        try finish(folder, manifest)
        do {
            report.removed = try rotate()
        } catch { throw ServerError("\(folder) is a verified backup, but older ones were not removed: \(Self.text(error)).") }
        withExtendedLifetime(claim) {}
        withExtendedLifetime(source) {}
        return report
    }

    static func expectDatabase(in data: String) throws(ServerError) {
        guard Files.exists(DataFolder.databasePath(in: data)) else { throw ServerError("There is no database in \(data). Give the data folder of a server.") }
    }

    /// Prevents sweeps of files until the result is released.
    static func claimSource(_ data: String) throws -> FolderLock {
        try take(data) { () throws(Errno) in try CopyLock.take(in: data, waiting: sweepTime) }
    }

    private static func take(_ path: String, _ lock: () throws(Errno) -> FolderLock) throws -> FolderLock {
        do throws(Errno) { return try lock() } catch {
            guard error == .locked else { throw error }
            throw ServerError("\(path) is in use by another backup, or by a sweep that does not end. Try again later.")
        }
    }

    /// Copies everything, and checks the copy.
    private func fill(_ folder: String, _ madeAt: Int64, _ report: inout Report) throws -> BackupManifest {
        let path = "\(folder)/\(BackupNames.database)"
        try Self.expectRoom(place.path, Self.databaseOctets(in: data))
        // The file is created first with permissions for its owner only: SQLite would create a file that others may
        // read.
        _ = try Files.createNew(path)
        let schema = try Self.copyDatabase(from: data, to: path, on: place.disk, pace)
        try synchronize(path)
        let used = try ServerDatabase.openReader(of: path).filesInUse()
        let names = used.map(\.blob)
        var missing: [(blob: BlobName, octets: Int64)] = []
        for file in used where try place.files.status(file.blob)?.octets != file.octets { missing.append(file) }
        try Self.expectRoom(place.path, missing.reduce(0) { $0 + $1.octets })
        for file in missing {
            try copy(file.blob)
            report.newFiles += 1
            report.newOctets += file.octets
        }
        report.files = used.count
        report.octets = used.reduce(0) { $0 + $1.octets }
        report.families = try verify(path)
        let digest = try BackupSource.read(path) { _ throws(Errno) in _ = pace.rest() }
        return BackupManifest(madeAt: madeAt, program: HuddleVersion.text, schema: schema, families: report.families, database: digest, files: names)
    }

    /// The number of copy steps, of a megabyte each, after which the copy is synced.
    private static let stepsPerSync = 8

    /// Copies the database and syncs it in parts: one sync of a gigabyte at the end would delay the server's syncs for
    /// as long.
    ///
    /// - Returns: the version of its tables.
    static func copyDatabase(from data: String, to path: String, on disk: any Disk, _ pace: BackupPace) throws -> Int {
        let file = try disk.open(path)
        // This must follow SQLite's close: closing any descriptor of the file would release the process's locks.
        defer { disk.close(file) }
        var steps = 0
        var failure: Errno?
        let schema = try ServerDatabase.copy(from: data, to: path) {
            steps += 1
            if steps % stepsPerSync == 0 {
                do throws(Errno) { try disk.synchronize(file) } catch {
                    failure = error
                    return false
                }
            }
            return pace.rest()
        }
        if let failure { throw failure }
        guard let schema else { throw ServerError("The copy was stopped.") }
        return schema
    }

    /// The largest number of octets that a copy of the database may need.
    static func databaseOctets(in data: String) throws(Errno) -> Int64 {
        let path = DataFolder.databasePath(in: data)
        return Int64(try (Files.status(path)?.size ?? 0) + (Files.status(path + "-wal")?.size ?? 0))
    }

    static func expectRoom(_ path: String, _ octets: Int64) throws {
        let free = Int64(try Files.freeSpace(path))
        guard free < octets else { return }
        throw ServerError("The disk of \(path) has \(ByteCount.text(free)) free, and the backup needs \(ByteCount.text(octets)). Make room.")
    }

    private func synchronize(_ path: String) throws(Errno) {
        let file = try place.disk.open(path)
        defer { place.disk.close(file) }
        try place.disk.synchronize(file)
    }

    private func copy(_ blob: BlobName) throws {
        let path = BlobFolder(path: DataFolder.blobsPath(in: data)).path(of: blob)
        var incoming = try place.files.receive(family: blob.family)
        do throws(Errno) {
            _ = try BackupSource.read(path) { octets throws(Errno) in
                try incoming.append(octets)
                _ = pace.rest()
            }
        } catch {
            throw ServerError("The file blobs/\(blob.family)/\(blob.fan)/\(blob.sha256) cannot be copied: \(error.text). Run huddled check --deep.")
        }
        guard try incoming.finish() == blob else {
            throw ServerError("The file blobs/\(blob.family)/\(blob.fan)/\(blob.sha256) does not have the content that was uploaded. Run huddled check --deep.")
        }
    }

    // MARK: Verification

    /// Opens the copy, checks it deeply, and reads a family from it as a client that joins does.
    ///
    /// - Returns: the number of families.
    private func verify(_ path: String) throws -> Int {
        var report = try check(path)
        // A file from an earlier backup may have been damaged since. The server still has it.
        let damaged = report.findings.filter { [.fileContent, .fileLength, .fileMissing].contains($0.code) }
        if !damaged.isEmpty, damaged.count == report.findings.count, report.omitted == 0 {
            for finding in damaged {
                guard let family = finding.family, let blob = finding.name.flatMap({ BlobName(family: family, sha256: $0) }) else { continue }
                _ = try place.files.remove(blob, unusedSince: .max)
                try copy(blob)
            }
            report = try check(path)
        }
        return try BackupCheck(database: path, files: place.files).expectWhole(report)
    }

    private func check(_ path: String) throws(StoreFailure) -> CheckReport { try BackupCheck(database: path, files: place.files).report(now: now()) }

    /// Finishes the backup: afterwards the copy counts as one.
    private func finish(_ folder: String, _ manifest: BackupManifest) throws {
        let disk = place.disk
        let path = "\(folder)/\(BackupNames.manifest)"
        let file = try disk.create(path + ".new")
        do {
            defer { disk.close(file) }
            let octets = manifest.encode()
            var done = 0
            while done < octets.count {
                let count = try octets.withUnsafeBytes { all in try disk.write(file, UnsafeRawBufferPointer(rebasing: all[done...]), at: Int64(done)) }
                guard count > 0 else { throw Errno.noSpace }
                done += count
            }
            try disk.synchronize(file)
        }
        // The name of the database must be durable before that of the manifest.
        try disk.synchronizeFolder(folder)
        try disk.rename(path + ".new", to: path)
        do {
            try disk.synchronizeFolder(folder)
        } catch {
            // Whether the name is durable is unknown, so it is removed again.
            try? disk.remove(path)
            throw error
        }
        do throws(Errno) {
            // A new file replaces the old one, because the owner of the old one may be another user.
            try Files.write([], to: "\(data)/\(MachineProbe.backupFile)")
        } catch {
            throw ServerError("\(folder) is a verified backup, but \(MachineProbe.backupFile) in \(data) could not be written: \(error.text).")
        }
    }

    // MARK: Older backups

    private func rotate() throws -> Int {
        guard let keep else { return 0 }
        let entries = try place.entries().filter(\.isFinished)
        let kept = keep.kept(entries.map(\.madeAt))
        let removed = entries.filter { !kept.contains($0.madeAt) }
        for entry in removed { try place.remove(entry.name) }
        _ = try place.removeUnusedFiles()
        return removed.count
    }

    private static func text(_ error: any Error) -> String {
        switch error {
        case let error as Errno: error.text
        case let error as BackupFault: "one of them \(error.text)"
        default: "\(error)"
        }
    }
}

/// Gives a running server precedence: after each piece of work the copy pauses as long as the piece took.
final class BackupPace {
    private static let longest: Int64 = 50
    private let isServed: Bool
    private var since = Clock.monotonicMilliseconds()

    init(dataFolder: String) {
        var isServed = false
        // The lock is released immediately.
        do throws(Errno) { _ = try Files.lock(folder: dataFolder, isShared: true) } catch { isServed = error == .locked }
        self.isServed = isServed
    }

    /// - Returns: true.
    func rest() -> Bool {
        guard isServed else { return true }
        let took = Clock.monotonicMilliseconds() - since
        if took >= 2 {
            var nothing: [Poll.Item] = []
            _ = try? Poll.wait(&nothing, timeoutMilliseconds: Int(min(took, Self.longest)))
            since = Clock.monotonicMilliseconds()
        }
        return true
    }
}

extension Backup.Report {
    /// `{"backup":"…","families":3,"files":12,"octets":…,"new_files":2,"new_octets":…,"removed":1}`
    package func encode() -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("backup")
        json.string(path)
        let counts: [(StaticString, Int64)] = [
            ("families", Int64(families)), ("files", Int64(files)), ("octets", octets), ("new_files", Int64(newFiles)), ("new_octets", newOctets),
            ("removed", Int64(removed)),
        ]
        for (name, count) in counts {
            json.key(name)
            json.integer(count)
        }
        json.endObject()
        return json.octets
    }
}
