import Bytes
import Family
import Testing
import Wire

@testable import Rooms

@Suite("Sign-ins by name in the hub: one at a time, few on a connection, and the notices to devices")
struct HubAccountTests {
    private static let signIn = ClientFrame.signInByName(NameSignIn(name: "ana", secrets: ShownSecrets(password: "correct horse")))
    private static let refusal = Rejection(.signInFailed, "Wrong.")

    private func say(_ hub: Hub, _ frame: ClientFrame, _ id: SessionID) { frame.encode().withUnsafeBytes { hub.received($0, from: id, now: 1) } }

    /// The codes of errors, the words of other effects.
    private func seen(_ hub: Hub) -> [String] {
        hub.takeEffects().compactMap { effect in
            switch effect {
            case .send(_, let octets):
                switch octets.withUnsafeBytes({ try? ServerFrame.decode($0) }) {
                case .error(let rejection, _)?: rejection.code.rawValue
                case .tagged(.signedIn, let request)?: "signed_in \(request)"
                case .signedIn?: "signed_in"
                case .recovered?: "recovered"
                case .mailFailed(let notice)?: "mail failed \(notice.problem.rawValue)"
                case .welcome?: "welcome"
                case .account(let reply)?: "account \(reply.request)"
                default: "another"
                }
            case .close(_, let code, _, _): "close \(code.rawValue)"
            case .signInByName: "by name"
            case .account: "act"
            default: nil
            }
        }
    }

    @Test("One attempt of a connection is under way at a time; its answer carries the number of the request; the sixth ends the connection")
    func attempts() {
        let hub = Hub(limits: Limits(), serverVersion: "test")
        let id = hub.opened(now: 1)
        say(hub, .tagged(Self.signIn, request: 4), id)
        #expect(seen(hub) == ["by name"])
        say(hub, Self.signIn, id)
        say(hub, .signIn(token: "x"), id)
        #expect(seen(hub) == ["too_many_pending", "too_many_pending"])
        hub.answered(id, .success(NameSignedIn(token: "t", device: "d")))
        #expect(seen(hub) == ["signed_in 4"])
        for _ in 0..<4 {
            say(hub, Self.signIn, id)
            hub.answered(id, Result<NameSignedIn, Rejection>.failure(Self.refusal))
            #expect(seen(hub) == ["by name", "sign_in_failed"])
        }
        say(hub, Self.signIn, id)
        #expect(seen(hub) == ["close 1008"])
    }

    @Test("An answer for a connection that has gone finds nobody, and an account is asked about after the join alone")
    func late() {
        let hub = Hub(limits: Limits(), serverVersion: "test")
        let id = hub.opened(now: 1)
        say(hub, Self.signIn, id)
        _ = seen(hub)
        hub.closed(id)
        let next = hub.opened(now: 1)
        hub.answered(id, .success(NameSignedIn(token: "t", device: "d")))
        hub.answered(next, .success(NameSignedIn(token: "t", device: "d")))
        hub.answered(next, .success(AccountAnswer(state: AccountState())))
        #expect(seen(hub).isEmpty)
        say(hub, .account(AccountRequest(request: 1, .show)), next)
        #expect(seen(hub) == ["not_signed_in"])
    }

    @Test("A given-up mail is reported only to joined sessions, and to no other person")
    func mailFailed() {
        let hub = Hub(limits: Limits(), serverVersion: "test")
        let id = hub.opened(now: 1)
        say(hub, .signIn(token: "t"), id)
        hub.answered(id, .signIn(SignedIn(session: 5, person: 3, memberships: [])), time: 1)
        #expect(seen(hub) == ["welcome"])
        hub.mailFailed(person: 3, MailNotice(kind: .confirm, address: "a…@example.org", problem: .late))
        hub.mailFailed(person: 4, MailNotice(kind: .confirm, address: "a…@example.org", problem: .late))
        #expect(seen(hub).isEmpty)
    }

    @Test("A recovery waits for the join of a connection that has not joined")
    func recovered() {
        let hub = Hub(limits: Limits(), serverVersion: "test")
        let id = hub.opened(now: 1)
        say(hub, .signIn(token: "t"), id)
        hub.answered(id, .signIn(SignedIn(session: 5, person: 3, memberships: [])), time: 1)
        #expect(seen(hub) == ["welcome"])
        hub.recovered(person: 3, RecoveryNotice(way: .host, at: 1), besides: 9)
        #expect(seen(hub).isEmpty)
        #expect(hub.session(id)?.recovery?.way == .host)
        hub.recovered(person: 4, RecoveryNotice(way: .code, at: 2), besides: 9)
        hub.recovered(person: 3, RecoveryNotice(way: .code, at: 2), besides: 5)
        #expect(hub.session(id)?.recovery?.way == .host, "another person, and the session that did it")
    }
}
