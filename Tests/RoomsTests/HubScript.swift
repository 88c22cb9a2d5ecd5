import Bytes
import Family
import FrameCheck
import Testing
import Wire

@testable import Rooms

extension CommittedChange {
    /// A change of which only the frame matters.
    init(family: Identifier, sequence: Int64, frame: [UInt8], checksum: StateChecksum, members: [(member: Identifier, role: Role?)] = []) {
        self.init(
            family: family, change: Change(sequence: sequence, at: 0, member: family, client: nil, mutation: nil, entries: []), frame: frame,
            checksum: checksum, members: members)
    }
}

/// A hub, driven by hand: texts in, frames and requests out, in a form that reads as a script.
struct HubScript {
    let hub: Hub
    var now: Int64 = 1_000
    static let family = Identifier("01930000-0000-7000-8000-0000000000f1")!
    static let dana = Identifier("01930000-0000-7000-8000-00000000000d")!
    static let maya = Identifier("01930000-0000-7000-8000-00000000000a")!
    static let client = Identifier("01930000-0000-7000-8000-0000000000c1")!

    static let sums = SnapshotVerification(checksum: StateChecksum(), unsent: StateChecksum())

    init(limits: Limits = Limits()) {
        hub = Hub(limits: limits, serverVersion: "test")
    }

    /// The effects of one input, in short words.
    enum Seen: Equatable, CustomStringConvertible {
        case frame(SessionID, String)
        case close(SessionID, CloseCode, dropsQueue: Bool)
        case propose(SessionID, Int64)
        case read(SessionID, String)
        case command(SessionID)
        case endSession(Int64)
        case endSessions(by: Int64, Identifier?)
        case endFeed(Identifier)
        case see(Identifier, Reminder.Key)
        case missing(after: Int64)

        var description: String {
            switch self {
            case .frame(let id, let text): "frame \(id): \(text)"
            case .close(let id, let code, let drops): "close \(id): \(code) drops=\(drops)"
            case .propose(let id, let mutation): "propose \(id): \(mutation)"
            case .read(let id, let text): "read \(id): \(text)"
            case .command(let id): "command \(id)"
            case .endSession(let number): "end session \(number)"
            case .endSessions(let number, let one): "end \(one.map { "\($0)" } ?? "all but the session") by \(number)"
            case .endFeed(let feed): "end the feed \(feed)"
            case .see(let member, let key): "\(member) sees \(key)"
            case .missing(let sequence): "missing after \(sequence)"
            }
        }
    }

    func seen() -> [Seen] {
        hub.takeEffects().compactMap { effect in
            switch effect {
            case .send(let id, let octets): .frame(id, HubScript.word(octets))
            case .close(let id, let code, _, let drops): .close(id, code, dropsQueue: drops)
            case .propose(let proposal): .propose(proposal.session, proposal.mutation.id)
            case .read(let id, .signIn): .read(id, "sign-in")
            case .read(let id, .redemption): .read(id, "redemption")
            case .read(let id, .join): .read(id, "join")
            case .read(let id, .changes(_, let after)): .read(id, "changes after \(after)")
            case .read(let id, .snapshot): .read(id, "snapshot")
            case .read(let id, .page): .read(id, "page")
            case .read(let id, .statistics): .read(id, "statistics")
            case .read(let id, .history): .read(id, "history")
            case .read(let id, .digest): .read(id, "digest")
            case .read(let id, .accessLog): .read(id, "access log")
            case .read(let id, .invites): .read(id, "invites")
            case .read(let id, .audit): .read(id, "audit")
            case .read(let id, .standings): .read(id, "standings")
            case .read(let id, .sessions): .read(id, "sessions")
            case .read(let id, .calendars): .read(id, "calendars")
            case .command(let id, _), .signInByName(let id, _), .account(let id, _, _, _): .command(id)
            case .endSession(let number): .endSession(number)
            case .endSessions(_, let number, let one): .endSessions(by: number, one)
            case .endFeed(_, _, _, let feed): .endFeed(feed)
            case .seeReminder(_, let member, let key): .see(member, key)
            case .readMissing(_, let sequence): .missing(after: sequence)
            case .noteAccess, .renew, .note, .noteDifference: nil
            }
        }
    }

    /// The frame's type, with the number that matters; octets that are not a server frame (a test's own "log") are kept as they are.
    static func word(_ octets: [UInt8]) -> String {
        guard let frame = try? octets.withUnsafeBytes({ raw throws(Rejection) in try ServerFrame.decode(raw) }) else {
            return String(decoding: octets, as: UTF8.self)
        }
        if let problem = FrameCheck.problem(octets) { Issue.record("A frame of the hub \(problem)") }
        switch frame {
        case .welcome: return "welcome"
        case .token: return "token"
        case .joined(let joined): return "joined at \(joined.sequence)"
        case .reset(let reason): return "reset \(reason.rawValue)"
        case .snapshot: return "snapshot"
        case .snapshotEnd(let sequence, _): return "snapshot end \(sequence)"
        case .change(let change): return "change \(change.sequence)"
        case .live(let sequence, _): return "live \(sequence)"
        case .checksum(let sequence, _): return "checksum \(sequence)"
        case .ack(let ack): return "ack \(ack.mutation)"
        case .reject(let mutation, let rejection): return "reject \(mutation) \(rejection.code.rawValue)"
        case .upload(let upload): return "upload \(upload.state.rawValue) \(upload.octets)"
        case .presence(let presence): return "presence \(presence.connections)"
        case .activity(let one): return "activity \(one.activity.action.rawValue)"
        case .pong(let request): return "pong \(request)"
        case .context: return "context"
        case .role(let role): return "role \(role.rawValue)"
        case .page: return "page"
        case .statistics: return "statistics"
        case .history: return "history"
        case .digest: return "digest"
        case .accessLog: return "access log"
        case .invite: return "invite"
        case .invites: return "invites"
        case .audit: return "audit"
        case .standing: return "standing"
        case .membership(let membership): return "membership \(membership.name)"
        case .standings: return "standings"
        case .sessions: return "sessions"
        case .programToken: return "program token"
        case .calendars(let list): return "calendars \(list.calendars.count)"
        case .deviceCode: return "device code"
        case .account: return "account"
        case .deletion: return "deletion"
        case .signedIn: return "signed in"
        case .recovered(let notice): return "recovered \(notice.way.rawValue)"
        case .mailFailed(let notice): return "mail failed \(notice.problem.rawValue)"
        case .reminder(let reminder): return "reminder \(reminder.key.lead)"
        case .reminderSeen(let key): return "reminder seen \(key.lead)"
        case .signedOut: return "signed out"
        case .drain: return "drain"
        case .tagged(let frame, let request): return word(frame.encode()) + " (request \(request))"
        case .unknown(let type): return "unknown \(type)"
        case .error(let rejection, _): return "error \(rejection.code.rawValue)"
        }
    }

    /// The frames that were sent, with the request that each answers.
    func answers() -> [String] {
        hub.takeEffects().compactMap { effect in
            guard case .send(_, let octets) = effect else { return nil }
            guard case .error(let rejection, let request?)? = try? ServerFrame.decode(octets) else { return HubScript.word(octets) }
            return "error \(rejection.code.rawValue) (request \(request))"
        }
    }

    func say(_ frame: ClientFrame, _ id: SessionID) {
        frame.encode().withUnsafeBytes { hub.received($0, from: id, now: now) }
    }

    func say(text: String, _ id: SessionID) {
        Array(text.utf8).withUnsafeBytes { hub.received($0, from: id, now: now) }
    }

    func answer(_ answer: ReadAnswer, _ id: SessionID) { hub.answered(id, answer, time: 0) }

    static func seat(head: Int64, member: Identifier = dana, role: Role = .parent, resume: JoinResult.Resume = .changes) -> JoinResult {
        JoinResult(epoch: "e1", head: head, member: member, role: role, athletes: [maya], resume: resume)
    }

    static func signedIn(_ member: Identifier = dana, role: Role = .parent, in family: Identifier = family) -> SignedIn {
        SignedIn(session: member == dana ? 1 : 2, person: 1, memberships: [Membership(family: family, name: "Rivera", member: member, role: role)])
    }

    /// All outboxes are empty.
    func drain() { _ = hub.reportDrained { _ in true } }

    /// Opens a session and joins it: signed in, `join` sent, answered with `seat`.
    ///
    /// - Parameters:
    ///   - cursor: where the client was.
    ///   - head: the end of the family's log when the join was read; `nil`: at the cursor.
    func joined(
        _ member: Identifier = dana, role: Role = .parent, in family: Identifier = family, at cursor: Int64, head: Int64? = nil,
        resume: JoinResult.Resume = .changes
    ) -> SessionID {
        let id = joining(member, role: role, in: family, at: cursor)
        answer(.join(.success(HubScript.seat(head: head ?? cursor, member: member, role: role, resume: resume))), id)
        return id
    }

    /// Opens a session that has sent `join` and has no answer yet.
    func joining(_ member: Identifier = dana, role: Role = .parent, in family: Identifier = family, at cursor: Int64) -> SessionID {
        let id = hub.opened(now: now)
        say(.signIn(token: "t-\(member)"), id)
        answer(.signIn(HubScript.signedIn(member, role: role, in: family)), id)
        say(.join(Join(family: family, client: HubScript.client, cursor: Cursor(epoch: "e1", sequence: cursor))), id)
        return id
    }

    /// A session that is live at `head`.
    func live(_ member: Identifier = dana, role: Role = .parent, in family: Identifier = family, at head: Int64) -> SessionID {
        let id = joined(member, role: role, in: family, at: head)
        answer(.changes(frames: [], last: head, reachedEnd: true, checksum: nil), id)
        _ = hub.takeEffects()
        return id
    }

    func commit(_ sequence: Int64, members: [(member: Identifier, role: Role?)] = []) {
        hub.committed([
            .change(
                CommittedChange(
                    family: HubScript.family, sequence: sequence, frame: Array("log \(sequence)".utf8),
                    checksum: StateChecksum(UInt32(sequence)), members: members))
        ])
    }
}
