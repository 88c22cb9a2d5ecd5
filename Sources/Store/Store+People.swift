import Bytes
import Family

// What follows from a change of a member or of the family itself, besides the record.
extension Store {
    /// Checks a change of a person's record against what a family needs, and carries it to memberships and sessions.
    ///
    /// - Throws: `last_parent`, and `invalid` for a role that the person's age does not allow.
    func checkPeople(
        from old: Record, to new: Record, _ operation: Operation, _ index: Int, _ change: inout PendingChange
    ) throws {
        switch new.kind {
        case .family:
            change.family.zone = new.fields.text("time_zone") ?? change.family.zone
        case .member:
            let before = change.family.members[new.id]
            let state = MemberState(new, born: before?.born, isRemoved: new.isDeleted)
            try checkRole(from: before, to: state, operation, index, change)
            if old.isDeleted != new.isDeleted {
                try people.setRemoved(family: change.family.key, member: new.id, at: new.deletedAt)
            }
            change.family.members[new.id] = state
            if before?.role != state.role || before?.isRemoved != state.isRemoved || before?.parentAccess != state.parentAccess {
                change.members.append((new.id, state.isRemoved ? nil : state.role))
            }
        case .school, .coach, .event, .message, .metric, .interaction, .trip, .tripItem, .document, .readingPosition:
            break
        }
    }

    private func checkRole(
        from before: MemberState?, to after: MemberState, _ operation: Operation, _ index: Int, _ change: PendingChange
    ) throws {
        let wasParent = before.map { !$0.isRemoved && $0.role == .parent } ?? false
        if wasParent, after.isRemoved || after.role != .parent, change.family.parents <= 1 {
            throw Rejection(
                .lastParent, ErrorCode.lastParent.sentence, operation: index,
                kind: .member, id: operation.id, field: after.isRemoved ? nil : "role")
        }
        guard after.role == .athlete, before?.role != .athlete else { return }
        // A login may be open already, so the rules of the invitation hold here as well.
        let age = age(of: operation.id, change.family, at: change.at)
        guard let age, age >= Age.login else {
            throw Rejection(
                .invalid, "An athlete's birth date is needed to give this role: invite them as an athlete", operation: index,
                kind: .member, id: operation.id, field: "role")
        }
    }
}
