import Store

extension AccessControl {
    /// Notes that a session is in use. On the first use of a token that came from a code, the end of the code is
    /// durable before `then` is called (`FamilyStore.closeRedemption`).
    ///
    /// - Parameter then: called in this tick or a later one; with false if the use could not be noted and the request
    ///   must be refused.
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
