import Bytes
package import Family
import Wire

/// From nobody to a person.
extension Hub {
    /// Codes that one connection may try: enough for a typing error, useless for guessing.
    static let maxRedemptions = 5

    /// - Parameter token: `nil`: that of the cookie.
    func signIn(_ session: Session, token: String?, _ request: Int64?) {
        guard isAnonymous(session, request) else { return }
        guard let token = token ?? session.token else { return refuseSignIn(session, request) }
        session.phase = .signingIn
        session.request = request
        session.token = token
        emit(.read(session.id, .signIn(token: token)))
    }

    func didSignIn(_ session: Session, _ answer: SignedIn?, time: Int64) {
        guard session.phase == .signingIn else { return }
        // The session may have ended after it was looked up.
        guard let answer, !ended.contains(answer.session) else {
            session.phase = .anonymous
            refuseSignIn(session, session.request)
            return
        }
        // The welcome comes after the code that gave the token is dead on disk (`FamilyStore.closeRedemption`).
        guard !answer.isRedemptionOpen else {
            emit(.command(session.id, .closeRedemption(session: answer.session)))
            return
        }
        session.token = nil
        // Every session that joins counts for its member; this limit keeps one person from taking every connection of
        // the server without joining. It is one family's worth more than can join, so that the last to join is refused
        // by that other rule.
        let most = limits.connectionsPerMember * (answer.memberships.count + 1)
        guard connectionsOfPerson[answer.person, default: 0] < most else {
            end(session, .tooManyConnections, "too many connections of one person")
            return
        }
        connectionsOfPerson[answer.person, default: 0] += 1
        session.phase = .signedIn
        session.refusals = TokenBucket()
        session.number = answer.session
        if answer.isRenewalDue { renewals.append(answer.session) }
        session.person = answer.person
        session.scope = answer.scope
        session.memberships = answer.memberships
        let welcome = Welcome(server: serverVersion, time: time, memberships: answer.memberships, limits: limits, web: webBuild)
        send(.welcome(welcome), to: session, request: session.request)
        session.recovery = answer.recovery
        session.request = nil
    }

    private func refuseSignIn(_ session: Session, _ request: Int64?) {
        sendError(
            Rejection(.tokenUnknown, "This sign-in is not valid or has ended. Ask a parent of the family for a new one."), to: session, request: request)
        end(session, .sessionEnded, "unknown token")
    }

    /// - Returns: whether a sign-in or redemption may begin; if not, it was refused.
    func isAnonymous(_ session: Session, _ request: Int64?) -> Bool {
        switch session.phase {
        case .anonymous: return true
        case .signingIn:
            sendError(
                Rejection(.tooManyPending, "The last sign_in or redeem has no answer yet. Wait for its answer, then send this again.", retryAfter: 100),
                to: session, request: request)
        case .signedIn, .joining, .catchingUp, .live, .ending, .closed:
            sendError(Rejection(.alreadySignedIn, "This connection is signed in already."), to: session, request: request)
        }
        return false
    }

    /// A reader looks the code up, so that a stranger who guesses codes costs the writer nothing.
    func redeem(_ session: Session, code: String, nonce: String, name: String?, _ request: Int64?) {
        if session.phase == .signedIn {
            guard !session.isAddingFamily else {
                sendError(
                    Rejection(.tooManyPending, "The last redeem has no answer yet. Wait for its answer, then send this again.", retryAfter: 100), to: session,
                    request: request)
                return
            }
        } else {
            guard isAnonymous(session, request) else { return }
        }
        guard session.redemptions < Hub.maxRedemptions else {
            end(session, .policyViolation, "too many codes")
            return
        }
        session.redemptions += 1
        if session.phase == .signedIn { session.isAddingFamily = true } else { session.phase = .signingIn }
        session.request = request
        session.redemptionName = name
        emit(.read(session.id, .redemption(code: code, nonce: nonce)))
    }

    func didLookUp(_ session: Session, code: String, nonce: String, _ refusal: Rejection?) {
        guard session.phase == .signingIn || session.isAddingFamily else { return }
        let name = session.redemptionName
        session.redemptionName = nil
        if let refusal {
            didNotRedeem(session)
            sendError(refusal, to: session, request: session.request)
            return
        }
        guard redemptions.count < Hub.maxRedemptionsAtWriter else {
            didNotRedeem(session)
            // The code was not tried.
            session.redemptions -= 1
            sendError(
                Rejection(.busy, "Too many codes are being redeemed. Send this again in a moment.", retryAfter: 1_000), to: session,
                request: session.request)
            return
        }
        redemptions.insert(session.id)
        emit(.command(session.id, .redeem(code: code, nonce: nonce, name: name, session: session.isAddingFamily ? session.number : nil)))
    }

    private func didNotRedeem(_ session: Session) {
        if session.isAddingFamily { session.isAddingFamily = false } else { session.phase = .anonymous }
    }

    /// The writer has answered the `redeem` of a person who is signed in.
    private func didAddFamily(_ session: Session, _ answer: SessionCommandAnswer) {
        session.isAddingFamily = false
        guard session.phase != .closed, session.phase != .ending else { return }
        let request = session.request
        session.request = nil
        switch answer {
        case .membership(let membership):
            if !session.memberships.contains(where: { $0.family == membership.family }) { session.memberships.append(membership) }
            send(.membership(membership), to: session, request: request)
        case .rejected(let rejection): sendError(rejection, to: session, request: request)
        case .token, .redemptionClosed, .invite, .standing, .sessions, .programToken, .deviceCode, .calendars, .deletion: break
        }
    }

    /// Ends the rights of every connection of the session here and now. The answer follows when the end is durable.
    ///
    /// If the disk is full, the end cannot be durable yet. It stays in effect here all the same: a person who signs out
    /// because their token was stolen must not have it work again. The session that asked receives `storage_full`, and
    /// the writer tries the end again until it is durable.
    func signOut(_ session: Session, _ request: Int64?) {
        guard let number = session.number else {
            sendError(Rejection(.notSignedIn, "Sign in first."), to: session, request: request)
            return
        }
        // Each is a job of the writer's; one is enough.
        guard !session.isSigningOut else { return }
        guard ended.begin(number) else {
            sendError(Rejection(.busy, "The server is busy. Sign out again in a moment.", retryAfter: 1_000), to: session, request: request)
            return
        }
        session.isSigningOut = true
        session.request = request
        for other in allSessions where other.number == number && other.phase != .closed { suspend(other) }
        emit(.endSession(number))
    }

    /// Ends the rights of every connection of a session here and now, for a request over HTTP; what `signOut` is on the socket. `endSessions` or `didNotEnd`
    /// follows.
    ///
    /// - Returns: false, with nothing done, when too many ends wait.
    package func beginEnd(of number: Int64) -> Bool {
        guard ended.begin(number) else { return false }
        for other in allSessions where other.number == number && other.phase != .closed { suspend(other) }
        return true
    }

    /// Whether a session of the database has ended, although a look into the database may still find it.
    package func hasEnded(_ number: Int64) -> Bool { ended.contains(number) }

    /// The end of a session could not be made durable.
    package func didNotEnd(_ number: Int64, _ rejection: Rejection) {
        for session in allSessions where session.number == number && session.isSigningOut && session.phase != .closed {
            session.isSigningOut = false
            sendError(rejection, to: session, request: session.request)
        }
    }

    /// The writer did what `Effect.command` asked.
    package func commanded(_ id: SessionID, _ answer: SessionCommandAnswer) {
        redemptions.remove(id)
        guard let session = session(id) else { return }
        if session.isAddingFamily { return didAddFamily(session, answer) }
        if let request = session.commandRequest { return didCommand(session, answer, request: request) }
        guard session.phase == .signingIn else { return }
        if case .redemptionClosed = answer {
            // The session may have ended in the meantime, so it is looked up again.
            if let token = session.token { emit(.read(id, .signIn(token: token))) }
            return
        }
        session.phase = .anonymous
        switch answer {
        case .token(let token, let family, let member, let ended):
            if let ended { endSessions(ended) }
            send(.token(token: token, family: family, member: member), to: session, request: session.request)
        case .rejected(let rejection):
            sendError(rejection, to: session, request: session.request)
        case .redemptionClosed, .invite, .standing, .sessions, .membership, .programToken, .deviceCode, .calendars, .deletion:
            break
        }
    }

    /// Asks to restart the idle time of sessions in use: of those that signed in after a pause, and once per day of those that stay open.
    func renewSessions() {
        if now - renewedAllAt >= Hub.renewalInterval {
            renewedAllAt = now
            for session in allSessions where session.phase != .closed {
                if let number = session.number { renewals.append(number) }
            }
        }
        guard !renewals.isEmpty else { return }
        emit(.renew(sessions: renewals))
        renewals.removeAll()
    }

    /// The session is over in the database; here it is within this call.
    package func endSessions(_ number: Int64) {
        ended.didCommit(number)
        for session in allSessions where session.number == number && session.phase != .closed {
            send(.signedOut, to: session, request: session.request)
            end(session, .sessionEnded, "signed out")
        }
    }
}
