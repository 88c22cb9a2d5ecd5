package import Blobs
package import Bytes
import Family
import Ledger
import Posix
import SQLite
import Wire

// A whole family, out of the database into a file.
extension StoreReader {
    /// Rows after which the export looks whether it is to stop.
    private static let breath = 256

    /// Writes a family as one archive, all of it true at one moment.
    ///
    /// - Parameters:
    ///   - raw: an empty file, open for writing at any place; `nil` only computes the manifest.
    ///   - blobs: the files of documents; `nil` only with `raw`.
    ///   - isPrivate: birth dates and consents as well. Tokens, sessions and invites are never in it.
    ///   - isStopped: asked now and then.
    /// - Returns: the manifest; the file is on stable storage.
    /// - Complexity: one pass over the family's rows, in constant memory. SQLite's log cannot start again meanwhile.
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

    /// The athletes who are in a family now.
    package func athletes(of family: Identifier) throws(StoreFailure) -> [Identifier] {
        try reading {
            try members.members(family: try key(family)).filter { $0.value.role == .athlete && !$0.value.isRemoved }.keys.sorted()
        }
    }

    /// The families of a name, or the one of an id.
    package func families(named name: String) throws(StoreFailure) -> [Identifier] {
        try reading { try FamilyNames.find(name, in: database) { try record(family: $0, $1) } }
    }

    private func write(_ id: Identifier, to raw: Int32?, _ blobs: BlobFolder?, isPrivate: Bool, _ isStopped: () -> Bool) throws -> ArchiveManifest {
        let find = try database.prepare("SELECT key, floor, created_at FROM families WHERE uuid = ?")
        find.bind(1, id)
        guard let (key, floor, createdAt) = try find.one({ ($0.int64(0), $0.int64(1), $0.int64(2)) }) else {
            throw ArchiveError.refused(Rejection(.notFound, "There is no such family."))
        }
        let newest = try database.prepare("SELECT at FROM log WHERE family = ? ORDER BY seq DESC LIMIT 1")
        newest.bind(1, key)
        let changed = try newest.one { $0.int64(0) } ?? createdAt
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

    /// Adds each file of a document, under its digest, which is looked at again on the way.
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

    /// Gives `body` what stands in one file of the archive, in an order that only the content decides.
    private func rows(_ member: ArchiveMember, of family: Int64, _ body: (ArchiveRow) throws -> Void) throws {
        func each(_ sql: String, _ bindings: Int64..., row: (Statement) throws -> ArchiveRow) throws {
            let statement = try database.prepare(sql)
            for (index, value) in bindings.enumerated() { statement.bind(Int32(index + 1), value) }
            try statement.each { try body(try row($0)) }
        }
        switch member {
        case .records:
            try each("SELECT \(RecordTable.columns) FROM records WHERE family = ? ORDER BY id", family) { .record(try RecordTable.decode($0).record) }
        case .log:
            try each("SELECT seq, at, messages, frame FROM log WHERE family = ? ORDER BY seq", family) { row in
                .change(.init(sequence: row.int64(0), at: row.int64(1), messages: row.int64(2), frame: row.octets(3)))
            }
        case .history:
            try each(
                "SELECT record, version, seq, member, at, before FROM history WHERE family = ? ORDER BY record, version", family
            ) { row in
                .replaced(
                    .init(
                        record: try row.identifier(0), version: row.int64(1), sequence: row.int64(2), member: try row.identifier(3),
                        at: row.int64(4), before: row.isNull(5) ? nil : row.octets(5)))
            }
        case .clients:
            try each("SELECT member, client, floor FROM clients WHERE family = ? ORDER BY member, client", family) { row in
                .client(.init(member: try row.identifier(0), client: try row.identifier(1), floor: row.int64(2)))
            }
        case .receipts:
            // By client, because no index has the order of all: a family has few clients.
            let clients = try database.prepare("SELECT key, member, client FROM clients WHERE family = ? ORDER BY member, client")
            clients.bind(1, family)
            for client in try clients.all({ (key: $0.int64(0), member: try $0.identifier(1), client: try $0.identifier(2)) }) {
                try each(
                    "SELECT mutation, at, hash, frame FROM receipts WHERE family = ? AND client = ? ORDER BY mutation", family, client.key
                ) { row in
                    .receipt(
                        .init(
                            member: client.member, client: client.client, mutation: row.int64(0), at: row.int64(1), hash: row.octets(2),
                            frame: row.octets(3)))
                }
            }
        case .purged:
            try each("SELECT id, kind, deleted_at FROM purged WHERE family = ? ORDER BY id", family) { row in
                guard let kind = UInt8(exactly: row.int64(1)).flatMap(Kind.init(rawValue:)) else {
                    throw StoreFailure("a purged record is of an unknown kind")
                }
                return .purged(.init(id: try row.identifier(0), kind: kind, deletedAt: row.int64(2)))
            }
        case .accesses:
            try each(
                "SELECT athlete, member, at, what, record FROM access_log WHERE family = ? ORDER BY athlete, at, row", family
            ) { row in
                .access(
                    .init(
                        athlete: try row.identifier(0), member: try row.identifier(1), at: row.int64(2), what: row.text(3),
                        record: try row.optionalIdentifier(4)))
            }
        case .files:
            try each("SELECT sha256, octets FROM blobs WHERE family = ? AND documents > 0 ORDER BY sha256", family) { row in
                .file(.init(sha256: row.text(0), octets: row.int64(1)))
            }
        case .people:
            try each(
                "SELECT member, born, consent_by, consent_at, consent_terms FROM memberships WHERE family = ? ORDER BY member", family
            ) { row in
                .person(
                    .init(
                        member: try row.identifier(0), born: row.isNull(1) ? nil : row.text(1), consentBy: try row.optionalIdentifier(2),
                        consentAt: row.optionalInt64(3), consentTerms: row.isNull(4) ? nil : row.text(4)))
            }
        }
    }
}
