package import Bytes
import Family

/// The member that work is done for. Their family pays with them.
package struct Payer: Hashable, Sendable {
    package var family: Identifier
    package var member: Identifier

    package init(family: Identifier, member: Identifier) {
        self.family = family
        self.member = member
    }
}

/// The shares of members and families, over all their sessions: requests per second of a member, processor time of a member and of a family.
///
/// Work is charged when it is accepted, with what such work usually takes (`WorkEstimate`), and settled when it is done, because only then its cost
/// is known. A member with much work under way is therefore in debt before any of it is done. A member or a family in debt is refused new work until the debt
/// is paid. Without a limit on requests (`mutations_per_second` 0) there is none on time.
struct WorkAccounts {
    /// Why new work is refused, and the milliseconds until it is not.
    enum Denial: Equatable {
        case requests(Int64)
        case time(Int64)
    }

    /// Seconds of its share that a member or a family may use at once after a pause.
    static let burst = 5
    /// Accounts of each kind. Only those that owe something are kept, so that many have to work at the same time.
    static let maxAccounts = 65_536

    private let most: Int
    /// The longest wait that is told, milliseconds.
    static let longestWait: Int64 = 60_000

    private struct Account {
        var requests = TokenBucket()
        var time = TokenBucket()
    }

    private let requestRate: TokenRate
    private let memberRate: TokenRate
    private let familyRate: TokenRate
    private var members: [Payer: Account] = [:]
    private var families: [Identifier: TokenBucket] = [:]

    init(_ limits: Limits, maxAccounts: Int = WorkAccounts.maxAccounts) {
        most = maxAccounts
        requestRate = TokenRate(perSecond: limits.mutationsPerSecond, burst: limits.mutationBurst)
        func time(_ milliseconds: Int) -> TokenRate {
            let share = limits.mutationsPerSecond == 0 ? 0 : milliseconds * 1_000
            return TokenRate(perSecond: share, burst: share * Self.burst)
        }
        memberRate = time(limits.memberTime)
        familyRate = time(limits.familyTime)
    }

    /// Accepts a request of a member, or says why not.
    ///
    /// - Parameters:
    ///   - cost: charged in advance, microseconds.
    ///   - now: milliseconds.
    mutating func accept(_ payer: Payer, cost: Int64, now: Int64) -> Denial? {
        var account = members[payer] ?? Account()
        var family = families[payer.family] ?? TokenBucket()
        if let wait = account.time.wait(memberRate, now: now) { return .time(min(wait, Self.longestWait)) }
        if let wait = family.wait(familyRate, now: now) { return .time(min(wait, Self.longestWait)) }
        if let wait = account.requests.take(requestRate, now: now) { return .requests(wait) }
        account.time.charge(cost, memberRate, now: now)
        family.charge(cost, familyRate, now: now)
        keep(account, of: payer, family)
        return nil
    }

    /// The milliseconds until neither a member nor their family is in debt with time; `nil` if none is.
    mutating func debt(of payer: Payer, now: Int64) -> Int64? {
        var account = members[payer] ?? Account()
        var family = families[payer.family] ?? TokenBucket()
        let wait = account.time.wait(memberRate, now: now) ?? family.wait(familyRate, now: now)
        return wait.map { min($0, Self.longestWait) }
    }

    /// Charges work that was done, or gives back what was charged too much.
    ///
    /// - Parameter member: `nil` charges the family alone.
    mutating func charge(family: Identifier, member: Identifier?, _ cost: Int64, now: Int64) {
        guard cost != 0 else { return }
        var bucket = families[family] ?? TokenBucket()
        bucket.charge(cost, familyRate, now: now)
        guard let member else { return keep(bucket, of: family) }
        let payer = Payer(family: family, member: member)
        var account = members[payer] ?? Account()
        account.time.charge(cost, memberRate, now: now)
        keep(account, of: payer, bucket)
    }

    /// Accounts that are kept.
    var count: Int { members.count + families.count }

    /// Forgets accounts that owe nothing; to be called about once a second.
    mutating func forget(now: Int64) {
        members = members.filter { item in
            var account = item.value
            return !account.requests.isFull(requestRate, now: now) || !account.time.isFull(memberRate, now: now)
        }
        families = families.filter { item in
            var bucket = item.value
            return !bucket.isFull(familyRate, now: now)
        }
    }

    private mutating func keep(_ account: Account, of payer: Payer, _ family: TokenBucket) {
        if members[payer] != nil || members.count < most { members[payer] = account }
        keep(family, of: payer.family)
    }

    private mutating func keep(_ bucket: TokenBucket, of family: Identifier) {
        if families[family] != nil || families.count < most { families[family] = bucket }
    }
}

/// The charge for work before it is done, microseconds: about the cost of a large instance.
enum WorkEstimate {
    /// An operation that can touch hundreds of records.
    private static let wide: Int64 = 1_000
    /// The most of one mutation: bounds on records and octets keep it below.
    private static let most: Int64 = 20_000

    /// A list, figures, a history or a digest.
    static let question: Int64 = 1_000
    /// A request over HTTP: its head, two look-ups and a file. At the rate of mutations it is two fifths of what one member may use.
    static let httpRequest: Int64 = 200

    /// - Parameter octets: of its frame.
    static func mutation(_ mutation: Mutation, octets: Int) -> Int64 {
        let base = 100 + Int64(octets) / 50
        switch mutation.body {
        case .undo: return min(base + 2 * wide, most)
        case .operations(let operations):
            let count = operations.reduce(into: Int64(0)) { count, operation in
                switch operation.action {
                case .create, .update: break
                case .delete, .restore, .shift, .copy: count += 1
                }
            }
            return min(base + count * wide, most)
        }
    }
}
