package import Bytes
package import Family
package import Ledger

/// A proposal of an HTTP request, besides mutations. It is decided in the same transaction as the waiting mutations, so
/// that it costs no sync of its own.
package enum BatchRequest: Sendable {
    case document(NewDocument)
    case share(NewShare)
    case calendar(CalendarWrite)

    package var family: Identifier {
        switch self {
        case .document(let document): document.family
        case .share(let share): share.family
        case .calendar(let write): write.calendar.family
        }
    }

    /// The member whose rights apply.
    package var member: Identifier {
        switch self {
        case .document(let document): document.member
        case .share(let share): share.member
        case .calendar(let write): write.member
        }
    }
}

/// The answer to a `BatchRequest`; its effects are on stable storage.
package enum BatchAnswer: Sendable {
    /// The document exists, with this number in its chain of versions (the field `version`).
    case document(version: Int64)
    /// The link with its secret.
    case share(ShareCreated)
    case calendar(CalendarWriteAnswer)
    case refused(Rejection)
}
