import Bytes
import Crypto
import Family
import Locks
import Posix
import Sessions
import Sync
import Wire

/// One of the clients of the restart test: a real session on a thread of its own that edits without pause.
final class EditingClient: Sendable {
    /// The state that this client's thread shares with the test's.
    private struct Shared {
        var waker: ClientWaker?
        /// The newest sequence of its own mutations, once all have been answered.
        var newest: Int64?
        /// The sequence that the client must reach before it ends.
        var target: Int64?
        var tally: Tally
    }

    /// An answer came: ack or final rejection.
    static let answered = UInt8(ascii: "a")
    /// All requests have been answered.
    static let finished = UInt8(ascii: "f")
    /// It cannot continue; the tally says why.
    static let failed = UInt8(ascii: "x")

    private let shared: Lock<Shared>
    private let thread: Lock<Thread?> = Lock(nil)

    /// - Parameters:
    ///   - side: 0 or 1: which of the fields it edits, so that most edits are disjoint.
    ///   - progress: a descriptor on which an octet reports each event.
    init(
        _ address: ServerAddress, _ member: Demo.Member, athletes: [Identifier], side: Int, mutations: Int, seed: UInt64, progress: Int32,
        deadline: Int64
    ) {
        let client = Random.identifier(milliseconds: Clock.wallMilliseconds())
        shared = Lock(Shared(tally: Tally(client: client)))
        let token = member.token
        let started = Thread.start(name: "contender\(side)") { [self] in
            do {
                let configuration = SyncEngine.Configuration(token: token, client: client, seed: seed)
                let session = try ClientSession(address, configuration)
                shared.withLock { $0.waker = session.waker }
                var run = Run(
                    session: session, editor: Editor(side: side, athletes: athletes, seed: seed), client: client, quota: mutations,
                    progress: progress, deadline: deadline)
                let failure: (any Error)?
                do {
                    try run.play(finished: { newest in shared.withLock { $0.newest = newest } }, target: { shared.withLock { $0.target } })
                    failure = nil
                } catch { failure = error }
                run.close()
                shared.withLock { $0.tally = run.tally }
                if let failure { throw failure }
            } catch {
                shared.withLock { $0.tally.complaints.append("\(error)") }
                try? Octets.writeAll(progress, [Self.failed])
            }
        }
        thread.withLock { $0 = started }
    }

    /// Makes it connect immediately.
    func hurry() { shared.withLock { $0.waker }?.post { $0.hurry() } }

    /// The newest sequence of its own mutations, once it has finished.
    var newest: Int64 { shared.withLock { $0.newest } ?? 0 }

    /// Asks it to end at a sequence, and waits for that.
    func end(at sequence: Int64) -> Tally {
        let waker = shared.withLock { shared in
            shared.target = sequence
            return shared.waker
        }
        // To be looked at.
        waker?.post { _ in }
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
        return shared.withLock { $0.tally }
    }
}

/// The thread's side.
private struct Run {
    let session: ClientSession
    var editor: Editor
    var tally: Tally
    let quota: Int
    let progress: Int32
    let deadline: Int64
    private var window = 1
    private var isLive = false
    private var hasFinished = false
    /// Unanswered when a connection was cut.
    private var unheard: Set<Int64> = []

    init(session: ClientSession, editor: Editor, client: Identifier, quota: Int, progress: Int32, deadline: Int64) {
        self.session = session
        self.editor = editor
        tally = Tally(client: client)
        self.quota = quota
        self.progress = progress
        self.deadline = deadline
    }

    mutating func play(finished: (Int64) -> Void, target: () -> Int64?) throws {
        session.start()
        while true {
            try ask()
            if tally.issued.count >= quota, session.engine.pending.isEmpty, !hasFinished {
                hasFinished = true
                finished(tally.acknowledged.values.compactMap(\.sequence).max() ?? 0)
                try Octets.writeAll(progress, [EditingClient.finished])
            }
            if hasFinished, let target = target(), session.engine.cursor?.sequence ?? 0 >= target { return }
            guard Clock.monotonicMilliseconds() < deadline else {
                throw Unexpected("late: \(session.engine.phase), \(session.engine.pending.prefix(3)), \(session.lastFailure ?? "")")
            }
            for event in try session.turn(until: deadline) { try take(event) }
        }
    }

    mutating func close() {
        session.leave()
        tally.records = session.engine.confirmedRecords
        tally.drafts = Set(session.engine.drafts.map(\.id))
        tally.pending = session.engine.pending.count
        tally.cursor = session.engine.cursor
        if session.engine.faultCount > 0 { tally.complaints.append("\(session.engine.faultCount) faults") }
    }

    /// Edits until enough is under way; a person would edit without a connection as well.
    private mutating func ask() throws {
        guard session.engine.cursor != nil else { return }
        var attempts = 0
        while tally.issued.count < quota, session.engine.pending.count < window, attempts < 100 {
            attempts += 1
            if let draft = editor.draftToRetry(session.engine) {
                // A draft may need two mutations: a deleted record is restored first.
                if try session.retry(draft: draft) != nil { tally.retried.insert(draft) }
            } else {
                guard let operations = editor.operations(session.engine) else { continue }
                _ = try session.perform(operations)
            }
            tally.issued.formUnion(session.engine.pending.map(\.id))
            window = editor.window()
        }
    }

    private mutating func take(_ event: SessionEvent) throws {
        switch event {
        case .replaced:
            tally.snapshots += 1
            editor.learn(session.engine)
        case .stopped(let reason): throw Unexpected("stopped: \(reason)")
        case .changed: break
        case .notice(let notice): try take(notice)
        }
    }

    private mutating func take(_ notice: SyncNotice) throws {
        switch notice {
        case .joined(let joined): if joined.resumesByChanges { tally.resumes += 1 }
        case .live: isLive = true
        case .offline:
            guard isLive else { return }
            isLive = false
            let unanswered = session.engine.pending.filter { $0.state == .resend }.map(\.id)
            tally.cuts.append(unanswered.count)
            unheard.formUnion(unanswered)
        case .change(let change, _): editor.learn(change)
        case .acknowledged(let ack):
            tally.issued.insert(ack.mutation)
            if tally.acknowledged.updateValue(ack, forKey: ack.mutation) != nil || tally.rejected[ack.mutation] != nil {
                tally.complaints.append("mutation \(ack.mutation) was answered twice")
            }
            // Before it was sent again: a client that catches up receives changes of the server that was killed.
            if unheard.remove(ack.mutation) != nil, !isLive, ack.sequence != nil { tally.doneUnheard += 1 }
            try Octets.writeAll(progress, [EditingClient.answered])
        case .rejected(let id, _):
            unheard.remove(id)
            if let draft = session.engine.drafts.first(where: { $0.id == id }) {
                if tally.rejected.updateValue(draft, forKey: id) != nil || tally.acknowledged[id] != nil {
                    tally.complaints.append("mutation \(id) was answered twice")
                }
            } else {
                tally.complaints.append("mutation \(id) was refused and is not a draft")
            }
            try Octets.writeAll(progress, [EditingClient.answered])
        case .reset(let reason): tally.complaints.append("reset: \(reason.map { "\($0)" } ?? "ahead")")
        case .fault(let fault): tally.complaints.append("fault: \(fault)")
        case .failed(let rejection, _): tally.complaints.append("refused: \(rejection)")
        case .welcome, .postponed, .presence, .upload, .activity, .context, .role, .recovered, .mailFailed, .reminder, .reminderSeen, .answer: break
        }
    }
}
