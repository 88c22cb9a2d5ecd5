import Bytes
import Family
import Wire

/// From nobody to a person.
extension Hub {
    /// Codes that one connection may try: enough for a typing error, useless for guessing.
    static let maxRedemptions = 5

    func signIn(_ session: Session, token: String) {
        guard session.phase == .anonymous else {
            sendError(Rejection(.alreadySignedIn, "This connection is signed in already."), to: session)
            return
        }
        session.phase = .signingIn
        session.token = token
        emit(.read(session.id, .signIn(token: token)))
    }

    func didSignIn(_ session: Session, _ answer: SignedIn?, time: Int64) {
        guard session.phase == .signingIn else { return }
        // The session may have ended after it was looked up.
        guard let answer, !endedLately.contains(answer.session) else {
            session.phase = .anonymous
            sendError(
                Rejection(.tokenUnknown, "This sign-in is not valid (any more). Ask a parent of the family for a new one."), to: session)
            end(session, .sessionEnded, "unknown token")
            return
        }
        // Whoever joins is counted as a member; this keeps one person from taking every connection of the server without joining. One
        // family's worth more than can join, so that the last to join is told by that rule.
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
        session.memberships = answer.memberships
        send(.welcome(Welcome(server: serverVersion, time: time, memberships: answer.memberships, limits: limits)), to: session)
    }

    func redeem(_ session: Session, code: String, client: Identifier) {
        guard session.phase == .anonymous else {
            sendError(Rejection(.alreadySignedIn, "This connection is signed in already."), to: session)
            return
        }
        guard session.redemptions < Hub.maxRedemptions else {
            end(session, .policyViolation, "too many codes")
            return
        }
        session.redemptions += 1
        session.phase = .signingIn
        emit(.command(session.id, .redeem(code: code, client: client)))
    }

    func signOut(_ session: Session) {
        guard session.phase != .anonymous, session.phase != .signingIn else {
            sendError(Rejection(.notSignedIn, "Sign in first."), to: session)
            return
        }
        // Each is a job of the writer's; one is enough.
        guard !session.isSigningOut else { return }
        session.isSigningOut = true
        emit(.command(session.id, .signOut(token: session.token)))
    }

    /// The writer did what `Effect.command` asked.
    package func commanded(_ id: SessionID, _ answer: SessionCommandAnswer) {
        if case .signedOut(let number) = answer {
            endSessions(number)
            return
        }
        guard let session = session(id), session.phase == .signingIn else { return }
        session.phase = .anonymous
        switch answer {
        case .token(let token, let family, let member, let ended):
            if let ended { endSessions(ended) }
            send(.token(token: token, family: family, member: member), to: session)
        case .rejected(let rejection):
            sendError(rejection, to: session)
        case .signedOut:
            break
        }
    }

    /// Asks for the time of sessions in use to begin anew: of those that signed in after a pause, and once a day of those that stay open.
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
        if endedLately.count >= Hub.maxEndedLately { endedLately.removeFirst(Hub.maxEndedLately / 2) }
        endedLately.append(number)
        for session in allSessions where session.number == number && session.phase != .closed {
            send(.signedOut, to: session)
            end(session, .sessionEnded, "signed out")
        }
    }
}
