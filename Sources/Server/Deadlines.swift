/// The clocks of one connection, in milliseconds of the reactor's clock; pure.
struct Deadlines {
    /// Octets of a message that have to come for each second after `Limits.messageTime`: fewer than any link that people use brings.
    static let octetsPerSecond: Int64 = 1_024

    /// When the last octet came from the peer.
    private(set) var heardAt: Int64
    /// When the wait for a request, for an answer or for the end began.
    var since: Int64
    /// When the ping was sent that is not answered.
    private var pingedAt: Int64?
    /// Since when a message has been on its way, and the octets of it that came.
    private var messageSince: Int64?
    private var messageOctets: Int64 = 0

    init(now: Int64) {
        heardAt = now
        since = now
    }

    mutating func heard(now: Int64) { heardAt = now }

    // MARK: Messages

    /// Octets have come. A client that sends a message octet by octet holds its memory for as long, so it has to make progress.
    ///
    /// - Parameter isWithinMessage: a message has begun and not ended.
    /// - Returns: whether a message began: look at `messageDue`.
    mutating func noteProgress(_ count: Int, isWithinMessage: Bool, now: Int64) -> Bool {
        guard isWithinMessage else {
            messageSince = nil
            return false
        }
        let begins = messageSince == nil
        if begins {
            messageSince = now
            messageOctets = 0
        }
        messageOctets += Int64(count)
        return begins
    }

    /// When a message that is on its way has to be whole; `nil` without one.
    ///
    /// - Parameter time: for any message, `Limits.messageTime`.
    func messageDue(time: Int) -> Int64? {
        messageSince.map { $0 + Int64(time) + messageOctets * 1_000 / Deadlines.octetsPerSecond }
    }

    // MARK: Pings

    enum Liveness: Equatable {
        /// Look again then.
        case quiet(until: Int64)
        /// The peer has been silent for long: send a ping, and report it with `pinged`.
        case asks
        /// The peer does not answer.
        case gone
    }

    mutating func pinged(now: Int64) { pingedAt = now }

    mutating func ponged() { pingedAt = nil }

    /// Finds peers that have gone without a word.
    ///
    /// - Parameters:
    ///   - interval: of silence before a ping.
    ///   - pongTime: for the answer.
    mutating func liveness(now: Int64, interval: Int, pongTime: Int) -> Liveness {
        if let asked = pingedAt, heardAt > asked { pingedAt = nil }
        guard let asked = pingedAt else {
            return now - heardAt >= Int64(interval) ? .asks : .quiet(until: heardAt + Int64(interval))
        }
        return now - asked >= Int64(pongTime) ? .gone : .quiet(until: asked + Int64(pongTime))
    }
}
