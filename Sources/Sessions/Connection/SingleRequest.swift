package import Family
internal import Posix
package import Wire

/// A request to a server before there is a session: it has a connection of its own, which closes after the response.
package enum SingleRequest {
    package enum Failure: Error, Hashable, Sendable {
        case refused(Rejection)
        /// The reason, in sentences. It is unknown whether the server carried out the request.
        case offline(String)
    }

    /// Checks that a Huddle server is reachable.
    ///
    /// - Complexity: waits at most `timeoutMilliseconds`, like all functions here.
    package static func reach(_ address: ServerAddress, timeoutMilliseconds: Int64 = 10_000) throws(Failure) {
        try ask(address, until: Clock.monotonicMilliseconds() + timeoutMilliseconds) { event in
            if case .opened = event { (nil, ()) } else { nil }
        }
    }

    /// The families of the person who signs in with a token.
    package static func memberships(
        of token: String, at address: ServerAddress, timeoutMilliseconds: Int64 = 10_000
    ) throws(Failure) -> [Membership] {
        try ask(address, until: Clock.monotonicMilliseconds() + timeoutMilliseconds) { event in
            switch event {
            case .opened: (.signIn(token: token), nil)
            case .frame(.welcome(let welcome)): (nil, welcome.memberships)
            default: nil
            }
        }
    }

    /// Makes a session of the person with a sign-in name.
    package static func signIn(
        _ signIn: NameSignIn, at address: ServerAddress, timeoutMilliseconds: Int64 = 10_000
    ) throws(Failure) -> NameSignedIn {
        try ask(address, until: Clock.monotonicMilliseconds() + timeoutMilliseconds) { event in
            switch event {
            case .opened: (.signInByName(signIn), nil)
            case .frame(.signedIn(let made)): (nil, made)
            default: nil
            }
        }
    }

    /// - Parameter answer: returns the frame to send and the result, at each event; this function handles refusals and
    ///   the end.
    static func ask<Answer>(
        _ address: ServerAddress, until end: Int64, _ answer: (ConnectionEvent) -> (send: ClientFrame?, found: Answer?)?
    ) throws(Failure) -> Answer {
        do {
            let connection = try ClientConnection(address, now: Clock.monotonicMilliseconds())
            defer { connection.close(code: CloseCode.normal.rawValue) }
            while let item = connection.item {
                var items = [item]
                let now = Clock.monotonicMilliseconds()
                guard now < end else { throw Failure.offline("\(address) did not answer in time.") }
                _ = try Poll.wait(&items, timeoutMilliseconds: Int(max(min(connection.deadline, end) - now, 1)))
                let later = Clock.monotonicMilliseconds()
                for event in connection.ready(now: later) + connection.timeout(now: later) {
                    if case .frame(.error(let rejection, _)) = event { throw Failure.refused(rejection) }
                    if case .frame(.drain(let wait)) = event {
                        throw Failure.refused(Rejection(.busy, "The server restarts. Try again in a moment.", retryAfter: wait))
                    }
                    if case .closed(_, let reason) = event { throw Failure.offline(reason) }
                    guard let (frame, found) = answer(event) else { continue }
                    if let found { return found }
                    if let frame { connection.send(frame) }
                }
            }
            throw Failure.offline("\(address) ended the connection.")
        } catch let failure as Failure {
            throw failure
        } catch let failure as ConnectionFailure {
            throw .offline(failure.message)
        } catch {
            throw .offline("\(error)")
        }
    }
}
