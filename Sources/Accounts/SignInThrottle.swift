package import Bytes
internal import Crypto
internal import Folding
package import HTTP1

/// Slows down programs that guess passwords and codes, and locks nobody out.
///
/// - Each account and address: after 5 failures a delay of 1 s, which doubles with each further failure up to 60 s.
/// - Each account: 100 attempts per hour, all addresses together, from devices that are unknown to it.
/// - Each address: 60 attempts in 10 minutes, all accounts together.
///
/// A device that is known to the account has delays of its own and neither counts toward the limits of account and address nor
/// is held by them: a stranger cannot keep a member from signing in on the member's own device. Sessions never ask here.
///
/// An attempt counts as a failure from its beginning until its result is known, so that a program does not gain by beginning
/// many at the same time. Every table is bounded: an attacker must fill a table before it forgets an older entry. A name that does
/// not exist has the delays and limits of one that does.
///
///     (none) --attempt--> under way --fail--> counted    --1 h without a failure--> (none)
///                             |---succeed--> (none)
///                             |---cancel---> as before the attempt
package struct SignInThrottle {
    /// Failures of a source that have no consequence.
    package static let freeFailures = 5
    /// The longest delay, ms.
    package static let longestDelay: Int64 = 60_000
    /// Attempts on one account from unknown devices in `accountTime`.
    package static let accountAttempts = 100
    /// Milliseconds.
    package static let accountTime: Int64 = 3_600_000
    /// Attempts from one address in `addressTime`.
    package static let addressAttempts = 60
    /// Milliseconds.
    package static let addressTime: Int64 = 600_000
    /// Milliseconds after the last failure of a source for which its failures are remembered.
    package static let memory: Int64 = 3_600_000

    /// An account in the tables: the digest of a sign-in name, whether or not a person has it.
    package struct Account: Hashable, Sendable {
        private let high: UInt64
        private let low: UInt64

        package init(_ name: SignInName) {
            let digest = Digest.sha256(name.folded.octets)
            high = digest[..<8].reduce(0) { $0 << 8 | UInt64($1) }
            low = digest[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// The origin of an attempt.
    package enum Source: Hashable, Sendable {
        /// A device that is unknown to the account; `nil` for a connection that is not counted by address.
        case address(NetworkAddress?)
        /// A device that has signed in to the account before and proves it.
        case device(Identifier)

        fileprivate var group: Source {
            if case .address(let address) = self { .address(address?.limitGroup) } else { self }
        }
    }

    private struct Pair: Hashable {
        let account: Account
        let source: Source
    }

    /// An attempt under way. Exactly one of `succeed`, `fail` and `cancel` ends it.
    package struct Attempt: Sendable {
        fileprivate let account: Account?
        fileprivate let source: Source
        /// The failures before it.
        fileprivate let before: Failures?
        fileprivate let at: Int64
    }

    /// The failures of one source at one account.
    fileprivate struct Failures: Equatable, Sendable {
        var count: Int
        /// When the latest of them began.
        var at: Int64

        /// Milliseconds until the next attempt may begin.
        func wait(now: Int64) -> Int64 {
            guard count >= SignInThrottle.freeFailures else { return 0 }
            let doublings = min(count - SignInThrottle.freeFailures, 6)
            return max(at + min(1_000 << Int64(doublings), SignInThrottle.longestDelay) - now, 0)
        }
    }

    private var failures: AgingTable<Pair, Failures>
    private var accounts: AgingTable<Account, AttemptWindow>
    private var addresses: AgingTable<NetworkAddress, AttemptWindow>

    /// - Parameter entries: half of the largest number of entries of each table.
    package init(entries: Int = 20_000) {
        failures = AgingTable(half: entries)
        accounts = AgingTable(half: entries)
        addresses = AgingTable(half: entries)
    }

    /// Entries of all tables.
    package var count: Int { failures.count + accounts.count + addresses.count }

    /// Begins an attempt, and counts it.
    ///
    /// - Parameters:
    ///   - account: whose password is tried; `nil` for a code, which names no account.
    ///   - now: milliseconds, monotonic.
    /// - Returns: the attempt; or, with nothing counted, the milliseconds until the source may try again, at least 1.
    package mutating func begin(_ account: Account?, from source: Source, now: Int64) -> Result<Attempt, Delay> {
        let source = source.group
        let before = account.flatMap { failures[Pair(account: $0, source: source)] }.flatMap { now - $0.at < Self.memory ? $0 : nil }
        var wait = before?.wait(now: now) ?? 0
        var address: NetworkAddress?
        if case .address(let group) = source {
            address = group
            if let account, let window = accounts[account] {
                wait = max(wait, window.wait(now: now, limit: Self.accountAttempts, time: Self.accountTime))
            }
            if let address, let window = addresses[address] {
                wait = max(wait, window.wait(now: now, limit: Self.addressAttempts, time: Self.addressTime))
            }
        }
        guard wait == 0 else { return .failure(Delay(milliseconds: wait)) }
        if let account {
            failures[Pair(account: account, source: source)] = Failures(count: min((before?.count ?? 0) + 1, 1_000), at: now)
        }
        if case .address = source {
            if let account { accounts[account, default: AttemptWindow()].add(1, now: now, time: Self.accountTime) }
            if let address { addresses[address, default: AttemptWindow()].add(1, now: now, time: Self.addressTime) }
        }
        return .success(Attempt(account: account, source: source, before: before, at: now))
    }

    /// A refusal of an attempt.
    package struct Delay: Error, Equatable, Sendable {
        package let milliseconds: Int64
    }

    /// The password was right: the failures of this source at this account are forgotten.
    package mutating func succeed(_ attempt: Attempt) {
        guard let account = attempt.account else { return }
        failures[Pair(account: account, source: attempt.source)] = nil
    }

    /// The password was wrong: the delay begins now.
    package mutating func fail(_ attempt: Attempt, now: Int64) {
        guard let account = attempt.account else { return }
        let pair = Pair(account: account, source: attempt.source)
        // Another attempt of the same source may have succeeded, or the table may have forgotten it.
        failures[pair, default: Failures(count: 1, at: now)].at = now
    }

    /// The attempt came to nothing, because the server was too busy to look at the password: it does not count.
    package mutating func cancel(_ attempt: Attempt, now: Int64) {
        if let account = attempt.account {
            let pair = Pair(account: account, source: attempt.source)
            if let current = failures[pair] {
                // The delay is that of the failure before, unless another attempt began or failed since.
                let at = current.at == attempt.at ? attempt.before?.at ?? current.at : current.at
                failures[pair] = current.count > 1 ? Failures(count: current.count - 1, at: at) : nil
            }
        }
        guard case .address(let address) = attempt.source else { return }
        if let account = attempt.account { accounts[account]?.remove(at: attempt.at, now: now, time: Self.accountTime) }
        if let address { addresses[address]?.remove(at: attempt.at, now: now, time: Self.addressTime) }
    }
}

/// The number of attempts in a time that ends now, counted in seven parts and the current one: never less than the attempts in
/// that time, and at most those of a seventh more.
struct AttemptWindow: Equatable, Sendable {
    private static let parts: Int64 = 7

    private var counts = SIMD8<UInt16>()
    /// The number, since 0, of the newest part counted.
    private var newest: Int64 = 0

    private static func part(_ time: Int64) -> Int64 { (time + parts - 1) / parts }

    /// The count of a part; parts that have left the window count 0.
    private func count(_ part: Int64, current: Int64) -> Int {
        part <= newest && part > newest - 8 && part > current - 8 ? Int(counts[Int(part & 7)]) : 0
    }

    /// The number of attempts in the window.
    func count(now: Int64, time: Int64) -> Int {
        let current = now / Self.part(time)
        return (current - 7...current).reduce(0) { $0 + count($1, current: current) }
    }

    /// Milliseconds until there is room for one more attempt.
    func wait(now: Int64, limit: Int, time: Int64) -> Int64 {
        let width = Self.part(time)
        let current = now / width
        var left = count(now: now, time: time)
        guard left >= limit else { return 0 }
        for part in current - 7...current {
            left -= count(part, current: current)
            // The part leaves the window when the eighth one after it begins.
            if left < limit { return (part + 8) * width - now }
        }
        return time
    }

    mutating func add(_ attempts: UInt16, now: Int64, time: Int64) {
        let current = now / Self.part(time)
        if current > newest {
            for part in max(newest + 1, current - 7)...current { counts[Int(part & 7)] = 0 }
            newest = current
        }
        let index = Int(current & 7)
        counts[index] = counts[index] &+ min(attempts, .max - counts[index])
    }

    /// Takes one attempt back that was counted at a time.
    mutating func remove(at: Int64, now: Int64, time: Int64) {
        let part = at / Self.part(time)
        guard count(part, current: now / Self.part(time)) > 0 else { return }
        counts[Int(part & 7)] -= 1
    }
}
