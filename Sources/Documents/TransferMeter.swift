internal import Family

/// The speed of a transfer and its remaining time, from its progress reports.
package struct TransferMeter: Hashable, Sendable {
    /// The total number of octets; `nil` while it is unknown.
    package var total: Int64?
    package private(set) var octets: Int64
    /// Octets per second; `nil` until there are enough measurements.
    package private(set) var rate: Double?
    private let began: Int64
    private var since: Int64
    private var sinceOctets: Int64

    /// The smallest length of a measurement in milliseconds: shorter ones vary with every kernel buffer.
    private static let span: Int64 = 500
    /// The averaging time in milliseconds: the rate is first the average of all measurements, then mostly of the last
    /// of these milliseconds. Neither a network that delivers in bursts nor a kernel that buffers the first megabytes
    /// makes the figures jump.
    private static let memory: Int64 = 10_000
    /// The milliseconds before a remaining time is shown: an earlier one would be a guess.
    private static let settling: Int64 = 1_000

    /// - Parameters:
    ///   - octets: the octets that are done already.
    ///   - now: milliseconds of a monotonic clock.
    package init(total: Int64?, octets: Int64 = 0, now: Int64) {
        self.total = total
        self.octets = octets
        (began, since) = (now, now)
        sinceOctets = octets
    }

    /// Takes the current progress. A smaller number (a restart) does not count for the rate.
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

    /// Whole percent, 100 only when the transfer is complete; `nil` while the length is unknown.
    package var percent: Int? {
        guard let total else { return nil }
        if octets >= total { return 100 }
        return max(0, min(99, Int(Double(octets) / Double(max(1, total)) * 100)))
    }

    /// The remaining seconds; `nil` if they cannot be estimated.
    package var remaining: Int64? {
        guard let total, let rate, rate > 1, since - began >= Self.settling else { return nil }
        return Int64((Double(max(0, total - octets)) / rate).rounded(.up))
    }

    /// "0:17"; from one minute on in steps of five seconds, from ten minutes on in minutes, so that the figure does not
    /// flicker.
    private static func words(_ seconds: Int64) -> String {
        guard seconds < 600 else { return "\((seconds + 59) / 60) min" }
        let shown = seconds < 60 ? seconds : (seconds + 4) / 5 * 5
        return "\(shown / 60):\(shown % 60 < 10 ? "0" : "")\(shown % 60)"
    }

    /// "[######----] 45%  3.2 MB/s  0:17 left", in this width; the bar fills the rest of the line.
    ///
    /// - Parameter columns: the width; 0 for no bar.
    package func line(columns: Int) -> String {
        var words = percent.map { "\($0)%" } ?? ByteCount.text(octets)
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
