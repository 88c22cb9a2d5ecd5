package import Family

extension FamilyStore {
    /// Withdraws several rights in one transaction, so that many of them cost one sync.
    ///
    /// - Parameter revocations: at most `maxBatch`.
    /// - Returns: for each, in order, the reason why it was not done; `nil` if it is done, or was done before. A
    ///   refusal leaves the others as they are; if the disk is full each is `storage_full`.
    package func revoke(_ revocations: [Revocation]) throws(StoreFailure) -> [Rejection?] {
        precondition(revocations.count <= Self.maxBatch, "a batch is at most \(Self.maxBatch) revocations")
        guard !revocations.isEmpty else { return [] }
        let at = environment.now()
        let outcome = try transaction { _ in
            try revocations.map { revocation -> Rejection? in
                do {
                    switch revocation {
                    case .session(let key): _ = try endSession(key, at: at)
                    case .sessions(let end): try self.end(end, at: environment.now())
                    case .share(let end): try endShare(end)
                    case .feed(let end): try endFeed(end, at: at)
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
