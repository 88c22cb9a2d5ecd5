import Bytes
import HTTP1
import TestSupport
import Testing

@testable import Accounts

private func account(_ number: Int) -> SignInThrottle.Account { SignInThrottle.Account(try! SignInName("person \(number)")) }

private func address(_ number: Int) -> SignInThrottle.Source { .address(NetworkAddress("10.0.\(number >> 8 & 255).\(number & 255)")) }

private func device(_ number: UInt64) -> SignInThrottle.Source { .device(Identifier(high: 0, low: number)) }

extension SignInThrottle {
    /// Tries a wrong password. The delay if there is one.
    fileprivate mutating func miss(_ account: Account?, _ source: Source, at now: Int64) -> Int64? {
        switch begin(account, from: source, now: now) {
        case .success(let attempt):
            fail(attempt, now: now)
            return nil
        case .failure(let delay): return delay.milliseconds
        }
    }
}

@Suite("The limits of guesses")
struct SignInThrottleTests {
    @Test("After 5 failures the delays are 1, 2, 4, 8, 16, 32 and then 60 s, to the millisecond")
    func delays() {
        var throttle = SignInThrottle()
        var now: Int64 = 5_000_000
        for _ in 0..<5 { #expect(throttle.miss(account(1), address(1), at: now) == nil) }
        for seconds: Int64 in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
            #expect(throttle.miss(account(1), address(1), at: now) == seconds * 1_000)
            now += seconds * 1_000 - 1
            #expect(throttle.miss(account(1), address(1), at: now) == 1)
            now += 1
            #expect(throttle.miss(account(1), address(1), at: now) == nil)
        }
    }

    @Test("A delay begins when the failure is known, and a right password ends it")
    func result() throws {
        var throttle = SignInThrottle()
        for _ in 0..<4 { #expect(throttle.miss(account(1), address(1), at: 0) == nil) }
        let fifth = try throttle.begin(account(1), from: address(1), now: 0).get()
        throttle.fail(fifth, now: 3_000)
        #expect(throttle.begin(account(1), from: address(1), now: 3_999).isDelayed == 1)
        let right = try throttle.begin(account(1), from: address(1), now: 4_000).get()
        throttle.succeed(right)
        for _ in 0..<5 { #expect(throttle.miss(account(1), address(1), at: 4_000) == nil) }
        #expect(throttle.miss(account(1), address(1), at: 4_000) == 1_000)
    }

    @Test("Attempts under way count as failures: beginning many at the same time gains nothing")
    func underWay() {
        var throttle = SignInThrottle()
        var begun = 0
        for _ in 0..<64 { if case .success = throttle.begin(account(1), from: address(1), now: 0) { begun += 1 } }
        #expect(begun == 5)
    }

    @Test("A cancelled attempt does not count, whatever else is under way")
    func cancel() throws {
        var throttle = SignInThrottle()
        for _ in 0..<1_000 {
            let one = try throttle.begin(account(1), from: address(1), now: 10).get()
            let two = try throttle.begin(account(1), from: address(1), now: 10).get()
            throttle.cancel(one, now: 11)
            throttle.cancel(two, now: 12)
        }
        for _ in 0..<5 { #expect(throttle.miss(account(1), address(1), at: 20) == nil) }
        #expect(throttle.miss(account(1), address(1), at: 20) == 1_000)
        // The delay of the last failure stays.
        let sixth = try throttle.begin(account(1), from: address(1), now: 1_020).get()
        #expect(throttle.begin(account(1), from: address(1), now: 1_020).isDelayed == 2_000)
        throttle.cancel(sixth, now: 1_030)
        #expect(throttle.miss(account(1), address(1), at: 1_030) == nil)
        #expect(throttle.miss(account(1), address(1), at: 1_030) == 2_000)
    }

    @Test("One source's failures delay neither another source of the same account nor another account of the same source")
    func separate() {
        var throttle = SignInThrottle()
        for _ in 0..<6 { _ = throttle.miss(account(1), address(1), at: 0) }
        #expect(throttle.miss(account(1), address(1), at: 0) == 1_000)
        #expect(throttle.miss(account(1), address(2), at: 0) == nil)
        #expect(throttle.miss(account(2), address(1), at: 0) == nil)
    }

    @Test("An IPv6 subscriber is one source: the /64 counts")
    func subscribers() {
        var throttle = SignInThrottle()
        for host in 1...5 { #expect(throttle.miss(account(1), .address(NetworkAddress("2001:db8:0:7::\(host)")), at: 0) == nil) }
        #expect(throttle.miss(account(1), .address(NetworkAddress("2001:db8:0:7:ffff::1")), at: 0) == 1_000)
        #expect(throttle.miss(account(1), .address(NetworkAddress("2001:db8:0:8::1")), at: 0) == nil)
    }

    @Test("An account takes 100 attempts per hour from unknown devices; its own devices still sign in")
    func accountLimit() {
        var throttle = SignInThrottle()
        for number in 0..<100 { #expect(throttle.miss(account(1), address(number), at: 1_000) == nil) }
        let wait = throttle.miss(account(1), address(500), at: 1_000)
        #expect((wait ?? 0) >= SignInThrottle.accountTime - 1_000)
        #expect(throttle.miss(account(2), address(500), at: 1_000) == nil)
        #expect(throttle.miss(account(1), device(1), at: 1_000) == nil)
        #expect(throttle.miss(account(1), address(500), at: 1_000 + (wait ?? 0) - 1) == 1)
        #expect(throttle.miss(account(1), address(500), at: 1_000 + (wait ?? 0)) == nil)
    }

    @Test("An address takes 60 attempts in 10 minutes across all accounts and codes; known devices behind it still sign in")
    func addressLimit() {
        var throttle = SignInThrottle()
        for number in 0..<60 { #expect(throttle.miss(number % 2 == 0 ? account(number) : nil, address(1), at: 1_000) == nil) }
        #expect((throttle.miss(account(100), address(1), at: 1_000) ?? 0) >= SignInThrottle.addressTime - 1_000)
        #expect(throttle.miss(nil, address(1), at: 1_000) != nil)
        #expect(throttle.miss(account(100), device(1), at: 1_000) == nil)
        #expect(throttle.miss(account(100), address(2), at: 1_000) == nil)
        #expect(throttle.miss(account(100), .address(nil), at: 1_000) == nil)
    }

    @Test("A device that guesses delays itself, and nobody else")
    func devices() {
        var throttle = SignInThrottle()
        for _ in 0..<5 { #expect(throttle.miss(account(1), device(1), at: 0) == nil) }
        #expect(throttle.miss(account(1), device(1), at: 0) == 1_000)
        #expect(throttle.miss(account(1), device(2), at: 0) == nil)
        #expect(throttle.miss(account(1), address(1), at: 0) == nil)
    }

    @Test("At random times no limit is ever exceeded, and no source waits longer than it must")
    func model() {
        let seed = SplitMix64.freshSeed()
        for run in 0..<10 {
            var random = SplitMix64(seed: seed &+ UInt64(run))
            var throttle = SignInThrottle()
            var now: Int64 = Int64(random.below(1 << 40))
            var attempts: [(account: Int, address: Int, at: Int64)] = []
            for _ in 0..<1_500 {
                now += Int64(random.below(random.chance(5) ? 900_000 : 4_000))
                let (name, place) = (random.below(3), random.below(4))
                attempts.removeAll { now - $0.at > 2 * SignInThrottle.accountTime }
                let inHour = attempts.count { $0.account == name && now - $0.at < SignInThrottle.accountTime }
                let inTenMinutes = attempts.count { $0.address == place && now - $0.at < SignInThrottle.addressTime }
                switch throttle.begin(account(name), from: address(place), now: now) {
                case .success(let attempt):
                    #expect(inHour < 100 && inTenMinutes < 60, "seed \(random.seed)")
                    attempts.append((name, place, now))
                    if random.chance(70) { throttle.fail(attempt, now: now) } else { throttle.succeed(attempt) }
                case .failure(let delay):
                    let longest =
                        inHourOrSeventhMore(attempts, name, now) >= 100 ? SignInThrottle.accountTime * 8 / 7 + 8
                        : attempts.count(where: { $0.address == place && now - $0.at <= SignInThrottle.addressTime * 8 / 7 + 8 }) >= 60
                            ? SignInThrottle.addressTime * 8 / 7 + 8 : SignInThrottle.longestDelay
                    #expect(delay.milliseconds > 0 && delay.milliseconds <= longest, "seed \(random.seed)")
                }
            }
        }
    }

    private func inHourOrSeventhMore(_ attempts: [(account: Int, address: Int, at: Int64)], _ name: Int, _ now: Int64) -> Int {
        attempts.count { $0.account == name && now - $0.at <= SignInThrottle.accountTime * 8 / 7 + 8 }
    }

    @Test("Millions of names and addresses do not make the tables grow")
    func bounds() {
        var throttle = SignInThrottle(entries: 100)
        for number in 0..<5_000 {
            _ = throttle.miss(account(number), address(number), at: Int64(number))
            #expect(throttle.count <= 600)
        }
        #expect(throttle.count >= 300)
    }
}

extension Result where Failure == SignInThrottle.Delay {
    /// The milliseconds of a refusal.
    fileprivate var isDelayed: Int64? { if case .failure(let delay) = self { delay.milliseconds } else { nil } }
}

@Suite("A table that forgets the oldest")
struct AgingTableTests {
    @Test("An entry is kept while fewer than half of the entries are written after it, and there are never more than allowed")
    func model() {
        var random = SplitMix64.fresh()
        var table = AgingTable<Int, Int>(half: 10)
        // The latest last; an entry that was removed was written all the same.
        var written: [Int] = []
        var values: [Int: Int] = [:]
        for turn in 0..<5_000 {
            let key = random.below(60)
            if random.chance(20) {
                table[key] = nil
                values[key] = nil
            } else {
                table[key] = turn
                values[key] = turn
                written.removeAll { $0 == key }
                written.append(key)
            }
            #expect(table.count <= 20)
            for recent in written.suffix(10) { #expect(table[recent] == values[recent], "seed \(random.seed)") }
            for key in 0..<60 { if let found = table[key] { #expect(found == values[key], "seed \(random.seed)") } }
        }
    }
}
