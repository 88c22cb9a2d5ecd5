package import Bytes
package import Family

/// A right that somebody takes away, outside of the family's own changes.
package enum Revocation: Hashable, Sendable {
    /// Of whoever holds the token of a session (`SignIn.session`).
    case session(Int64)
    /// Of whoever has a share link.
    case share(ShareEnd)
}

/// The end of a share link.
package struct ShareEnd: Hashable, Sendable {
    package var family: Identifier
    /// Who ends it.
    package var member: Identifier
    /// The document that the member takes it for a link of; `nil` for whichever it is of.
    package var document: Identifier?
    package var link: Identifier

    package init(family: Identifier, member: Identifier, document: Identifier?, link: Identifier) {
        self.family = family
        self.member = member
        self.document = document
        self.link = link
    }
}

extension Store {
    /// Takes away several rights in one transaction, so that many of them cost one sync.
    ///
    /// - Parameter revocations: at most `maxBatch`.
    /// - Returns: for each, in order, why it was not done; `nil` when it is, or was done before. A refusal leaves the others as they are; when the
    ///   disk is full each is `storage_full`.
    package func revoke(_ revocations: [Revocation]) throws(StoreFailure) -> [Rejection?] {
        precondition(revocations.count <= Self.maxBatch, "a batch is at most \(Self.maxBatch) revocations")
        guard !revocations.isEmpty else { return [] }
        let outcome = try transaction { _ in
            try revocations.map { revocation -> Rejection? in
                do {
                    switch revocation {
                    case .session(let key): _ = try people.endSession(key: key)
                    case .share(let end): try endShare(end)
                    }
                    return nil
                } catch let rejection as Rejection {
                    return rejection
                }
            }
        }
        switch outcome {
        case .done(let refusals): return refusals
        case .refused(let rejection): return revocations.map { _ in rejection }
        }
    }
}
