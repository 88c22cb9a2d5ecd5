internal import Crypto
package import HTTP1

/// Limits how many mails one person, one address or one network can cause, so that the server fills nobody's mailbox.
///
/// - Each subject (a person, an address, or a text that somebody gave as their name): 5 mails per hour.
/// - Each network: 10 requests for a recovery in 10 minutes.
///
/// A text that names no person has the same limits as one that names a person.
package struct MailThrottle {
    /// Mails of one subject in `subjectTime`.
    package static let subjectMails = 5
    /// Tries to confirm an address, of one person in `subjectTime`.
    package static let confirmations = 20
    /// Milliseconds.
    package static let subjectTime: Int64 = 3_600_000
    /// Requests of one network in `networkTime`.
    package static let networkRequests = 10
    /// Milliseconds.
    package static let networkTime: Int64 = 600_000

    /// The cause or the receiver of a mail.
    package struct Subject: Hashable, Sendable {
        private let high: UInt64
        private let low: UInt64

        private init(_ text: String) {
            let digest = Digest.sha256(Array(text.utf8))
            high = digest[..<8].reduce(0) { $0 << 8 | UInt64($1) }
            low = digest[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
        }

        package static func person(_ person: Int64) -> Subject { Subject("person \(person)") }
        /// Tries of a person to confirm an address.
        package static func confirmation(of person: Int64) -> Subject { Subject("confirmation \(person)") }
        package static func address(_ address: String) -> Subject { Subject("address \(address.lowercased())") }
        /// A text by which somebody asks for a recovery.
        package static func recovery(_ text: String) -> Subject { Subject("recovery \(text.lowercased())") }
    }

    private var subjects: AgingTable<Subject, AttemptWindow>
    private var networks: AgingTable<NetworkAddress, AttemptWindow>

    /// - Parameter entries: half of the largest number of entries of each table.
    package init(entries: Int = 20_000) {
        subjects = AgingTable(half: entries)
        networks = AgingTable(half: entries)
    }

    /// Counts one mail, or one try, for all of some subjects.
    ///
    /// - Returns: with nothing counted, the milliseconds until all of them have room; `nil` if it was counted.
    package mutating func count(_ counted: [Subject], limit: Int = Self.subjectMails, now: Int64) -> Int64? {
        let wait = counted.map { subjects[$0]?.wait(now: now, limit: limit, time: Self.subjectTime) ?? 0 }.max() ?? 0
        guard wait == 0 else { return wait }
        for subject in counted { subjects[subject, default: AttemptWindow()].add(1, now: now, time: Self.subjectTime) }
        return nil
    }

    /// Counts one request of a network for a recovery.
    ///
    /// - Parameter network: `nil` for a connection that is not counted by address.
    /// - Returns: as above.
    package mutating func count(_ network: NetworkAddress?, now: Int64) -> Int64? {
        guard let group = network?.limitGroup else { return nil }
        if let wait = networks[group]?.wait(now: now, limit: Self.networkRequests, time: Self.networkTime), wait > 0 { return wait }
        networks[group, default: AttemptWindow()].add(1, now: now, time: Self.networkTime)
        return nil
    }
}
