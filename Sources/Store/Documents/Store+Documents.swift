package import Bytes
package import Family
import SQLite
package import Wire

/// A document whose file is there, so that its record can be made. Uploads, imports and the demo make documents in this one way.
package struct NewDocument: Sendable {
    package var id: Identifier
    package var family: Identifier
    /// Who uploads it.
    package var member: Identifier
    /// Whose it is.
    package var athlete: Identifier
    /// A version in the chain that it joins, not necessarily the newest; `nil` begins a chain.
    package var replaces: Identifier?
    /// As an author writes them: `type`, `title`, `description`, `school_id`.
    package var fields: FieldPatch
    package var file: File

    /// What the server found out about the file by itself.
    package struct File: Hashable, Sendable {
        package var name: String
        /// Media type.
        package var type: String
        package var octets: Int64
        /// Hex.
        package var sha256: String

        package init(name: String, type: String, octets: Int64, sha256: String) {
            self.name = name
            self.type = type
            self.octets = octets
            self.sha256 = sha256
        }
    }

    package init(
        id: Identifier, family: Identifier, member: Identifier, athlete: Identifier, replaces: Identifier? = nil, fields: FieldPatch, file: File
    ) {
        self.id = id
        self.family = family
        self.member = member
        self.athlete = athlete
        self.replaces = replaces
        self.fields = fields
        self.file = file
    }
}

extension Store {
    /// Makes the record of a document, in one transaction, under the rights of who uploads it. A document that replaces another joins its
    /// chain at the head, whichever version it names: the newest is `is_current`, the older ones stay.
    ///
    /// Adding it again, after an answer that was lost, changes nothing and is answered as the first time, also when it was deleted meanwhile.
    /// The file counts for what the family may store, once for all documents that have the same.
    ///
    /// - Returns: the record's version chain number (the field `version`), or why nothing was done; and the change for the live rooms.
    package func addDocument(_ document: NewDocument) throws(StoreFailure) -> (Result<Int64, Rejection>, [CommitResult]) {
        let outcome = try transaction {
            guard let family = try family(document.family), let member = family.member(document.member) else { throw Rejection.noSuchFamily }
            if let known = try known(document, family) { return (known, nil) }
            var change = PendingChange(
                family: family, actor: Actor(member: document.member, role: member.role), context: .athlete(document.athlete),
                at: environment.now())
            let version = try add(document, &change)
            return (version, try seal(change, nil))
        } as Outcome<(Int64, CommittedChange?)>
        switch outcome {
        case .done((let version, let change)): return (.success(version), change.map { [.change($0)] } ?? [])
        case .refused(let rejection): return (.failure(rejection), [])
        }
    }

    /// The version of a document that was added before.
    private func known(_ document: NewDocument, _ family: FamilyState) throws -> Int64? {
        guard let record = try records.find(family: family.key, document.id)?.record, record.kind == .document,
            record.athlete == document.athlete, record.createdBy == document.member, record.fields.text("sha256") == document.file.sha256,
            case .integer(let version)? = record.fields["version"]
        else { return nil }
        return version
    }

    private func add(_ document: NewDocument, _ change: inout PendingChange) throws -> Int64 {
        var operation = Operation(kind: .document, id: document.id, action: .update(base: 0, merge: .none, patch: document.fields))
        let owner = try owner(document.athlete, operation, 0, change)
        try check(.create, operation, 0, owner: owner, author: document.member, change)
        // By the rules of an edit, because a mutation may not create one.
        try Validation.canonicalize(&operation, index: 0, environment: environment.rules)
        guard case .update(_, _, let patch) = operation.action else { preconditionFailure("an update stays one") }
        let (used, known) = try blobs.usage(family: change.family.key, besides: document.file.sha256)
        if known == 0 { try Quota.check(used: used, wanted: document.file.octets, limit: environment.limits.familyStorage) }
        let empty = Fields(.document)
        let targets = try resolve(Merge.introduced(by: patch, to: empty), operation, 0, change)
        var fields = Merge.apply(patch, to: empty, resolve: { targets[$1]?.asSetElement }).fields
        keepNames(&fields, from: empty, targets)
        fields["file_name"] = .text(document.file.name)
        fields["file_type"] = .text(document.file.type)
        fields["octets"] = .integer(document.file.octets)
        fields["sha256"] = .text(document.file.sha256)
        fields["uploaded_by"] = .reference(document.member)
        fields["is_current"] = .flag(true)
        var version: Int64 = 1
        if let replaces = document.replaces {
            var head = try self.head(of: replaces, owner: owner, operation, change)
            version = try 1 + documents.newestVersion(family: change.family.key, after: head.record)
            fields["replaces"] = .reference(head.record.id)
            var former = head.record.fields
            former["is_current"] = .flag(false)
            try write(&head, former, operation, 0, &change)
        }
        fields["version"] = .integer(version)
        try insert(document.id, owner: owner, fields, operation, 0, &change)
        try blobs.use(family: change.family.key, sha256: document.file.sha256, octets: document.file.octets)
        return version
    }

    /// The newest living version of the chain that a document belongs to.
    private func head(
        of id: Identifier, owner: Identifier, _ operation: Operation, _ change: PendingChange
    ) throws -> RecordRow {
        guard var head = try records.find(family: change.family.key, id), head.record.kind == .document, !head.record.isDeleted,
            head.record.athlete == owner
        else {
            throw Rejection(
                .unknownReference, "The document that this one replaces is not there any more: upload it as a new one", operation: 0,
                kind: .document, id: operation.id, field: "replaces")
        }
        while let next = try documents.successor(family: change.family.key, of: head.record.id) { head = next }
        return head
    }

    // MARK: What the going and coming of a version does to its chain

    /// The version before a current one that is deleted becomes the current one, if it lives.
    func passOn(_ document: Record, _ operation: Operation, _ index: Int, _ change: inout PendingChange) throws {
        guard document.kind == .document, document.fields.flag("is_current"), let former = document.fields.reference("replaces"),
            var row = try records.find(family: change.family.key, former), !row.record.isDeleted
        else { return }
        var fields = row.record.fields
        fields["is_current"] = .flag(true)
        try write(&row, fields, operation, index, &change)
    }

    /// A current version that comes back takes its place from the one before it, unless a newer one was uploaded meanwhile.
    ///
    /// - Returns: its fields as they are to be.
    func takeBack(
        _ document: Record, _ fields: Fields, _ operation: Operation, _ index: Int, _ change: inout PendingChange
    ) throws -> Fields {
        guard document.kind == .document, fields.flag("is_current"), let former = fields.reference("replaces"),
            var row = try records.find(family: change.family.key, former), !row.record.isDeleted
        else { return fields }
        if row.record.fields.flag("is_current") {
            var before = row.record.fields
            before["is_current"] = .flag(false)
            try write(&row, before, operation, index, &change)
            return fields
        }
        var back = fields
        back["is_current"] = .flag(false)
        return back
    }
}

/// The writer's statements on chains of documents. They run seldom, so they are compiled when they are used.
final class DocumentTable {
    private let database: Database

    init(_ database: Database) { self.database = database }

    private static let replaces = Referrers.expression("replaces")

    /// The living document that replaces another.
    func successor(family: Int64, of id: Identifier) throws -> RecordRow? {
        let find = try database.prepare(
            """
            SELECT \(RecordTable.columns) FROM records
            WHERE family = ? AND \(Self.replaces) = ? AND kind = \(Kind.document.rawValue) AND deleted_at IS NULL ORDER BY row DESC LIMIT 1
            """)
        find.bind(1, family)
        find.bind(2, id.description)
        return try find.one(RecordTable.decode)
    }

    /// The largest version among a document and those that ever replaced it, deleted ones included.
    func newestVersion(family: Int64, after document: Record) throws -> Int64 {
        let find = try database.prepare(
            """
            SELECT max(json_extract(CAST(fields AS TEXT), '$.version')) FROM records
            WHERE family = ? AND \(Self.replaces) = ? AND kind = \(Kind.document.rawValue)
            """)
        find.bind(1, family)
        find.bind(2, document.id.description)
        var own: Int64 = 0
        if case .integer(let version)? = document.fields["version"] { own = version }
        return max(own, try find.one { $0.int64(0) } ?? 0)
    }
}

@available(*, unavailable)
extension DocumentTable: Sendable {}
