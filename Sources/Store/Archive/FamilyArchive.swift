import Bytes
import Family
import JSON

/// What an import came to.
package enum ImportOutcome: Equatable, Sendable {
    case imported
    /// The family was here before, exactly as it is in the archive.
    case alreadyHere
}

package enum FamilyArchive {
    /// Puts a family of an archive into the database, whole or not at all.
    ///
    /// - Parameters:
    ///   - raw: open for reading at any place.
    ///   - reader: to compare with a family that is here already.
    ///   - isStopped: asked now and then.
    ///   - perform: gives a step to the writer and waits for it; the rejection when it was refused, `stopped` when nobody will answer.
    /// - Returns: the manifest and what was done; after a failure nothing is left.
    package static func read(
        _ raw: Int32, reader: StoreReader, isStopped: @escaping () -> Bool = { false }, perform: (ImportStep) throws(ArchiveError) -> Void
    ) throws(StoreFailure) -> Result<(ArchiveManifest, ImportOutcome), ArchiveError> {
        do {
            let archive = try ArchiveReader(raw, isStopped: isStopped)
            let manifest = archive.manifest
            if try !reader.families(named: "\(manifest.family)").isEmpty {
                let here = try reader.export(manifest.family, to: nil, isPrivate: false, isStopped: isStopped).get()
                guard here.isSameState(as: manifest) else {
                    throw ArchiveError.refused(
                        Rejection(.alreadyExists, "This family is here already and is not as in the archive. Nothing was changed."))
                }
                return .success((manifest, .alreadyHere))
            }
            try perform(.begin(manifest))
            do {
                var audit = ArchiveAudit()
                for member in ArchiveMember.allCases { try send(member, of: archive, &audit, perform) }
                try audit.finish()
                try perform(.finish)
            } catch {
                try perform(.abandon)
                throw error
            }
            return .success((manifest, .imported))
        } catch let error as ArchiveError {
            return .failure(error)
        } catch {
            throw StoreFailure(error)
        }
    }

    private static func send(
        _ member: ArchiveMember, of archive: ArchiveReader, _ audit: inout ArchiveAudit, _ perform: (ImportStep) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        var rows = ImportRows()
        try archive.lines(member) { line, number throws(ArchiveError) in
            let row: ArchiveRow
            do throws(JSONError) {
                row = try ArchiveRow.decode(member, line)
            } catch {
                throw .badLine(member.rawValue, number)
            }
            try audit.add(row)
            rows.rows.append(row)
            rows.octets += line.count
            guard rows.isFull else { return }
            try perform(.rows(rows))
            rows = ImportRows()
        }
        if !rows.rows.isEmpty { try perform(.rows(rows)) }
    }
}
