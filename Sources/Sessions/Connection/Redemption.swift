package import Bytes
internal import Crypto
package import Family
internal import Posix
package import Wire

/// Turns an invite's one-time code into a session token.
package enum Redemption {
    package struct SignIn: Hashable, Sendable {
        package let token: String
        package let family: Identifier
        package let member: Identifier
    }

    package typealias Failure = SingleRequest.Failure

    /// A new secret for `redeem`. Store it before the first try, and delete it when the token is stored: anyone who has
    /// both the secret and the code can repeat the redemption until the first sign-in.
    package static func makeNonce() -> String { Hex.encode(Random.octets(16)) }

    /// Redeems the code. If the response was lost, it tries again on a new connection, because the same nonce gets the
    /// same member; if the server is busy, it tries again after a pause.
    ///
    /// - Parameters:
    ///   - nonce: a result of `makeNonce`, the same in every try.
    ///   - name: the person's name or e-mail address, as the invite has it. Without it the server may refuse with
    ///     `required` and the field `name` (`isNameAsked`).
    /// - Complexity: waits at most `timeoutMilliseconds`.
    package static func redeem(
        code: String, at address: ServerAddress, nonce: String, name: String? = nil, timeoutMilliseconds: Int64 = 10_000
    ) throws(Failure) -> SignIn {
        let end = Clock.monotonicMilliseconds() + timeoutMilliseconds
        return try retrying(until: end) { () throws(Failure) in try attempt(code, address, nonce, name, until: end) }
    }

    /// Repeats what may be repeated: after a lost answer on a new connection, and after the pause that a busy server asks for.
    private static func retrying<Value>(until end: Int64, _ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        while true {
            do throws(Failure) {
                return try body()
            } catch {
                let wait: Int64
                switch error {
                case .offline: wait = 250
                case .refused(let rejection):
                    guard rejection.code.isRetryable else { throw error }
                    wait = max(250, rejection.retryAfter ?? 0)
                }
                guard Clock.monotonicMilliseconds() + wait + 250 < end else { throw error }
                _ = try? Poll.pause(milliseconds: Int(wait))
            }
        }
    }

    /// Redeems the code for the person who is signed in with a token: the family is added to that person. It tries again as `redeem` does.
    ///
    /// - Returns: `nil` if the server knows no person in several families; nothing was done.
    package static func add(
        code: String, to token: String, at address: ServerAddress, nonce: String, name: String? = nil, timeoutMilliseconds: Int64 = 10_000
    ) throws(Failure) -> Membership? {
        let end = Clock.monotonicMilliseconds() + timeoutMilliseconds
        return try retrying(until: end) { () throws(Failure) in
            try SingleRequest.ask(address, until: end) { event in
                switch event {
                case .opened: (.signIn(token: token), nil)
                case .frame(.welcome(let welcome)):
                    welcome.features.contains(.families) ? (.redeem(code: code, nonce: nonce, name: name), nil) : (nil, .some(nil))
                case .frame(.membership(let membership)): (nil, .some(membership))
                default: nil
                }
            }
        }
    }

    /// Whether a refusal asks for the name that the invite is for, or for another one than was given. The code is good.
    package static func isNameAsked(_ rejection: Rejection) -> Bool {
        rejection.field == "name" && (rejection.code == .required || rejection.code == .invalid)
    }

    private static func attempt(_ code: String, _ address: ServerAddress, _ nonce: String, _ name: String?, until end: Int64) throws(Failure) -> SignIn {
        try SingleRequest.ask(address, until: end) { event in
            switch event {
            case .opened: (.redeem(code: code, nonce: nonce, name: name), nil)
            case .frame(.token(let token, let family, let member)): (nil, SignIn(token: token, family: family, member: member))
            default: nil
            }
        }
    }
}

extension Poll {
    /// Sleeps for a time.
    static func pause(milliseconds: Int) throws(Errno) {
        var none: [Item] = []
        _ = try wait(&none, timeoutMilliseconds: milliseconds)
    }
}
