/// The field `Retry-After` (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// A wait in whole seconds, rounded up: a client that waits that long does not come too early.
    package static func seconds(_ milliseconds: Int64) -> Int64 { (milliseconds + 999) / 1_000 }
}

extension Rejection {
    /// `retryAfter` in whole seconds.
    package var retryAfterSeconds: Int64? { retryAfter.map(RetryAfter.seconds) }
}

extension ErrorCode {
    /// The status of a refusal over HTTP (RFC 9110 §15; 507: RFC 4918 §11.5). Programs act on the code; the status is for programs in between: proxies,
    /// browsers, libraries that try again by themselves.
    ///
    /// - 409 is for a state that somebody else can change or has changed: read again, then decide.
    /// - 422 is for readable content that the server refuses in any state. `too_many` is one of them: waiting does not help, as
    ///   429 would promise, and the content need not be large, as 413 would say: one short operation can touch too many records.
    /// - 429 and 503 come with `Retry-After`.
    package var httpStatus: Int {
        switch self {
        case .required, .invalid, .tooLong, .outOfRange, .endBeforeStart, .unknownKind, .unknownField, .unknownOperation, .unknownReference, .badFrame: 400
        case .notSignedIn, .tokenUnknown, .signInFailed, .factorRequired: 401
        // A used invite code is refused as such; no `WWW-Authenticate` would help.
        case .notAllowed, .codeUnknown, .confirmFirst, .passkeyRefused: 403
        case .notFound: 404
        case .alreadyExists, .conflict, .lastParent, .overlap, .contradicted, .mutationExpired, .alreadySignedIn, .notJoined, .alreadyJoined, .cursorAhead: 409
        case .purged: 410
        case .tooMany, .notUndoable, .mutationReused: 422
        case .rateLimited, .tooManyPending: 429
        case .busy: 503
        case .storageFull, .familyFull, .quotaExceeded: 507
        }
    }
}
