import Bytes
import Family
import Rooms
import Store

/// The writer's queue: jobs in classes, each with a bound of its own, in the order in which the writer does them.
///
/// A value without threads or clocks. The order:
/// 1. Revocations, all waiting ones together: they overtake everything. Between two batches of them the writer does one
/// piece of other work, so that a member who keeps ending rights does not stop anybody's writing.
/// 2. A batch of mutations, with the waiting proposals of HTTP requests. Families take turns with one mutation each;
/// the mutations of one family, and so those of a session, keep their order. If a batch had no time for all mutations
/// of a family, that family skips the next batch while others wait: a batch is acknowledged as a whole, so the others
/// would wait for its next mutation too, and the longest takes as long as four shares of time.
/// 3. One other job, from each class in turn, oldest first. Then the next batch.
/// 4. `stop`, when nothing else waits.
///
/// So one class never takes another's room, no class waits for more than one job of each other class and a batch before
/// each of them, and a family waits for at most one mutation of each other family, however many these have, or for the
/// current one.
struct WriterQueue: Sendable {
    enum Class: String, CaseIterable, Sendable {
        /// Sign-outs and ends of share links.
        case revocation
        case mutation
        /// Documents and share links, which HTTP requests propose.
        case proposal
        /// Commands of `huddled`'s own processes.
        case admin
        /// HTTP requests of members.
        case request
        /// Jobs of clients that have not signed in.
        case stranger
        /// Exports and imports.
        case transfer
        /// The removal of files.
        case sweep
        /// Steps in the delivery of mails.
        case mail
        /// Notes of views and uses.
        case usage
        case maintenance
        /// Reminders that are due.
        case reminders

        /// The largest number of waiting jobs of the class; for mutations, of mutations.
        var limit: Int {
            switch self {
            // The largest number that `EndedRights` can have waiting, of sessions and of links.
            case .revocation: 2 * EndedRights<Int64>.maxPending
            // Some seconds of work. `Limits.pendingOctets` bounds their memory.
            case .mutation: 65_536
            // `AdminServer` accepts as many connections.
            case .admin: 64
            case .request, .proposal: 1_024
            case .stranger: 64
            // There is at most one transfer, one sweep and one mail at a time, and each waits for its answer.
            case .transfer, .sweep, .mail: 4
            // The next one accumulates while one waits.
            case .usage: 1
            case .maintenance: 1
            case .reminders: 1
            }
        }

        /// Whether a job that finds no room is merged with the waiting one, so that nothing is refused.
        var isMerged: Bool { self == .usage || self == .maintenance || self == .reminders }
    }

    /// The writer's next work.
    enum Work {
        case revocations([Revocation])
        case batch([Proposal], [RequestProposal])
        case job(WriterJob)
    }

    /// Jobs of one class that were refused, for one line of the log.
    struct Refusal: Equatable {
        var kind: Class
        var waiting: Int
        var refused: Int
    }

    private var revocations = WaitingLine<Revocation>()
    private var mutations = TurnQueue<Proposal>()
    /// Families that skip the next batch while others wait.
    private var resting: Set<Identifier> = []
    private var proposals = TurnQueue<RequestProposal>()
    private var others: [Class: WaitingLine<WriterJob>] = [:]
    /// The class whose job was done last.
    private var last = Class.revocation
    /// The number of waiting mutations of this round.
    private var round = 0
    /// Whether a batch of mutations is done, so that one other job is next.
    private var isOthersTurn = false
    /// Whether the last work was revocations.
    private var didRevoke = false
    private var end: WriterJob?
    private var isClosed = false
    private var refused: [Class: Int] = [:]

    // MARK: In

    /// - Returns: the number of accepted proposals, which are the first ones; there is no room for the others.
    mutating func put(_ proposals: [Proposal]) -> Int {
        guard isOpen else { return 0 }
        let taken = max(0, min(proposals.count, Class.mutation.limit - mutations.count))
        if taken < proposals.count { refused[.mutation, default: 0] += proposals.count - taken }
        guard taken > 0 else { return 0 }
        for proposal in proposals[..<taken] { mutations.append(proposal, of: proposal.family) }
        return taken
    }

    /// - Returns: as above.
    mutating func put(_ requests: [RequestProposal]) -> Int {
        guard isOpen else { return 0 }
        let taken = max(0, min(requests.count, Class.proposal.limit - proposals.count))
        if taken < requests.count { refused[.proposal, default: 0] += requests.count - taken }
        for request in requests[..<taken] { proposals.append(request, of: request.request.family) }
        return taken
    }

    /// Puts back the mutations and requests that were taken last and not done: they are the next ones of their
    /// families, whose turns come first.
    ///
    /// - Parameter batch: the mutations that were taken. The families of which some were done skip the next batch.
    mutating func putBack(_ rest: [Proposal], of batch: [Proposal] = [], _ requests: [RequestProposal] = []) {
        resting = Self.cut(batch, rest)
        mutations.putBack(rest) { $0.family }
        proposals.putBack(requests) { $0.request.family }
        round += rest.count
    }

    /// - Returns: false if there is no room, or the queue is closed.
    mutating func put(_ revocation: Revocation) -> Bool {
        guard isOpen, hasRoom(.revocation, revocations.count) else { return false }
        revocations.append(revocation)
        return true
    }

    /// - Returns: as above. `stop` always finds room, once.
    mutating func put(_ job: WriterJob) -> Bool {
        guard isOpen else { return false }
        guard let kind = job.kind else {
            end = job
            return true
        }
        guard hasRoom(kind, others[kind]?.count ?? 0) else { return false }
        others[kind, default: WaitingLine()].append(job)
        return true
    }

    /// Closes the queue: nothing more goes in or out.
    mutating func close() { isClosed = true }

    private var isOpen: Bool { !isClosed && end == nil }

    private mutating func hasRoom(_ kind: Class, _ waiting: Int) -> Bool {
        if waiting < kind.limit { return true }
        if !kind.isMerged { refused[kind, default: 0] += 1 }
        return false
    }

    // MARK: Out

    /// The next work; `nil` if there is none.
    mutating func take() -> Work? {
        if isClosed { return nil }
        if !didRevoke, let work = takeRevocations() { return work }
        didRevoke = false
        return takeOrdinary() ?? takeRevocations() ?? takeEnd()
    }

    private mutating func takeRevocations() -> Work? {
        guard !revocations.isEmpty else { return nil }
        didRevoke = true
        return .revocations(revocations.removeFirst(FamilyStore.maxBatch))
    }

    private mutating func takeOrdinary() -> Work? {
        if !isOthersTurn {
            if hasBatch { return takeBatch() }
        }
        isOthersTurn = false
        if let job = takeOther() { return .job(job) }
        return hasBatch ? takeBatch() : nil
    }

    private var hasBatch: Bool { !mutations.isEmpty || !proposals.isEmpty }

    private mutating func takeEnd() -> Work? {
        guard let job = end else { return nil }
        isClosed = true
        return .job(job)
    }

    private mutating func takeBatch() -> Work {
        if round == 0 { round = mutations.count }
        let batch = takeMutations()
        round = max(0, round - batch.count)
        isOthersTurn = true
        return .batch(batch, proposals.removeFirst(FamilyStore.maxRequests))
    }

    private mutating func takeMutations() -> [Proposal] {
        let resting = resting
        self.resting = []
        func mayHaveTurn(_ family: Identifier) -> Bool { !resting.contains(family) }
        guard !resting.isEmpty, mutations.contains(where: mayHaveTurn) || proposals.contains(where: mayHaveTurn) else {
            return mutations.removeFirst(FamilyStore.maxBatch)
        }
        var batch: [Proposal] = []
        while batch.count < FamilyStore.maxBatch, let next = mutations.removeFirst(where: mayHaveTurn) { batch.append(next) }
        return batch
    }

    /// The families of which a batch did some mutations, but not all.
    private static func cut(_ batch: [Proposal], _ rest: [Proposal]) -> Set<Identifier> {
        var left: [Identifier: Int] = [:]
        for proposal in rest { left[proposal.family, default: 0] += 1 }
        var taken: [Identifier: Int] = [:]
        for proposal in batch where left[proposal.family] != nil { taken[proposal.family, default: 0] += 1 }
        return Set(left.filter { $0.value < taken[$0.key] ?? 0 }.keys)
    }

    private mutating func takeOther() -> WriterJob? {
        let all = Class.allCases
        let start = all.firstIndex(of: last) ?? 0
        for step in 1...all.count {
            let kind = all[(start + step) % all.count]
            guard others[kind]?.isEmpty == false, let job = others[kind]?.removeFirst() else { continue }
            last = kind
            return job
        }
        return nil
    }

    /// Whether the mutations that waited when the round began are done and no revocation waits: the time for background
    /// work.
    var isBetweenRounds: Bool { round == 0 && revocations.isEmpty }

    /// Whether any work except the mutations of one family waits.
    func isAwaited(besides family: Identifier) -> Bool {
        if !revocations.isEmpty || others.values.contains(where: { !$0.isEmpty }) { return true }
        return mutations.hasItems(besides: family) || proposals.hasItems(besides: family)
    }

    // MARK: Figures

    /// The number of waiting jobs of a class.
    func waiting(_ kind: Class) -> Int {
        switch kind {
        case .revocation: revocations.count
        case .mutation: mutations.count
        case .proposal: proposals.count
        default: others[kind]?.count ?? 0
        }
    }

    /// The jobs that were refused for lack of room since the last call.
    mutating func takeRefusals() -> [Refusal] {
        if refused.isEmpty { return [] }
        defer { refused = [:] }
        return Class.allCases.compactMap { kind in
            refused[kind].map { Refusal(kind: kind, waiting: waiting(kind), refused: $0) }
        }
    }
}

extension WriterJob {
    /// The class in which the job waits; `nil` for `stop`.
    var kind: WriterQueue.Class? {
        switch self {
        case .command(_, .redeem), .command(_, .closeRedemption): .stranger
        case .command(_, .invite), .command(_, .withdrawInvite), .command(_, .consent), .command(_, .renameSession), .command(_, .createToken), .command(_, .addDevice), .command(_, .calendars), .command(_, .deletion): .request
        case .admin: .admin
        case .request, .seen: .request
        case .exported, .importing: .transfer
        case .forget, .erased: .sweep
        case .mail: .mail
        case .usage: .usage
        case .maintenance: .maintenance
        case .reminders: .reminders
        case .stop: nil
        }
    }
}
