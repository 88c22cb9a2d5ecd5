internal import Family

/// How fast a transfer is and how long it still takes, from what it reports.
package struct TransferMeter: Hashable, Sendable {
    /// Octets when it is done; `nil` while nobody knows.
    package var total: Int64?
    package private(set) var octets: Int64
    /// Octets a second; `nil` until there is enough to tell.
    package private(set) var rate: Double?
    private let began: Int64
    private var since: Int64
    private var sinceOctets: Int64

    /// Milliseconds of a measurement: shorter ones jump with every buffer of the kernel.
    private static let span: Int64 = 500
    /// Milliseconds that count: at first the average of all, then mostly the last of these, so that neither a network that comes in gusts nor a
    /// kernel that takes the first megabytes at once makes the figures jump.
    private static let memory: Int64 = 10_000
    /// Milliseconds before a remaining time is told: before that it would be a guess.
    private static let settling: Int64 = 1_000

    /// - Parameters:
    ///   - octets: what is done already.
    ///   - now: milliseconds of a clock that only grows.
    package init(total: Int64?, octets: Int64 = 0, now: Int64) {
        self.total = total
        self.octets = octets
        (began, since) = (now, now)
        sinceOctets = octets
    }

    /// Takes how far it is. Going back (a new beginning) is no rate.
    package mutating func report(_ octets: Int64, now: Int64) {
        self.octets = octets
        guard octets >= sinceOctets else {
            (since, sinceOctets) = (now, octets)
            return
        }
        guard now - since >= Self.span else { return }
        let measured = Double(octets - sinceOctets) * 1_000 / Double(now - since)
        let weight = Double(now - since) / Double(max(min(now - began, Self.memory), now - since))
        rate = rate.map { $0 + (measured - $0) * weight } ?? measured
        (since, sinceOctets) = (now, octets)
    }

    /// Whole percent, 100 only when all of it is done; `nil` while the length is not known.
    package var percent: Int? {
        guard let total else { return nil }
        if octets >= total { return 100 }
        return max(0, min(99, Int(Double(octets) / Double(max(1, total)) * 100)))
    }

    /// Seconds to go; `nil` when that cannot be told.
    package var remaining: Int64? {
        guard let total, let rate, rate > 1, since - began >= Self.settling else { return nil }
        return Int64((Double(max(0, total - octets)) / rate).rounded(.up))
    }

    /// "0:17"; from a minute on in steps of five seconds, from ten on in minutes: nobody needs to see the rest flicker.
    private static func words(_ seconds: Int64) -> String {
        guard seconds < 600 else { return "\((seconds + 59) / 60) min" }
        let shown = seconds < 60 ? seconds : (seconds + 4) / 5 * 5
        return "\(shown / 60):\(shown % 60 < 10 ? "0" : "")\(shown % 60)"
    }

    /// "[######----] 45 %  3.2 MB/s  0:17 left", as wide as asked with a bar of what is left of it.
    ///
    /// - Parameter columns: 0 for no bar.
    package func line(columns: Int) -> String {
        var words = percent.map { "\($0) %" } ?? ByteCount.text(octets)
        if let rate, octets < total ?? .max { words += "  \(ByteCount.text(Int64(rate)))/s" }
        if let total, total > 0, octets >= total {
            words += "  being checked"
        } else if let remaining, remaining > 0 {
            words += "  \(Self.words(remaining)) left"
        }
        let room = min(30, columns - words.count - 4)
        guard let percent, room >= 5 else { return words }
        let full = room * percent / 100
        return "[" + String(repeating: "#", count: full) + String(repeating: "-", count: room - full) + "] " + words
    }
}
