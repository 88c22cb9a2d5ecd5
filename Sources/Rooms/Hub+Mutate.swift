import Bytes
package import Family
package import Wire

/// Mutations on their way to the writer, and what comes back.
extension Hub {
    func mutate(
        _ session: Session, _ mutation: Int64, _ body: Mutation.Body, _ overlap: OverlapOverride?, octets: Int, now: Int64
    ) {
        let mutation = Mutation(client: session.client, id: mutation, body: body, overlap: overlap)
        let cost = WorkEstimate.mutation(mutation, octets: octets)
        guard admit(session, mutation.id, cost: cost) else { return }
        propose(session, mutation, octets: octets, reserved: cost)
    }

    /// The frame itself was refused. It counts against the rate like any other, and the writer answers, because it records the answer: the
    /// same id must not be done later with other content.
    func refuse(_ session: Session, _ mutation: Int64, _ rejection: Rejection, _ frame: UnsafeRawBufferPointer, now: Int64) {
        let mutation = Mutation(client: session.client, id: mutation, operations: [])
        let cost = WorkEstimate.mutation(mutation, octets: frame.count)
        guard admit(session, mutation.id, cost: cost), tolerates(session) else { return }
        emit(.note(session.id, event: "rejected", code: rejection.code.rawValue))
        propose(session, mutation, refused: RefusedFrame(rejection, octets: Array(frame)), octets: frame.count, reserved: cost)
    }

    private func propose(_ session: Session, _ mutation: Mutation, refused: RefusedFrame? = nil, octets: Int, reserved: Int64) {
        guard let room = session.room else { return }
        session.didPropose(octets: octets)
        pending.add(octets, of: room.family)
        emit(
            .propose(
                Proposal(
                    family: room.family, member: session.member, context: session.context, mutation: mutation, refused: refused,
                    isReadOnly: session.scope == .read, session: session.id, account: session.number, reserved: reserved)))
    }

    private func admit(_ session: Session, _ mutation: Int64, cost: Int64) -> Bool {
        guard let room = session.room, session.isSeated else {
            sendRejection(unjoined(session), mutation, to: session)
            return false
        }
        guard !isDraining else {
            sendRejection(
                Rejection(.busy, "The server is restarting. This change was not made; try again in a moment.", retryAfter: 1000), mutation,
                to: session)
            return false
        }
        guard pending.hasRoom(for: room.family) else {
            sendRejection(
                Rejection(.busy, "The server is busy. This change was not made; try again in a moment.", retryAfter: 500), mutation,
                to: session)
            return false
        }
        guard session.pendingMutations < limits.pendingMutations else {
            sendRejection(
                Rejection(.tooManyPending, ErrorCode.tooManyPending.sentence, retryAfter: 100), mutation, to: session)
            return false
        }
        switch accounts.accept(WorkOwner(family: room.family, member: session.member), .mutation, cost: cost, now: now) {
        case nil: return true
        case .requests(let wait):
            sendRejection(Rejection(.rateLimited, ErrorCode.rateLimited.sentence, retryAfter: wait), mutation, to: session)
        case .family(let quota, let wait): sendRejection(refusal(quota, of: room.family, wait: wait), mutation, to: session)
        case .time(let wait):
            sendRejection(
                Rejection(
                    .busy, "Your family has used its share of the server's time. This change was not made; try again in a moment.",
                    retryAfter: wait), mutation, to: session)
        }
        return false
    }

    func sendRejection(_ rejection: Rejection, _ mutation: Int64, to session: Session) {
        guard tolerates(session) else { return }
        emit(.note(session.id, event: "rejected", code: rejection.code.rawValue))
        send(.reject(mutation: mutation, rejection), to: session)
    }

    /// The writer had no room for these: none of them is done, and each may be sent again. They are the newest of their sessions.
    package func refused(_ proposals: [Proposal]) {
        for proposal in proposals {
            accounts.charge(family: proposal.family, member: proposal.member, -proposal.reserved, now: now)
            guard let session = session(proposal.session) else {
                didRefuseOrphan(proposal.session, of: proposal.family)
                continue
            }
            pending.remove(session.didRefuse(), of: proposal.family)
            guard session.phase != .closed else { continue }
            sendRejection(
                Rejection(.busy, "The server is busy. This change was not made; try again in a moment.", retryAfter: 500), proposal.mutation.id, to: session)
        }
    }

    /// Takes the results of a commit, in its order; everything in it is on stable storage.
    package func committed(_ results: [CommitResult]) {
        for result in results {
            switch result {
            case .receipt(let receipt):
                accounts.charge(family: receipt.family, member: receipt.member, receipt.owed, now: now)
                guard let session = session(receipt.session) else {
                    didAnswerOrphan(receipt.session, of: receipt.family)
                    continue
                }
                pending.remove(session.didAnswer(), of: receipt.family)
                guard session.phase != .closed else { continue }
                emit(.send(session.id, receipt.frame))
            case .change(let change):
                guard let room = rooms[change.family] else { continue }
                receive(change, in: room)
            }
        }
    }

    func rightsChanged(of member: Identifier, to role: Role?, in room: Room) {
        if role == .athlete { room.athletes.insert(member) } else { room.athletes.remove(member) }
        for session in room.sessions where session.member == member {
            guard let role else {
                end(session, .removed, "removed from the family", dropsQueue: true)
                continue
            }
            guard session.role != role else { continue }
            session.role = role
            guard session.isSeated else { continue }
            send(.role(role), to: session)
            session.context = allowed(session.context, for: session, in: room) ?? .all
            send(.context(session.context), to: session)
            if !session.isQuiet { announce(member, in: room, except: nil) }
        }
        // A session that looked at a member who is no longer an athlete now looks at all.
        for session in room.sessions where session.isSeated && session.context == .athlete(member) && role != .athlete {
            session.context = .all
            send(.context(.all), to: session)
            if !session.isQuiet { announce(session.member, in: room, except: nil) }
        }
    }
}
