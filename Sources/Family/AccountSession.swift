package import Bytes
package import Dates

/// The kind of device or program that holds a session.
package enum SessionKind: String, CaseIterable, Sendable {
    /// `huddle`, or a program that signed in like it.
    case terminal
    case browser
    /// A program of the person's, with a token that was made for it.
    case token
}

/// The rights of a token for a program.
package enum TokenScope: String, CaseIterable, Sendable {
    /// Reads what the person can read. Every write is refused, as for a guest.
    case read
    /// Reads and writes as the person.
    case write
    /// Opens the calendars of chosen athletes, by Basic authentication, and nothing else.
    case calendar
}

/// A session as its person sees it: no address, and days instead of times.
package struct AccountSession: Hashable, Sendable {
    package var id: Identifier
    /// The person's name for it; empty until they give one.
    package var name: String
    package var kind: SessionKind
    /// Days in UTC.
    package var createdOn: CalendarDate
    package var usedOn: CalendarDate
    /// The last day, however often the session is used.
    package var endsOn: CalendarDate
    /// The session that asks.
    package var isCurrent: Bool
    /// `nil` for a session that may do everything that the person may do.
    package var scope: TokenScope?
    /// The athletes of a token with the scope `calendar`.
    package var athletes: [Identifier]

    package init(
        id: Identifier, name: String, kind: SessionKind, createdOn: CalendarDate, usedOn: CalendarDate, endsOn: CalendarDate, isCurrent: Bool = false,
        scope: TokenScope? = nil, athletes: [Identifier] = []
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.createdOn = createdOn
        self.usedOn = usedOn
        self.endsOn = endsOn
        self.isCurrent = isCurrent
        self.scope = scope
        self.athletes = athletes
    }

    /// The end of the id, which is drawn: enough to tell the sessions of a person apart.
    package var shortID: String { String(id.description.suffix(6)) }

    /// Characters of a name at most.
    package static let nameLength = 60
    /// Days after which a session ends that nobody used: longer than a season's pause, and the session of a lost telephone ends by itself.
    package static let idleDays: Int64 = 90
    /// Days after which a session ends however often it is used.
    package static let lifeDays: Int64 = 400
    /// Hours after which a session ends on a device that is not the person's.
    package static let briefHours: Int64 = 24
    /// Sessions of one person besides tokens. The next one ends the session that nobody used for the longest time.
    package static let most = 100
    /// Tokens of one person.
    package static let mostTokens = 20
    /// The days for which a token may be valid.
    package static let tokenDays: ClosedRange<Int64> = 1...365
    /// Athletes of one token with the scope `calendar`.
    package static let mostAthletes = 32
    /// Minutes for which the code for another device is good.
    package static let deviceCodeMinutes: Int64 = 10
    /// Minutes for which a check of a password or passkey counts.
    package static let checkMinutes: Int64 = 10

    /// A name for a session or a token, without the spaces around it.
    ///
    /// - Throws: `required`, `too_long`, `invalid`, each with the field `name`.
    package static func canonicalName(_ text: String) throws(Rejection) -> String {
        guard let name = TextRules.trimmed(text), !name.isEmpty else {
            throw Rejection(.required, "A session or token needs a name by which you recognize it. Nothing was changed", field: "name")
        }
        guard name.unicodeScalars.count <= nameLength else {
            throw Rejection(.tooLong, "The name of a session or token is at most \(nameLength) characters long. Nothing was changed", field: "name")
        }
        guard TextRules.isShown(name, lines: false), TextRules.visible(name) == name else {
            throw Rejection(.invalid, "The name of a session or token contains an invisible character. Type it again without copying it", field: "name")
        }
        return name
    }
}

extension CalendarDate {
    /// The day in UTC of a time.
    ///
    /// - Parameter milliseconds: UTC, of the years 1 to 9999; others give the first or the last day.
    package init(utc milliseconds: Int64) {
        let days = Int((Double(milliseconds) / 86_400_000).rounded(.down))
        self = CalendarDate(days: days) ?? (days < 0 ? .first : .last)
    }
}

extension Rejection {
    /// The refusal of an act on the account, or of any write, that a token for a program asks for.
    package static let beyondScope = Rejection(.notAllowed, "This token's scope does not allow that. Nothing was changed; sign in yourself, or make a token with another scope")
    /// The refusal of an act that needs a fresh check of the password or passkey.
    package static let confirmFirst = Rejection(.confirmFirst, ErrorCode.confirmFirst.sentence)
}
