package import Family
package import JSON

/// The frames of clients, one JSON object per text message; `proto/protocol.md` shows each.
package enum ClientFrame: Hashable, Sendable {
    /// `{"type":"sign_in","token":"…"}`; without `token` that of the cookie in the upgrade request.
    case signIn(token: String?)
    /// `{"type":"redeem","code":"…","nonce":"…"}`: turns an invite's one-time code into a session token. If the answer was lost, the same
    /// code with the same nonce gives another token, until the first sign-in and for at most 10 minutes.
    case redeem(code: String, nonce: String, name: String? = nil)
    /// `{"type":"join","family":"…","client":"…","context":"all"|"<athlete>","cursor":{"epoch":"…","seq":12},"quiet":true,"differed":12}`
    case join(Join)
    /// `{"type":"mutate","mutation":7,"operations":[…]}`, or `"undo":12` instead of operations; the client id is the one given at join.
    /// `"allow_overlap":{"reason":"…","pairs":[["<id>","<id>"],…]}` accepts overlaps.
    case mutation(id: Int64, body: Mutation.Body, overlap: OverlapOverride?)
    /// A mutation whose number could be read and whose content is refused: unknown kind, unknown field, wrong type.
    /// The answer is recorded like that of any mutation.
    case refusedMutation(id: Int64, Rejection)
    /// `{"type":"context","context":"all"|"<athlete>"}`
    case context(Context)
    /// `{"type":"list","request":1,"kind":"event","filter":{"date":"upcoming"},"sort":"date_asc","limit":50}`: a page of records.
    case list(ListRequest)
    /// `{"type":"statistics","request":2,"kind":"event","athlete":"all"}`
    case statistics(StatisticsRequest)
    /// `{"type":"history","request":3,"record":{"kind":"event","id":"…"},"before":120,"limit":50}`
    case history(HistoryRequest)
    /// `{"type":"digest","request":4,"after":120}`: what happened since.
    case digest(DigestRequest)
    /// `{"type":"access_log","request":5,"limit":50}`
    case accessLog(AccessLogRequest)
    /// `{"type":"invite","request":6,"id":"…","nonce":"…","name":"Ruth","role":"guest"}`
    case invite(InviteRequest)
    /// `{"type":"withdraw_invite","request":7,"id":"…"}`
    case withdrawInvite(WithdrawInviteRequest)
    /// `{"type":"invites","request":8}`
    case invites(InvitesRequest)
    /// `{"type":"audit","request":9,"limit":50}`
    case audit(AuditRequest)
    /// `{"type":"standings","request":10}`
    case standings(StandingsRequest)
    /// `{"type":"consent","request":11,"member":"…","version":"…","sha256":"…"}`, and `withdraw_consent`, `birth_date`, `last_day`.
    case consent(ConsentRequest)
    /// `{"type":"sessions","request":9}`, `rename_session`, `end_session` and `end_other_sessions`.
    case sessions(SessionsRequest)
    /// `{"type":"create_token","request":19,"id":"…","nonce":"…","name":"Export","scope":"read","days":90}`
    case createToken(CreateTokenRequest)
    /// `{"type":"calendars","request":30}`, `add_calendar`, `change_calendar`, `remove_calendar`
    case calendars(CalendarsRequest)
    /// `{"type":"add_device","request":20}`
    case addDevice(AddDeviceRequest)
    /// `{"type":"sign_in_by_name","name":"ana","password":"…"}`
    case signInByName(NameSignIn)
    /// `{"type":"account","request":21}`, `confirm`, `set_password` and the other frames about how a person signs in.
    case account(AccountRequest)
    /// `{"type":"ping","request":30}`: asks for a sign of life, where no WebSocket ping is seen.
    case ping(request: Int64)
    /// `{"type":"activity","action":"typing"}`: for the moment, and in no log.
    case activity(Activity)
    /// `{"type":"reminder_seen","item":"…","lead":30,"start":…}`: the member has seen a reminder.
    case reminderSeen(Reminder.Key)
    /// `{"type":"deletion","request":30}`, `delete_family` and `keep_family`.
    case deletion(DeletionRequest)
    /// A request whose number could be read and whose content is refused: a filter or an order that is not known.
    case refusedRequest(request: Int64, Rejection)
    /// `{"type":"sign_out"}`: ends this session everywhere.
    case signOut
    /// A `sign_in`, `redeem`, `join`, `context` or `sign_out` with `"request":7`, which every answer to it echoes. The frames above have a
    /// number of their own.
    indirect case tagged(ClientFrame, request: Int64)
}

extension ClientFrame {
    /// The number that its answers echo; `nil` for mutations, and where the client gave none.
    package var request: Int64? {
        switch self {
        case .tagged(_, let request), .refusedRequest(let request, _): request
        case .list(let list): list.request
        case .statistics(let statistics): statistics.request
        case .history(let history): history.request
        case .digest(let digest): digest.request
        case .accessLog(let log): log.request
        case .invite(let invite): invite.request
        case .withdrawInvite(let withdrawal): withdrawal.request
        case .invites(let invites): invites.request
        case .audit(let audit): audit.request
        case .standings(let standings): standings.request
        case .consent(let consent): consent.request
        case .sessions(let sessions): sessions.request
        case .createToken(let token): token.request
        case .calendars(let calendars): calendars.request
        case .addDevice(let device): device.request
        case .account(let account): account.request
        case .deletion(let deletion): deletion.request
        case .ping(let request): request
        case .signIn, .signInByName, .redeem, .join, .mutation, .refusedMutation, .context, .activity, .reminderSeen, .signOut: nil
        }
    }

    /// A mutation of operations that accepts no overlap.
    package static func mutate(id: Int64, operations: [Operation]) -> ClientFrame {
        .mutation(id: id, body: .operations(operations), overlap: nil)
    }
}

// Everything else about a frame is in the file that is named after it.
extension ClientFrame {
    /// All frames, in the order of `proto/`.
    static let parts: [any ClientFrameParts.Type] = [
        SignInParts.self, RedeemParts.self, JoinParts.self, MutateParts.self, ContextParts.self, ListParts.self, StatisticsParts.self,
        HistoryParts.self, DigestParts.self, AccessLogParts.self, InviteParts.self, WithdrawInviteParts.self, InvitesParts.self,
        SessionsParts.self, RenameSessionParts.self, EndSessionParts.self, EndOtherSessionsParts.self, CreateTokenParts.self, AddDeviceParts.self,
        CalendarsParts.self, AddCalendarParts.self, ChangeCalendarParts.self, RemoveCalendarParts.self,
        SignInByNameParts.self, AccountParts.self, ConfirmParts.self, SetPasswordParts.self, RemovePasswordParts.self, AddFactorParts.self,
        ConfirmFactorParts.self, RemoveFactorParts.self, MakeRecoveryCodesParts.self, RemovePasskeyParts.self, RecoverMemberParts.self, SetMailParts.self, ConfirmMailParts.self, RemoveMailParts.self, AuditParts.self, StandingsParts.self, ConsentParts.self,
        WithdrawConsentParts.self, BirthDateParts.self, LastDayParts.self, DeletionParts.self, DeleteFamilyParts.self, KeepFamilyParts.self,
        PingParts.self, ActivityParts.self, ReminderSeenParts.self, SignOutParts.self,
    ]

    /// The frame as one text message.
    package func encode() -> [UInt8] {
        var writer = JSONWriter()
        encode(into: &writer)
        return writer.octets
    }

    /// Appends the frame. A refused mutation or request is something read, never written: writing one is our own mistake and traps.
    package func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("type")
        encodeRest(into: &writer)
        writer.endObject()
    }

    /// Everything after `"type":`.
    private func encodeRest(into writer: inout JSONWriter) {
        switch self {
        case .signIn(let token): SignInParts.encode(token: token, into: &writer)
        case .redeem(let code, let nonce, let name): RedeemParts.encode(code: code, nonce: nonce, name: name, into: &writer)
        case .join(let join): JoinParts.encode(join, into: &writer)
        case .mutation(let id, let body, let overlap): MutateParts.encode(id, body, overlap, into: &writer)
        case .context(let context): ContextParts.encode(context, into: &writer)
        case .list(let request): ListParts.encode(request, into: &writer)
        case .statistics(let request): StatisticsParts.encode(request, into: &writer)
        case .history(let request): HistoryParts.encode(request, into: &writer)
        case .digest(let request): DigestParts.encode(request, into: &writer)
        case .accessLog(let request): AccessLogParts.encode(request, into: &writer)
        case .invite(let request): InviteParts.encode(request, into: &writer)
        case .withdrawInvite(let request): WithdrawInviteParts.encode(request, into: &writer)
        case .invites(let request): InvitesParts.encode(request, into: &writer)
        case .audit(let request): AuditParts.encode(request, into: &writer)
        case .standings(let request): StandingsParts.encode(request, into: &writer)
        case .consent(let request): request.encode(into: &writer)
        case .sessions(let request): request.encode(into: &writer)
        case .createToken(let request): CreateTokenParts.encode(request, into: &writer)
        case .calendars(let request): request.encode(into: &writer)
        case .addDevice(let request): AddDeviceParts.encode(request, into: &writer)
        case .signInByName(let signIn): SignInByNameParts.encode(signIn, into: &writer)
        case .account(let request): request.encode(into: &writer)
        case .ping(let request): PingParts.encode(request, into: &writer)
        case .activity(let activity): ActivityParts.encode(activity, into: &writer)
        case .reminderSeen(let key): ReminderSeenParts.encode(key, into: &writer)
        case .deletion(let request): request.encode(into: &writer)
        case .signOut: SignOutParts.encode(into: &writer)
        case .tagged(let frame, let request):
            frame.encodeRest(into: &writer)
            writer.key("request")
            writer.integer(request)
        case .refusedMutation, .refusedRequest: preconditionFailure("a refused frame is read, never written")
        }
    }
}
