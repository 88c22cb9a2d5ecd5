import Bytes
import Family

// The consequences of a change of a member or of the family itself, besides the record.
extension Decider {
    /// Checks a change of a person's record against what a family needs, and carries it to memberships and sessions.
    ///
    /// - Throws: `last_parent`, and `invalid` for a role that the person's age does not allow.
    func checkPeople(
        from old: Record, to new: Record, _ operation: Operation, _ index: Int
    ) throws {
        switch new.kind {
        case .family:
            if let zone = new.fields.text("time_zone") { setZone(zone) }
        case .member:
            let before = family.members[new.id]
            let state = MemberState(
                new, born: before?.born, isRemoved: new.isDeleted, hasConsent: before?.hasConsent ?? false, lastDay: before?.lastDay)
            try checkRole(from: before, to: state, operation, index)
            if old.isDeleted != new.isDeleted {
                setMembership(of: new.id, removedAt: new.deletedAt)
                // A restoration does not bring them back: nobody knows any more who has them.
                if new.isDeleted { endShares(by: new.id) }
            }
            set(new.id, state)
            if before?.role != state.role || before?.isRemoved != state.isRemoved || before?.parentAccess != state.parentAccess {
                touchRights(of: new.id, role: state.isRemoved ? nil : state.role)
            }
        case .school, .coach, .event, .message, .metric, .interaction, .trip, .tripItem, .document, .readingPosition, .reminderRule:
            break
        }
    }

    private func checkRole(
        from before: MemberState?, to after: MemberState, _ operation: Operation, _ index: Int
    ) throws {
        let wasParent = before.map { !$0.isRemoved && $0.role == .parent } ?? false
        if wasParent, after.isRemoved || after.role != .parent, family.parents <= 1 {
            throw Rejection(
                .lastParent, ErrorCode.lastParent.sentence, operation: index,
                kind: .member, id: operation.id, field: after.isRemoved ? nil : "role")
        }
        guard after.role == .athlete, before?.role != .athlete else { return }
        // A login may be open already, so the rules of the invitation hold here as well.
        let age = environment.age(born: family.members[operation.id]?.born, zone: family.zone, at: at)
        guard let age, age >= Age.login else {
            throw Rejection(
                .invalid, "An athlete's birth date is needed to give this role: invite them as an athlete", operation: index,
                kind: .member, id: operation.id, field: "role")
        }
    }
}
