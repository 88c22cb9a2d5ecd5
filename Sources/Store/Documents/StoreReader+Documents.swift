package import Blobs
package import Bytes
package import Family
package import Ledger
import Wire

/// A document's file, for a member who may open it.
package struct StoredDocument: Hashable, Sendable {
    package var family: Identifier
    package var id: Identifier
    package var athlete: Identifier
    package var blob: BlobName
    package var octets: Int64
    /// The uploader's name for it; any text of one line.
    package var fileName: String
    /// The media type that the server determined.
    package var fileType: String
    package var title: String
    /// UTC milliseconds. The content of a document never changes.
    package var createdAt: Int64
}

/// A document that a person outside of the family may open.
package struct SharedDocument: Hashable, Sendable {
    package var document: StoredDocument
    package var link: Identifier
    package var expiresAt: Int64
    /// The school with which it was shared.
    package var school: String
}

/// The conditions of an upload that was allowed to begin.
package struct UploadPermit: Hashable, Sendable {
    package var family: Identifier
    package var member: Identifier
    /// The octets that the family may still store, without those that were promised.
    package var room: Int64
}

extension StoreReader {
    // MARK: Uploads

    /// Whether a person may upload a document, by the rules for adding it: rights, type, title, school, the replaced
    /// document, room. The writer checks them again.
    ///
    /// - Parameters:
    ///   - document: `member` is ignored, because it is the holder of the session; so is `file`, except its `octets`.
    ///   - isLengthKnown: whether `file.octets` is the final length; otherwise there must only be some room.
    ///   - promised: the octets that other uploads of the family may still add.
    /// - Returns: `not_found` for a family that the person is not in, whether it exists or not.
    package func checkUpload(
        _ document: NewDocument, by signIn: SignIn, isLengthKnown: Bool, promised: Int64
    ) throws(StoreFailure) -> Result<UploadPermit, Rejection> {
        try reading {
            do { return .success(try permit(document, signIn, isLengthKnown: isLengthKnown, promised: promised)) } catch let rejection as Rejection {
                return .failure(rejection)
            }
        }
    }

    private func permit(_ document: NewDocument, _ signIn: SignIn, isLengthKnown: Bool, promised: Int64) throws -> UploadPermit {
        guard let membership = signIn.memberships.first(where: { $0.family == document.family }) else { throw Rejection.noSuchFamily }
        let family = try key(document.family)
        let members = try engine.records.members(family: family)
        guard members[membership.member]?.isRemoved == false else { throw Rejection.noSuchFamily }
        guard let athlete = members[document.athlete], !athlete.isRemoved, athlete.role == .athlete else {
            throw Rejection(.unknownReference, "Document: this athlete is not in the family", kind: .document, field: "athlete")
        }
        guard let rights = try rights(of: membership.member, family, document.family) else { throw Rejection.noSuchFamily }
        let access = rights.access(.create, .document, document.id, owner: document.athlete)
        try Permission.check(access, operation: 0, id: document.id)
        var operation = Operation(kind: .document, id: document.id, action: .update(base: 0, merge: .none, patch: document.fields))
        try Validation.canonicalize(&operation, index: 0, environment: environment.rules)
        guard case .update(_, _, let patch) = operation.action else { preconditionFailure("an update stays one") }
        for reference in Merge.introduced(by: patch, to: Fields(.document)) {
            let target = try record(family: family, reference.id)
            guard let target, target.kind == reference.kind, !target.isDeleted else {
                let field = Kind.document.declaration.fields[reference.field]
                throw Rejection(
                    .unknownReference, "\(field.label): this \(reference.kind.declaration.label.lowercased()) no longer exists",
                    kind: .document, field: field.name)
            }
        }
        let fields = Merge.apply(patch, to: Fields(.document), resolve: { SetElement(id: $1) }).fields
        try Validation.check(fields, operation: 0, id: document.id, environment: environment.rules)
        if let replaces = document.replaces {
            guard let former = try record(family: family, replaces), former.kind == .document, !former.isDeleted,
                former.athlete == document.athlete
            else {
                throw Rejection(
                    .unknownReference, "The document that this one replaces no longer exists: upload it as a new one", kind: .document,
                    id: document.id, field: "replaces")
            }
        }
        let used = try storage(family).addingReportingOverflow(max(0, promised)).partialValue
        let limit = try engine.families.quotas(family: family).value(.files, environment.limits)
        try Quota.check(used: used, wanted: isLengthKnown ? document.file.octets : 1, limit: limit)
        return UploadPermit(
            family: document.family, member: membership.member, room: max(0, Int64(limit) - used))
    }

    /// The octets of a family's documents, each file once, including deleted ones until they are purged.
    func storage(_ family: Int64) throws -> Int64 {
        // No file has an empty digest.
        try engine.blobs.usage(family: family, besides: "").used
    }

    // MARK: Downloads

    /// A living document of any family that the person is in, with the person's member there; `nil` also if no document
    /// has that id.
    package func document(_ id: Identifier, by signIn: SignIn) throws(StoreFailure) -> (document: StoredDocument, member: Identifier)? {
        try reading {
            for membership in signIn.memberships {
                if let found = try storedDocument(id, of: membership.family) { return (found, membership.member) }
            }
            return nil
        }
    }

    /// The document of a signed link, while its member is in the family and the document is not deleted.
    package func document(_ id: Identifier, link: String) throws(StoreFailure) -> (document: StoredDocument, member: Identifier)? {
        try reading {
            guard let (family, member) = SignedLink.open(link, key: engine.linkKey, document: id, now: environment.now()) else { return nil }
            guard let key = try engine.families.find(family)?.key, let found = try engine.records.members(family: key)[member], !found.isRemoved,
                let document = try storedDocument(id, of: family)
            else { return nil }
            return (document, member)
        }
    }

    /// The value of `?link=` with which a member opens a document without sending a token.
    package func signedLink(to document: Identifier, family: Identifier, member: Identifier, life: Int64 = SignedLink.longestLife) -> String {
        SignedLink.make(
            key: engine.linkKey, document: document, family: family, member: member,
            expiresAt: environment.now() + max(0, min(life, SignedLink.longestLife)))
    }

    private func storedDocument(_ id: Identifier, of family: Identifier) throws -> StoredDocument? {
        guard let key = try engine.families.find(family)?.key, let record = try record(family: key, id) else { return nil }
        return StoredDocument(record, family: family)
    }
}

extension StoredDocument {
    /// `nil` for a record that is not a living document.
    init?(_ record: Record, family: Identifier) {
        guard record.kind == .document, !record.isDeleted, let athlete = record.athlete, case .integer(let octets)? = record.fields["octets"],
            let blob = record.fields.text("sha256").flatMap({ BlobName(family: family, sha256: $0) })
        else { return nil }
        self.init(
            family: family, id: record.id, athlete: athlete, blob: blob, octets: octets, fileName: record.fields.text("file_name") ?? "document",
            fileType: record.fields.text("file_type") ?? "application/octet-stream", title: record.fields.text("title") ?? "",
            createdAt: record.createdAt)
    }
}
