package import Blobs
package import Bytes
import Family
import Ledger
import Posix
import Wire

// Exports a whole family from the database into a file.
extension StoreReader {
    /// The number of rows after which the export checks whether it must stop.
    private static let breath = 256

    /// Writes a family as one archive, all of it from one moment.
    ///
    /// - Parameters:
    ///   - raw: an empty file, open for writing at any offset; `nil` only computes the manifest.
    ///   - blobs: the files of documents; `nil` only with `raw`.
    ///   - isPrivate: whether birth dates and consents are included. Tokens, sessions and invites never are.
    ///   - isStopped: called regularly.
    /// - Returns: the manifest; the file is on stable storage.
    /// - Complexity: one pass over the family's rows, in constant memory. SQLite's log cannot restart during it.
    package func export(
        _ family: Identifier, to raw: Int32?, blobs: BlobFolder?, isPrivate: Bool, isStopped: () -> Bool = { false }
    ) throws(StoreFailure) -> Result<ArchiveManifest, ArchiveError> {
        try reading {
            do {
                return .success(try write(family, to: raw, blobs, isPrivate: isPrivate, isStopped))
            } catch let error as ArchiveError {
                return .failure(error)
            }
        }
    }

    /// The current athletes of a family.
    package func athletes(of family: Identifier) throws(StoreFailure) -> [Identifier] {
        try reading {
            try engine.records.members(family: try key(family)).filter { $0.value.role == .athlete && !$0.value.isRemoved }.keys.sorted()
        }
    }

    /// The families with a name, or the one with an id.
    package func families(named name: String) throws(StoreFailure) -> [Identifier] {
        try reading { try FamilyNames.find(name, in: engine.families) { try record(family: $0, $1) } }
    }

    private func write(_ id: Identifier, to raw: Int32?, _ blobs: BlobFolder?, isPrivate: Bool, _ isStopped: () -> Bool) throws -> ArchiveManifest {
        guard let row = try engine.families.find(id) else {
            throw ArchiveError.refused(Rejection(.notFound, "There is no such family."))
        }
        let (key, floor, createdAt) = (row.key, row.floor, row.createdAt)
        let changed = try engine.log.lastTime(family: key) ?? createdAt
        let writer = ArchiveWriter(raw, modified: changed / 1_000)
        for member in ArchiveMember.allCases where isPrivate || !member.isPrivate {
            try writer.begin()
            var rows = 0
            try self.rows(member, of: key) { row in
                try writer.line(row.encode())
                rows += 1
                if rows % Self.breath == 0, isStopped() { throw ArchiveError.stopped }
            }
            try writer.finish(member.rawValue)
        }
        if raw != nil { try writeFiles(of: key, id, blobs, writer, isStopped) }
        let manifest = ArchiveManifest(
            epoch: epoch, exportedAt: environment.now(), family: id, name: try record(family: key, id)?.fields.text("name") ?? "",
            createdAt: createdAt, head: try head(key), floor: floor, isPrivate: isPrivate, members: writer.members)
        try writer.finish(manifest)
        return manifest
    }

    /// Adds each file of a document under its digest, which is checked on the way.
    private func writeFiles(of key: Int64, _ family: Identifier, _ blobs: BlobFolder?, _ writer: ArchiveWriter, _ isStopped: () -> Bool) throws {
        try rows(.files, of: key) { row in
            guard case .file(let file) = row else { return }
            guard let blobs, let blob = BlobName(family: family, sha256: file.sha256) else { throw ArchiveError.lostFile(file.sha256) }
            try writer.begin()
            let isThere: Bool
            do {
                isThere = try blobs.read(blob) { octets in
                    if isStopped() { throw ArchiveError.stopped }
                    try writer.raw(octets)
                }
            } catch let error as Errno {
                throw ArchiveError.file(error)
            }
            guard isThere, try writer.finish(file.name, isListed: false) == file.sha256 else { throw ArchiveError.lostFile(file.sha256) }
        }
    }

    /// Passes the rows of one file of the archive to `body`, in an order that depends only on the content.
    private func rows(_ member: ArchiveMember, of family: Int64, _ body: (ArchiveRow) throws -> Void) throws {
        switch member {
        case .records:
            try engine.records.forEach(family: family) { stored in
                guard let record = stored.record else { throw StoreFailure("a stored record is damaged") }
                try body(.record(record))
            }
        case .log:
            try engine.log.forEach(family: family) { row in
                try body(.change(.init(sequence: row.sequence, at: row.at, messages: row.messages, frame: row.frame)))
            }
        case .history: try engine.history.forEach(family: family) { try body(.replaced($0)) }
        case .clients:
            for (name, state) in try engine.receipts.clients(family: family) {
                try body(.client(.init(member: name.member, client: name.client, floor: state.floor)))
            }
        case .receipts:
            // By client, because no index has the order of all receipts: a family has few clients.
            for (name, state) in try engine.receipts.clients(family: family) {
                guard let client = state.key else { continue }
                try engine.receipts.forEach(family: family, client: client) { mutation, at, receipt in
                    try body(
                        .receipt(
                            .init(member: name.member, client: name.client, mutation: mutation, at: at, hash: receipt.hash, frame: receipt.frame)))
                }
            }
        case .purged: for row in try engine.records.purged(family: family) { try body(.purged(row)) }
        case .accesses: try engine.accesses.forEach(family: family) { try body(.access($0)) }
        case .files: for row in try engine.blobs.inUse(family: family) { try body(.file(row)) }
        case .people: for row in try engine.people.persons(family: family) { try body(.person(row)) }
        }
    }
}
