package import Blobs
import Bytes
import Family
import Wire

/// Checks whether the database is intact, its records match its log, and its documents have their files. It only reads,
/// on a connection of its own, with or without a running server.
package final class StoreCheck {
    private let engine: any ReaderEngine
    private var report = CheckReport()

    /// - Parameter engine: an engine that nobody else uses.
    package init(_ engine: any ReaderEngine) { self.engine = engine }

    /// A file that the database names.
    private struct File {
        var family: Identifier
        var blob: BlobName
        var octets: Int64
        var document: Identifier
    }

    /// Checks everything.
    ///
    /// - Parameters:
    ///   - isDeep: whether to read every file and compare its content with its name, which takes as long as reading the
    ///     whole folder.
    ///   - now: UTC milliseconds.
    ///   - isShared: whether `blobs` also belongs to other databases, so that a file that this one does not name is not
    ///     a finding.
    /// - Complexity: one pass over the log and the records, one family in memory at a time.
    package func run(blobs: BlobFolder, uploads: UploadFolder, isDeep: Bool, now: Int64, isShared: Bool = false) throws(StoreFailure) -> CheckReport {
        report = CheckReport()
        report.isDeep = isDeep
        do {
            let (files, kept) = try readDatabase(keptSince: now - BlobSweep.grace)
            var known = kept
            for file in files {
                known.insert(file.blob)
                try check(file, blobs, isDeep)
            }
            if !isShared { try checkFolder(blobs, uploads, known, before: now - BlobSweep.grace) }
            try checkUploads(uploads)
        } catch { throw StoreFailure(engine.failure(error)) }
        return report
    }

    // MARK: Database

    /// - Parameter time: files that a record named at this time or later stay for a copy that is being made, UTC
    ///   milliseconds.
    /// - Returns: each file of each family once; and the files that stay although no record names them.
    private func readDatabase(keptSince time: Int64) throws -> ([File], kept: Set<BlobName>) {
        // All of it from one moment.
        try engine.begin()
        defer { try? engine.end() }
        do {
            for line in try engine.faults() {
                report.add(.databaseDamaged, "SQLite reports about its file: \(line). Restore a backup (see the runbook).")
            }
            var files: [File] = []
            for family in try engine.families.all() {
                report.families += 1
                files += try check(family: family.id, family.key)
            }
            try checkCounts()
            try checkConsumers()
            return (files, try keptFiles(since: time))
        } catch {
            guard case .final(let failure) = engine.failure(error), failure.code != 0 else { throw error }
            report.add(.databaseDamaged, "The database cannot be read (\(failure.message)). Restore a backup (see the runbook).")
            return ([], [])
        }
    }

    private func keptFiles(since time: Int64) throws -> Set<BlobName> {
        Set(try engine.blobs.unused(since: time).compactMap { BlobName(family: $0.family, sha256: $0.blob.sha256) })
    }

    private func check(family: Identifier, _ key: Int64) throws -> [File] {
        var replayed = ReplayedFamily()
        var stored: StateChecksum?
        var isDiffering = false
        try engine.log.forEach(family: key) { row in
            report.changes += 1
            let sequence = row.sequence
            if sequence != replayed.sequence + 1, sequence > 0 {
                report.add(.logGap, "In the log of family \(family) change \(sequence) follows change \(replayed.sequence): the changes between them are lost.", family: family)
            }
            guard let change = LogCodec.decode(row.frame), change.sequence == sequence else {
                report.add(.changeDamaged, "Change \(sequence) of family \(family) cannot be read.", family: family, "\(sequence)")
                return
            }
            if let fault = replayed.apply(change), !fault.hasPrefix("after") {
                report.add(.changeDamaged, "In the log of family \(family) \(fault).", family: family, "\(sequence)")
            }
            stored = row.checksum
            // Only the first one: each later one differs as a result.
            if let stored, stored != replayed.checksum, !isDiffering {
                isDiffering = true
                report.add(
                    .checksumDiffers, "From change \(sequence) of family \(family) the checksum differs from that of the records. With --repair it is computed again.",
                    family: family, "\(sequence)")
            }
        }
        if let stored, try engine.log.computedChecksum(family: key) != stored {
            report.add(.checksumDiffers, "The checksum of family \(family) differs from that of its records. With --repair it is computed again.", family: family, "\(replayed.sequence)")
        }
        try checkUsage(family, key)
        return try compare(&replayed, family, key)
    }

    private func checkUsage(_ family: Identifier, _ key: Int64) throws {
        let noted = try engine.log.usage(family: key, head: try engine.log.head(family: key)).octets
        let taken = try engine.log.computedUsage(family: key)
        guard noted != taken else { return }
        report.add(
            .usageDiffers, "Family \(family) is recorded with \(noted) octets of log and history, but has \(taken). With --repair it is counted again.",
            family: family)
    }

    private func compare(_ replayed: inout ReplayedFamily, _ family: Identifier, _ key: Int64) throws -> [File] {
        var files: [BlobName: File] = [:]
        try engine.records.forEach(family: key) { stored in
            report.records += 1
            guard let record = stored.record else {
                report.add(.databaseDamaged, "A record of family \(family) cannot be read.", family: family)
                return
            }
            let name = "\(record.kind.name) \(record.id)"
            switch replayed.compare(record) {
            case nil: break
            case .unknown: report.add(.recordUnknown, "The log of family \(family) does not mention \(name).", family: family, "\(record.id)")
            case .differs(let how):
                report.add(.recordDiffers, "In family \(family) \(name) differs from the log: \(how).", family: family, "\(record.id)")
            }
            if stored.isMisfiled {
                report.add(
                    .columnDiffers, "In family \(family) \(name) is not found by its fields. With --repair its columns are filled again.",
                    family: family, "\(record.id)")
            }
            guard record.kind == .document, let sha256 = record.fields.text("sha256") else { return }
            report.documents += 1
            guard let blob = BlobName(family: family, sha256: sha256), case .integer(let octets)? = record.fields["octets"] else {
                report.add(.recordDiffers, "In family \(family) \(name) does not name its file.", family: family, "\(record.id)")
                return
            }
            if files[blob] == nil { files[blob] = File(family: family, blob: blob, octets: octets, document: record.id) }
        }
        let gone = Set(try engine.records.purged(family: key).map(\.id))
        for (id, record) in replayed.records.sorted(by: { $0.key < $1.key }) where !gone.contains(id) {
            report.add(.recordMissing, "The log of family \(family) mentions \(record.kind.name) \(id), which does not exist.", family: family, "\(id)")
        }
        return files.values.sorted { $0.blob.sha256 < $1.blob.sha256 }
    }

    private func checkConsumers() throws {
        let newest = try engine.log.newestPosition()
        for consumer in try engine.consumers.all() where !(0...newest).contains(consumer.position) {
            report.add(
                .cursorAhead,
                "The consumer '\(consumer.name)' has stored position \(consumer.position), and the log ends at \(newest). With --repair it reads everything again.",
                nil, consumer.name)
        }
    }

    private func checkCounts() throws {
        let miscounted = try engine.blobs.miscounted()
        if miscounted > 0 {
            report.add(.fileCount, "Files whose count of documents is wrong: \(miscounted). With --repair they are counted again.")
        }
        let lost = try engine.shares.countLost()
        if lost > 0 { report.add(.shareWithoutDocument, "\(lost) share links belong to documents that no longer exist; they give no access.") }
    }

    // MARK: Files

    private func check(_ file: File, _ blobs: BlobFolder, _ isDeep: Bool) throws {
        report.files += 1
        report.octets += file.octets
        let what = "The file of document \(file.document) of family \(file.family)"
        let advice = "Put it back from a copy of the folder 'blobs' (\(file.family)/\(file.blob.fan)/\(file.blob.sha256)), or delete the document."
        switch try blobs.verify(file.blob, octets: file.octets, isDeep: isDeep) {
        case .agrees: break
        case .missing: report.add(.fileMissing, "\(what) is missing. \(advice)", family: file.family, file.blob.sha256)
        case .otherLength(let octets):
            report.add(.fileLength, "\(what) has \(octets) octets instead of \(file.octets). \(advice)", family: file.family, file.blob.sha256)
        case .otherContent:
            report.add(.fileContent, "\(what) does not have the content that was uploaded. \(advice)", family: file.family, file.blob.sha256)
        }
    }

    private func checkFolder(_ blobs: BlobFolder, _ uploads: UploadFolder, _ known: Set<BlobName>, before: Int64) throws {
        let awaited = try uploads.awaited()
        try blobs.forEach { entry in
            switch entry {
            case .blob(let blob, let octets, let modified):
                // A younger file may belong to an upload whose record is just being written, or may be kept for a copy
                // that is being made.
                guard !known.contains(blob), modified < before, !awaited.contains(blob.sha256) else { return }
                report.add(
                    .fileUnused, "A file of \(octets) octets belongs to no document: blobs/\(blob.family)/\(blob.fan)/\(blob.sha256).",
                    family: blob.family, blob.sha256)
            case .stranger(let name, let modified):
                guard modified < before else { return }
                report.add(.leftover, "This file in 'blobs' belongs to no document: \(name).", nil, name)
            }
        }
    }

    private func checkUploads(_ uploads: UploadFolder) throws {
        let (ids, leftovers) = try uploads.list()
        for name in leftovers { report.add(.leftover, "This file in 'uploads' belongs to no upload: \(name).", nil, name) }
        for id in ids {
            do {
                guard let found = try uploads.progress(id) else {
                    report.add(.leftover, "Upload \(id) was only partly created or removed.", nil, "\(id)")
                    continue
                }
                // An upload that was refused or has become a document is not under way; its description stays for a while.
                if case .ended = found.progress.phase { continue }
                report.uploads += 1
                guard case .receiving = found.progress.phase else { continue }
                let octets = try uploads.partOctets(id)
                if octets ?? -1 < found.progress.offset {
                    report.add(
                        .uploadDamaged,
                        "Upload \(id) has \(octets ?? 0) octets, but \(found.progress.offset) were confirmed. It must be sent again.", nil, "\(id)")
                }
            } catch {
                report.add(.uploadDamaged, "The progress of upload \(id) cannot be read. It must be sent again.", nil, "\(id)")
            }
        }
    }
}

@available(*, unavailable)
extension StoreCheck: Sendable {}

extension CheckReport {
    fileprivate mutating func add(_ code: Finding.Code, _ sentence: String, _ family: Identifier?, _ name: String) {
        add(code, sentence, family: family, name)
    }

    /// Repairs the faults that can be repaired without losing anything that was promised: removes files that nothing
    /// refers to, and counts again. Requires exclusive use of the folder.
    package mutating func repair(_ store: FamilyStore, blobs: BlobFolder, uploads: UploadFolder, now: Int64) throws(StoreFailure) {
        do {
            for index in findings.indices {
                let finding = findings[index]
                switch finding.code {
                case .fileUnused:
                    guard let family = finding.family, let name = finding.name, let blob = BlobName(family: family, sha256: name) else { continue }
                    findings[index].isRepaired = try blobs.remove(blob, unusedSince: now - BlobSweep.grace)
                    if findings[index].isRepaired { _ = try store.forget([blob]) }
                case .leftover:
                    guard let name = finding.name else { continue }
                    if name.contains("/") {
                        try blobs.removeStranger(name, unusedSince: now - BlobSweep.grace)
                    } else {
                        try uploads.removeLeftovers()
                    }
                    findings[index].isRepaired = true
                case .fileCount: findings[index].isRepaired = try store.recountBlobs()
                case .checksumDiffers: findings[index].isRepaired = try finding.family.map { try store.forgetChecksums(of: $0) } ?? false
                case .usageDiffers: findings[index].isRepaired = try finding.family.map { try store.recountUsage(of: $0) } ?? false
                case .columnDiffers:
                    guard let family = finding.family, let id = finding.name.flatMap({ Identifier($0) }) else { continue }
                    findings[index].isRepaired = try store.fillColumns(of: id, family)
                case .cursorAhead: findings[index].isRepaired = try finding.name.map { name throws(StoreFailure) in try store.restart(consumer: name) } ?? false
                case .shareWithoutDocument: findings[index].isRepaired = try store.forgetLostShares()
                case .uploadDamaged:
                    guard let id = finding.name.flatMap({ Identifier($0) }) else { continue }
                    try uploads.remove(id)
                    findings[index].isRepaired = true
                default: continue
                }
            }
        } catch { throw StoreFailure(error) }
    }
}

extension FamilyStore {
    /// Removes the checksums, so that they are computed from the records, as in a log of an earlier program.
    fileprivate func forgetChecksums(of family: Identifier) throws(StoreFailure) -> Bool {
        let outcome = try transaction { _ in
            guard let key = try self.family(family)?.key else { return }
            try log.forgetChecksums(family: key)
            forgetFamily(key: key)
        }
        if case .done = outcome { return true }
        return false
    }

    /// Sets the noted space of a family to that of its rows.
    fileprivate func recountUsage(of family: Identifier) throws(StoreFailure) -> Bool {
        let outcome = try transaction { _ in
            guard let stored = try self.family(family) else { return }
            let taken = try log.computedUsage(family: stored.key)
            try families.free(family: stored.key, octets: Int(stored.usage.written - stored.usage.freed - taken))
            forgetFamily(key: stored.key)
        }
        if case .done = outcome { return true }
        return false
    }

    /// Fills the columns of a record from its fields.
    fileprivate func fillColumns(of id: Identifier, _ family: Identifier) throws(StoreFailure) -> Bool {
        let outcome = try transaction { _ in
            guard let key = try self.family(family)?.key else { return }
            try records.file(family: key, id)
        }
        if case .done = outcome { return true }
        return false
    }

    /// Removes share links whose documents no longer exist.
    func forgetLostShares() throws(StoreFailure) -> Bool {
        let outcome = try transaction { _ in try shares.forgetLost() }
        if case .done = outcome { return true }
        return false
    }
}
