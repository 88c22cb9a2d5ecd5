import Bytes
package import Family
package import Ledger
package import Wire

extension FamilyStore {
    /// Makes the record of a document, in a transaction of its own; see `FamilyStore+Requests`.
    ///
    /// - Returns: its number in the chain of versions (the field `version`), or the reason why nothing was done; and
    ///   the change for the live rooms.
    package func addDocument(_ document: NewDocument) throws(StoreFailure) -> (Result<Int64, Rejection>, [CommitResult]) {
        let report = try commit([], requests: [.document(document)], pace: .unhurried)
        switch report.answers.first??.answer {
        case .document(let version)?: return (.success(version), report.results)
        case .refused(let rejection)?: return (.failure(rejection), report.results)
        case .share?, .calendar?, nil: preconditionFailure("the one request of a batch is answered in kind")
        }
    }
}
