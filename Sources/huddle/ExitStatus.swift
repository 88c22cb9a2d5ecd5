import Family
import Glibc
import Sync
import Terminal
import Wire

/// The exit status of the program (`proto/cli.md`).
enum ExitStatus: Int32 {
    case done = 0
    case failed = 1
    case usage = 2
    case refused = 3
    case conflict = 4
    case offline = 5

    init(_ rejection: Rejection) {
        switch rejection.code {
        case .conflict: self = .conflict
        case .busy, .storageFull, .rateLimited, .tooManyPending: self = .failed
        default: self = .refused
        }
    }
}

enum Exit {
    static func now(_ status: ExitStatus) -> Never { exit(status.rawValue) }
}

/// Ends the program with a sentence.
struct ProgramFailure: Error {
    let status: ExitStatus
    let message: String
    /// Whether the person asked for the end, which also ends a batch.
    let isInterruption: Bool

    init(_ status: ExitStatus, _ message: String, isInterruption: Bool = false) {
        self.status = status
        self.message = message
        self.isInterruption = isInterruption
    }

    /// The sentence for a session that somebody ended.
    static let ended = "This session was ended."

    /// The sentence for a sign-in that the server no longer knows.
    static let expired = "Your sign-in has expired or was ended. Ask for a new one, or join with an invitation: huddle join CODE"

    /// The sentence for a session that ended because its member left or was removed.
    static let removed = "You are no longer a member of this family."

    /// The failure for the reason why the engine stopped.
    init(_ reason: StopReason) {
        switch reason {
        case .tokenUnknown:
            self.init(.refused, Self.expired)
        case .signedOut: self.init(.refused, Self.ended)
        case .closed(4500): self.init(.refused, Self.removed)
        case .closed(4501): self.init(.refused, Self.ended)
        case .closed(let code): self.init(.failed, "The server ended the connection for good (\(code)).")
        case .refused(let rejection): self.init(ExitStatus(rejection), rejection.message.printable)
        case .protocolUnsupported(let version):
            self.init(.failed, "The server speaks version \(version) of the protocol, this program version 1.")
        case .familyUnclear(let memberships):
            guard !memberships.isEmpty else {
                self.init(.refused, "You belong to no family yet.")
                return
            }
            let list = memberships.map { "  \($0.family)  \($0.name.printable) (\($0.role.rawValue))" }.joined(separator: "\n")
            self.init(.usage, "Which family? Take --family with one of\n\(list)")
        }
    }
}
