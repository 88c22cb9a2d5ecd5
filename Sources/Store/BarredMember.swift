package import Bytes

/// A member who may not enter their family any more, although they are in it.
package struct BarredMember: Hashable, Sendable {
    package var family: Identifier
    package var member: Identifier
    /// Sessions that ended (`SignIn.session`), because the person can enter no family.
    package var sessions: [Int64]

    package init(family: Identifier, member: Identifier, sessions: [Int64]) {
        self.family = family
        self.member = member
        self.sessions = sessions
    }
}
