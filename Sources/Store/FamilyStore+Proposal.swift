import Bytes
import Crypto
import Family
import Ledger
import Wire

// The steps for one proposal of a batch: a look-up of its receipt, a check of its author's membership, and the ledger's
// decision.
extension FamilyStore {
    /// The kept octets of the payload hash: half of SHA-256. They distinguish two mutations of the same client.
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
            results.append(.receipt(try repeated(recorded, proposal, family)))
            if let change = try retold(recorded, family, batch) { results.append(.change(change)) }
            return
        }
        // Ids begin at 1, so 0 is a floor for every client.
        guard mutation.id > known?.floor ?? 0 else { return refuse(Self.expired) }

        guard let member = try entered(proposal.member, family.state, at: at) else {
            // Nothing is recorded for a stranger, whose attempts must not fill the disk; the answer is the same every
            // time anyway.
            return refuse(.noSuchFamily)
        }
        if known == nil, try hasTooManyClients(name, batch) {
            return refuse(
                Rejection(
                    .quotaExceeded,
                    "You have used \(environment.limits.clientsPerMember) client ids within 30 days. Nothing was changed. Use one of them again."))
        }
        func record(_ frame: [UInt8], kept: [UInt8]? = nil, isOfChange: Bool = false) {
            let receipt = RecordedReceipt(hash: hash, frame: kept ?? frame, isOfChange: isOfChange)
            batch.record(receipt, of: mutation.id, name, known, at: at)
            results.append(.receipt(proposal.receipt(frame)))
        }
        if let refused = proposal.refused {
            return record(ReceiptCodec.encode(refused.rejection, of: mutation.id), kept: RecordedReceipt.frame(refused.rejection.code))
        }
        if proposal.isReadOnly {
            return record(ReceiptCodec.encode(.beyondScope, of: mutation.id), kept: RecordedReceipt.frame(Rejection.beyondScope.code))
        }
        // Not recorded: after the check the same mutation may be sent again.
        if proposal.removesSomebody, let session = proposal.account {
            do { try requireCheck(session: session, at: at) } catch let rejection as Rejection { return refuse(rejection) }
        }
        let decider = Decider(
            family.state, actor: Actor(member: proposal.member, role: member.role), context: proposal.context, at: at, on: family.overlay, ledger)
        do {
            let decision = try decider.decide(mutation)
            // Withdrawing rights is always possible.
            if decision.entry != nil, decision.rights.isEmpty {
                try checkRows(family.usage, family.state.quotas)
            }
            record(
                ReceiptCodec.encode(
                    Ack(
                        mutation: mutation.id, sequence: decision.entry?.change.sequence,
                        records: decision.versions.map { Ack.Version(id: $0.id, version: $0.version) }, warnings: decision.warnings)),
                isOfChange: decision.entry != nil)
            guard let change = CommittedChange(decision) else { return }
            batch.accept(decision, family)
            results.append(.change(change))
        } catch let rejection as Rejection {
            if rejection.code.isRetryable { return refuse(rejection) }
            record(ReceiptCodec.encode(rejection, of: mutation.id), kept: rejection.conflict.map {
                var short = rejection
                short.conflict = $0.contestedOnly
                return ReceiptCodec.encode(short, of: mutation.id)
            })
        }
    }

    private func hasTooManyClients(_ name: ClientName, _ batch: Batch) throws -> Bool {
        let limit = environment.limits.clientsPerMember
        let new = batch.newClients(of: name.member, name.family)
        return try new + receipts.activeClients(family: name.family, member: name.member, limit: limit) >= limit
    }

    /// The answer to a mutation that was answered before.
    ///
    /// A conflict shows the current record, and the current values of the contested fields. With older values the
    /// author could not see what a new mutation on the current version would replace.
    private func repeated(_ recorded: RecordedReceipt, _ proposal: Proposal, _ family: Batch.Family) throws -> Receipt {
        if let code = recorded.code {
            // A newer version of the parser may find another fault first. The code of the first answer stays.
            guard let again = proposal.refused?.rejection, again.code == code else { return proposal.receipt(Rejection(code, code.sentence)) }
            return proposal.receipt(again)
        }
        guard !recorded.isOfChange, case .reject(var rejection)? = ReceiptCodec.decode(recorded.frame), let conflict = rejection.conflict,
            let current = try family.overlay.record(conflict.record.id)
        else { return proposal.receipt(recorded.frame) }
        rejection.conflict = conflict.refreshed(current)
        return proposal.receipt(rejection)
    }

    /// The change of a mutation in an earlier run of this batch whose COMMIT had no answer, so that no client received
    /// it. Its receipt proves that the run happened.
    ///
    /// - Returns: `nil` for a receipt from before that run.
    private func retold(_ recorded: RecordedReceipt, _ family: Batch.Family, _ batch: Batch) throws -> CommittedChange? {
        guard let head = batch.lost[family.state.id], recorded.isOfChange, case .ack(let ack)? = ReceiptCodec.decode(recorded.frame),
            let sequence = ack.sequence, sequence > head
        else { return nil }
        return try committed(sequence, family)
    }

    /// The changes of a family after the head before a run whose COMMIT had no answer; none without such a head. Rooms
    /// skip the changes that they have.
    func retold(since head: Int64?, _ family: Batch.Family) throws -> [CommittedChange] {
        guard let head, head < family.state.head else { return [] }
        return try (head + 1...family.state.head).compactMap { try committed($0, family) }
    }

    private func committed(_ sequence: Int64, _ family: Batch.Family) throws -> CommittedChange? {
        guard let entry = try log.entry(family: family.key, sequence: sequence), let checksum = entry.checksum,
            let change = LogCodec.decode(entry.frame)
        else { return nil }
        let members = change.entries.filter { $0.kind == .member }.map { (member: $0.id, role: family.state.member($0.id)?.role) }
        return CommittedChange(family: family.state.id, change: change, frame: entry.frame, checksum: checksum, members: members)
    }

    /// The earlier receipt of a mutation, in this batch or before it.
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

extension Conflict {
    /// The conflict without the values that are not contested: the part that a receipt keeps.
    fileprivate var contestedOnly: Conflict {
        var short = record
        let contested = Set(fields.map(\.field))
        for field in short.fields.values.indices where !contested.contains(field) { short.fields[field] = nil }
        return Conflict(record: short, fields: fields)
    }

    /// The conflict with the current record.
    fileprivate func refreshed(_ current: Record) -> Conflict {
        Conflict(
            record: current,
            fields: current.isDeleted
                ? []
                : fields.map {
                    Field(
                        field: $0.field, base: $0.base, yours: $0.yours, theirs: current.fields[$0.field], member: current.updatedBy,
                        at: current.updatedAt)
                })
    }
}
