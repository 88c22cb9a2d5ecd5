import Wire

extension ReadRequest {
    /// The number of the request that is answered by one frame; `nil` for what a session needs to join and to catch up.
    package var question: Int64? {
        switch self {
        case .page(_, _, let request): request.request
        case .statistics(_, let request, _): request.request
        case .history(_, _, let request): request.request
        case .digest(_, _, let request): request.request
        case .accessLog(_, _, let request): request.request
        case .invites(_, _, let request): request.request
        case .audit(_, _, let request): request.request
        case .standings(_, _, let request): request.request
        case .sessions(_, _, let request): request
        case .calendars(_, _, let request): request
        case .signIn, .redemption, .join, .changes, .snapshot: nil
        }
    }

    /// Whether it is a look-up of some rows, whatever the family has.
    package var isShort: Bool {
        switch self {
        case .signIn, .redemption, .join: true
        case .changes, .snapshot, .page, .statistics, .history, .digest, .accessLog, .invites, .audit, .standings, .sessions, .calendars: false
        }
    }

    /// Microseconds that are charged when a question is accepted.
    package var reserved: Int64 { question == nil ? 0 : WorkEstimate.question }

    /// One word for the log.
    package var name: String {
        switch self {
        case .signIn: "sign_in"
        case .redemption: "redeem"
        case .join: "join"
        case .changes: "changes"
        case .snapshot: "snapshot"
        case .page: "list"
        case .statistics: "statistics"
        case .history: "history"
        case .digest: "digest"
        case .accessLog: "access_log"
        case .invites: "invites"
        case .audit: "audit"
        case .standings: "standings"
        case .sessions: "sessions"
        case .calendars: "calendars"
        }
    }
}
