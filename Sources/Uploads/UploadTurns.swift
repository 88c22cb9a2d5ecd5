/// The turns of the requests at one upload: which request has the turn, which requests wait, and which one yields. A
/// value without clocks, files or connections.
///
/// One request at a time has the turn. A newer request makes it yield, because its client has abandoned the older
/// request, or soon will. A newer request whose octets would not continue at the older one's end makes no request
/// yield: it is refused, and the older one continues, so that one of several competing clients always wins. A tus
/// client that only asks for the offset does not interrupt while octets keep arriving: it waits a moment for the older
/// request to go quiet, and then gets the stored offset.
///
/// Pass it events in the order in which they happen, and carry out the returned actions in order.
package struct UploadTurns: Sendable {
    /// The largest number of requests that may wait at one upload. Only a client that sends requests without waiting
    /// for responses has more.
    package static let maxWaiting = 8
    /// The milliseconds without an octet after which a request's client counts as gone; longer than the pauses of a
    /// working link.
    package static let silence: Int64 = 500
    /// How long a request for the offset waits for the active request to go quiet, in milliseconds.
    package static let patience: Int64 = 2_000

    /// The id of a request at this upload.
    package typealias Request = UInt64

    /// The purpose of a request that gets the turn.
    package enum Purpose: Hashable, Sendable {
        /// Add octets at an offset.
        case append(at: Int64)
        /// Ask for the offset, in a protocol (tus) in which that does not end another request.
        case ask
        /// Any other purpose: it makes the other request yield.
        case other
    }

    /// The progress of the request that has the turn.
    package enum Progress: Hashable, Sendable {
        /// The file is being opened; octets will continue at this offset.
        case beginning(offset: Int64)
        case receiving(Receiving)
        /// The result is decided: the request cannot yield, and ends soon.
        case ending
        /// The request repeats the result of an ended upload, once its content is known to be empty.
        case repeating
    }

    /// The state of a request whose content is arriving.
    package struct Receiving: Hashable, Sendable {
        /// The offset at which its octets began.
        package var start: Int64
        /// The number of octets passed to the disk.
        package var given: Int64
        /// The number of octets received and not yet passed to the disk.
        package var gathered: Int64
        /// Whether all of its octets count or none: the request has a checksum.
        package var isWhole: Bool
        /// Whether octets are being written to the disk.
        package var isWriting: Bool
        /// The time at which octets last arrived, or at which it began to receive, in milliseconds.
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
        /// A request has arrived at the upload.
        case entered(Request, Purpose)
        /// The request that created the upload has the turn from the beginning.
        case created(Request)
        /// A moment has passed while requests wait (`.lookLater`).
        case looked
        /// The request with the turn has ended.
        case ended
        /// The server itself takes the turn, or releases it: it creates the document of an upload that was full at its
        /// start.
        case blocked
        case unblocked
        /// The upload is gone. The waiting requests get the turn, so that they detect that.
        case removed
    }

    package enum Action: Equatable, Sendable {
        /// The request has the turn now. Report `.looked` after it has begun, if it still has the turn.
        case grant(Request)
        /// The request with the turn stores its octets and ends; the next one continues at this offset, if it adds
        /// octets.
        case yield(Request, to: Int64?)
        /// Too many requests wait.
        case refuseBusy(Request)
        /// The request's octets would not continue at the upload's offset.
        case refuseOffset(Request, provided: Int64)
        /// Send the stored offset to this request, while the other one continues.
        case answer(Request)
        /// Report `.looked` in a moment.
        case lookLater
    }

    private struct Waiting: Sendable {
        let request: Request
        let purpose: Purpose
        let enteredAt: Int64
    }

    /// The request with the turn.
    package private(set) var holder: Request?
    private var waiting: [Waiting] = []
    private var isBlocked = false

    package init() {}

    /// Whether no request has the turn.
    package var isFree: Bool { holder == nil && !isBlocked }

    /// Whether requests wait for the turn.
    package var isAwaited: Bool { !waiting.isEmpty }

    /// - Parameters:
    ///   - progress: the progress of the request with the turn; `nil` if no request has it.
    ///   - now: milliseconds of a monotonic clock.
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

    /// Makes the holder yield for the waiting requests, except for requests whose octets would then be refused.
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
    /// Whether the client still seems to be connected: octets arrived lately, or are being written to the disk.
    func isMoving(now: Int64) -> Bool {
        switch self {
        case .beginning: true
        case .receiving(let content): content.isWriting || now - content.heardAt < UploadTurns.silence
        case .ending, .repeating: false
        }
    }

    /// Whether another request could continue at `offset` if this one yields now and the disk does not fail; `nil` if
    /// it is ending already.
    func makesWay(for offset: Int64, now: Int64) -> Bool? {
        switch self {
        case .beginning(let start): return offset == start
        // With a checksum, all octets count or none.
        case .receiving(let content) where content.isWhole: return offset == content.start
        case .receiving(let content):
            let stored = content.start + content.given
            // A client that does not know of the last octets may send them again, but not while another request is
            // sending them.
            return offset == stored + content.gathered || offset == stored && !isMoving(now: now)
        case .ending, .repeating: return nil
        }
    }
}
