import Bytes
import Family
import Testing
import Wire

@testable import Rooms

@Suite("The server's time that members and families have used, guarantee `fair`")
struct WorkAccountTests {
    private static let family = Identifier(high: 0, low: 1)
    private static func payer(_ member: UInt64, of family: Identifier = family) -> WorkOwner {
        WorkOwner(family: family, member: Identifier(high: 1, low: member))
    }

    /// 100 ms per second for a member and 150 ms per second for a family, five seconds' worth at one time.
    private static func accounts(requests: Int = 1_000, most: Int = WorkAccounts.maxAccounts) -> WorkAccounts {
        var limits = Limits()
        (limits.memberTime, limits.familyTime) = (100, 150)
        (limits.mutationsPerSecond, limits.mutationBurst) = (requests, max(requests, 1))
        return WorkAccounts(limits, maxAccounts: most)
    }

    @Test("work is charged in advance: a member whose accepted work uses up the share is refused until the debt is paid")
    func reserved() {
        var accounts = Self.accounts()
        for _ in 0..<5 { #expect(accounts.accept(Self.payer(1), cost: 100_000, now: 1_000) == nil) }
        // A permit of one microsecond.
        #expect(accounts.accept(Self.payer(1), cost: 100_000, now: 1_000) == .time(1))
        // It was cheap: what was charged too much is given back.
        accounts.charge(family: Self.family, member: Self.payer(1).member, -99_000, now: 1_000)
        #expect(accounts.accept(Self.payer(1), cost: 100_000, now: 1_000) == nil)
        // It took 1.6 s: at a tenth of a core this is paid 16 s later.
        accounts.charge(family: Self.family, member: Self.payer(1).member, 1_600_000, now: 1_000)
        guard case .time(let wait)? = accounts.accept(Self.payer(1), cost: 1, now: 1_000) else { return #expect(Bool(false), "not refused") }
        #expect((16_000...16_020).contains(wait))
        #expect(accounts.accept(Self.payer(1), cost: 1, now: 1_000 + wait - 1) != nil)
        #expect(accounts.accept(Self.payer(1), cost: 1, now: 1_000 + wait) == nil)
        // No client is asked to stay away for hours.
        accounts.charge(family: Self.family, member: Self.payer(1).member, 3_600_000_000, now: 20_000)
        #expect(accounts.accept(Self.payer(1), cost: 1, now: 20_000) == .time(WorkAccounts.longestWait))
    }

    @Test("members of a family pay together, and another family does not notice")
    func families() {
        var accounts = Self.accounts()
        for member in 1...2 as ClosedRange<UInt64> { #expect(accounts.accept(Self.payer(member), cost: 400_000, now: 0) == nil) }
        // 800 ms of 750: this member owes nothing, the family does.
        #expect(accounts.accept(Self.payer(3), cost: 1, now: 0) == .time(334))
        #expect(accounts.accept(Self.payer(1, of: Identifier(high: 0, low: 2)), cost: 1, now: 0) == nil)
        #expect(accounts.accept(Self.payer(3), cost: 1, now: 334) == nil)
    }

    @Test("requests count over all sessions of a member; without a limit on them there is none on time")
    func requests() {
        var accounts = Self.accounts(requests: 2)
        for _ in 0..<2 { #expect(accounts.accept(Self.payer(1), cost: 1, now: 0) == nil) }
        #expect(accounts.accept(Self.payer(1), cost: 1, now: 0) == .requests(500))
        #expect(accounts.accept(Self.payer(2), cost: 1, now: 0) == nil)
        accounts = Self.accounts(requests: 0)
        for _ in 0..<100 { #expect(accounts.accept(Self.payer(1), cost: 1_000_000, now: 0) == nil) }
    }

    @Test("an account that owes nothing is removed, and there are never more accounts than the bound")
    func bounded() {
        var accounts = Self.accounts(most: 100)
        for member in 0..<110 as Range<UInt64> { _ = accounts.accept(Self.payer(member), cost: 0, now: 0) }
        #expect(accounts.count == 101)
        accounts.charge(family: Self.family, member: Self.payer(0).member, 200_000, now: 0)
        accounts.forget(now: 1_000)
        #expect(accounts.count == 2)
        accounts.forget(now: 1_999)
        #expect(accounts.count == 1, "the family has paid")
        accounts.forget(now: 2_000)
        #expect(accounts.count == 0)
    }

    @Test("a long text and an operation on many records are charged more in advance than a message")
    func estimates() {
        func cost(_ actions: [Family.Operation.Action], octets: Int) -> Int64 {
            let operations = actions.map { Family.Operation(kind: .trip, id: Self.family, action: $0) }
            return WorkEstimate.mutation(Mutation(client: Self.family, id: 1, operations: operations), octets: octets)
        }
        #expect(cost([.create(athlete: nil, patch: FieldPatch())], octets: 500) == 110)
        #expect(cost([.create(athlete: nil, patch: FieldPatch())], octets: 250_000) == 5_100)
        #expect(cost([.copy(from: Self.family, days: 1)], octets: 100) == 1_102)
        #expect(cost([Family.Operation.Action](repeating: .delete(base: 1), count: 100), octets: 5_000) == 20_000)
        #expect(WorkEstimate.mutation(Mutation(client: Self.family, id: 1, body: .undo(sequence: 1)), octets: 50) == 2_101)
    }
}

@Suite("Hub: work is charged to those who cause it, guarantee `fair`")
struct HubChargeTests {
    private static let family = Identifier(high: 0, low: 1)
    private static func payer(_ member: UInt64, of family: Identifier = family) -> WorkOwner {
        WorkOwner(family: family, member: Identifier(high: 1, low: member))
    }

    private func script() -> HubScript {
        var limits = Limits()
        (limits.memberTime, limits.familyTime) = (1, 2)
        return HubScript(limits: limits)
    }

    private func receipt(_ id: SessionID, _ mutation: Int64, owed: Int64) -> CommitResult {
        .receipt(Receipt(session: id, family: HubScript.family, member: HubScript.dana, mutation: mutation, frame: Array("ack \(mutation)".utf8), owed: owed))
    }

    @Test("a mutation that took long is charged to its author on all their connections, also after these have closed")
    func author() {
        var script = script()
        let (one, two) = (script.live(at: 0), script.live(at: 0))
        let maya = script.live(HubScript.maya, role: .athlete, at: 0)
        _ = script.seen()
        script.say(.mutate(id: 1, operations: [HubMutationTests.operation]), one)
        #expect(script.seen() == [.propose(one, 1)])
        script.hub.closed(one)
        script.hub.committed([receipt(one, 1, owed: 5_000)])
        _ = script.seen()
        script.say(.mutate(id: 1, operations: [HubMutationTests.operation]), two)
        script.say(.context(.all), two)
        #expect(script.seen() == [.frame(two, "reject 1 busy"), .frame(two, "error busy")])
        // The family has more than one member may use.
        script.say(.mutate(id: 1, operations: [HubMutationTests.operation]), maya)
        #expect(script.seen() == [.propose(maya, 1)])
        // 6.1 ms and 5 ms together: about 1.1 s later they are paid.
        script.now += 1_200
        script.say(.mutate(id: 1, operations: [HubMutationTests.operation]), two)
        #expect(script.seen() == [.propose(two, 1)])
    }

    @Test("A join of a member in debt is refused with the time to come back, and the same session joins then; requests over HTTP are refused, too")
    func joins() {
        var script = script()
        let one = script.live(at: 0)
        let payer = WorkOwner(family: HubScript.family, member: HubScript.dana)
        #expect(script.hub.admit(payer, now: script.now) == nil)
        script.hub.charge(payer, owed: 60_000)
        _ = script.seen()
        let two = script.hub.opened(now: script.now)
        script.say(.signIn(token: "t"), two)
        script.answer(.signIn(HubScript.signedIn()), two)
        _ = script.seen()
        let join = ClientFrame.join(Join(family: HubScript.family, client: HubScript.client, cursor: Cursor(epoch: "e1", sequence: 0)))
        script.say(join, two)
        #expect(script.seen() == [.frame(two, "error busy")])
        #expect(script.hub.admit(payer, now: script.now)?.retryAfter ?? 0 > 1_000)
        // The session that has joined stays, and another family does not notice.
        #expect(script.hub.admit(WorkOwner(family: HubScript.maya, member: HubScript.maya), now: script.now) == nil)
        script.now += 60_000
        script.say(join, two)
        #expect(script.seen() == [.read(two, "join")])
        #expect(script.hub.admit(payer, now: script.now) == nil)
        script.hub.closed(one)
    }

    @Test("a burst is refused before any of it is done; work without room at the writer costs nothing")
    func burst() {
        let script = script()
        let id = script.live(at: 0)
        for mutation in 1...20 { script.say(.mutate(id: Int64(mutation), operations: [HubMutationTests.operation]), id) }
        let taken = script.seen().filter { if case .propose = $0 { true } else { false } }.count
        #expect(taken == 5, "5 ms at about 1.1 ms each")
        let proposals = (1...taken).map { number in
            Proposal(
                family: HubScript.family, member: HubScript.dana, context: .all,
                mutation: Mutation(client: HubScript.client, id: Int64(number), operations: []), session: id, reserved: 1_102)
        }
        script.hub.refused(proposals)
        _ = script.seen()
        script.say(.mutate(id: 100, operations: [HubMutationTests.operation]), id)
        #expect(script.seen() == [.propose(id, 100)])
    }

    // MARK: The family's mutations and lists

    /// 10 mutations per second with a burst of 20, and 2 lists per second, of each family.
    private static func familyAccounts() -> WorkAccounts {
        var limits = Limits()
        (limits.familyMutationsPerSecond, limits.familyMutationBurst, limits.familyListsPerSecond) = (10, 20, 2)
        return WorkAccounts(limits)
    }

    @Test("The last mutation of a family's burst is accepted and the next refused with its wait, whichever member sends it; other families and other work do not notice")
    func familyMutations() {
        var accounts = Self.familyAccounts()
        for number in 0..<20 as Range<UInt64> { #expect(accounts.accept(Self.payer(number % 5), .mutation, cost: 0, now: 0) == nil) }
        for member in 0...6 as ClosedRange<UInt64> { #expect(accounts.accept(Self.payer(member), .mutation, cost: 0, now: 0) == .family(.mutations, 100)) }
        #expect(accounts.accept(Self.payer(1), .list, cost: 0, now: 0) == nil)
        #expect(accounts.accept(Self.payer(1), cost: 0, now: 0) == nil)
        #expect(accounts.accept(Self.payer(1, of: Identifier(high: 0, low: 2)), .mutation, cost: 0, now: 0) == nil)
        #expect(accounts.accept(Self.payer(1), .mutation, cost: 0, now: 99) == .family(.mutations, 1))
        #expect(accounts.accept(Self.payer(1), .mutation, cost: 0, now: 100) == nil)
        #expect(accounts.accept(Self.payer(2), .mutation, cost: 0, now: 100) == .family(.mutations, 100))
    }

    @Test("Ten seconds' worth of a family's lists are accepted at one time, and then the rate per second")
    func familyLists() {
        var accounts = Self.familyAccounts()
        for number in 0..<20 as Range<UInt64> { #expect(accounts.accept(Self.payer(number), .list, cost: 0, now: 0) == nil) }
        #expect(accounts.accept(Self.payer(1), .list, cost: 0, now: 0) == .family(.lists, 500))
        #expect(accounts.accept(Self.payer(1), .mutation, cost: 0, now: 0) == nil)
        #expect(accounts.accept(Self.payer(1), .list, cost: 0, now: 500) == nil)
        #expect(accounts.accept(Self.payer(1), .list, cost: 0, now: 500) == .family(.lists, 500))
    }

    @Test("A refusal for the family's rate costs the member nothing")
    func refusalIsFree() {
        var limits = Limits()
        (limits.familyMutationsPerSecond, limits.familyMutationBurst) = (1, 1)
        (limits.mutationsPerSecond, limits.mutationBurst) = (1, 2)
        var accounts = WorkAccounts(limits)
        #expect(accounts.accept(Self.payer(1), .mutation, cost: 0, now: 0) == nil)
        for _ in 0..<10 { #expect(accounts.accept(Self.payer(1), .mutation, cost: 0, now: 0) == .family(.mutations, 1_000)) }
        #expect(accounts.accept(Self.payer(1), cost: 0, now: 0) == nil)
        #expect(accounts.accept(Self.payer(1), cost: 0, now: 0) == .requests(1_000))
    }

    @Test("A family's own values apply to its next request, and the usual ones again after their removal")
    func ownRates() {
        var accounts = Self.familyAccounts()
        for _ in 0..<20 { #expect(accounts.accept(Self.payer(1), .mutation, cost: 0, now: 0) == nil) }
        #expect(accounts.accept(Self.payer(1), .mutation, cost: 0, now: 0) != nil)
        var own = FamilyQuotas()
        (own[.mutations], own[.burst], own[.lists]) = (1_000, 21, 1)
        accounts.set(own, of: Self.family)
        #expect(accounts.accept(Self.payer(1), .mutation, cost: 0, now: 0) == nil)
        #expect(accounts.accept(Self.payer(1), .mutation, cost: 0, now: 0) == .family(.mutations, 1))
        for _ in 0..<10 { #expect(accounts.accept(Self.payer(1), .list, cost: 0, now: 0) == nil) }
        #expect(accounts.accept(Self.payer(1), .list, cost: 0, now: 0) == .family(.lists, 1_000))
        accounts.set(FamilyQuotas(), of: Self.family)
        #expect(accounts.accept(Self.payer(1), .mutation, cost: 0, now: 0) == .family(.mutations, 200), "21 were accepted, and 20 are allowed")
        for _ in 0..<10 { #expect(accounts.accept(Self.payer(1), .list, cost: 0, now: 0) == nil) }
    }

    @Test("A family that owes mutations or lists alone is kept until it owes nothing")
    func keepsRates() {
        var accounts = Self.familyAccounts()
        #expect(accounts.accept(Self.payer(1), .mutation, cost: 0, now: 0) == nil)
        accounts.forget(now: 0)
        #expect(accounts.count == 2)
        accounts.forget(now: 99)
        #expect(accounts.count == 1, "the member owes nothing any more")
        accounts.forget(now: 100)
        #expect(accounts.count == 0)
        #expect(accounts.accept(Self.payer(1), .list, cost: 0, now: 200) == nil)
        accounts.forget(now: 699)
        #expect(accounts.count == 1)
        accounts.forget(now: 700)
        #expect(accounts.count == 0)
    }

    @Test("Without a limit on the requests of a member there is none on the family's")
    func unlimited() {
        var limits = Limits()
        (limits.mutationsPerSecond, limits.familyMutationBurst, limits.familyListsPerSecond) = (0, 1, 1)
        var accounts = WorkAccounts(limits)
        var own = FamilyQuotas()
        (own[.mutations], own[.burst], own[.lists]) = (1, 1, 1)
        accounts.set(own, of: Self.family)
        for _ in 0..<100 {
            #expect(accounts.accept(Self.payer(1), .mutation, cost: 0, now: 0) == nil)
            #expect(accounts.accept(Self.payer(1), .list, cost: 0, now: 0) == nil)
        }
    }
}
