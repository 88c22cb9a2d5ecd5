package import Family

/// Something that the devices of a person are told about their account, after the commit.
package enum AccountNotice: Hashable, Sendable {
    /// The sign-in of a person was recovered. `besides` is the session that this opened, or in which it was done.
    case recovered(person: Int64, RecoveryNotice, besides: Int64)
    /// Another person is this member from now on: the connections of the former one are to be closed.
    case moved(BarredMember)
}
