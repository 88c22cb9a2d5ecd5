import Bytes
import Dates
package import Family
import Ledger
import Wire

/// A part of an import, on its way to the writer.
package enum ImportStep: Sendable {
    /// An import begins. There is at most one at a time.
    case begin(ArchiveManifest)
    /// Some rows of it, in the order of the archive.
    case rows(ImportRows)
    /// All rows were given: the family exists from now on.
    case finish
    /// The import is removed completely.
    case abandon
}

/// Rows of an archive, for one short transaction.
package struct ImportRows: Sendable {
    /// The number of rows, and of octets of their lines, that make a transaction large enough: some milliseconds,
    /// during which other writes wait.
    static let maxRows = 512
    static let maxOctets = 1 << 20

    var rows: [ArchiveRow] = []
    var octets = 0

    var isFull: Bool { rows.count >= Self.maxRows || octets >= Self.maxOctets }
}

/// The writer's state of the running import.
struct OngoingImport {
    let manifest: ArchiveManifest
    /// The key of the rows; no family made in the meantime gets the same key (`FamilyWrites.nextKey`).
    let key: Int64
    var head: Int64 = 0
    var clients: [ClientName: Int64] = [:]
    var people: [ArchiveRow.Person] = []
    var files: Set<ArchiveRow.File> = []
    var records = 0
    /// The place of the previous row: rows are in one order, so that none is there twice.
    var lastReplaced: (Identifier, Int64)?
    var lastClient: (Identifier, Identifier)?
    var lastPurged: Identifier?
    var lastReceipt: (Identifier, Identifier, Int64)?
}

// Imports a whole family from an archive into the database: many short transactions add rows under a key that no family
// has yet, so that nobody sees any of them, and a last one makes the family.
extension FamilyStore {
    /// The number of rows of an unfinished import that one transaction removes.
    private static let sweep = 5_000

    /// Carries out a part of an import in one transaction (`abandon`: in several).
    ///
    /// - Returns: the reason why the import cannot continue; then the caller abandons it.
    package func perform(_ step: ImportStep) throws(StoreFailure) -> Rejection? {
        if case .abandon = step {
            try sweepImports()
            return nil
        }
        let before = importing
        let outcome = try transaction(isDone: { try self.isDone(step, before) }) { run in
            importing = before
            do {
                // A step of rows cannot be repeated: the import begins again.
                if run == .afterUnknown { throw Rejection.busy }
                switch step {
                case .begin(let manifest): try begin(manifest)
                case .rows(let rows): for row in rows.rows { try add(row) }
                case .finish: try finishImport()
                case .abandon: break
                }
            } catch let error as ArchiveError {
                throw error.rejection
            }
        }
        guard case .refused(let rejection) = outcome else { return nil }
        importing = before
        return rejection
    }

    /// Removes the rows of unfinished imports, which nobody has seen.
    func sweepImports() throws(StoreFailure) {
        importing = nil
        while true {
            let outcome = try transaction { _ in try families.sweepImports(limit: Self.sweep) }
            // If the disk is full, the next start does this.
            guard case .done(true) = outcome else { return }
        }
    }

    /// Whether the last step of an import was carried out if its COMMIT had no answer.
    private func isDone(_ step: ImportStep, _ before: OngoingImport?) throws -> Bool {
        guard case .finish = step, let before else { return false }
        return try families.find(before.manifest.family)?.key == before.key
    }

    private func begin(_ manifest: ArchiveManifest) throws {
        guard importing == nil else { throw Rejection(.busy, "Another import is running. Try again when it has finished.") }
        guard try family(manifest.family) == nil else {
            throw Rejection(.alreadyExists, "This family already exists. Nothing was imported.")
        }
        try refuseErasing(manifest.family)
        let key = try families.nextKey()
        try families.beginImport(key: key, id: manifest.family, at: environment.now())
        importing = OngoingImport(manifest: manifest, key: key)
    }

    private func add(_ row: ArchiveRow) throws {
        guard var ongoing = importing else { throw Rejection(.notFound, "No import is running. Begin it again.") }
        // Moved out and in, so that its dictionaries are not copied for each row.
        importing = nil
        defer { importing = ongoing }
        switch row {
        case .record(let record):
            guard try records.insert(family: ongoing.key, record, created: 0) else { throw ArchiveError.inconsistent("a record is there twice") }
            if record.kind == .document { try addFile(of: record, ongoing.key) }
            ongoing.records += 1
            guard ongoing.records <= environment.limits.recordsPerFamily else { throw Rejection(.familyFull, ErrorCode.familyFull.sentence) }
        case .change(let change):
            // Purging blanks rows and removes none: the log begins with the family.
            guard change.sequence == ongoing.head + 1 else { throw ArchiveError.inconsistent("its sequence has a gap") }
            guard let frame = LogCodec.decode(change.frame), frame.sequence == change.sequence else {
                throw ArchiveError.inconsistent("a row of the log is not a change")
            }
            ongoing.head = change.sequence
            for entry in frame.entries {
                if case .create = entry.effect { try records.setCreation(family: ongoing.key, entry.id, sequence: change.sequence) }
            }
            // All records are complete only with the last change: the checksum is computed from them when the family is
            // first read.
            try log.append(
                family: ongoing.key,
                LogRow(
                    sequence: change.sequence, at: change.at, messages: change.messages, frame: change.frame,
                    outline: LogRow.outline(frame, change.frame), checksum: nil, written: nil))
        case .replaced(let replaced):
            let place = (replaced.record, replaced.version)
            guard ongoing.lastReplaced.map({ $0 < place }) ?? true else { throw ArchiveError.inconsistent("its history is out of order") }
            ongoing.lastReplaced = place
            try history.append(family: ongoing.key, replaced)
        case .client(let client):
            let place = (client.member, client.client)
            guard ongoing.lastClient.map({ $0 < place }) ?? true else { throw ArchiveError.inconsistent("its clients are out of order") }
            ongoing.lastClient = place
            let name = ClientName(family: ongoing.key, member: client.member, client: client.client)
            ongoing.clients[name] = try receipts.addClient(name, floor: client.floor)
        case .receipt(let receipt):
            let name = ClientName(family: ongoing.key, member: receipt.member, client: receipt.client)
            guard let client = ongoing.clients[name] else { throw ArchiveError.inconsistent("an answer was given to an unknown client") }
            let place = (receipt.member, receipt.client, receipt.mutation)
            guard ongoing.lastReceipt.map({ $0 < place }) ?? true else { throw ArchiveError.inconsistent("its answers are out of order") }
            ongoing.lastReceipt = place
            try receipts.record(
                family: ongoing.key, client: client, mutation: receipt.mutation, at: receipt.at,
                RecordedReceipt(hash: receipt.hash, frame: receipt.frame, isOfChange: Self.isOfChange(receipt.frame)))
        case .purged(let purged):
            guard ongoing.lastPurged.map({ $0 < purged.id }) ?? true else { throw ArchiveError.inconsistent("its purged records are out of order") }
            ongoing.lastPurged = purged.id
            try records.insertPurged(family: ongoing.key, purged)
        case .access(let access):
            try accesses.append(family: ongoing.key, access)
        case .file(let file): ongoing.files.insert(file)
        case .person(let person):
            guard ongoing.people.last.map({ $0.member < person.member }) ?? true else {
                throw ArchiveError.inconsistent("its people are out of order")
            }
            guard person.born.map({ CalendarDate($0) != nil }) ?? true else { throw ArchiveError.inconsistent("a birth date is not a date") }
            ongoing.people.append(person)
        }
    }

    /// Whether a receipt belongs to a change of the log. A refusal does not, and neither does the ack of a mutation
    /// that changed nothing.
    private static func isOfChange(_ frame: [UInt8]) -> Bool {
        guard case .ack(let ack)? = ReceiptCodec.decode(frame) else { return false }
        return ack.sequence != nil
    }

    /// All documents must agree about their file, and with the file itself, because figures add it up.
    private func addFile(of record: Record, _ key: Int64) throws {
        switch (record.fields.text("sha256"), record.fields["octets"]) {
        case (nil, nil): break
        case (let sha256?, .integer(let octets)?):
            try blobs.use(family: key, sha256: sha256, octets: octets)
            guard try blobs.octets(family: key, sha256: sha256) == octets else { fallthrough }
        default: throw ArchiveError.inconsistent("a document's file differs from the document's description")
        }
    }

    /// Makes the family, after a check that the rows make one.
    private func finishImport() throws {
        guard let ongoing = importing else { throw Rejection(.notFound, "No import is running. Begin it again.") }
        let manifest = ongoing.manifest
        guard ongoing.head == manifest.head, manifest.floor <= manifest.head else { throw ArchiveError.inconsistent("its log does not end where the manifest says") }
        guard try record(family: ongoing.key, manifest.family)?.kind == .family else {
            throw ArchiveError.inconsistent("the family's own record is missing")
        }
        guard try Set(blobs.inUse(family: ongoing.key)) == ongoing.files else {
            throw ArchiveError.inconsistent("its files are not those of its documents")
        }
        try families.insert(FamilyRow(key: ongoing.key, id: manifest.family, floor: manifest.floor, createdAt: manifest.createdAt))
        try addMemberships(ongoing)
        guard let family = try family(manifest.family), family.state.parents > 0 else { throw ArchiveError.inconsistent("it has no parent") }
        try audit(.familyImported, family: ongoing.key, by: .host, at: environment.now())
        try withdrawImportedDeletion(family)
        try armAll(family: ongoing.key, zone: family.state.zone, at: environment.now())
        importing = nil
    }

    private func addMemberships(_ ongoing: OngoingImport) throws {
        var members: [Record] = []
        try records.forEach(family: ongoing.key) { if let record = $0.record, record.kind == .member { members.append(record) } }
        let known = Dictionary(ongoing.people.map { ($0.member, $0) }, uniquingKeysWith: { first, _ in first })
        for record in members.sorted(by: { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }) {
            let member = record.id
            guard try people.membership(member) == nil else {
                throw Rejection(.alreadyExists, "A member of this family is a member of another family here. Nothing was imported.")
            }
            let person = known[member]
            var consent: Consent?
            if let by = person?.consentBy, let at = person?.consentAt, let terms = person?.consentTerms {
                consent = Consent(by: by, at: at, terms: terms)
            }
            try people.addMembership(family: ongoing.key, member: member, born: person?.born.flatMap { CalendarDate($0) }, consent: consent)
            if let removedAt = record.deletedAt { try people.setRemoved(family: ongoing.key, member: member, at: removedAt) }
        }
    }
}
