package import Bytes
import Family

/// The member to whom work is charged, and their family.
package struct WorkOwner: Hashable, Sendable {
    package var family: Identifier
    package var member: Identifier

    package init(family: Identifier, member: Identifier) {
        self.family = family
        self.member = member
    }
}

/// The shares of members and families, over all their sessions: requests per second of a member, mutations and lists per second of a family, processor
/// time of a member and of a family.
///
/// Work is charged when it is accepted, with what such work usually takes (`WorkEstimate`), and settled when it is done, because only then its cost
/// is known. A member with much work under way is therefore in debt before any of it is done. A member or a family in debt is refused new work until the debt
/// is paid. Without a limit on requests (`mutations_per_second` 0) there is none on time.
struct WorkAccounts {
    /// The reason why new work is refused, and the milliseconds until it is accepted.
    enum Denial: Equatable {
        case requests(Int64)
        case time(Int64)
        /// The family's mutations or lists per second are used up.
        case family(FamilyQuota, Int64)
    }

    /// The kind of work, for the rate of the family that it counts against.
    enum Work {
        case mutation
        case list
        /// Counts against no rate of the family.
        case other
    }

    /// Seconds of its share that a member or a family may use together after a pause.
    static let burst = 5
    /// Accounts of each kind. Only those that owe something are kept, so that many have to work at the same time.
    static let maxAccounts = 65_536

    private let most: Int
    /// The longest wait that is sent to a client, milliseconds.
    static let longestWait: Int64 = 60_000

    private struct Account {
        var requests = TokenBucket()
        var time = TokenBucket()
    }

    private struct FamilyAccount {
        var time = TokenBucket()
        var mutations = TokenBucket()
        var lists = TokenBucket()
    }

    /// The rates that a family may send.
    private struct FamilyRates {
        var mutations: TokenRate
        var lists: TokenRate
    }

    /// Seconds of its lists that a family may request together after a pause.
    static let listBurst = 10

    private let requestRate: TokenRate
    private let memberRate: TokenRate
    private let familyRate: TokenRate
    private let usualRates: FamilyRates
    /// Of families with values of their own.
    private var ownRates: [Identifier: FamilyRates] = [:]
    private let limits: Limits
    private var members: [WorkOwner: Account] = [:]
    private var families: [Identifier: FamilyAccount] = [:]

    init(_ limits: Limits, maxAccounts: Int = WorkAccounts.maxAccounts) {
        most = maxAccounts
        self.limits = limits
        usualRates = Self.rates(FamilyQuotas(), limits)
        requestRate = TokenRate(perSecond: limits.mutationsPerSecond, burst: limits.mutationBurst)
        func time(_ milliseconds: Int) -> TokenRate {
            let share = limits.mutationsPerSecond == 0 ? 0 : milliseconds * 1_000
            return TokenRate(perSecond: share, burst: share * Self.burst)
        }
        memberRate = time(limits.memberTime)
        familyRate = time(limits.familyTime)
    }

    private static func rates(_ quotas: FamilyQuotas, _ limits: Limits) -> FamilyRates {
        let isUnlimited = limits.mutationsPerSecond == 0
        let lists = isUnlimited ? 0 : quotas.value(.lists, limits)
        return FamilyRates(
            mutations: TokenRate(perSecond: isUnlimited ? 0 : quotas.value(.mutations, limits), burst: quotas.value(.burst, limits)),
            lists: TokenRate(perSecond: lists, burst: lists * listBurst))
    }

    /// Sets the values that a family has of its own. They count for the next request.
    mutating func set(_ quotas: FamilyQuotas, of family: Identifier) {
        ownRates[family] = quotas.isEmpty ? nil : Self.rates(quotas, limits)
    }

    /// Accepts a request of a member, or returns the reason for its refusal.
    ///
    /// - Parameters:
    ///   - cost: charged in advance, microseconds.
    ///   - now: milliseconds.
    mutating func accept(_ payer: WorkOwner, _ work: Work = .other, cost: Int64, now: Int64) -> Denial? {
        var account = members[payer] ?? Account()
        var family = families[payer.family] ?? FamilyAccount()
        if let wait = account.time.wait(memberRate, now: now) { return .time(min(wait, Self.longestWait)) }
        if let wait = family.time.wait(familyRate, now: now) { return .time(min(wait, Self.longestWait)) }
        let rates = ownRates.isEmpty ? usualRates : ownRates[payer.family] ?? usualRates
        switch work {
        case .mutation: if let wait = family.mutations.wait(rates.mutations, now: now) { return .family(.mutations, min(wait, Self.longestWait)) }
        case .list: if let wait = family.lists.wait(rates.lists, now: now) { return .family(.lists, min(wait, Self.longestWait)) }
        case .other: break
        }
        if let wait = account.requests.take(requestRate, now: now) { return .requests(wait) }
        switch work {
        case .mutation: family.mutations.charge(1, rates.mutations, now: now)
        case .list: family.lists.charge(1, rates.lists, now: now)
        case .other: break
        }
        account.time.charge(cost, memberRate, now: now)
        family.time.charge(cost, familyRate, now: now)
        keep(account, of: payer, family)
        return nil
    }

    /// The milliseconds until neither a member nor their family is in debt with time; `nil` if none is.
    mutating func debt(of payer: WorkOwner, now: Int64) -> Int64? {
        var account = members[payer] ?? Account()
        var family = families[payer.family] ?? FamilyAccount()
        let wait = account.time.wait(memberRate, now: now) ?? family.time.wait(familyRate, now: now)
        return wait.map { min($0, Self.longestWait) }
    }

    /// Charges work that was done, or gives back what was charged too much.
    ///
    /// - Parameter member: `nil` charges the family alone.
    mutating func charge(family: Identifier, member: Identifier?, _ cost: Int64, now: Int64) {
        guard cost != 0 else { return }
        var bill = families[family] ?? FamilyAccount()
        bill.time.charge(cost, familyRate, now: now)
        guard let member else { return keep(bill, of: family) }
        let payer = WorkOwner(family: family, member: member)
        var account = members[payer] ?? Account()
        account.time.charge(cost, memberRate, now: now)
        keep(account, of: payer, bill)
    }

    /// Accounts that are kept.
    var count: Int { members.count + families.count }

    /// Removes accounts that owe nothing; call it about once per second.
    mutating func forget(now: Int64) {
        members = members.filter { item in
            var account = item.value
            return !account.requests.isFull(requestRate, now: now) || !account.time.isFull(memberRate, now: now)
        }
        families = families.filter { item in
            var account = item.value
            let rates = ownRates[item.key] ?? usualRates
            return !account.time.isFull(familyRate, now: now) || !account.mutations.isFull(rates.mutations, now: now)
                || !account.lists.isFull(rates.lists, now: now)
        }
    }

    private mutating func keep(_ account: Account, of payer: WorkOwner, _ family: FamilyAccount) {
        if members[payer] != nil || members.count < most { members[payer] = account }
        keep(family, of: payer.family)
    }

    private mutating func keep(_ account: FamilyAccount, of family: Identifier) {
        if families[family] != nil || families.count < most { families[family] = account }
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
