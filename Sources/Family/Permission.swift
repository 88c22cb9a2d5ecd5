package import Bytes

/// An access to a record.
package enum AccessAction: CaseIterable, Sendable {
    case create
    case update
    case delete
    case restore
}

/// Everything that decides whether a write is allowed.
package struct Access: Sendable {
    package var actor: Actor
    package var kind: Kind
    package var action: AccessAction
    /// The athlete who owns the record, for kinds of scope `.athlete`.
    package var owner: Identifier?
    /// The rights that this athlete gives to parents; `.edit` when the record has no owner.
    package var ownerAllowsParents: ParentAccess
    /// The author of the record; decides for messages.
    package var author: Identifier?
    /// The record's own id; for a member record, the member.
    package var subject: Identifier?
    /// Positions of the fields that an update assigns or edits.
    package var fields: [Int]
    /// Whole years of the actor's age by the family's zone; `nil` when no birth date is known.
    package var actorAge: Int?

    package init(
        actor: Actor, kind: Kind, action: AccessAction, owner: Identifier? = nil, ownerAllowsParents: ParentAccess = .edit,
        author: Identifier? = nil, subject: Identifier? = nil, fields: [Int] = [], actorAge: Int? = nil
    ) {
        self.actor = actor
        self.kind = kind
        self.action = action
        self.owner = owner
        self.ownerAllowsParents = ownerAllowsParents
        self.author = author
        self.subject = subject
        self.fields = fields
        self.actorAge = actorAge
    }
}

/// The permissions to write: one pure table, asked by the writer inside its transaction (that answer counts) and by the reactor before
/// (an early refusal). Everyone in a family reads everything in it.
package enum Permission {
    /// From this age an athlete decides what parents may do with their records.
    package static let ownAccessAge = 16

    package static func allows(_ access: Access) -> Bool {
        let role = access.actor.role
        switch access.kind {
        case .message:
            let isOwnAuthor = access.author == access.actor.member
            switch access.action {
            case .create: return role != .guest
            case .update: return role != .guest && isOwnAuthor
            case .delete, .restore: return role == .parent || (role != .guest && isOwnAuthor)
            }
        case .member: return allowsMember(access)
        case .family: return role == .parent && access.action == .update
        default: break
        }
        switch (access.kind.declaration.scope, role) {
        case (.athlete, .athlete): return access.owner == access.actor.member
        case (.athlete, .parent): return access.owner != nil && access.ownerAllowsParents == .edit
        case (.family, .athlete), (.family, .parent): return true
        // Guests too keep their own position and their own reminder rule.
        case (.member, _):
            if access.kind == .reminderRule { return access.subject == ReminderRule.id(of: access.actor.member) }
            return access.subject == ReadingPosition.id(of: access.actor.member) && (access.action == .create || access.action == .update)
        case (.athlete, .guest), (.family, .guest): return false
        }
    }

    /// As `allows`, with the refusal for the author.
    ///
    /// - Throws: `not_allowed` with a sentence that names who may.
    package static func check(_ access: Access, operation: Int, id: Identifier) throws(Rejection) {
        guard !allows(access) else { return }
        throw Rejection(.notAllowed, sentence(access), operation: operation, kind: access.kind, id: id)
    }

    private static func allowsMember(_ access: Access) -> Bool {
        switch access.action {
        // Members come by invites, which parents make; no mutation creates one (`KindDeclaration.isCreatedByMutation`).
        case .create: return access.actor.role == .parent
        // Every member may leave.
        case .delete: return access.actor.role == .parent || access.subject == access.actor.member
        case .restore: return access.actor.role == .parent
        case .update:
            let isSelf = access.subject == access.actor.member
            return access.fields.allSatisfy { field in
                switch field {
                case memberName: isSelf || access.actor.role == .parent
                case memberRole: access.actor.role == .parent
                case memberParentAccess:
                    isSelf && access.actor.role == .athlete && access.actorAge.map { $0 >= ownAccessAge } ?? false
                default: false
                }
            } && (isSelf || access.actor.role == .parent)
        }
    }

    private static func sentence(_ access: Access) -> String {
        if access.kind == .member {
            if access.action == .update, access.fields.contains(where: { $0 == memberParentAccess }) {
                return "From \(ownAccessAge) on, only the athlete decides what parents may do. Nothing was changed"
            }
            return "Only parents can manage members; you can change your own name. Nothing was changed"
        }
        if access.kind == .readingPosition { return "Only members themselves can set their reading position. Nothing was changed" }
        if access.kind == .reminderRule { return "Only members themselves can set when they are reminded. Nothing was changed" }
        if access.actor.role == .guest { return "Guests can read but not change anything. Nothing was changed" }
        switch access.kind {
        case .family: return "Only parents can change the family's settings. Nothing was changed"
        case .message: return "Only its author can change a message, and only its author or a parent can delete it. Nothing was changed"
        case _ where access.actor.role == .parent:
            return "This athlete has set the season to view-only for parents. Nothing was changed"
        default: return "You can view another athlete's records but not change them. Nothing was changed"
        }
    }

    private static let memberName = Kind.member.declaration.index(of: "name")
    private static let memberRole = Kind.member.declaration.index(of: "role")
    private static let memberParentAccess = Kind.member.declaration.index(of: "parent_access")
}
