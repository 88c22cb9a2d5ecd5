package import Blobs
import Bytes
import Family
import JSON
import Posix

/// The result of an import.
package enum ImportOutcome: Equatable, Sendable {
    case imported
    /// The family already exists, exactly as it is in the archive.
    case alreadyHere
}

package enum FamilyArchive {
    /// Imports a family from an archive into the database, completely or not at all.
    ///
    /// - Parameters:
    ///   - raw: a descriptor for reading at any offset.
    ///   - reader: compares the archive with a family that exists already.
    ///   - blobs: the folder for the files of documents.
    ///   - isStopped: called regularly.
    ///   - perform: gives a step to the writer and waits for it; returns the rejection if it was refused, `stopped` if
    ///     no answer will come.
    /// - Returns: the manifest and the result; after a failure nothing remains.
    package static func read(
        _ raw: Int32, reader: StoreReader, blobs: BlobFolder, isStopped: @escaping () -> Bool = { false },
        perform: (ImportStep) throws(ArchiveError) -> Void
    ) throws(StoreFailure) -> Result<(ArchiveManifest, ImportOutcome), ArchiveError> {
        do {
            let archive = try ArchiveReader(raw, isStopped: isStopped)
            let manifest = archive.manifest
            let files = try archive.blobs()
            if try !reader.families(named: "\(manifest.family)").isEmpty {
                let here = try reader.export(manifest.family, to: nil, blobs: nil, isPrivate: false, isStopped: isStopped).get()
                guard here.isSameState(as: manifest) else {
                    throw ArchiveError.refused(
                        Rejection(.alreadyExists, "This family already exists and differs from the archive. Nothing was changed."))
                }
                return .success((manifest, .alreadyHere))
            }
            try perform(.begin(manifest))
            do {
                // Files come first, so that a document's file is there when its record is. A sweep removes the
                // remainder of a failed import a day later.
                for file in files { try receive(file, of: archive, into: blobs) }
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

    private static func receive(_ file: ArchiveRow.File, of archive: ArchiveReader, into blobs: BlobFolder) throws(ArchiveError) {
        do {
            var incoming = try blobs.receive(family: archive.manifest.family)
            try archive.content(file) { octets throws(ArchiveError) in
                do throws(Errno) {
                    try octets.span.bytes.withUnsafeBytes { (all) throws(Errno) in try incoming.append(all) }
                } catch { throw .file(error) }
            }
            // The content was compared with the manifest a moment ago, and the archive may have changed in the
            // meantime.
            guard try incoming.finish().sha256 == file.sha256 else { throw ArchiveError.changed(file.name) }
        } catch let error as ArchiveError {
            throw error
        } catch let error as Errno {
            throw .file(error)
        } catch {
            throw .stopped
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
