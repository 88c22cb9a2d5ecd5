/// The clocks of one connection, in milliseconds of the reactor's clock. It has no side effects.
struct Deadlines {
    /// The octets of a message that must arrive for each second after `Limits.messageTime`: fewer than any usual link
    /// delivers.
    static let octetsPerSecond: Int64 = 1_024

    /// The time of the peer's last octet.
    private(set) var heardAt: Int64
    /// The time at which the wait for a request, for an answer or for the end began.
    var since: Int64
    /// The time of the ping that is not answered yet.
    private var pingedAt: Int64?
    /// The time at which the current message began, and the number of its octets that have arrived.
    private var messageSince: Int64?
    private var messageOctets: Int64 = 0

    init(now: Int64) {
        heardAt = now
        since = now
    }

    mutating func heard(now: Int64) { heardAt = now }

    // MARK: Messages

    /// Notes that octets have come. A client that sends a message octet by octet occupies memory for as long, so it
    /// must make progress.
    ///
    /// - Parameter isWithinMessage: whether a message has begun and not ended.
    /// - Returns: whether a message began: check `messageDue`.
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

    /// The time by which the current message must be complete; `nil` without one.
    ///
    /// - Parameter time: the time for any message, `Limits.messageTime`.
    func messageDue(time: Int) -> Int64? {
        messageSince.map { $0 + Int64(time) + messageOctets * 1_000 / Deadlines.octetsPerSecond }
    }

    // MARK: Pings

    enum Liveness: Equatable {
        /// Check again at this time.
        case quiet(until: Int64)
        /// The peer has been silent for long: send a ping, and report it with `pinged`.
        case asks
        /// The peer does not answer.
        case gone
    }

    mutating func pinged(now: Int64) { pingedAt = now }

    mutating func ponged() { pingedAt = nil }

    /// Detects peers that have vanished without closing.
    ///
    /// - Parameters:
    ///   - interval: the silence before a ping.
    ///   - pongTime: the time for the answer.
    mutating func liveness(now: Int64, interval: Int, pongTime: Int) -> Liveness {
        if let asked = pingedAt, heardAt > asked { pingedAt = nil }
        guard let asked = pingedAt else {
            return now - heardAt >= Int64(interval) ? .asks : .quiet(until: heardAt + Int64(interval))
        }
        return now - asked >= Int64(pongTime) ? .gone : .quiet(until: asked + Int64(pongTime))
    }
}
