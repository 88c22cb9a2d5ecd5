import Family
import Testing
import Wire

@testable import Rooms

@Suite("Hub: codes of invites")
struct HubRedemptionTests {
    private static let nonce = "5f1c9a7e20b4d3865f1c9a7e20b4d386"
    private static let unknown = Rejection(.codeUnknown, ErrorCode.codeUnknown.sentence)
    private static let redeem = ClientFrame.redeem(code: "X", nonce: nonce, name: "Gus")

    private let script = HubScript()

    private func open() -> SessionID { script.hub.opened(now: script.now) }

    private func lookedUp(_ id: SessionID, _ refusal: Rejection? = nil) {
        script.answer(.redemption(code: "X", nonce: Self.nonce, refusal: refusal), id)
    }

    /// A session whose redemption is at the writer.
    private func waiting() -> SessionID {
        let id = open()
        script.say(Self.redeem, id)
        lookedUp(id)
        #expect(script.seen() == [.read(id, "redemption"), .command(id)])
        return id
    }

    @Test("A reader looks a code up; an unknown one never reaches the writer, a known one does")
    func lookUp() {
        let id = open()
        script.say(Self.redeem, id)
        #expect(script.seen() == [.read(id, "redemption")])
        lookedUp(id, Self.unknown)
        #expect(script.seen() == [.frame(id, "error code_unknown")])
        script.say(Self.redeem, id)
        lookedUp(id)
        let effects = script.hub.takeEffects()
        guard case .command(id, .redeem("X", Self.nonce, "Gus", nil))? = effects.last else {
            Issue.record("the writer is not asked: \(effects)")
            return
        }
        script.hub.commanded(id, .token("t", family: HubScript.family, member: HubScript.dana, ended: nil))
        #expect(script.seen() == [.frame(id, "token")])
    }

    @Test("A connection tries five codes; the sixth closes it")
    func tries() {
        let id = open()
        for _ in 0..<Hub.maxRedemptions {
            script.say(Self.redeem, id)
            lookedUp(id, Self.unknown)
            #expect(script.seen() == [.read(id, "redemption"), .frame(id, "error code_unknown")])
        }
        script.say(Self.redeem, id)
        #expect(script.seen() == [.close(id, .policyViolation, dropsQueue: false)])
    }

    @Test("A frame that does not wait for the last answer is asked to wait, not refused as signed in", arguments: [
        redeem, .signIn(token: "t"),
    ])
    func unanswered(frame: ClientFrame) {
        let id = open()
        script.say(Self.redeem, id)
        _ = script.seen()
        script.say(frame, id)
        #expect(script.seen() == [.frame(id, "error too_many_pending")])
        lookedUp(id, Self.unknown)
        #expect(script.seen() == [.frame(id, "error code_unknown")])
        script.say(frame, id)
        #expect(script.seen().count == 1)
    }

    @Test("64 redemptions wait for the writer, also of sessions that have gone; the 65th is busy, costs no try, and works when one is done")
    func bound() {
        let waiting = (0..<Hub.maxRedemptionsAtWriter).map { _ in self.waiting() }
        // The jobs of these two remain at the writer.
        script.hub.closed(waiting[0])
        script.hub.closed(waiting[1])
        let late = open()
        for _ in 0..<Hub.maxRedemptions {
            script.say(Self.redeem, late)
            lookedUp(late)
            #expect(script.seen() == [.read(late, "redemption"), .frame(late, "error busy")])
        }
        script.hub.commanded(waiting[0], .token("t", family: HubScript.family, member: HubScript.dana, ended: nil))
        script.hub.commanded(waiting[2], .rejected(Self.unknown))
        #expect(script.seen() == [.frame(waiting[2], "error code_unknown")])
        script.say(Self.redeem, late)
        lookedUp(late)
        #expect(script.seen() == [.read(late, "redemption"), .command(late)])
        _ = self.waiting()
        script.say(Self.redeem, waiting[2])
        lookedUp(waiting[2])
        #expect(script.seen() == [.read(waiting[2], "redemption"), .frame(waiting[2], "error busy")])
    }

    private func firstUse() -> SignedIn {
        var found = HubScript.signedIn()
        found.isRedemptionOpen = true
        return found
    }

    @Test("The first sign-in of a code's token is welcomed after the writer has closed the redemption")
    func firstSignIn() {
        let id = open()
        script.say(.signIn(token: "t"), id)
        script.answer(.signIn(firstUse()), id)
        let effects = script.hub.takeEffects()
        guard effects.count == 2, case .command(id, .closeRedemption(session: 1)) = effects[1] else {
            Issue.record("the writer is not asked: \(effects)")
            return
        }
        script.hub.commanded(id, .redemptionClosed)
        #expect(script.seen() == [.read(id, "sign-in")])
        script.answer(.signIn(HubScript.signedIn()), id)
        #expect(script.seen() == [.frame(id, "welcome")])
    }

    @Test("A first sign-in whose session ends in the meantime gets no welcome")
    func endsMeanwhile() {
        let id = open()
        script.say(.signIn(token: "t"), id)
        script.answer(.signIn(firstUse()), id)
        _ = script.seen()
        let other = waiting()
        script.hub.commanded(other, .token("u", family: HubScript.family, member: HubScript.dana, ended: 1))
        script.hub.commanded(id, .redemptionClosed)
        #expect(script.seen() == [.frame(other, "token"), .read(id, "sign-in")])
        script.answer(.signIn(nil), id)
        #expect(script.seen() == [.frame(id, "error token_unknown"), .close(id, .sessionEnded, dropsQueue: false)])
    }

    @Test("A first sign-in that the writer refuses is not welcomed, and may be sent again")
    func refused() {
        let id = open()
        script.say(.signIn(token: "t"), id)
        script.answer(.signIn(firstUse()), id)
        _ = script.seen()
        script.hub.commanded(id, .rejected(Rejection(.storageFull, ErrorCode.storageFull.sentence, retryAfter: 5_000)))
        #expect(script.seen() == [.frame(id, "error storage_full")])
        script.say(.signIn(token: "t"), id)
        #expect(script.seen() == [.read(id, "sign-in")])
    }
}
