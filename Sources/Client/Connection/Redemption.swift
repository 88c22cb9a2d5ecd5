package import Bytes
package import Family
internal import Posix
internal import Wire

/// Turns an invite's one-time code into a session token.
package enum Redemption {
    package struct Seat: Hashable, Sendable {
        package let token: String
        package let family: Identifier
        package let member: Identifier
    }

    package enum Failure: Error, Hashable, Sendable {
        case refused(Rejection)
        /// Whether the code was used up is unknown; the same client may ask again.
        case offline(String)
    }

    /// Asks once more on a new connection when the answer was lost, because the same client gets the same member.
    ///
    /// - Parameter client: the installation that the code is redeemed for.
    /// - Complexity: waits at most `timeoutMilliseconds`.
    package static func redeem(
        code: String, at address: ServerAddress, client: Identifier, timeoutMilliseconds: Int64 = 10_000
    ) throws(Failure) -> Seat {
        let end = Clock.monotonicMilliseconds() + timeoutMilliseconds
        while true {
            do throws(Failure) {
                return try attempt(code, address, client, until: end)
            } catch {
                guard case .offline = error, Clock.monotonicMilliseconds() + 500 < end else { throw error }
                _ = try? Poll.pause(milliseconds: 250)
            }
        }
    }

    private static func attempt(_ code: String, _ address: ServerAddress, _ client: Identifier, until end: Int64) throws(Failure) -> Seat {
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
                    switch event {
                    case .opened: connection.send(.redeem(code: code, client: client))
                    case .frame(.token(let token, let family, let member)): return Seat(token: token, family: family, member: member)
                    case .frame(.error(let rejection, _)): throw Failure.refused(rejection)
                    case .frame: break
                    case .closed(_, let reason): throw Failure.offline(reason)
                    }
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

extension Poll {
    /// Waits for nothing.
    static func pause(milliseconds: Int) throws(Errno) {
        var none: [Item] = []
        _ = try wait(&none, timeoutMilliseconds: milliseconds)
    }
}
