import Bytes
import Crypto
import Family
import Wire

// One proposal within the transaction: known already? member still? apply, answer, record the answer.
extension Store {
    /// Octets of the payload hash that are kept: half of SHA-256. What it tells apart are two mutations of one and the same client.
    private static let hashOctets = 16

    /// The payload hash of a proposal. The mark keeps a refused frame apart from every mutation, whose canonical form begins with a bracket.
    private static func hash(_ proposal: Proposal) -> [UInt8] {
        let payload = proposal.refused.map { Array("refused:".utf8) + $0.octets } ?? OperationCodec.canonicalOctets(proposal.mutation)
        return Array(Digest.sha256(payload).prefix(hashOctets))
    }

    func propose(_ proposal: Proposal, at: Int64, into results: inout [CommitResult]) throws {
        let mutation = proposal.mutation
        func refuse(_ rejection: Rejection) { results.append(.receipt(proposal.receipt(rejection))) }

        guard let family = try family(proposal.family) else { return refuse(.noSuchFamily) }
        let name = ClientName(family: family.key, member: proposal.member, client: mutation.client)
        let hash = Self.hash(proposal)
        let known = try client(name)
        if let known {
            if mutation.id <= known.newest,
                let recorded = try receipts.receipt(family: family.key, client: known.key, mutation: mutation.id) {
                guard recorded.hash == hash else { return refuse(Self.reused) }
                results.append(.receipt(proposal.receipt(recorded.frame)))
                return
            }
        }
        // Ids begin at 1, so 0 is a floor for everyone.
        guard mutation.id > known?.floor ?? 0 else { return refuse(Self.expired) }

        guard let member = family.member(proposal.member) else {
            // Nothing is recorded for a stranger, whose tries must not fill the disk; the answer stays the same by itself.
            return refuse(.noSuchFamily)
        }
        var client = try known ?? receipts.addClient(family: family.key, member: proposal.member, client: mutation.client)

        func record(_ frame: [UInt8]) throws {
            try receipts.record(
                family: family.key, client: client.key, mutation: mutation.id, at: at, RecordedReceipt(hash: hash, frame: frame))
            client.newest = max(client.newest, mutation.id)
            results.append(.receipt(proposal.receipt(frame)))
        }

        if let refused = proposal.refused {
            try record(ServerFrame.reject(mutation: mutation.id, refused.rejection).encode())
            return keep(client, name)
        }

        let actor = Actor(member: proposal.member, role: member.role)
        let change = try savepoint.run(writesLast: mutation.looksBeforeItWrites) {
            var change = PendingChange(family: family, actor: actor, context: proposal.context, at: at)
            try apply(mutation, to: &change)
            let warnings = try checkPlans(change, accepted: Set(mutation.overlap?.pairs ?? []))
            let sequence = change.entries.isEmpty ? nil : change.sequence
            // First, because it may still be refused for its size.
            let sealed = try seal(change, mutation)
            let ack = Ack(mutation: mutation.id, sequence: sequence, records: change.versions, warnings: warnings)
            try record(ServerFrame.ack(ack).encode())
            return sealed
        } rejected: { rejection in
            if rejection.code.isRetryable { return refuse(rejection) }
            try record(ServerFrame.reject(mutation: mutation.id, rejection).encode())
        }
        if let sealed = change ?? nil { results.append(.change(sealed)) }
        keep(client, name)
    }

    private func apply(_ mutation: Mutation, to change: inout PendingChange) throws {
        switch mutation.body {
        case .operations(let operations):
            guard operations.count <= environment.limits.operationsPerMutation else {
                throw Rejection(.tooMany, "A mutation is at most \(environment.limits.operationsPerMutation) operations")
            }
            for (index, operation) in operations.enumerated() { try apply(operation, index, to: &change) }
        case .undo(let sequence):
            do {
                try undo(sequence, to: &change)
            } catch var rejection as Rejection {
                // Nobody asked for operations, so none can be named.
                rejection.operation = nil
                throw rejection
            }
        }
    }

    /// Gives a change its place in the log.
    ///
    /// - Parameter mutation: the author's; `nil` for changes that the server makes itself.
    /// - Returns: `nil` when nothing changed.
    /// - Throws: `too_many` for one that would not fit beside anything else into what may wait for a reader: a few ids can bring back or name
    ///   megabytes, and a frame that nobody can be sent would keep everybody from resuming.
    func seal(_ change: PendingChange, _ mutation: Mutation?) throws -> CommittedChange? {
        guard !change.entries.isEmpty else { return nil }
        let sequence = change.sequence
        let frame = ServerFrame.change(
            Change(
                sequence: sequence, at: change.at, member: change.actor.member, client: mutation?.client, mutation: mutation?.id,
                overlap: mutation?.overlap, undoes: mutation?.undoneSequence, entries: change.entries)
        ).encode()
        guard frame.count <= environment.limits.changeOctets else {
            throw Rejection(.tooMany, "This is too much for one change: make it in several smaller ones")
        }
        let messages = change.entries.count { $0.isNewMessage }
        try log.append(family: change.family.key, sequence: sequence, at: change.at, messages: messages, frame: frame)
        var family = change.family
        family.head = sequence
        keep(family)
        return CommittedChange(family: family.id, sequence: sequence, frame: frame, members: change.members)
    }

    private static let reused = Rejection(
        .mutationReused, ErrorCode.mutationReused.sentence)

    private static let expired = Rejection(
        .mutationExpired, ErrorCode.mutationExpired.sentence)
}

extension Mutation {
    fileprivate var undoneSequence: Int64? {
        if case .undo(let sequence) = body { return sequence }
        return nil
    }

    /// Whether it cannot be refused any more once it has written. An operation alone looks before it writes, unless others follow from it
    /// or the outcome is checked as a whole; with a second one the first may have written already.
    fileprivate var looksBeforeItWrites: Bool {
        guard operations.count == 1, let operation = operations.first else { return false }
        switch operation.action {
        case .create, .update: return operation.kind != .trip && operation.kind != .tripItem
        case .delete, .restore: return Referrers.of[operation.kind] == nil && operation.kind != .tripItem
        case .shift, .copy: return false
        }
    }
}
