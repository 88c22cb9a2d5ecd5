package import Bytes

/// What a member is in the family.
package enum Role: String, CaseIterable, Sendable {
    case athlete
    case parent
    /// Reads only.
    case guest
}

/// What parents may do with one athlete's records; the athlete decides from 16 on.
package enum ParentAccess: String, CaseIterable, Sendable {
    case edit
    case view
}

/// Who acts: a member in the role that the database holds at this moment.
package struct Actor: Hashable, Sendable {
    package var member: Identifier
    package var role: Role

    package init(member: Identifier, role: Role) {
        self.member = member
        self.role = role
    }
}

/// Whose season a connection looks at. It gives defaults; it never filters the log.
package enum Context: Hashable, Sendable {
    case all
    case athlete(Identifier)
}
