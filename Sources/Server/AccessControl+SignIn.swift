import HTTP1
import Store

extension AccessControl {
    /// Finds the session of a request; answers 401 itself when there is none.
    ///
    /// - Parameter then: called in a later tick; not when the request was answered here or its client has gone.
    func authenticate(_ work: HTTPWork, then: @escaping (SignIn) -> Void) {
        guard let token = Bearer.token(work.request.head.fields) else { return work.respond(Bearer.refusal(hasToken: false)) }
        signIn(token) { [self] found in
            guard work.isOpen else { return }
            guard let answer = found else { return work.respond(Bearer.busy) }
            guard let signIn = answer, !hasEnded(signIn.session) else { return work.respond(Bearer.refusal(hasToken: true)) }
            then(signIn)
        }
    }

    /// Finds the session of a token, and notes its use.
    ///
    /// - Parameter then: as of `Workers.read`; the second `nil` for a token that opens nothing.
    func signIn(_ token: String, then: @escaping (SignIn??) -> Void) {
        workers.read { reader throws(StoreFailure) in
            try reader.signIn(token: token)
        } then: { [weak self] found in
            guard let self, let signIn = found ?? nil else { return then(found) }
            noteUse(of: signIn) { then($0 ? found : nil) }
        }
    }

    /// Notes that a session is in use. On the first use of a token that a code gave, the code is dead on disk before `then` is called
    /// (`Store.closeRedemption`).
    ///
    /// - Parameter then: called in this tick or a later one; with false when the use could not be noted, and the request is to be refused.
    func noteUse(of signIn: SignIn, then: @escaping (Bool) -> Void) {
        if signIn.isRenewalDue { usage.renew(signIn.session) }
        guard signIn.isRedemptionOpen else { return then(true) }
        workers.write { store throws(StoreFailure) in
            (try store.closeRedemption(session: signIn.session) == nil, [])
        } then: {
            then($0 ?? false)
        }
    }
}
