import Family
import Testing
import Wire

@testable import Rooms

@Suite("Hub: consents, members who may not enter any more, and families that are added")
struct HubConsentTests {
    private static let withdraw = ClientFrame.consent(ConsentRequest(request: 8, member: HubScript.maya, act: .withdraw))
    private static let standings = ClientFrame.standings(StandingsRequest(request: 9))
    private static let standing = Standing(member: HubScript.maya, role: .athlete, state: .consentNeeded, hasSignIn: true, isInvited: false)
    private static let nonce = "5f1c9a7e20b4d3865f1c9a7e20b4d386"

    /// Opens a session that is signed in and has not joined.
    private static func signedIn(_ script: HubScript) -> SessionID {
        let id = script.hub.opened(now: 0)
        script.say(.signIn(token: "t"), id)
        script.answer(.signIn(HubScript.signedIn()), id)
        return id
    }

    @Test("A command goes to the writer as that member, whatever their role, and its answer to the session that asked; the list goes to a reader")
    func commands() {
        for role in [Role.parent, .athlete, .guest] {
            let script = HubScript()
            let id = script.live(HubScript.maya, role: role, at: 0)
            _ = script.seen()
            script.say(Self.withdraw, id)
            let effects = script.hub.takeEffects()
            guard case .command(id, .consent(HubScript.family, HubScript.maya, let request))? = effects.last else {
                Issue.record("the writer is not asked: \(effects)")
                continue
            }
            #expect(request.request == 8)
            script.hub.commanded(id, .standing(Self.standing))
            #expect(script.seen() == [.frame(id, "standing")])
            script.say(Self.standings, id)
            #expect(script.seen() == [.read(id, "standings")])
        }
    }

    @Test("A member who may not enter any more is closed in the room within the same call, and nobody else is")
    func shutOut() {
        let script = HubScript()
        let parent = script.live(at: 0)
        let maya = script.live(HubScript.maya, role: .athlete, at: 0)
        _ = script.seen()
        script.hub.shutOut(HubScript.maya, of: HubScript.dana)
        #expect(script.seen() == [], "another family")
        script.hub.shutOut(HubScript.maya, of: HubScript.family)
        let seen = script.seen()
        #expect(seen.contains(.close(maya, .removed, dropsQueue: true)))
        #expect(!seen.contains { if case .close(parent, _, _) = $0 { true } else { false } })
    }

    @Test("A person who is signed in redeems a code once at a time, before the join; the family can be joined then")
    func adds() {
        let script = HubScript()
        let id = Self.signedIn(script)
        _ = script.seen()
        let redeem = ClientFrame.redeem(code: "X", nonce: Self.nonce, name: "Dana")
        script.say(redeem, id)
        #expect(script.seen() == [.read(id, "redemption")])
        script.say(redeem, id)
        #expect(script.answers() == ["error too_many_pending"])
        script.answer(.redemption(code: "X", nonce: Self.nonce, refusal: nil), id)
        let effects = script.hub.takeEffects()
        guard case .command(id, .redeem("X", _, "Dana", 1?))? = effects.last else {
            Issue.record("the writer is not asked: \(effects)")
            return
        }
        let added = Membership(family: HubScript.client, name: "Other", member: HubScript.maya, role: .guest)
        script.hub.commanded(id, .membership(added))
        #expect(script.seen() == [.frame(id, "membership Other")])
        script.say(.join(Join(family: HubScript.client, client: HubScript.client)), id)
        #expect(script.seen() == [.read(id, "join")])
    }

    @Test("A refused code leaves the person signed in, and another one can be tried, five in all")
    func refused() {
        let script = HubScript()
        let id = Self.signedIn(script)
        _ = script.seen()
        for _ in 0..<Hub.maxRedemptions {
            script.say(.redeem(code: "X", nonce: Self.nonce), id)
            _ = script.seen()
            script.answer(.redemption(code: "X", nonce: Self.nonce, refusal: Rejection(.codeUnknown, ErrorCode.codeUnknown.sentence)), id)
            #expect(script.seen() == [.frame(id, "error code_unknown")])
        }
        script.say(.redeem(code: "X", nonce: Self.nonce), id)
        #expect(script.seen().contains(.close(id, .policyViolation, dropsQueue: false)))
    }
}
