package import Bytes

/// The role of a member in the family.
package enum Role: String, CaseIterable, Sendable {
    case athlete
    case parent
    /// Reads only.
    case guest
}

/// The rights of parents in one athlete's records; the athlete decides from 16 on.
package enum ParentAccess: String, CaseIterable, Sendable {
    case edit
    case view
}

/// An actor: a member in the role that the database holds at this moment.
package struct Actor: Hashable, Sendable {
    package var member: Identifier
    package var role: Role

    package init(member: Identifier, role: Role) {
        self.member = member
        self.role = role
    }
}

/// The season that a connection looks at. It gives defaults; it never filters the log.
package enum Context: Hashable, Sendable {
    case all
    case athlete(Identifier)
}
