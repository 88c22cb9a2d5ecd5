package import Bytes
internal import Family
internal import Posix
internal import Wire

/// Turns an invite's one-time code into a session token.
package enum Redemption {
    package struct Seat: Hashable, Sendable {
        package let token: String
        package let family: Identifier
        package let member: Identifier
    }

    package typealias Failure = OneQuestion.Failure

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
        try OneQuestion.ask(address, until: end) { event in
            switch event {
            case .opened: (.redeem(code: code, client: client), nil)
            case .frame(.token(let token, let family, let member)): (nil, Seat(token: token, family: family, member: member))
            default: nil
            }
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
