import Bytes
import Family
import Testing
import Wire

@testable import Rooms

@Suite("Hub: tokens for programs stay within their scope")
struct HubScopeTests {
    private static let nonce = "5f1c9a7e20b4d3865f1c9a7e20b4d386"
    private static let token = ClientFrame.createToken(
        CreateTokenRequest(request: 7, id: HubScript.client, nonce: nonce, name: "Export", scope: .read, days: 9))

    @Test("The scope of the sign-in holds for the connection: mutations go to the writer as read-only, and invites are refused")
    func readOnly() {
        let script = HubScript()
        let id = script.live(at: 0)
        _ = script.seen()
        script.hub.session(id)?.scope = .read
        script.say(.mutate(id: 1, operations: []), id)
        guard case .propose(let proposal)? = script.hub.takeEffects().last else {
            Issue.record("the writer is not asked")
            return
        }
        #expect(proposal.isReadOnly)
        for frame in [
            ClientFrame.invite(InviteRequest(request: 7, id: HubScript.client, nonce: Self.nonce, name: "Gus", role: .guest)),
            .withdrawInvite(WithdrawInviteRequest(request: 8, id: HubScript.client)), .invites(InvitesRequest(request: 9)),
        ] {
            script.say(frame, id)
            #expect(script.seen() == [.frame(id, "error not_allowed")])
        }
        script.hub.session(id)?.scope = .write
        script.say(.mutate(id: 2, operations: []), id)
        guard case .propose(let written)? = script.hub.takeEffects().last else {
            Issue.record("the writer is not asked")
            return
        }
        #expect(!written.isReadOnly)
    }

    @Test("A session makes a token through the writer, one request at a time; a token makes none")
    func makes() {
        let script = HubScript()
        let id = script.live(at: 0)
        _ = script.seen()
        script.say(Self.token, id)
        #expect(script.seen() == [.command(id)])
        script.say(Self.token, id)
        #expect(script.answers() == ["error too_many_pending (request 7)"])
        script.hub.commanded(id, .rejected(.confirmFirst))
        #expect(script.answers() == ["error confirm_first (request 7)"])
        script.hub.session(id)?.scope = .write
        script.say(Self.token, id)
        #expect(script.seen() == [.frame(id, "error not_allowed")])
    }
}
