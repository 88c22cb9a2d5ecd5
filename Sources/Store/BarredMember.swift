package import Bytes

/// A member who may no longer enter their family, although they are in it.
package struct BarredMember: Hashable, Sendable {
    package var family: Identifier
    package var member: Identifier
    /// The sessions that ended (`SignIn.session`) because the person can enter no family.
    package var sessions: [Int64]

    package init(family: Identifier, member: Identifier, sessions: [Int64]) {
        self.family = family
        self.member = member
        self.sessions = sessions
    }
}
