import Bytes
import Family

// Documents, whose records are made by uploads, and the chains of their versions.
extension Decider {
    /// The version of a document that was added before, after an answer that was lost; `nil` if it was not.
    package func known(_ document: NewDocument) throws -> Int64? {
        guard let record = try view.record(document.id), record.kind == .document, record.athlete == document.athlete,
            record.createdBy == document.member, record.fields.text("sha256") == document.file.sha256,
            case .integer(let version)? = record.fields["version"]
        else { return nil }
        return version
    }

    /// Adds the record of a document whose file is stored, under the rights of the person who uploads it.
    ///
    /// A document that replaces another joins its chain at the head, whichever version it names: the newest is `is_current`, the older
    /// versions stay. The file counts for what the family may store, once for all documents that have the same file.
    ///
    /// - Returns: its number in the chain (the field `version`).
    package func add(_ document: NewDocument) throws -> Int64 {
        var operation = Operation(kind: .document, id: document.id, action: .update(base: 0, merge: .none, patch: document.fields))
        let owner = try owner(document.athlete, operation, 0)
        try check(.create, operation, 0, owner: owner, author: document.member)
        // By the rules of an edit, because a mutation may not create one.
        try Validation.canonicalize(&operation, index: 0, environment: environment.rules)
        guard case .update(_, _, let patch) = operation.action else { preconditionFailure("an update stays one") }
        let (used, known) = try view.usage(besides: document.file.sha256)
        if known == 0 { try Quota.check(used: used, wanted: document.file.octets, limit: family.quotas.value(.files, environment.limits)) }
        let empty = Fields(.document)
        let targets = try resolve(Merge.introduced(by: patch, to: empty), operation, 0)
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
            var head = try head(of: replaces, owner: owner, operation)
            version = 1 + max(head.chainVersion, try view.newestVersion(replacing: head.id))
            fields["replaces"] = .reference(head.id)
            var former = head.fields
            former["is_current"] = .flag(false)
            try write(&head, former, operation, 0)
        }
        fields["version"] = .integer(version)
        try insert(document.id, owner: owner, fields, operation, 0)
        view.use(BlobUse(sha256: document.file.sha256, octets: document.file.octets, isNew: known == 0))
        return version
    }

    /// The newest living version of the chain that a document belongs to.
    private func head(of id: Identifier, owner: Identifier, _ operation: Operation) throws -> Record {
        guard var head = try view.record(id), head.kind == .document, !head.isDeleted, head.athlete == owner else {
            throw Rejection(
                .unknownReference, "The document that this one replaces no longer exists: upload it as a new one", operation: 0,
                kind: .document, id: operation.id, field: "replaces")
        }
        while let next = try view.successor(of: head.id, excluding: { _ in false }) { head = next }
        return head
    }

    // MARK: What the deletion and the restoration of a version do to its chain

    /// The version before a current one that is deleted becomes the current one, if it lives.
    func passOn(_ document: Record, _ operation: Operation, _ index: Int) throws {
        guard document.kind == .document, document.fields.flag("is_current"), let former = document.fields.reference("replaces"),
            var record = try view.record(former), !record.isDeleted
        else { return }
        var fields = record.fields
        fields["is_current"] = .flag(true)
        try write(&record, fields, operation, index)
    }

    /// A current version that comes back takes its place from the one before it, unless a newer one was uploaded in the meantime.
    ///
    /// - Returns: its fields as they are to be.
    func takeBack(_ document: Record, _ fields: Fields, _ operation: Operation, _ index: Int) throws -> Fields {
        guard document.kind == .document, fields.flag("is_current"), let former = fields.reference("replaces"),
            var record = try view.record(former), !record.isDeleted
        else { return fields }
        if record.fields.flag("is_current") {
            var before = record.fields
            before["is_current"] = .flag(false)
            try write(&record, before, operation, index)
            return fields
        }
        var back = fields
        back["is_current"] = .flag(false)
        return back
    }

    // MARK: Sharing

    /// Ends the links of schools that a document is not shared with any more.
    func endShares(from former: Record, to new: Fields) {
        guard former.kind == .document else { return }
        let kept = Set(new.set("shared_with_schools").map(\.id))
        for school in former.fields.set("shared_with_schools") where !kept.contains(school.id) {
            endShares(of: former.id, school: school.id)
        }
    }
}

extension Record {
    /// A document's number in its chain.
    fileprivate var chainVersion: Int64 {
        if case .integer(let version)? = fields["version"] { return version }
        return 0
    }
}
