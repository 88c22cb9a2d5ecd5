import Bytes
package import Family
package import Ledger
package import Wire

extension Store {
    /// Makes the record of a document, in one transaction, under the rights of the person who uploads it (`Decider.add`).
    ///
    /// Adding it again, after an answer that was lost, changes nothing and is answered as the first time, also if it was deleted meanwhile.
    ///
    /// - Returns: its number in the chain of versions (the field `version`), or why nothing was done; and the change for the live rooms.
    package func addDocument(_ document: NewDocument) throws(StoreFailure) -> (Result<Int64, Rejection>, [CommitResult]) {
        let outcome = try transaction(isDone: { _, change in try change.map { try self.isDone($0) } ?? false }) { _ in
            guard let family = try family(document.family), let member = family.state.member(document.member) else { throw Rejection.noSuchFamily }
            let actor = Actor(member: document.member, role: member.role)
            return try decide(family, actor: actor, context: .athlete(document.athlete), at: environment.now()) { decider in
                try decider.known(document) ?? decider.add(document)
            }
        } as Outcome<(Int64, CommittedChange?)>
        switch outcome {
        case .done((let version, let change)): return (.success(version), change.map { [.change($0)] } ?? [])
        case .refused(let rejection): return (.failure(rejection), [])
        }
    }
}
