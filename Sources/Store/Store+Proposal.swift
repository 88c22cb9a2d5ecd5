import Bytes
import Crypto
import Family
import Ledger
import Wire

// One proposal of a batch: is it known already, is its author still a member, what does the ledger decide.
extension Store {
    /// Octets of the payload hash that are kept: half of SHA-256. It tells apart two mutations of the same client.
    private static let hashOctets = 16

    /// The payload hash of a proposal. The mark keeps a refused frame apart from every mutation, whose canonical form begins with a bracket.
    private static func hash(_ proposal: Proposal) -> [UInt8] {
        let payload = proposal.refused.map { Array("refused:".utf8) + $0.octets } ?? OperationCodec.canonicalOctets(proposal.mutation)
        return Array(Digest.sha256(payload).prefix(hashOctets))
    }

    func propose(_ proposal: Proposal, at: Int64, _ batch: Batch, into results: inout [CommitResult]) throws {
        let mutation = proposal.mutation
        func refuse(_ rejection: Rejection) { results.append(.receipt(proposal.receipt(rejection))) }

        guard let family = try batch.family(proposal.family, of: self) else { return refuse(.noSuchFamily) }
        let name = ClientName(family: family.key, member: proposal.member, client: mutation.client)
        let hash = Self.hash(proposal)
        let known = try batch.clients[name] ?? client(name)
        if let known, mutation.id <= known.newest, let recorded = try receipt(name, known, mutation.id, batch) {
            guard recorded.hash == hash else { return refuse(Self.reused) }
            results.append(.receipt(proposal.receipt(recorded.frame)))
            return
        }
        // Ids begin at 1, so 0 is a floor for every client.
        guard mutation.id > known?.floor ?? 0 else { return refuse(Self.expired) }

        guard let member = family.state.member(proposal.member) else {
            // Nothing is recorded for a stranger, whose tries must not fill the disk; the answer stays the same by itself.
            return refuse(.noSuchFamily)
        }
        func record(_ frame: [UInt8]) {
            batch.record(RecordedReceipt(hash: hash, frame: frame), of: mutation.id, name, known, at: at)
            results.append(.receipt(proposal.receipt(frame)))
        }
        if let refused = proposal.refused {
            return record(ServerFrame.reject(mutation: mutation.id, refused.rejection).encode())
        }
        let decider = Decider(
            family.state, actor: Actor(member: proposal.member, role: member.role), context: proposal.context, at: at, on: family.overlay, ledger)
        do {
            let decision = try decider.decide(mutation)
            record(
                ServerFrame.ack(
                    Ack(
                        mutation: mutation.id, sequence: decision.entry?.change.sequence,
                        records: decision.versions.map { Ack.Version(id: $0.id, version: $0.version) }, warnings: decision.warnings)
                ).encode())
            guard let change = CommittedChange(decision) else { return }
            batch.accept(decision, family)
            results.append(.change(change))
        } catch let rejection as Rejection {
            if rejection.code.isRetryable { return refuse(rejection) }
            record(ServerFrame.reject(mutation: mutation.id, rejection).encode())
        }
    }

    /// The answer that a mutation got before, in this batch or in an earlier one.
    private func receipt(_ name: ClientName, _ client: ClientState, _ mutation: Int64, _ batch: Batch) throws -> RecordedReceipt? {
        if let pending = batch.receipt(of: mutation, name) { return pending }
        guard let key = client.key else { return nil }
        return try receipts.receipt(family: name.family, client: key, mutation: mutation)
    }

    private static let reused = Rejection(
        .mutationReused, ErrorCode.mutationReused.sentence)

    private static let expired = Rejection(
        .mutationExpired, ErrorCode.mutationExpired.sentence)
}
