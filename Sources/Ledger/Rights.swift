package import Bytes
package import Dates
package import Family

/// The rights of one member of a family now. The writer and the readers use the same code.
package struct Rights {
    package let actor: Actor
    private let members: [Identifier: MemberState]
    /// Whole years since a birth date; `nil` if that is not known. The calendar is asked only where an age decides.
    private let age: (CalendarDate?) -> Int?

    package init(_ actor: Actor, members: [Identifier: MemberState], age: @escaping (CalendarDate?) -> Int?) {
        self.actor = actor
        self.members = members
        self.age = age
    }

    /// The facts about an action that `Permission` decides by.
    ///
    /// - Parameters:
    ///   - owner: the athlete of a record with an owner.
    ///   - author: the creator of the record.
    ///   - fields: positions of the fields that an update assigns or edits.
    package func access(
        _ action: AccessAction, _ kind: Kind, _ id: Identifier, owner: Identifier?, author: Identifier? = nil, fields: [Int] = []
    ) -> Access {
        var access = Access(actor: actor, kind: kind, action: action, owner: owner, author: author, subject: id, fields: fields)
        // The setting is seldom `view`; the calendar is asked only then.
        if let owner = owner.flatMap({ members[$0] }), actor.role == .parent, owner.parentAccess == .view {
            access.ownerAllowsParents = Age.parentAccess(owner.parentAccess, age: age(owner.born))
        }
        // Only the own profile asks for the actor's age.
        if kind == .member { access.actorAge = age(members[actor.member]?.born) }
        return access
    }

    /// Whether the member may take back a change of a record in this way.
    package func allow(_ step: Undo.Step, of record: Record) -> Bool {
        let action: AccessAction
        var fields: [Int] = []
        switch step {
        case .nothing: return true
        case .delete: action = .delete
        case .restore: action = .restore
        case .assign(let assignments):
            action = .update
            fields = assignments.map(\.field)
        }
        return Permission.allows(access(action, record.kind, record.id, owner: record.athlete, author: record.createdBy, fields: fields))
    }
}
