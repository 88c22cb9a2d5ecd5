package import Arguments
package import Bytes
internal import Crypto
package import Family
internal import Posix
internal import Terminal
package import Wire
package import Words

/// A request for facts that only the server knows: history, changes since a sequence, figures, views of links.
package enum Question: Hashable, Sendable {
    /// The history of one named record, or of the family.
    case history(target: String?, before: Int64?, limit: Int)
    /// The changes since a sequence; `nil`: since the member's own reading position.
    case since(Int64?)
    case statistics(Kind)
    case accesses(before: String?, limit: Int)
    case audit(before: String?, limit: Int, isOwn: Bool)
    /// Whether each member may sign in, and the text of the consent.
    case standings(showsText: Bool)
    /// A consent; `accepts` is the version of the text that the parent has read.
    case consent(String, accepts: String?)
    case withdrawConsent(String)
    case birthDate(String, String)
    case lastDay(String, String?)
    /// Messages older than those on this machine.
    case olderMessages(before: String?)
    case invite(InviteWords)
    /// Invites that nobody has accepted.
    case invites
    /// Sends a new code for an invite, or withdraws it; named by the person's name or an id.
    case resend(String)
    case withdraw(String)
    case sessions(SessionQuestion)
    /// The tokens among the sessions.
    case tokens
    case createToken(TokenWords)
    case addDevice
    case calendar(CalendarQuestion)
    case account(AccountQuestion)
    /// Ends a token, by its name or the beginning of its id.
    case revoke(String)
    /// Whether the family is to be deleted, and the acts of the deletion.
    case deletion(DeletionWords)

    /// Whether `frame` needs the person's sessions (`sessions`), which only the server knows.
    package var needsSessions: Bool {
        switch self {
        case .sessions(.rename), .sessions(.end), .revoke: true
        default: false
        }
    }

    /// Whether `frame` needs the person's passkeys (`account`), which only the server knows.
    package var needsPasskeys: Bool {
        if case .account(.removePasskey) = self { true } else { false }
    }

    /// Whether `frame` needs the member's calendar feeds (`calendars`), which only the server knows.
    package var needsCalendars: Bool {
        if case .calendar(.remove) = self { true } else { false }
    }

    /// Whether `frame` needs the family's invites (`invites`), which only the server knows.
    package var needsInvites: Bool {
        switch self {
        case .resend, .withdraw: true
        default: false
        }
    }

    /// Whether `frame` needs the text of the consent, which only the server knows.
    package var needsConsentText: Bool {
        if case .consent = self { true } else { false }
    }

    /// The default number of entries in one answer: as many as a screen holds.
    package static let usualLimit = 20

    /// The frame of the request.
    ///
    /// - Parameters:
    ///   - invites: from the last answer to `invites`.
    ///   - text: the text of the consent that the parent has read.
    ///   - sessions: from the last answer to `sessions`.
    ///   - passkeys: from the last answer to `account`.
    ///   - calendars: from the last answer to `calendars`.
    ///   - typed: the secrets that the person was asked for (`AccountQuestion.secrets`).
    ///   - family: the family that is open.
    ///   - day: the end of a day in the family's zone, UTC milliseconds.
    /// - Throws: a sentence, if a name fits no record or several.
    package func frame(
        _ request: Int64, _ names: RecordNames, invites: [Invite] = [], text: ConsentText? = nil, sessions: [AccountSession] = [],
        passkeys: [AccountPasskey] = [], calendars: [CalendarFeed] = [], typed: ShownSecrets = ShownSecrets(), family: Identifier? = nil,
        endOf day: (String) -> Int64? = { _ in nil }, find: (Kind, String) throws(UsageError) -> Record
    ) throws(UsageError) -> ClientFrame {
        switch self {
        case .history(let target, let before, let limit):
            var record: HistoryRequest.Target?
            if let target { record = try Self.target(target, names, find: find) }
            return .history(HistoryRequest(request: request, record: record, before: before, limit: limit))
        case .since(let after): return .digest(DigestRequest(request: request, after: after))
        case .statistics(let kind): return .statistics(StatisticsRequest(request: request, kind: kind))
        case .accesses(let before, let limit): return .accessLog(AccessLogRequest(request: request, before: before, limit: limit))
        case .audit(let before, let limit, let isOwn): return .audit(AuditRequest(request: request, before: before, limit: limit, isOwn: isOwn))
        case .olderMessages(let before):
            return .list(ListRequest(request: request, kind: .message, before: before, limit: Self.usualLimit))
        case .invite(let words):
            var invite = Self.newInvite(request)
            if let text = words.member {
                if let id = Identifier(text) { invite.member = id } else { invite.member = try find(.member, text).id }
            }
            (invite.name, invite.role, invite.born, invite.email) = (words.name, words.role, words.born, words.email)
            invite.lastDay = words.lastDay
            return .invite(invite)
        case .standings: return .standings(StandingsRequest(request: request))
        case .consent(let target, _):
            guard let text else { throw UsageError("The text of consent is not here. Try again.") }
            let act = ConsentRequest.Act.give(version: text.version, digest: text.digest)
            return .consent(ConsentRequest(request: request, member: try Self.member(target, find), act: act))
        case .withdrawConsent(let target):
            return .consent(ConsentRequest(request: request, member: try Self.member(target, find), act: .withdraw))
        case .birthDate(let target, let born):
            return .consent(ConsentRequest(request: request, member: try Self.member(target, find), act: .born(born)))
        case .lastDay(let target, let day):
            return .consent(ConsentRequest(request: request, member: try Self.member(target, find), act: .lastDay(day)))
        case .invites: return .invites(InvitesRequest(request: request))
        case .sessions(let question): return .sessions(SessionsRequest(request: request, try question.act(sessions)))
        case .addDevice: return .addDevice(AddDeviceRequest(request: request))
        case .account(let question):
            let act = try question.act(typed, family ?? Identifier(high: 0, low: 0), passkeys) { name throws(UsageError) in
                if let id = Identifier(name) { id } else { try find(.member, name).id }
            }
            return .account(AccountRequest(request: request, act))
        case .calendar(let question): return .calendars(CalendarsRequest(request: request, try question.act(calendars, endOf: day, find: find)))
        case .deletion(let words):
            let act: DeletionRequest.Act
            switch words {
            case .show: act = .show
            case .keep: act = .withdraw
            case .delete(let name):
                guard let name else { throw UsageError("Type the family's name as well, to say that you mean it: family delete --name \"NAME\"") }
                act = .request(name: name)
            }
            return .deletion(DeletionRequest(request: request, act: act))
        case .tokens: return .sessions(SessionsRequest(request: request, .list))
        case .revoke(let text):
            return .sessions(SessionsRequest(request: request, try SessionQuestion.end(text).act(sessions.filter { $0.kind == .token })))
        case .createToken(let words):
            let athletes = try words.athletes.map { text throws(UsageError) in
                if let id = Identifier(text) { id } else { try find(.member, text).id }
            }
            return .createToken(
                CreateTokenRequest(
                    request: request, id: Random.identifier(milliseconds: Clock.wallMilliseconds()), nonce: Hex.encode(Random.octets(16)), name: words.name,
                    scope: words.scope, days: words.days, athletes: athletes))
        case .resend(let text):
            var invite = Self.newInvite(request)
            invite.member = try Self.invite(text, among: invites).member
            return .invite(invite)
        case .withdraw(let text): return .withdrawInvite(WithdrawInviteRequest(request: request, id: try Self.invite(text, among: invites).id))
        }
    }

    private static func member(_ text: String, _ find: (Kind, String) throws(UsageError) -> Record) throws(UsageError) -> Identifier {
        if let id = Identifier(text) { return id }
        return try find(.member, text).id
    }

    /// The id and the nonce stay the same however often the frame is sent, so that a lost answer does not create a
    /// second invite.
    private static func newInvite(_ request: Int64) -> InviteRequest {
        InviteRequest(request: request, id: Random.identifier(milliseconds: Clock.wallMilliseconds()), nonce: Hex.encode(Random.octets(16)))
    }

    private static func invite(_ text: String, among invites: [Invite]) throws(UsageError) -> Invite {
        let id = Identifier(text)
        let found = invites.filter { $0.id == id || $0.member == id || $0.name.lowercased() == text.lowercased() }
        guard let first = found.first else {
            throw UsageError("Nobody called '\(text.printable)' is invited" + (invites.isEmpty ? "." : ": " + invites.map(\.name.printable).joined(separator: ", ") + "."))
        }
        guard found.count == 1 else { throw UsageError("Several are called '\(text.printable)': take one of the ids \(found.map { "\($0.id)" }.joined(separator: ", ")).") }
        return first
    }

    /// The kinds whose records people name, in the order in which a name is looked up.
    private static let kinds: [Kind] = [.event, .trip, .tripItem, .document, .school, .coach, .metric, .interaction, .member]

    /// An id may belong to a deleted record; then the kind is needed as well: `event ID`.
    private static func target(
        _ text: String, _ names: RecordNames, find: (Kind, String) throws(UsageError) -> Record
    ) throws(UsageError) -> HistoryRequest.Target {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        if words.count == 2, let kind = Kind(name: words[0]) {
            if let id = Identifier(words[1]) { return .init(kind: kind, id: id) }
            return .init(kind: kind, id: try find(kind, words[1]).id)
        }
        if let id = Identifier(text), let record = names[id] { return .init(kind: record.kind, id: id) }
        var problem: UsageError?
        for kind in kinds {
            do { return .init(kind: kind, id: try find(kind, text).id) } catch {
                // A sentence about one kind would be wrong, unless several records of that kind have the name.
                if !error.message.hasPrefix("There is no ") { problem = problem ?? error }
            }
        }
        throw problem ?? UsageError("No record is called '\(text.printable)'.")
    }
}

extension ClientFrame {
    /// The same request with another request number.
    package func numbered(_ number: Int64) -> ClientFrame {
        switch self {
        case .list(var request):
            request.request = number
            return .list(request)
        case .statistics(var request):
            request.request = number
            return .statistics(request)
        case .history(var request):
            request.request = number
            return .history(request)
        case .digest(var request):
            request.request = number
            return .digest(request)
        case .accessLog(var request):
            request.request = number
            return .accessLog(request)
        case .audit(var request):
            request.request = number
            return .audit(request)
        case .standings: return .standings(StandingsRequest(request: number))
        case .consent(var request):
            request.request = number
            return .consent(request)
        case .invite(var request):
            request.request = number
            return .invite(request)
        case .withdrawInvite(var request):
            request.request = number
            return .withdrawInvite(request)
        case .invites: return .invites(InvitesRequest(request: number))
        case .sessions(var request):
            request.request = number
            return .sessions(request)
        case .createToken(var request):
            request.request = number
            return .createToken(request)
        case .addDevice: return .addDevice(AddDeviceRequest(request: number))
        case .calendars(var request):
            request.request = number
            return .calendars(request)
        case .account(var request):
            request.request = number
            return .account(request)
        case .deletion(var request):
            request.request = number
            return .deletion(request)
        default: return self
        }
    }
}

extension ServerFrame {
    /// The number of the request that the frame answers.
    package var request: Int64? {
        switch self {
        case .page(let page): page.request
        case .statistics(let answer): answer.request
        case .history(let page): page.request
        case .digest(let answer): answer.request
        case .accessLog(let page): page.request
        case .invite(let answer): answer.request
        case .invites(let list): list.request
        case .audit(let page): page.request
        case .standing(let answer): answer.request
        case .standings(let list): list.request
        case .sessions(let list): list.request
        case .programToken(let answer): answer.request
        case .deviceCode(let answer): answer.request
        case .calendars(let list): list.request
        case .account(let reply): reply.request
        case .pong(let request): request
        case .deletion(let answer): answer.request
        default: nil
        }
    }
}

/// A request about the deletion of the family, in the person's words.
package enum DeletionWords: Hashable, Sendable {
    case show
    case keep
    /// - Parameter name: the family's name, as the person typed it; `nil`: ask the person.
    case delete(name: String?)
}

/// The person who is to be invited, in a parent's words.
package struct InviteWords: Hashable, Sendable {
    /// A member who has no sign-in; `nil`: a new person.
    package var member: String?
    package var name: String?
    package var role: Family.Role?
    package var born: String?
    package var email: String?
    /// The last day of a guest.
    package var lastDay: String?

    package init(member: String? = nil, name: String? = nil, role: Family.Role? = nil, born: String? = nil, email: String? = nil, lastDay: String? = nil) {
        self.member = member
        self.name = name
        self.role = role
        self.born = born
        self.email = email
        self.lastDay = lastDay
    }
}
