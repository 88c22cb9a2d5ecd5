import Bytes
import Dates
package import Family
import Ledger
import SQLite
import Wire

/// A part of an import, on its way to the writer.
package enum ImportStep: Sendable {
    /// An import begins. One at a time.
    case begin(ArchiveManifest)
    /// Some rows of it, in the order of the archive.
    case rows(ImportRows)
    /// All were given: the family is there from now on.
    case finish
    /// Nothing of it stays.
    case abandon
}

/// Rows of an archive, for one short transaction.
package struct ImportRows: Sendable {
    /// Rows, and octets of their lines, after which a transaction is large enough: some milliseconds, in which other writes wait.
    static let maxRows = 512
    static let maxOctets = 1 << 20

    var rows: [ArchiveRow] = []
    var octets = 0

    var isFull: Bool { rows.count >= Self.maxRows || octets >= Self.maxOctets }
}

/// What the writer keeps of the import that is going on.
struct OngoingImport {
    let manifest: ArchiveManifest
    /// Under it the rows stand; no family made meanwhile gets the same (`Store.nextFamilyKey`).
    let key: Int64
    var head: Int64 = 0
    var clients: [Store.ClientName: Int64] = [:]
    var people: [ArchiveRow.Person] = []
    var files: Set<ArchiveRow.File> = []
    var records = 0
    /// The place of the row before: rows stand in one order, so no row stands twice.
    var lastReplaced: (Identifier, Int64)?
    var lastClient: (Identifier, Identifier)?
    var lastPurged: Identifier?
    var lastReceipt: (Identifier, Identifier, Int64)?
}

// A whole family, out of an archive into the database: in many short transactions under a key that no family has yet, so that nobody
// sees any of it, and one last that makes the family.
extension Store {
    /// Rows that one transaction removes of an import that did not come to its end.
    private static let sweep: Int64 = 5_000

    /// Carries out a part of an import, in one transaction (`abandon`: in several).
    ///
    /// - Returns: why the import cannot go on; the caller abandons it then.
    package func perform(_ step: ImportStep) throws(StoreFailure) -> Rejection? {
        if case .abandon = step {
            try sweepImports()
            return nil
        }
        let before = importing
        let outcome = try transaction {
            do {
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

    /// Removes what imports left that did not come to their end; nobody saw any of it.
    func sweepImports() throws(StoreFailure) {
        importing = nil
        while true {
            let outcome = try transaction {
                guard let key = try database.prepare("SELECT min(key) FROM imports").one({ $0.optionalInt64(0) }) ?? nil else { return true }
                var removed = 0
                for table in ["records", "log", "outlines", "history", "receipts", "clients", "access_log"] {
                    let rowid = table == "clients" ? "key" : "row"
                    try database.run(
                        "DELETE FROM \(table) WHERE \(rowid) IN (SELECT \(rowid) FROM \(table) WHERE family = ? LIMIT \(Self.sweep))",
                        .integer(key))
                    removed += database.changes
                    if removed > 0 { return false }
                }
                try database.run("DELETE FROM purged WHERE family = ?", .integer(key))
                try blobs.forgetAll(family: key)
                try database.run("DELETE FROM imports WHERE key = ?", .integer(key))
                return false
            }
            // With a full disk it is left for the next start.
            guard case .done(false) = outcome else { return }
        }
    }

    private func begin(_ manifest: ArchiveManifest) throws {
        guard importing == nil else { throw Rejection(.busy, "Another import is going on. Try again when it is done.") }
        guard try family(manifest.family) == nil else {
            throw Rejection(.alreadyExists, "This family is here already. Nothing was imported.")
        }
        let key = try nextFamilyKey()
        let insert = try database.prepare("INSERT INTO imports (key, uuid, created_at) VALUES (?, ?, ?)")
        insert.bind(1, key)
        insert.bind(2, manifest.family)
        insert.bind(3, environment.now())
        try insert.run()
        importing = OngoingImport(manifest: manifest, key: key)
    }

    /// The integer for a new family: one that neither a family nor an import has.
    func nextFamilyKey() throws -> Int64 {
        let newest = try database.prepare("SELECT max(key) FROM (SELECT key FROM families UNION ALL SELECT key FROM imports)")
        return (try newest.one { $0.int64(0) } ?? 0) + 1
    }

    private func add(_ row: ArchiveRow) throws {
        guard var ongoing = importing else { throw Rejection(.notFound, "There is no import going on. Begin it again.") }
        // Moved out and in, so that its dictionaries are not copied for each row.
        importing = nil
        defer { importing = ongoing }
        switch row {
        case .record(let record):
            guard try records.insert(family: ongoing.key, record, sequence: 0) else { throw ArchiveError.inconsistent("a record is there twice") }
            if record.kind == .document { try addFile(of: record, ongoing.key) }
            ongoing.records += 1
            guard ongoing.records <= environment.limits.recordsPerFamily else { throw Rejection(.familyFull, ErrorCode.familyFull.sentence) }
        case .change(let change):
            // Purging blanks rows and removes none: the log begins with the family.
            guard change.sequence == ongoing.head + 1 else { throw ArchiveError.inconsistent("its sequence has a gap") }
            guard case .change(let frame)? = try? ServerFrame.decode(change.frame), frame.sequence == change.sequence else {
                throw ArchiveError.inconsistent("a row of the log is no change")
            }
            ongoing.head = change.sequence
            for entry in frame.entries {
                if case .create = entry.effect { try records.setCreation(family: ongoing.key, entry.id, sequence: change.sequence) }
            }
            // The rows of all records are here when the last change is: the checksum is computed from them when the family is first read.
            try log.append(
                family: ongoing.key, sequence: change.sequence, at: change.at, messages: Int(clamping: change.messages), frame: change.frame, frame,
                checksum: nil, written: nil)
        case .replaced(let replaced):
            let place = (replaced.record, replaced.version)
            guard ongoing.lastReplaced.map({ $0 < place }) ?? true else { throw ArchiveError.inconsistent("its history is out of order") }
            ongoing.lastReplaced = place
            try history.append(family: ongoing.key, replaced)
        case .client(let client):
            let place = (client.member, client.client)
            guard ongoing.lastClient.map({ $0 < place }) ?? true else { throw ArchiveError.inconsistent("its clients are out of order") }
            ongoing.lastClient = place
            let key = try receipts.addClient(family: ongoing.key, member: client.member, client: client.client, floor: client.floor)
            ongoing.clients[ClientName(family: ongoing.key, member: client.member, client: client.client)] = key
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
            try insertPurged(family: ongoing.key, purged)
        case .access(let access):
            try accessLog.append(family: ongoing.key, access)
        case .file(let file): ongoing.files.insert(file)
        case .person(let person):
            guard ongoing.people.last.map({ $0.member < person.member }) ?? true else {
                throw ArchiveError.inconsistent("its people are out of order")
            }
            guard person.born.map({ CalendarDate($0) != nil }) ?? true else { throw ArchiveError.inconsistent("a birth date is no date") }
            ongoing.people.append(person)
        }
    }

    /// Whether a receipt belongs to a change of the log: a refusal does not, nor the ack of a mutation that changed nothing.
    private static func isOfChange(_ frame: [UInt8]) -> Bool {
        guard case .ack(let ack)? = try? ServerFrame.decode(frame) else { return false }
        return ack.sequence != nil
    }

    /// A document says of its file what every other says of it, and what the file itself is found to be: figures add it up.
    private func addFile(of record: Record, _ key: Int64) throws {
        switch (record.fields.text("sha256"), record.fields["octets"]) {
        case (nil, nil): break
        case (let sha256?, .integer(let octets)?):
            try blobs.use(family: key, sha256: sha256, octets: octets)
            let known = try database.prepare("SELECT octets FROM blobs WHERE family = ? AND sha256 = ?")
            known.bind(1, key)
            known.bind(2, sha256)
            guard try known.one({ $0.int64(0) }) == octets else { fallthrough }
        default: throw ArchiveError.inconsistent("a document's file is not what the document says of it")
        }
    }

    /// Makes the family, after looking whether the rows are one.
    private func finishImport() throws {
        guard let ongoing = importing else { throw Rejection(.notFound, "There is no import going on. Begin it again.") }
        let manifest = ongoing.manifest
        guard ongoing.head == manifest.head, manifest.floor <= manifest.head else { throw ArchiveError.inconsistent("its log does not end where the manifest says") }
        guard try records.find(family: ongoing.key, manifest.family)?.kind == .family else {
            throw ArchiveError.inconsistent("the family's own record is missing")
        }
        let wanted = try database.prepare("SELECT sha256, octets FROM blobs WHERE family = ?")
        wanted.bind(1, ongoing.key)
        guard try Set(wanted.all { ArchiveRow.File(sha256: $0.text(0), octets: $0.int64(1)) }) == ongoing.files else {
            throw ArchiveError.inconsistent("its files are not those of its documents")
        }
        let insert = try database.prepare("INSERT INTO families (key, uuid, floor, created_at) VALUES (?, ?, ?, ?)")
        insert.bind(1, ongoing.key)
        insert.bind(2, manifest.family)
        insert.bind(3, manifest.floor)
        insert.bind(4, manifest.createdAt)
        try insert.run()
        try addMemberships(ongoing)
        guard let family = try family(manifest.family), family.state.parents > 0 else { throw ArchiveError.inconsistent("it has no parent") }
        try database.run("DELETE FROM imports WHERE key = ?", .integer(ongoing.key))
        importing = nil
    }

    private func insertPurged(family: Int64, _ purged: ArchiveRow.Purged) throws {
        let insert = try database.prepare("INSERT INTO purged (family, id, kind, deleted_at) VALUES (?, ?, ?, ?)")
        insert.bind(1, family)
        insert.bind(2, purged.id)
        insert.bind(3, Int64(purged.kind.rawValue))
        insert.bind(4, purged.deletedAt)
        try insert.run()
    }

    private func addMemberships(_ ongoing: OngoingImport) throws {
        let list = try database.prepare("SELECT id, deleted_at FROM records WHERE family = ? AND kind = ? ORDER BY created_at, id")
        list.bind(1, ongoing.key)
        list.bind(2, Int64(Kind.member.rawValue))
        let known = Dictionary(ongoing.people.map { ($0.member, $0) }, uniquingKeysWith: { first, _ in first })
        for (member, removedAt) in try list.all({ (try $0.identifier(0), $0.optionalInt64(1)) }) {
            guard try people.membership(member) == nil else {
                throw Rejection(.alreadyExists, "A member of this family is a member of another family here. Nothing was imported.")
            }
            let person = known[member]
            var consent: Consent?
            if let by = person?.consentBy, let at = person?.consentAt, let terms = person?.consentTerms {
                consent = Consent(by: by, at: at, terms: terms)
            }
            try people.addMembership(family: ongoing.key, member: member, born: person?.born.flatMap { CalendarDate($0) }, consent: consent)
            if let removedAt { try people.setRemoved(family: ongoing.key, member: member, at: removedAt) }
        }
    }
}
