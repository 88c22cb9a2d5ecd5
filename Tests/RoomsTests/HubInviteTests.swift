import Family
import Testing
import Wire

@testable import Rooms

@Suite("Hub: invites that parents make, take back and list")
struct HubInviteTests {
    private static let nonce = "5f1c9a7e20b4d3865f1c9a7e20b4d386"
    private static let made = Invite(
        id: HubScript.client, member: HubScript.maya, role: .guest, name: "Gus", inviter: HubScript.dana, createdAt: 1, expiresAt: 2)
    private static let invite = ClientFrame.invite(
        InviteRequest(request: 7, id: HubScript.client, nonce: nonce, name: "Gus", role: .guest))
    private static let withdraw = ClientFrame.withdrawInvite(WithdrawInviteRequest(request: 8, id: HubScript.client))
    private static let list = ClientFrame.invites(InvitesRequest(request: 9))

    @Test("A parent's invite goes to the writer as that member, and its answer to the session that asked", arguments: [invite, withdraw])
    func writes(frame: ClientFrame) {
        let script = HubScript()
        let other = script.live(at: 0), id = script.live(at: 0)
        _ = script.seen()
        script.say(frame, id)
        let effects = script.hub.takeEffects()
        switch effects.last {
        case .command(id, .invite(HubScript.family, HubScript.dana, let request)): #expect(request.request == 7 && request.nonce == Self.nonce)
        case .command(id, .withdrawInvite(HubScript.family, HubScript.dana, let request)): #expect(request.request == 8)
        default: Issue.record("the writer is not asked: \(effects)")
        }
        script.hub.commanded(id, .invite(Self.made, code: "7K3QX"))
        #expect(script.seen() == [.frame(id, "invite")])
        script.hub.commanded(other, .invite(Self.made, code: "7K3QX"))
        #expect(script.seen() == [], "a session that asked for nothing gets nothing")
    }

    @Test("A list goes to a reader, and one command of a session is at the writer at a time: the next is refused with a wait, and accepted after the answer")
    func oneAtATime() {
        let script = HubScript()
        let id = script.live(at: 0)
        _ = script.seen()
        script.say(Self.list, id)
        #expect(script.seen() == [.read(id, "invites")])
        script.answer(.page(Array("answer".utf8)), id)
        #expect(script.seen() == [.frame(id, "answer")])
        script.say(Self.invite, id)
        #expect(script.seen() == [.command(id)])
        script.say(Self.withdraw, id)
        #expect(script.answers() == ["error too_many_pending (request 8)"])
        script.hub.commanded(id, .rejected(Rejection(.tooMany, "20 invites of this family wait to be accepted, and 20 is the limit. Withdraw one first")))
        #expect(script.answers() == ["error too_many (request 7)"])
        script.say(Self.withdraw, id)
        #expect(script.seen() == [.command(id)])
    }

    @Test("Nobody but a parent gets as far as the writer or a reader; before the join nobody does", arguments: [Role.athlete, .guest])
    func refused(role: Role) {
        let script = HubScript()
        let id = script.live(HubScript.maya, role: role, at: 0)
        _ = script.seen()
        let outside = script.hub.opened(now: 0)
        for frame in [Self.invite, Self.withdraw, Self.list] {
            script.say(frame, id)
            #expect(script.seen() == [.frame(id, "error not_allowed")])
            script.say(frame, outside)
            #expect(script.seen() == [.frame(outside, "error not_signed_in")])
        }
    }

    @Test("An answer for a session that was removed, signed out or closed in the meantime goes nowhere")
    func late() {
        for end in 0..<3 {
            let script = HubScript()
            let id = script.live(at: 0)
            script.say(Self.invite, id)
            _ = script.seen()
            switch end {
            case 0: script.commit(1, members: [(HubScript.dana, nil)])
            case 1: script.say(.signOut, id)
            default: script.hub.closed(id)
            }
            _ = script.seen()
            script.hub.commanded(id, .invite(Self.made, code: "7K3QX"))
            #expect(script.seen() == [], "\(end)")
        }
    }
}
