package import Family

// Changes of programs that can ask nobody a question.
extension Decider {
    /// Decides operations whose overlaps are accepted, each with the same reason.
    ///
    /// - Throws: as `decide`; `overlap` if there are more pairs than an author may accept.
    package func decide(_ operations: [Operation], acceptingOverlapsFor reason: String) throws -> Decision {
        for (index, operation) in operations.enumerated() { try apply(operation, index) }
        var accepted: Set<OverlapPair> = []
        while true {
            do {
                let warnings = try checkPlans(accepted: accepted)
                let overlap = accepted.isEmpty ? nil : OverlapOverride(reason: reason, pairs: Array(accepted))
                return try decision(overlap: overlap, warnings: warnings)
            } catch let rejection as Rejection where rejection.code == .overlap {
                let more = accepted.union(rejection.overlaps.map(\.pair))
                guard more.count > accepted.count, more.count <= environment.limits.overlapPairs else { throw rejection }
                accepted = more
            }
        }
    }
}
