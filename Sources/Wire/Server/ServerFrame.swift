package import Bytes
package import Family
package import JSON

/// The frames of the server, one JSON object per text message; `proto/protocol.md` shows each.
package enum ServerFrame: Hashable, Sendable {
    /// Answers `sign_in`: `{"type":"welcome","protocol":1,"server":"0.1.0","time":…,"memberships":[…],"limits":{…},
    /// "features":["quiet",…]}`
    case welcome(Welcome)
    /// Answers `redeem`: `{"type":"token","token":"…","family":"…","member":"…"}`
    case token(token: String, family: Identifier, member: Identifier)
    /// Answers `redeem` of a person who is signed in: `{"type":"membership","membership":{…}}`
    case membership(Membership)
    /// Answers `join`, before any record: `{"type":"joined","epoch":"…","seq":120,"family":"…","member":"…","role":"parent",
    /// "context":"all","resume":"changes"|"snapshot","presence":[…]}`. `seq` is the head at that moment.
    case joined(Joined)
    /// `{"type":"reset","reason":"epoch_changed"|"log_trimmed"}`: forget the records held, a snapshot follows; drafts stay.
    case reset(ResetReason)
    /// `{"type":"snapshot","seq":120,"records":[…]}`, any number of them, applied together at `snapshot_end`. `unknown`: of the records of kinds
    /// that this program does not know, which are not in `records`; not written.
    case snapshot(sequence: Int64, records: [Record], unknown: StateChecksum = StateChecksum())
    /// `{"type":"snapshot_end","seq":120,"checksum":2779041,"unsent":0}`; a server without the feature `checksum` leaves both out.
    case snapshotEnd(sequence: Int64, verification: SnapshotVerification? = nil)
    /// `{"type":"change","seq":121,"at":…,"member":"…","client":"…","mutation":7,"changes":[…]}`
    case change(Change)
    /// `{"type":"live","seq":121,"checksum":2779041}`: everything up to here has been sent; what follows is as it happens. A server without the
    /// feature `checksum` leaves that key out.
    case live(sequence: Int64, checksum: StateChecksum? = nil)
    /// `{"type":"checksum","seq":121,"checksum":2779041}`: of the family's records after change `seq`, which was sent before.
    case checksum(sequence: Int64, StateChecksum)
    /// `{"type":"ack","mutation":7,"seq":121,"records":[{"id":"…","version":4}]}`; without `seq` when nothing changed;
    /// `"warnings":[…]` when there are any.
    case ack(Ack)
    /// `{"type":"reject","mutation":7,"code":"conflict","message":"…",…}`
    case reject(mutation: Int64, Rejection)
    /// `{"type":"presence","member":"…","connections":2,"context":"all"}`; 0 connections: gone.
    case presence(Presence)
    /// `{"type":"upload","id":"…","member":"…","athlete":"…","title":"…","octets":47185920,"total":104857600,"state":"running"}`: how far
    /// a file is that somebody sends.
    case upload(UploadProgress)
    /// `{"type":"activity","member":"…","action":"typing"}`: another member's occupation at this moment.
    case activity(MemberActivity)
    /// Answers `ping`: `{"type":"pong","request":30}`
    case pong(request: Int64)
    /// `{"type":"context","context":"all"}`: the context in force from now on.
    case context(Context)
    /// `{"type":"role","role":"guest"}`: what this member may do changed.
    case role(Role)
    /// `{"type":"page","request":1,"seq":121,"records":[…],"next":"<mark>","total":7}`; no `next`: that was the end of the list.
    case page(Page)
    /// `{"type":"statistics","request":2,"seq":121,"kind":"event","statistics":{…}}`
    case statistics(StatisticsAnswer)
    /// `{"type":"history","request":3,"entries":[…],"next":81}`
    case history(HistoryPage)
    /// `{"type":"digest","request":4,"digest":{…}}`
    case digest(DigestAnswer)
    /// `{"type":"access_log","request":5,"entries":[…],"next":"<mark>"}`
    case accessLog(AccessPage)
    /// `{"type":"invite","request":6,"invite":{…},"code":"…"}`
    case invite(InviteAnswer)
    /// `{"type":"invites","request":8,"invites":[…]}`
    case invites(InviteList)
    /// `{"type":"audit","request":9,"entries":[…],"next":"<mark>"}`
    case audit(AuditPage)
    /// `{"type":"standing","request":11,"standing":{…}}`
    case standing(StandingAnswer)
    /// `{"type":"standings","request":10,"version":"…","text":"…","standings":[…]}`
    case standings(StandingList)
    /// `{"type":"sessions","request":9,"sessions":[…]}`
    case sessions(SessionList)
    /// `{"type":"program_token","request":19,"token":"…","session":{…}}`
    case programToken(ProgramTokenAnswer)
    /// `{"type":"calendars","request":30,"calendars":[…]}`
    case calendars(CalendarList)
    /// `{"type":"device_code","request":20,"code":"…","expires_at":…}`
    case deviceCode(DeviceCodeAnswer)
    /// `{"type":"account","request":21,"name":"ana","factor":true,"recovery_codes":9}`
    case account(AccountReply)
    /// `{"type":"deletion","request":31,"due_at":…}`
    case deletion(DeletionAnswer)
    /// Answers `sign_in_by_name`: `{"type":"signed_in","token":"…","device":"…"}`
    case signedIn(NameSignedIn)
    /// `{"type":"recovered","way":"parent","at":…}`
    case recovered(RecoveryNotice)
    /// `{"type":"mail_failed","kind":"invite","address":"r…@example.org","problem":"refused"}`
    case mailFailed(MailNotice)
    /// `{"type":"reminder","kind":"event","item":"…","lead":30,"start":…,"when":"2026-04-15T08:00","state":"due","title":"Upcoming: …","body":"…"}`
    case reminder(Reminder)
    /// `{"type":"reminder_seen","item":"…","lead":30,"start":…}`
    case reminderSeen(Reminder.Key)
    /// `{"type":"signed_out"}`, then close 4501.
    case signedOut
    /// `{"type":"drain","retry_after":1840}`, then close 4000: the server goes away; come back after that many milliseconds.
    case drain(retryAfter: Int64)
    /// A `welcome`, `token`, `joined`, `context` or `signed_out` with the `"request":7` of the frame that it answers.
    indirect case tagged(ServerFrame, request: Int64)
    /// `{"type":"error","code":"not_joined","message":"…","retry":false,"request":1}`
    case error(Rejection, request: Int64?)
    /// A frame of a type that a newer server added; to be left aside; its members are forgotten.
    case unknown(type: String)
}

// Everything else about a frame is in the file that is named after it.
extension ServerFrame {
    /// All frames, in the order of `proto/`.
    static let parts: [any ServerFrameParts.Type] = [
        WelcomeParts.self, TokenParts.self, MembershipParts.self, JoinedParts.self, ResetParts.self, SnapshotParts.self, SnapshotEndParts.self, ChangeParts.self,
        LiveParts.self, ChecksumParts.self, AckParts.self, RejectParts.self, PresenceParts.self, UploadParts.self, ActivityParts.self, PongParts.self, ContextParts.self,
        RoleParts.self, PageParts.self, StatisticsParts.self, HistoryParts.self, DigestParts.self, AccessLogParts.self, InviteParts.self, InvitesParts.self,
        AuditParts.self, StandingParts.self, StandingsParts.self, SessionsParts.self,
        ProgramTokenParts.self, CalendarsParts.self, DeviceCodeParts.self, AccountParts.self, DeletionParts.self, SignedInParts.self, RecoveredParts.self, MailFailedParts.self, ReminderParts.self, ReminderSeenParts.self, SignedOutParts.self, DrainParts.self, ErrorParts.self,
    ]

    /// The frame as one text message.
    package func encode() -> [UInt8] {
        var writer = JSONWriter()
        encode(into: &writer)
        return writer.octets
    }

    /// Appends the frame.
    package func encode(into writer: inout JSONWriter) {
        switch self {
        case .change(let change): return ServerFrame.encode(change, into: &writer)
        case .ack(let ack): return ServerFrame.encode(ack, into: &writer)
        case .reject(let mutation, let rejection): return ServerFrame.encode(rejection, of: mutation, into: &writer)
        default: break
        }
        writer.beginObject()
        writer.key("type")
        encodeRest(into: &writer)
        writer.endObject()
    }

    /// The frames that come once a session or once a second: everything after `"type":`.
    private func encodeRest(into writer: inout JSONWriter) {
        switch self {
        case .change, .ack, .reject: break
        case .welcome(let welcome): WelcomeParts.encode(welcome, into: &writer)
        case .token(let token, let family, let member): TokenParts.encode(token: token, family: family, member: member, into: &writer)
        case .membership(let membership): MembershipParts.encode(membership, into: &writer)
        case .joined(let joined): JoinedParts.encode(joined, into: &writer)
        case .reset(let reason): ResetParts.encode(reason, into: &writer)
        case .snapshot(let sequence, let records, _): SnapshotParts.encode(sequence, records, into: &writer)
        case .snapshotEnd(let sequence, let verification): SnapshotEndParts.encode(sequence, verification, into: &writer)
        case .live(let sequence, let checksum): LiveParts.encode(sequence, checksum, into: &writer)
        case .checksum(let sequence, let checksum): ChecksumParts.encode(sequence, checksum, into: &writer)
        case .presence(let presence): PresenceParts.encode(presence, into: &writer)
        case .upload(let upload): UploadParts.encode(upload, into: &writer)
        case .activity(let activity): ActivityParts.encode(activity, into: &writer)
        case .pong(let request): PongParts.encode(request, into: &writer)
        case .context(let context): ContextParts.encode(context, into: &writer)
        case .role(let role): RoleParts.encode(role, into: &writer)
        case .page(let page): PageParts.encode(page, into: &writer)
        case .statistics(let answer): StatisticsParts.encode(answer, into: &writer)
        case .history(let page): HistoryParts.encode(page, into: &writer)
        case .digest(let digest): DigestParts.encode(digest, into: &writer)
        case .accessLog(let page): AccessLogParts.encode(page, into: &writer)
        case .invite(let answer): InviteParts.encode(answer, into: &writer)
        case .invites(let list): InvitesParts.encode(list, into: &writer)
        case .audit(let page): AuditParts.encode(page, into: &writer)
        case .standing(let answer): StandingParts.encode(answer, into: &writer)
        case .standings(let list): StandingsParts.encode(list, into: &writer)
        case .sessions(let list): SessionsParts.encode(list, into: &writer)
        case .programToken(let answer): ProgramTokenParts.encode(answer, into: &writer)
        case .calendars(let list): CalendarsParts.encode(list, into: &writer)
        case .deviceCode(let answer): DeviceCodeParts.encode(answer, into: &writer)
        case .account(let reply): AccountParts.encode(reply, into: &writer)
        case .deletion(let answer): DeletionParts.encode(answer, into: &writer)
        case .signedIn(let answer): SignedInParts.encode(answer, into: &writer)
        case .recovered(let notice): RecoveredParts.encode(notice, into: &writer)
        case .mailFailed(let notice): MailFailedParts.encode(notice, into: &writer)
        case .reminder(let reminder): ReminderParts.encode(reminder, into: &writer)
        case .reminderSeen(let key): ReminderSeenParts.encode(key, into: &writer)
        case .signedOut: SignedOutParts.encode(into: &writer)
        case .drain(let retryAfter): DrainParts.encode(retryAfter: retryAfter, into: &writer)
        case .error(let rejection, let request): ErrorParts.encode(rejection, request, into: &writer)
        case .unknown(let type): writer.string(type)
        case .tagged(let frame, let request):
            frame.encodeRest(into: &writer)
            writer.key("request")
            writer.integer(request)
        }
    }

    /// The frame with the number of the frame that it answers, if that had one.
    func answering(_ request: Int64?) -> ServerFrame {
        request.map { .tagged(self, request: $0) } ?? self
    }
}
