/// Which request has its turn at one upload, which ones wait, and who yields: a value without clocks, files or connections.
///
/// One request at a time has the turn. A newer one makes it yield, because its client has given the older request up, or soon will. A newer
/// request whose octets would not go on where the older one leaves off makes nobody yield: it is refused, and the older one continues, so that of
/// several clients that race one always wins. A tus client that only asks does not interrupt either while octets keep coming: it waits for a
/// moment whether the older request falls silent, and is answered then with what is stored.
///
/// Feed it events in the order in which they happen, and do what each returns, in order.
package struct UploadTurns: Sendable {
    /// Requests that may wait at one upload. A client that asks without waiting for answers has more.
    package static let maxWaiting = 8
    /// Milliseconds without an octet after which the client of a request counts as gone; longer than the pauses of a link that works.
    package static let silence: Int64 = 500
    /// Milliseconds for which a request that only asks waits whether the other one falls silent.
    package static let patience: Int64 = 2_000

    /// The name of a request at this upload.
    package typealias Request = UInt64

    /// What a request wants to do once it has the turn.
    package enum Purpose: Hashable, Sendable {
        /// Add octets at an offset.
        case append(at: Int64)
        /// Ask for the offset, in a protocol (tus) in which this does not end another's request.
        case ask
        /// Anything else: it makes the other request yield.
        case other
    }

    /// How far the request that has the turn is.
    package enum Progress: Hashable, Sendable {
        /// The file is being opened; octets will go on at this offset.
        case beginning(offset: Int64)
        case receiving(Receiving)
        /// Its result is certain: it cannot yield, and ends soon.
        case ending
        /// It repeats the result of an upload that has ended, once it knows that its content is empty.
        case repeating
    }

    /// A request whose content is on its way.
    package struct Receiving: Hashable, Sendable {
        /// Where its octets began.
        package var start: Int64
        /// Octets that the disk was given.
        package var given: Int64
        /// Octets that came and the disk was not given yet.
        package var gathered: Int64
        /// All of its octets count or none: it has a checksum.
        package var isWhole: Bool
        /// Octets are on their way to the disk.
        package var isWriting: Bool
        /// When octets last came, or when it began to receive, milliseconds.
        package var heardAt: Int64

        package init(start: Int64, given: Int64, gathered: Int64, isWhole: Bool, isWriting: Bool, heardAt: Int64) {
            self.start = start
            self.given = given
            self.gathered = gathered
            self.isWhole = isWhole
            self.isWriting = isWriting
            self.heardAt = heardAt
        }
    }

    package enum Event: Sendable {
        /// A request has come to the upload.
        case entered(Request, Purpose)
        /// The request that made the upload has the turn from the beginning.
        case created(Request)
        /// A moment has passed while requests wait (`.lookLater`).
        case looked
        /// The request that had the turn has ended.
        case ended
        /// The server itself has the turn, or gives it up: it makes the document of an upload that was full when it started.
        case blocked
        case unblocked
        /// The upload is gone. Requests that wait get the turn, to find that.
        case removed
    }

    package enum Action: Equatable, Sendable {
        /// The request has the turn now. Report `.looked` after it has begun, if it still has the turn.
        case grant(Request)
        /// The request that has the turn stores what came and ends; the next one goes on at this offset, if it adds octets.
        case yield(Request, to: Int64?)
        /// Too many wait.
        case refuseBusy(Request)
        /// Its octets would not go on where the upload will be.
        case refuseOffset(Request, provided: Int64)
        /// Answer it with what is stored, while the other one continues.
        case answer(Request)
        /// Report `.looked` in a moment.
        case lookLater
    }

    private struct Waiting: Sendable {
        let request: Request
        let purpose: Purpose
        let enteredAt: Int64
    }

    /// The request that has the turn.
    package private(set) var holder: Request?
    private var waiting: [Waiting] = []
    private var isBlocked = false

    package init() {}

    /// Nobody has the turn.
    package var isFree: Bool { holder == nil && !isBlocked }

    /// Requests wait for the turn.
    package var isAwaited: Bool { !waiting.isEmpty }

    /// - Parameters:
    ///   - progress: of the request that has the turn; `nil` when none has it.
    ///   - now: milliseconds of a clock that does not go back.
    package mutating func receive(_ event: Event, progress: Progress?, now: Int64) -> [Action] {
        switch event {
        case .entered(let request, let purpose):
            guard waiting.count < UploadTurns.maxWaiting else { return [.refuseBusy(request)] }
            waiting.append(Waiting(request: request, purpose: purpose, enteredAt: now))
            return holder == nil ? grantNext() : press(progress, now)
        case .created(let request):
            holder = request
            return []
        case .looked: return press(progress, now)
        case .ended:
            holder = nil
            return grantNext()
        case .blocked:
            isBlocked = true
            return []
        case .unblocked:
            isBlocked = false
            return grantNext()
        case .removed: return grantNext()
        }
    }

    private mutating func grantNext() -> [Action] {
        guard isFree, !waiting.isEmpty else { return [] }
        let next = waiting.removeFirst().request
        holder = next
        return [.grant(next)]
    }

    /// Lets the requests that wait make the holder yield, except those whose octets would be refused when it has.
    private mutating func press(_ progress: Progress?, _ now: Int64) -> [Action] {
        guard let holder, let progress, !waiting.isEmpty else { return [] }
        var actions: [Action] = []
        remove { other in
            guard case .append(let offset) = other.purpose, progress.makesWay(for: offset, now: now) == false else { return false }
            actions.append(.refuseOffset(other.request, provided: offset))
            return true
        }
        guard !waiting.isEmpty else { return actions }
        guard progress.isMoving(now: now), waiting.allSatisfy({ $0.purpose == .ask }) else {
            let offset = waiting.lazy.compactMap { if case .append(let offset) = $0.purpose { offset } else { nil } }.first
            return actions + [.yield(holder, to: offset)]
        }
        remove { other in
            guard now - other.enteredAt >= UploadTurns.patience else { return false }
            actions.append(.answer(other.request))
            return true
        }
        return waiting.isEmpty ? actions : actions + [.lookLater]
    }

    private mutating func remove(_ isDone: (Waiting) -> Bool) {
        waiting = waiting.filter { !isDone($0) }
    }
}

extension UploadTurns.Progress {
    /// A client is at the other end, as far as one can see: octets came lately, or are on their way to the disk.
    func isMoving(now: Int64) -> Bool {
        switch self {
        case .beginning: true
        case .receiving(let content): content.isWriting || now - content.heardAt < UploadTurns.silence
        case .ending, .repeating: false
        }
    }

    /// Whether another request could go on at `offset` if this one yields now and the disk does not fail; `nil` when it is ending already.
    func makesWay(for offset: Int64, now: Int64) -> Bool? {
        switch self {
        case .beginning(let start): return offset == start
        // With a checksum it is taken whole or not at all.
        case .receiving(let content) where content.isWhole: return offset == content.start
        case .receiving(let content):
            let stored = content.start + content.given
            // A client that knows nothing of the last octets may send them again, but not to one that is just sending them.
            return offset == stored + content.gathered || offset == stored && !isMoving(now: now)
        case .ending, .repeating: return nil
        }
    }
}
