import Blobs
import Bytes
import Dates
import Family
import Posix
import Store
import Tar

/// `huddled backup --stdout`: a verified copy of a data folder as a tar archive, for another program to store.
///
/// The archive has the content of one backup's folder (see `BackupFolder`), so `tar -x` makes such a folder, and
/// several archives that are unpacked in the same place share their files. The database is copied into a folder for
/// temporary files and checked first; the documents go from the data folder straight into the archive, and their
/// digests are compared on the way. The manifest comes last: a truncated archive has none, and no command treats it as
/// a backup.
package struct BackupStream {
    let data: String
    /// The folder in which a folder for the copy of the database is made.
    let scratch: String
    let now: () -> Int64
    /// Takes the next octets of the archive.
    let output: (UnsafeRawBufferPointer) throws(Errno) -> Void
    private let pace: BackupPace

    init(
        dataFolder: String, scratch: String, now: @escaping () -> Int64 = { Clock.wallMilliseconds() },
        output: @escaping (UnsafeRawBufferPointer) throws(Errno) -> Void
    ) {
        data = dataFolder
        self.scratch = scratch
        self.now = now
        self.output = output
        pace = BackupPace(dataFolder: dataFolder)
    }

    /// Writes the archive to standard output, on a thread with a lower priority than a server.
    ///
    /// - Throws: a sentence; the octets written so far have no manifest.
    package static func send(dataFolder: String) throws(ServerError) -> Backup.Report {
        guard !Standard.isTerminal(Standard.output) else {
            throw ServerError("Standard output is a terminal, and a backup is a tar archive. Send it to a file or to a program, like: huddled backup --data DIR --stdout > huddle.tar")
        }
        // The copy of a database may not fit into a folder in memory, which /tmp often is.
        let scratch = Environment.value("TMPDIR") ?? "/var/tmp"
        // A reader that ends early is an error to report, not a reason to leave the copy of the database behind.
        Signals.ignoreBrokenPipes()
        return try Backup.onOwnThread { () throws(ServerError) in
            try BackupStream(dataFolder: dataFolder, scratch: scratch) { octets throws(Errno) in try Octets.writeAll(Standard.output, octets) }.run()
        }
    }

    func run() throws(ServerError) -> Backup.Report {
        try Backup.expectDatabase(in: data)
        do {
            return try copy()
        } catch let error as ServerError {
            throw error
        } catch let error as Errno {
            throw ServerError("The backup was not made: \(error.text). The output is not a backup; try again.")
        } catch {
            throw ServerError("The backup was not made: \(error). The output is not a backup.")
        }
    }

    private func copy() throws -> Backup.Report {
        let source = try Backup.claimSource(data)
        let scratch = try Scratch(in: scratch)
        let madeAt = now()
        let name = BackupFolder.name(madeAt)
        let path = "\(scratch.path)/\(BackupNames.database)"
        try Backup.expectRoom(scratch.path, Backup.databaseOctets(in: data))
        // The file is created first with permissions for its owner only: SQLite would create a file that others may
        // read.
        _ = try Files.createNew(path)
        let schema = try Backup.copyDatabase(from: data, to: path, on: SystemDisk(), pace)
        let blobs = BlobFolder(path: DataFolder.blobsPath(in: data))
        let check = BackupCheck(database: path, files: blobs)
        let families = try check.expectWhole(check.report(now: now()))
        let used = try ServerDatabase.openReader(of: path).filesInUse()

        let size = Int64(try Files.status(path)?.size ?? 0)
        let database = try send(path, as: "\(name)/\(BackupNames.database)", octets: size, madeAt)
        for (blob, octets) in used {
            let digest = try send(blobs.path(of: blob), as: BackupManifest.archivePath(of: blob), octets: octets, madeAt)
            guard digest == blob.sha256 else {
                throw ServerError("The file blobs/\(blob.family)/\(blob.fan)/\(blob.sha256) does not have the content that was uploaded. The output is not a backup. Run huddled check --deep.")
            }
        }
        let manifest = BackupManifest(
            madeAt: madeAt, program: HuddleVersion.text, schema: schema, families: families, database: database, files: used.map(\.blob)
        ).encode()
        let head = TarHeader(name: "\(name)/\(BackupNames.manifest)", size: manifest.count, modified: madeAt / 1_000)
        // Two blocks of zeros end an archive.
        try write(head.encode() + manifest + [UInt8](repeating: 0, count: head.padding + 2 * TarHeader.block))
        withExtendedLifetime(source) {}
        withExtendedLifetime(scratch) {}
        do throws(Errno) {
            try Files.write([], to: "\(data)/\(MachineProbe.backupFile)")
        } catch { throw ServerError("The backup is written and verified, but \(MachineProbe.backupFile) in \(data) could not be written: \(error.text).") }
        let total = used.reduce(0) { $0 + $1.octets }
        return Backup.Report(path: name, families: families, files: used.count, octets: total, newFiles: used.count, newOctets: total)
    }

    /// Writes one file with its header and padding.
    ///
    /// - Returns: its SHA-256 in hex.
    private func send(_ path: String, as name: String, octets: Int64, _ madeAt: Int64) throws -> String {
        let head = TarHeader(name: name, size: Int(octets), modified: madeAt / 1_000)
        try write(head.encode())
        var left = head.size
        let digest = try BackupSource.read(path) { piece throws(Errno) in
            left -= piece.count
            // Octets beyond the size in the header would be read as the next header.
            guard left >= 0 else { throw .tooBig }
            try output(piece)
            _ = pace.rest()
        }
        guard left == 0 else { throw ServerError("\(path) became shorter while it was read. The output is not a backup. Run huddled check --deep.") }
        try write([UInt8](repeating: 0, count: head.padding))
        return digest
    }

    private func write(_ octets: [UInt8]) throws(Errno) {
        let result = octets.withUnsafeBytes { all in Result { () throws(Errno) in try output(all) } }
        try result.get()
    }
}

/// A folder for the copy of the database, claimed and removed with its last reference.
private final class Scratch {
    private static let prefix = "huddle-backup"
    let path: String
    private let claim: FolderLock

    /// Also removes folders of earlier backups that were killed: each holds a whole database.
    init(in parent: String) throws(ServerError) {
        do throws(Errno) {
            for name in try Files.list(parent) where name.hasPrefix(Self.prefix + ".") {
                // A folder that is in use, or belongs to another user, stays.
                guard let claim = try? Files.lock(folder: "\(parent)/\(name)") else { continue }
                try? Files.removeTree("\(parent)/\(name)")
                withExtendedLifetime(claim) {}
            }
            path = try Files.makeTemporaryFolder(prefix: Self.prefix, in: parent)
            claim = try Files.lock(folder: path)
        } catch {
            throw ServerError("No temporary folder can be made in \(parent): \(error.text). Set TMPDIR to a folder with room for the database.")
        }
    }

    deinit { try? Files.removeTree(path) }
}
