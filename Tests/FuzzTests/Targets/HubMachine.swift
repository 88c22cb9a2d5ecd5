import Bytes
import Family
import Wire

@testable import Rooms

/// Rooms and sessions under any order of inputs, with a writer and readers that answer correctly but at any time.
///
/// Invariants: isolated (changes of one family reach only its members), ordered and seamless (after joining, each
/// session gets the following changes, each once), bounded (the counters match the waiting items), and no session
/// receives anything after its end.
struct HubMachine {
    private static func id(_ kind: UInt64, _ number: Int) -> Identifier {
        Identifier(high: 0x0193_0000_0000_7000 | kind << 32, low: UInt64(number) + 1)
    }

    private static let smallFrame = [UInt8](repeating: 0x73, count: 10)
    private static let largeFrame = [UInt8](repeating: 0x73, count: 150_000)

    private struct Member {
        var role: Role?
    }

    /// The content of the model's disk.
    private struct Family {
        var head: Int64 = 0
        var members: [Member] = [Member(role: .parent), Member(role: .athlete), Member(role: .guest), Member(role: .parent)]
    }

    private struct Seen {
        var isEnded = false
        var family: Int?
        /// The last sent sequence; `nil` before `joined` and between a reset and the end of its snapshot.
        var cursor: Int64?
        var isLive = false
        var joined: Join?
    }

    private var choices: Choices
    private let hub: Hub
    private let limits: Limits
    private var now: Int64 = 1_000
    private var families = [Family(), Family()]
    private var open: [SessionID] = []
    private var seen: [SessionID: Seen] = [:]
    private var person: [SessionID: Int] = [:]
    private var reads: [(SessionID, ReadRequest)] = []
    private var answers: [(SessionID, ReadAnswer)] = []
    private var commands: [(SessionID, SessionCommand)] = []
    /// Tokens from a redeemed code that were not used yet.
    private var unused: Set<Int> = []
    /// Sessions of the database that are being ended.
    private var endings: [Int64] = []
    private var proposals: [Proposal] = []
    private var committed: [CommitResult] = []
    private var flushes = true

    init(_ octets: [UInt8]) {
        choices = Choices(octets)
        var limits = Limits()
        limits.connectionsPerMember = 3
        limits.pendingMutations = 4
        limits.mutationBurst = 40
        limits.refusals = 20
        self.limits = limits
        hub = Hub(limits: limits, serverVersion: "fuzz", checksumPace: ChecksumPace(interval: 1, changes: 3))
    }

    /// Runs the whole program, then lets everything settle and checks that all sessions are where they should be.
    mutating func run() throws {
        var steps = 0
        while !choices.isEmpty, steps < 2_000 {
            steps += 1
            try step()
            try drain()
        }
        flushes = true
        var rounds = 0
        repeat {
            rounds += 1
            try hold(rounds < 10_000, "the hub never comes to rest")
            while !reads.isEmpty { execute(0) }
            while !answers.isEmpty { try deliver(0) }
            while !commands.isEmpty { try obey(0) }
            while let number = endings.popLast() { hub.endSessions(number) }
            commit(proposals.count)
            try deliverCommits()
            _ = hub.reportDrained { _ in true }
            try drain()
        } while !(reads.isEmpty && answers.isEmpty && commands.isEmpty && endings.isEmpty && proposals.isEmpty && committed.isEmpty)
            || hub.reportDrained({ _ in true })
        try drain()
        for id in open {
            guard let seen = seen[id], !seen.isEnded, let family = seen.family else { continue }
            try hold(seen.isLive, "a join that never became live")
            try hold(seen.cursor == families[family].head, "at \(seen.cursor ?? -1) of \(families[family].head)")
        }
        try hold(hub.pendingOctets == 0, "\(hub.pendingOctets) octets still count as waiting")
        try hold(hub.snapshotReads.isEmpty && hub.snapshotOctets == 0, "a snapshot still counts")
        for id in open { hub.closed(id) }
        try hold(
            hub.openSessions == 0 && hub.rooms.isEmpty && hub.connectionsOfPerson.isEmpty, "something is left of sessions that are gone")
    }

    private mutating func step() throws {
        switch choices.below(20) {
        case 0, 1:
            guard open.count < 12 else { return }
            let id = hub.opened(now: now)
            try hold(seen[id] == nil, "a session id is used twice")
            seen[id] = Seen()
            open.append(id)
        case 2:
            guard !open.isEmpty else { return }
            let id = open.remove(at: choices.below(open.count))
            hub.closed(id)
            seen[id]?.isEnded = true
        case 3: say(.signIn(token: "\(choices.below(5))"))
        case 4, 5:
            let family = choices.below(2)
            let cursor =
                choices.chance() ? Cursor(epoch: "e", sequence: Int64(choices.below(Int(min(families[family].head, 200)) + 1))) : nil
            say(.join(Join(family: Self.id(0xF, family), client: Self.id(0xC, 0), context: context(family), cursor: cursor)))
        case 6, 7:
            say(
                .mutate(
                    id: Int64(choices.octet()) + 1,
                    operations: [Operation(kind: .event, id: Self.id(0xE, choices.below(4)), action: .delete(base: 1))]))
        case 8:
            say(choices.pick([
                .context(context(choices.below(2))), .tagged(.context(.all), request: 1), .signOut, .tagged(.signOut, request: 2), .list(ListRequest(request: 1, kind: .message, limit: 10)),
                .audit(AuditRequest(request: 4, limit: 3)), .standings(StandingsRequest(request: 5)),
                .consent(ConsentRequest(request: 6, member: Self.id(0xE, 0), act: .withdraw)),
                .withdrawInvite(WithdrawInviteRequest(request: 3, id: Self.id(0xE, 0))),
            ]))
        case 9: say(.redeem(code: "\(choices.below(4))", nonce: String(repeating: "0", count: 32)))
        case 10:
            guard !open.isEmpty else { return }
            let raw = choices.take(choices.below(40))
            let id = open[choices.below(open.count)]
            raw.withUnsafeBytes { hub.received($0, from: id, now: now) }
        case 11, 12: if !reads.isEmpty { execute(choices.below(reads.count)) }
        case 13, 14: if !answers.isEmpty { try deliver(choices.below(answers.count)) }
        case 15: commit(1 + choices.below(3))
        case 16: try deliverCommits()
        case 17:
            now += Int64(choices.pick([1, 10, 500, 6_000, 60_000]))
            hub.tick(now: now)
            flushes = choices.chance()
            let flushed = flushes
            _ = hub.reportDrained { _ in flushed }
        case 18:
            switch choices.below(8) {
            case 6:
                guard let number = endings.popLast() else { return }
                // A full disk: the change remains to be done, and is tried again.
                if choices.chance() {
                    endings.insert(number, at: 0)
                    hub.didNotEnd(number, Rejection(.storageFull, "Full."))
                } else {
                    hub.endSessions(number)
                }
            case 7:
                // The writer has no room for the newest.
                let refused = Array(proposals.suffix(choices.below(3)))
                proposals.removeLast(refused.count)
                hub.refused(refused)
            case 0: if !commands.isEmpty { try obey(choices.below(commands.count)) }
            case 1: rightsChange()
            case 2: hub.endSessions(Int64(choices.below(5)))
            case 3: if choices.below(16) == 0 { hub.startDraining() }
            case 4: if choices.below(16) == 0 { hub.endAll(.goingAway, "going") }
            default: if !commands.isEmpty { try obey(0) }
            }
        default: serverChange(choices.below(2))
        }
    }

    private mutating func context(_ family: Int) -> Context {
        choices.chance() ? .all : .athlete(Self.id(0xA + UInt64(family), choices.below(5)))
    }

    private mutating func say(_ frame: ClientFrame) {
        guard !open.isEmpty else { return }
        let id = open[choices.below(open.count)]
        if case .join(let join) = frame, hub.session(id)?.phase == .signedIn { seen[id]?.joined = join }
        frame.encode().withUnsafeBytes { hub.received($0, from: id, now: now) }
    }

    // MARK: The model's disk

    private func frame(_ family: Int, _ sequence: Int64) -> [UInt8] { Array("change \(family) \(sequence)".utf8) }

    private mutating func change(_ family: Int, members: [(member: Identifier, role: Role?)] = []) {
        families[family].head += 1
        let head = families[family].head
        committed.append(
            .change(
                CommittedChange(
                    family: Self.id(0xF, family),
                    change: Change(sequence: head, at: 0, member: Self.id(0xF, family), client: nil, mutation: nil, entries: []),
                    frame: frame(family, head), checksum: StateChecksum(UInt32(head)),
                    members: members)))
    }

    private mutating func serverChange(_ family: Int) { change(family) }

    private mutating func rightsChange() {
        let family = choices.below(2)
        let number = choices.below(4)
        let role = choices.pick([nil, Role.parent, .athlete, .guest])
        families[family].members[number].role = role
        change(family, members: [(Self.id(0xA + UInt64(family), number), role)])
    }

    private mutating func commit(_ count: Int) {
        for proposal in proposals.prefix(count) {
            committed.append(
                .receipt(
                    Receipt(
                        session: proposal.session, family: proposal.family, mutation: proposal.mutation.id, frame: Array("receipt".utf8))))
            if proposal.mutation.id % 3 != 0, let family = (0..<2).first(where: { Self.id(0xF, $0) == proposal.family }) { change(family) }
        }
        proposals.removeFirst(min(count, proposals.count))
    }

    private mutating func deliverCommits() throws {
        let results = committed
        committed = []
        hub.committed(results)
        try drain()
    }

    /// Reads the current state; the result may be delayed.
    private mutating func execute(_ index: Int) {
        let (id, request) = reads.remove(at: index)
        switch request {
        case .signIn(let token):
            guard let number = Int(token), number < 4 else { return answers.append((id, .signIn(nil))) }
            let memberships = (0..<2).compactMap { family in
                families[family].members[number].role.map {
                    Membership(
                        family: Self.id(0xF, family), name: "Family \(family)", member: Self.id(0xA + UInt64(family), number), role: $0)
                }
            }
            person[id] = number
            // The first use of a token from a code waits for the writer.
            let isOpen = unused.remove(number) != nil
            answers.append(
                (id, .signIn(SignedIn(session: Int64(number), person: Int64(number), memberships: memberships, isRedemptionOpen: isOpen))))
        case .redemption(let code, let nonce):
            let refusal = code == "3" ? Rejection(.codeUnknown, "This code is not valid.") : nil
            answers.append((id, .redemption(code: code, nonce: nonce, refusal: refusal)))
        case .join(let number, let join):
            let family = Self.id(0xF, 0) == join.family ? 0 : 1
            let state = families[family]
            guard let role = state.members[Int(number)].role else {
                return answers.append((id, .join(.failure(Rejection(.notFound, "There is no family with this id, or you are not a member of it. Check the id.")))))
            }
            let athletes = state.members.indices.filter { state.members[$0].role == .athlete }.map { Self.id(0xA + UInt64(family), $0) }
            var resume = JoinResult.Resume.snapshot
            if let cursor = join.cursor {
                guard cursor.sequence <= state.head else {
                    return answers.append((id, .join(.failure(Rejection(.cursorAhead, "Join without a cursor.")))))
                }
                resume = cursor.sequence % 5 == 4 ? .reset(.logTrimmed) : .changes
            }
            answers.append(
                (
                    id,
                    .join(
                        .success(
                            JoinResult(
                                epoch: "e", head: state.head, member: Self.id(0xA + UInt64(family), Int(number)), role: role,
                                athletes: athletes, resume: resume)))
                ))
        case .changes(let identifier, let after):
            let family = Self.id(0xF, 0) == identifier ? 0 : 1
            let last = min(families[family].head, after + 3)
            let frames = after < last ? (after + 1...last).map { frame(family, $0) } : []
            let reachedEnd = last == families[family].head
            answers.append(
                (
                    id,
                    .changes(
                        frames: frames, last: max(last, after), reachedEnd: reachedEnd, checksum: reachedEnd ? StateChecksum(UInt32(last)) : nil)
                ))
        case .snapshot(let identifier):
            let family = Self.id(0xF, 0) == identifier ? 0 : 1
            // Sometimes more than one portion.
            let frames = Array(repeating: families[family].head % 2 == 0 ? Self.smallFrame : Self.largeFrame, count: 3)
            let sums = SnapshotVerification(checksum: StateChecksum(UInt32(families[family].head)), unsent: StateChecksum())
            answers.append((id, .snapshot(frames: frames, sequence: families[family].head, sums)))
        case .page, .statistics, .history, .digest, .accessLog, .invites, .audit, .standings, .sessions, .calendars: answers.append((id, .page(Array("page".utf8))))
        }
    }

    private mutating func deliver(_ index: Int) throws {
        let (id, answer) = answers.remove(at: index)
        hub.answered(id, answer, time: 1)
        try drain()
    }

    private mutating func obey(_ index: Int) throws {
        let (id, command) = commands.remove(at: index)
        switch command {
        case .closeRedemption: hub.commanded(id, .redemptionClosed)
        case .invite, .withdrawInvite, .consent, .renameSession, .createToken, .addDevice, .calendars, .deletion: hub.commanded(id, .rejected(Rejection(.notFound, "There is no such invite. Nothing was changed.")))
        case .redeem(let code, _, _, _):
            let number = Int(code) ?? 9
            if number < 3 { unused.insert(number) }
            hub.commanded(
                id,
                number < 3
                    ? .token("\(number)", family: Self.id(0xF, 0), member: Self.id(0xA, number), ended: number == 2 ? 2 : nil)
                    : .rejected(Rejection(.codeUnknown, "This code is not valid.")))
        }
        try drain()
    }

    // MARK: Effects

    private mutating func drain() throws {
        for effect in hub.takeEffects() {
            switch effect {
            case .send(let id, let octets): try sent(octets, to: id)
            case .close(let id, _, _, _):
                try hold(seen[id]?.isEnded == false, "a session is ended twice, or after it has gone")
                seen[id]?.isEnded = true
            case .propose(let proposal): proposals.append(proposal)
            case .read(let id, let request): reads.append((id, request))
            case .command(let id, let command): commands.append((id, command))
            case .signInByName(let id, let signIn):
                hub.answered(
                    id,
                    signIn.secrets.password == nil
                        ? .failure(Rejection(.signInFailed, "Wrong.")) : .success(NameSignedIn(token: "1", device: "device")))
            case .account(let id, _, _, _): hub.answered(id, .success(AccountAnswer(state: AccountState())))
            case .endSession(let number):
                try hold(hub.hasEnded(number), "a session that is being ended continues")
                endings.append(number)
            default: break
            }
        }
        try hold(hub.openSessions == open.count, "\(hub.openSessions) sessions count as open, \(open.count) are")
        let waiting = proposals.count + committed.count { if case .receipt = $0 { true } else { false } }
        try hold((hub.pendingOctets == 0) == (waiting == 0), "\(hub.pendingOctets) octets count as waiting, in \(waiting) mutations")
        try hold(hub.snapshotOctets >= 0 && hub.snapshotReads.count <= Hub.maxSnapshotReads, "snapshots are miscounted")
    }

    private mutating func sent(_ octets: [UInt8], to id: SessionID) throws {
        guard var session = seen[id], !session.isEnded else { throw Broken(description: "something is sent after the end") }
        let isOfFamily = octets.first != UInt8(ascii: "{")
        try hold(!isOfFamily || octets == Array("receipt".utf8) || hub.session(id)?.phase != .ending, "who signed out gets something of the family")
        defer { seen[id] = session }
        if octets.first == 0x73 {
            try hold(session.family != nil && session.cursor == nil, "a snapshot that is not due")
            return
        }
        let words = String(decoding: octets, as: UTF8.self).split(separator: " ")
        switch words.first {
        case "receipt", "page": return
        case "change":
            guard let family = Int(words[1]), let sequence = Int64(words[2]) else { throw Broken(description: "a change is garbled") }
            try hold(session.family == family, "a change of another family")
            try hold(session.cursor.map { sequence == $0 + 1 } ?? false, "change \(sequence) after \(session.cursor ?? -1)")
            session.cursor = sequence
            return
        default: break
        }
        switch try ServerFrame.decode(octets) {
        case .joined(let joined):
            try hold(session.family == nil, "joined twice")
            session.family = (0..<2).first { Self.id(0xF, $0) == joined.family }
            session.cursor = joined.resumesByChanges ? session.joined?.cursor?.sequence : nil
            try hold(
                joined.context == .all || joined.role != .athlete || joined.context == .athlete(joined.member), "an athlete looks elsewhere"
            )
        case .reset: try hold(session.family != nil && session.cursor == nil, "a reset that is not due")
        case .snapshotEnd(let sequence, let sums):
            try hold(sums?.checksum.value == UInt32(sequence), "a snapshot of \(sequence) has the checksum of another sequence")
            try hold(session.family != nil && session.cursor == nil, "a snapshot's end that is not due")
            session.cursor = sequence
        case .live(let sequence, let checksum):
            try hold(checksum?.value == UInt32(sequence), "live at \(sequence) with the checksum of another sequence")
            try hold(session.cursor == sequence && !session.isLive, "live at \(sequence), having \(session.cursor ?? -1)")
            session.isLive = true
        case .checksum(let sequence, let checksum):
            try hold(session.isLive && session.cursor == sequence, "a checksum of \(sequence), having \(session.cursor ?? -1)")
            try hold(checksum.value == UInt32(sequence), "the checksum of another sequence than \(sequence)")
        case .presence(let presence):
            guard let family = session.family else { throw Broken(description: "presence without a join") }
            try hold(presence.member.high == Self.id(0xA + UInt64(family), 0).high, "presence of another family")
        case .upload: throw Broken(description: "an upload that nobody sends")
        case .context, .role: try hold(session.family != nil, "a frame without a join")
        default: break
        }
    }
}
