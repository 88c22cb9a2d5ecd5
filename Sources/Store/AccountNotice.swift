package import Bytes
package import Family

/// Events for open connections after a commit, beside the changes: about a person's account, or about a whole family.
package enum AccountNotice: Hashable, Sendable {
    /// The sign-in of a person was recovered. `besides` is the session that the recovery opened, or in which it was
    /// done.
    case recovered(person: Int64, RecoveryNotice, besides: Int64)
    /// A mail that the person asked for was abandoned.
    case mailFailed(person: Int64, MailNotice)
    /// Another person is this member from now on: the connections of the former one must be closed.
    case moved(BarredMember)
    /// The host has set these limits for a family.
    case quotas(FamilyQuotas, of: Identifier)
    /// A reminder has fired for a member.
    case reminder(Reminder, family: Identifier, member: Identifier)
    /// A member has seen a reminder on one of their devices.
    case reminderSeen(Reminder.Key, family: Identifier, member: Identifier)
    /// A family is erased from now on: the connections of its members must be closed, and its uploads end.
    case erased(Identifier)
}
