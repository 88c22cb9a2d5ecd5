import Family
import Testing

@Suite("The limits that one family has of its own, issue 15 (fairness)")
struct FamilyQuotaTests {
    @Test("A family without own values has those of all families")
    func usual() {
        let limits = Limits()
        let values = FamilyQuota.allCases.map { FamilyQuotas().value($0, limits) }
        #expect(values == [256, 200, 2_000, 50, 1_073_741_824, 5_368_709_120, 100])
        #expect(FamilyQuotas().isEmpty)
    }

    @Test("An own value takes the place of the usual one, until it is taken back", arguments: FamilyQuota.allCases)
    func own(quota: FamilyQuota) {
        var own = FamilyQuotas()
        own[quota] = 7
        #expect(own.value(quota, Limits()) == 7 && !own.isEmpty)
        for other in FamilyQuota.allCases where other != quota && other != .burst { #expect(own[other] == nil && own.value(other, Limits()) != 7) }
        own[quota] = nil
        #expect(own == FamilyQuotas() && own.isEmpty)
    }

    @Test("A burst is never less than what may come in a second, unless it was set so")
    func burst() {
        var own = FamilyQuotas()
        own[.mutations] = 5_000
        #expect(own.value(.burst, Limits()) == 5_000)
        own[.mutations] = 100
        #expect(own.value(.burst, Limits()) == 2_000)
        own[.burst] = 10
        #expect(own.value(.burst, Limits()) == 10)
    }

    @Test("Each limit has a word, a place among all limits and a range that begins at 1")
    func words() {
        #expect(FamilyQuota.allCases.map(\.rawValue) == ["connections", "mutations", "burst", "lists", "rows", "files", "uploads"])
        for quota in FamilyQuota.allCases {
            #expect(quota.range.lowerBound == 1 && quota.range.contains(Limits()[keyPath: quota.limit]))
            #expect(Limits.entries.contains { $0.value == quota.limit }, "\(quota) is in proto/limits.json")
        }
    }
}
