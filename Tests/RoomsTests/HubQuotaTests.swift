import Bytes
import Family
import Testing
import Wire

@testable import Rooms

@Suite("Hub: the limits of a family, issue 15 (fairness)")
struct HubQuotaTests {
    private static let other = Identifier(high: 0, low: 77)

    private func limits(connections: Int = 256, mutations: Int = 200, burst: Int = 2_000, lists: Int = 50) -> Limits {
        var limits = Limits()
        (limits.connectionsPerFamily, limits.familyMutationsPerSecond, limits.familyMutationBurst, limits.familyListsPerSecond) = (connections, mutations, burst, lists)
        return limits
    }

    private func say(_ script: HubScript, _ mutation: Int64, _ id: SessionID) {
        script.say(.mutation(id: mutation, body: .operations([]), overlap: nil), id)
    }

    private func refusals(_ script: HubScript, _ id: SessionID) -> [Rejection] {
        script.hub.takeEffects().compactMap { effect in
            guard case .send(id, let octets) = effect, let frame = try? ServerFrame.decode(octets) else { return nil }
            switch frame {
            case .error(let rejection, _), .reject(_, let rejection): return rejection
            default: return nil
            }
        }
    }

    // MARK: Connections

    @Test("The last connection of a family joins; the next one is refused with figures and a wait, stays open, and joins when another has gone")
    func connections() throws {
        let script = HubScript(limits: limits(connections: 3))
        let first = script.live(at: 0)
        _ = script.live(HubScript.maya, role: .athlete, at: 0)
        _ = script.joining(at: 0)
        _ = script.seen()
        let late = script.joining(at: 0)
        let refused = try #require(refusals(script, late).first)
        #expect(refused.code == .busy && refused.retryAfter == 10_000)
        #expect(refused.message == "Your family has 3 open connections, and 3 is its limit. Close one of them, or try again in a moment.")
        #expect(script.hub.connections(of: HubScript.family) == 3 && script.hub.quotaRefusals == [.connections: 1])
        // Another family does not notice.
        let stranger = script.joining(in: Self.other, at: 0)
        #expect(script.seen().last == .read(stranger, "join"))
        script.hub.closed(first)
        script.say(.join(Join(family: HubScript.family, client: HubScript.client, cursor: Cursor(epoch: "e1", sequence: 0))), late)
        #expect(script.seen().last == .read(late, "join"))
    }

    @Test("A join that is refused because its family is full leaves nothing behind: no room, no session in it")
    func fullRoomIsEmptyAfterwards() {
        let script = HubScript(limits: limits(connections: 1))
        let first = script.live(at: 0)
        let late = script.joining(at: 0)
        _ = script.seen()
        script.hub.closed(first)
        #expect(script.hub.openRooms == 0)
        script.hub.closed(late)
        #expect(script.hub.openRooms == 0 && script.hub.openSessions == 0)
    }

    @Test("A limit that the host lowers closes as many connections as are too many, and one that is raised lets more in")
    func changed() {
        let script = HubScript(limits: limits(connections: 2))
        let ids = [script.live(at: 0), script.live(at: 0)]
        _ = script.seen()
        var own = FamilyQuotas()
        own[.connections] = 1
        script.hub.setQuotas(own, of: HubScript.family)
        let closed = script.seen().compactMap { if case .close(let id, .tooManyConnections, dropsQueue: false) = $0 { id } else { nil } }
        #expect(closed.count == 1 && ids.contains(closed[0]))
        #expect(script.hub.connections(of: HubScript.family) == 1)
        own[.connections] = 3
        script.hub.setQuotas(own, of: HubScript.family)
        #expect(script.seen() == [])
        for _ in 0..<2 {
            let id = script.joining(at: 0)
            #expect(script.seen().last == .read(id, "join"))
        }
        let late = script.joining(at: 0)
        #expect(script.seen().last == .frame(late, "error busy"))
        script.hub.setQuotas(FamilyQuotas(), of: HubScript.family)
        #expect(script.hub.connections(of: HubScript.family) == 2 && script.hub.quota(.connections, of: HubScript.family) == 2)
    }

    // MARK: Mutations and lists

    @Test("Past its mutations a family is refused with figures and a wait, on each of its connections; another one is not")
    func mutations() throws {
        let script = HubScript(limits: limits(mutations: 10, burst: 4))
        let (ana, maya) = (script.live(at: 0), script.live(HubScript.maya, role: .athlete, at: 0))
        let stranger = script.live(in: Self.other, at: 0)
        for number in 1...4 as ClosedRange<Int64> { say(script, number, number % 2 == 0 ? ana : maya) }
        #expect(script.seen().count == 4)
        for id in [ana, maya] {
            say(script, 5, id)
            let refused = try #require(refusals(script, id).first)
            #expect(refused.code == .rateLimited && refused.retryAfter == 100)
            #expect(refused.message == "Your family makes more than 10 changes per second. This one was not made; try again in a moment.")
        }
        say(script, 1, stranger)
        #expect(script.seen() == [.propose(stranger, 1)])
        #expect(script.hub.quotaRefusals == [.mutations: 2])
    }

    @Test("A value that the host sets counts for the next mutation")
    func mutationsChanged() {
        let script = HubScript(limits: limits(mutations: 10, burst: 1))
        let ana = script.live(at: 0)
        say(script, 1, ana)
        say(script, 2, ana)
        #expect(script.seen() == [.propose(ana, 1), .frame(ana, "reject 2 rate_limited")])
        var own = FamilyQuotas()
        own[.burst] = 2
        script.hub.setQuotas(own, of: HubScript.family)
        say(script, 2, ana)
        say(script, 3, ana)
        #expect(script.seen() == [.propose(ana, 2), .frame(ana, "reject 3 rate_limited")])
    }

    @Test("Past its lists a family is refused with figures and a wait; acts on sessions and invites are not lists")
    func lists() throws {
        let script = HubScript(limits: limits(lists: 1))
        let ana = script.live(at: 0)
        for number in 0..<10 as Range<Int64> {
            script.say(.list(ListRequest(request: number, kind: .event, limit: 10)), ana)
            #expect(script.seen() == [.read(ana, "page")])
            script.answer(.page(Array("page".utf8)), ana)
            _ = script.seen()
        }
        script.say(.history(HistoryRequest(request: 90, limit: 10)), ana)
        let refused = try #require(refusals(script, ana).first)
        #expect(refused.code == .rateLimited && refused.retryAfter == 1_000)
        #expect(refused.message == "Your family asks for more than 1 lists per second. Try again in a moment.")
        script.say(.sessions(SessionsRequest(request: 91, .endOthers)), ana)
        #expect(script.seen() == [.endSessions(by: 1, nil)])
        say(script, 1, ana)
        #expect(script.seen() == [.propose(ana, 1)])
        #expect(script.hub.quotaRefusals == [.lists: 1])
    }
}
