package import Family
package import Wire

// Sign-ins by name, and what people ask about the ways in which they sign in. The hub only refuses early.
extension Hub {
    /// One at a time on a connection, and as many as codes: a program that guesses has to connect again.
    func signInByName(_ session: Session, _ signIn: NameSignIn, _ request: Int64?) {
        guard isAnonymous(session, request) else { return }
        guard session.redemptions < Hub.maxRedemptions else {
            end(session, .policyViolation, "too many sign-ins")
            return
        }
        session.redemptions += 1
        session.phase = .signingIn
        session.request = request
        emit(.signInByName(session.id, signIn))
    }

    /// The answer to `Effect.signInByName`.
    package func answered(_ id: SessionID, _ answer: Result<NameSignedIn, Rejection>) {
        guard let session = session(id), session.phase == .signingIn else { return }
        session.phase = .anonymous
        let request = session.request
        session.request = nil
        switch answer {
        case .success(let made): send(.signedIn(made), to: session, request: request)
        case .failure(let rejection): sendError(rejection, to: session, request: request)
        }
    }

    func account(_ session: Session, _ request: AccountRequest) {
        guard admitRequest(session, request.request, .other) != nil, mayManageAccount(session, request.request), let number = session.number,
            mayCommand(session, request.request)
        else { return }
        emit(.account(session.id, request.act, session: number, person: session.person))
    }

    /// The answer to `Effect.account`.
    package func answered(_ id: SessionID, _ answer: Result<AccountAnswer, Rejection>) {
        guard let session = session(id), let request = session.commandRequest else { return }
        session.commandRequest = nil
        guard session.phase != .closed, session.phase != .ending else { return }
        switch answer {
        case .success(let answer): send(.account(AccountReply(request: request, answer)), to: session)
        case .failure(let rejection): sendError(rejection, to: session, request: request)
        }
    }

    /// The sign-in of a person was recovered: all their connections are notified, except those of the session that it
    /// opened.
    package func recovered(person: Int64, _ notice: RecoveryNotice, besides: Int64) {
        for session in allSessions where session.number != nil && session.number != besides && session.person == person {
            guard session.phase != .closed, session.phase != .ending else { continue }
            if session.isSeated { send(.recovered(notice), to: session) } else { session.recovery = notice }
        }
    }

    /// A mail that a person asked for was abandoned: all their connections that have joined are notified. For the
    /// others it is in `account` and `invites`.
    package func mailFailed(person: Int64, _ notice: MailNotice) {
        for session in allSessions where session.number != nil && session.person == person && session.isSeated {
            guard session.phase != .closed, session.phase != .ending else { continue }
            send(.mailFailed(notice), to: session)
        }
    }
}
