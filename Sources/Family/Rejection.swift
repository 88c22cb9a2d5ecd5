package import Bytes

/// Why a mutation or a request was not done, for a person and for a program.
///
/// The codes are stable and listed in `proto/errors.json`; the sentence says what happened and what to do next. A client itself says what it keeps.
package struct Rejection: Error, Hashable, Sendable {
    package var code: ErrorCode
    /// For people, with a full stop. Never holds another family's text.
    package var message: String
    /// Position of the operation in the batch, from 0.
    package var operation: Int?
    package var kind: Kind?
    package var id: Identifier?
    /// The field, by its name on the wire.
    package var field: String?
    /// Milliseconds after which trying again can help: of every code that may be retried at least `shortestRetry`; of a sign-in that was slowed, and so
    /// not looked at; of all others `nil`.
    package var retryAfter: Int64?
    package var conflict: Conflict?
    /// With code `overlap`: what would be at the same time, at most `maxOverlaps` of them; empty otherwise.
    package var overlaps: [Overlap]
    /// With code `contradicted`: the later change that stands in the way.
    package var sequence: Int64?

    /// Milliseconds that a refused client waits at least: shorter waits are a busy loop for a client that obeys them.
    package static let shortestRetry: Int64 = 50
    /// Milliseconds that it waits where nothing says how long.
    package static let usualRetry: Int64 = 1_000

    /// The largest number of overlaps in one rejection: more than a person reads, few enough for one frame.
    package static let maxOverlaps = 50

    package init(
        _ code: ErrorCode, _ message: String, operation: Int? = nil, kind: Kind? = nil, id: Identifier? = nil,
        field: String? = nil, retryAfter: Int64? = nil, conflict: Conflict? = nil, overlaps: [Overlap] = [],
        sequence: Int64? = nil
    ) {
        self.code = code
        self.message = Self.sentence(message, code)
        self.operation = operation
        self.kind = kind
        self.id = id
        self.field = field
        let wait = code.isRetryable ? retryAfter ?? Self.usualRetry : code == .signInFailed ? retryAfter : nil
        self.retryAfter = wait.map { max($0, Self.shortestRetry) }
        self.conflict = conflict
        self.overlaps = overlaps
        self.sequence = sequence
    }

    /// Whether the same request can succeed later.
    package var isRetryable: Bool { retryAfter != nil }

    /// A text with its full stop. Texts that the requirements quote stay word for word (R057, R060, R108).
    private static func sentence(_ text: String, _ code: ErrorCode) -> String {
        if text.isEmpty || text.hasSuffix(".") || text.hasSuffix("?") { return text }
        let isQuoted = code == .endBeforeStart || (code == .required && text.hasSuffix(" is required")) || quoted.contains(text)
        return isQuoted ? text : text + "."
    }

    private static let quoted: Set<String> = ["Please enter a valid URL (e.g., https://...)", "Please enter a valid number"]
}

/// The facts that the author of a stale mutation needs in order to decide.
package struct Conflict: Hashable, Sendable {
    /// A field that both sides changed.
    package struct Field: Hashable, Sendable {
        package var field: Int
        /// The value that the author saw (at the base version); `nil` also when the log no longer has it.
        package var base: Value?
        package var yours: Value?
        package var theirs: Value?
        /// The member who changed it last, and when (UTC milliseconds).
        package var member: Identifier
        package var at: Int64

        package init(field: Int, base: Value?, yours: Value?, theirs: Value?, member: Identifier, at: Int64) {
            self.field = field
            self.base = base
            self.yours = yours
            self.theirs = theirs
            self.member = member
            self.at = at
        }
    }

    /// The last committed record; with `deletedAt` if it was deleted in the meantime (`restore` at its version restores
    /// it).
    package var record: Record
    /// Empty for a stale delete, restore or shift, for a deleted record, and for a stale update whose fields nobody else changed.
    package var fields: [Field]

    package init(record: Record, fields: [Field]) {
        self.record = record
        self.fields = fields
    }
}

/// Every code that a `reject` or `error` frame can carry.
package enum ErrorCode: String, CaseIterable, Sendable, Hashable {
    // The content of a mutation.
    case required
    case invalid
    case tooLong = "too_long"
    case tooMany = "too_many"
    case outOfRange = "out_of_range"
    case endBeforeStart = "end_before_start"
    case unknownKind = "unknown_kind"
    case unknownField = "unknown_field"
    case unknownOperation = "unknown_operation"
    case unknownReference = "unknown_reference"
    // The state it meets.
    case notAllowed = "not_allowed"
    case notFound = "not_found"
    case alreadyExists = "already_exists"
    case conflict
    case lastParent = "last_parent"
    case overlap
    case contradicted
    case purged
    case notUndoable = "not_undoable"
    // The mutation as such.
    case mutationReused = "mutation_reused"
    case mutationExpired = "mutation_expired"
    case rateLimited = "rate_limited"
    case tooManyPending = "too_many_pending"
    case storageFull = "storage_full"
    case familyFull = "family_full"
    case quotaExceeded = "quota_exceeded"
    case busy
    // The session.
    case badFrame = "bad_frame"
    case notSignedIn = "not_signed_in"
    case alreadySignedIn = "already_signed_in"
    case notJoined = "not_joined"
    case alreadyJoined = "already_joined"
    case tokenUnknown = "token_unknown"
    case codeUnknown = "code_unknown"
    case confirmFirst = "confirm_first"
    case signInFailed = "sign_in_failed"
    case factorRequired = "factor_required"
    case passkeyRefused = "passkey_refused"
    case cursorAhead = "cursor_ahead"

    /// Sending the very same thing again later, unchanged, can succeed. Such a rejection is not recorded; all others are final.
    /// `not_joined` is one of them: the join may be on its way.
    package var isRetryable: Bool {
        switch self {
        case .rateLimited, .tooManyPending, .storageFull, .busy, .notJoined: true
        default: false
        }
    }
}
