import Blobs
import Bytes
import JSON
import Posix
import Store

/// `huddled restore`: makes a data folder from a backup. It reads the whole backup before it writes anything, and
/// writes only into an empty folder.
package struct Restore {
    package struct Report: Equatable, Sendable {
        /// The backup.
        package var backup = ""
        package var families = 0
        package var files = 0
        package var hasEndedSessions = false
    }

    let backup: String
    let data: String
    let endsSessions: Bool
    let disk: any Disk

    /// - Parameters:
    ///   - backup: the folder of a backup, or a folder of backups, of which the newest finished one counts.
    ///   - dataFolder: empty or missing, or one with an interrupted restore.
    package init(_ backup: String, to dataFolder: String, endsSessions: Bool) {
        self.init(backup, to: dataFolder, endsSessions: endsSessions, disk: SystemDisk())
    }

    init(_ backup: String, to dataFolder: String, endsSessions: Bool, disk: any Disk) {
        self.backup = backup
        data = dataFolder
        self.endsSessions = endsSessions
        self.disk = disk
    }

    /// - Throws: a sentence.
    package func run() throws(ServerError) -> Report {
        let source = try source()
        let isOver = "Nothing was restored."
        do throws(BackupFault) {
            try expectEmpty()
            let manifest = try verify(source)
            do {
                try restore(manifest, source)
            } catch let error as ServerError {
                throw BackupFault.failed(error.sentence)
            } catch let error as BackupFault {
                throw error
            } catch let error as Errno {
                throw BackupFault.failed("\(data) cannot be written: \(error.text). Make room or check the disk, then run the same command again.")
            } catch {
                throw BackupFault.failed("The restored database cannot be used: \(error).")
            }
            return Report(backup: source, families: manifest.families, files: manifest.files.count, hasEndedSessions: endsSessions)
        } catch {
            if case .failed(let sentence) = error { throw ServerError(sentence) }
            throw ServerError("\(source) \(error.text) \(isOver)")
        }
    }

    // MARK: Before anything is written

    private func source() throws(ServerError) -> String {
        if Files.exists("\(backup)/\(BackupNames.manifest)") { return backup }
        do throws(Errno) {
            let entries = try BackupFolder(path: backup, disk: SystemDisk()).entries()
            guard let newest = entries.last(where: \.isFinished) else { return backup }
            return "\(backup)/\(newest.name)"
        } catch { throw ServerError("\(backup) cannot be read: \(error.text). Give the folder of a backup.") }
    }

    private func expectEmpty() throws(BackupFault) {
        let names: [String]
        do throws(Errno) {
            guard let status = try Files.status(data) else { return }
            names = status.kind == .folder ? try Files.list(data) : ["a file"]
        } catch { throw .failed("\(data) cannot be used: \(error.text). Choose another --data.") }
        // The command that began a restore may finish it.
        guard names.isEmpty || Files.exists(DataFolder.unfinishedPath(in: data)) else {
            throw .failed("\(data) is not empty, and a restore never overwrites data. Move it away, or choose another --data.")
        }
    }

    /// Reads the whole backup.
    private func verify(_ source: String) throws(BackupFault) -> BackupManifest {
        let manifest = try BackupSource.manifest(source)
        guard manifest.schema <= ServerDatabase.version else { throw .newer(schema: manifest.schema, program: manifest.program) }
        try compare("\(source)/\(BackupNames.database)", BackupNames.database, manifest.database)
        for blob in manifest.files {
            let path = BackupManifest.path(of: blob)
            try compare("\(source)/\(path)", path, blob.sha256)
        }
        return manifest
    }

    private func compare(_ path: String, _ name: String, _ sha256: String) throws(BackupFault) {
        let found: String
        do throws(Errno) { found = try BackupSource.read(path) } catch {
            throw error == .noEntry ? .missing(name) : .unreadable(name, error.text)
        }
        guard found == sha256 else { throw .changed(name) }
    }

    // MARK: Writing

    private func restore(_ manifest: BackupManifest, _ source: String) throws {
        try Files.makeFolders(data)
        try Files.synchronizeFolder(of: data)
        let claim = try takeFolder()
        // From here on no server creates a database in the folder, until the restored one is there.
        let unfinished = DataFolder.unfinishedPath(in: data)
        if try disk.status(unfinished) == nil { disk.close(try disk.create(unfinished)) }
        try disk.synchronizeFolder(data)
        let target = DataFolder.databasePath(in: data)
        // A remainder of a restore that ended between the last two steps; it may belong to another backup.
        try disk.remove(target)
        let blobs = BlobFolder(path: DataFolder.blobsPath(in: data), disk: disk)
        for blob in manifest.files { try copy(blob, from: source, to: blobs) }
        let part = target + ".part"
        try copyDatabase("\(source)/\(BackupNames.database)", manifest.database, to: part)
        try ServerDatabase.renew(part, endsSessions: endsSessions)
        let file = try disk.open(part)
        do {
            defer { disk.close(file) }
            try disk.synchronize(file)
        }
        try disk.rename(part, to: target)
        try disk.synchronizeFolder(data)
        try disk.remove(unfinished)
        try disk.synchronizeFolder(data)
        withExtendedLifetime(claim) {}
    }

    private func takeFolder() throws -> FolderLock {
        do throws(Errno) { return try Files.lock(folder: data, timeoutMilliseconds: 2_000) } catch {
            guard error == .locked else { throw error }
            throw ServerError("\(data) is in use by another process. Choose another --data.")
        }
    }

    private func copy(_ blob: BlobName, from source: String, to blobs: BlobFolder) throws {
        let path = BackupManifest.path(of: blob)
        var incoming = try blobs.receive(family: blob.family)
        _ = try BackupSource.read("\(source)/\(path)") { octets throws(Errno) in try incoming.append(octets) }
        guard try incoming.finish() == blob else { throw BackupFault.changed(path) }
    }

    private func copyDatabase(_ path: String, _ sha256: String, to part: String) throws {
        for name in [part, part + "-journal", part + "-wal", part + "-shm"] { try disk.remove(name) }
        let file = try disk.create(part)
        defer { disk.close(file) }
        var offset: Int64 = 0
        let digest = try BackupSource.read(path) { octets throws(Errno) in
            var rest = octets
            while rest.count > 0 {
                let count = try disk.write(file, rest, at: offset)
                guard count > 0 else { throw Errno.noSpace }
                offset += Int64(count)
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
        guard digest == sha256 else { throw BackupFault.changed(BackupNames.database) }
        try disk.synchronize(file)
    }
}

extension Restore.Report {
    /// `{"restored":"…","families":3,"files":12,"sessions_ended":false}`
    package func encode() -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("restored")
        json.string(backup)
        json.key("families")
        json.integer(families)
        json.key("files")
        json.integer(files)
        json.key("sessions_ended")
        json.boolean(hasEndedSessions)
        json.endObject()
        return json.octets
    }
}
