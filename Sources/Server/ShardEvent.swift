import Bytes
import Family
import Rooms
import Store
import Wire

/// An event that another thread sends to the reactor.
enum ShardEvent: Sendable {
    case committed([CommitResult])
    case commanded(SessionID, SessionCommandAnswer)
    /// A member may no longer enter their family.
    case shutOut(BarredMember)
    /// The results of revocations: the reason why one was not done, `nil` if it is durable.
    case revoked([(Revocation, Rejection?)])
    /// Sessions that ended for another reason than their own revocation.
    case sessionsEnded([Int64])
    /// Notices for people's devices about their accounts.
    case noticed([AccountNotice])
    case administered(UInt64, Result<AdminReply, Rejection>)
    /// `owed`: the microseconds that the read took beyond the charge in advance; `nil`: nobody pays.
    case answered(SessionID, ReadAnswer, WorkOwner?, owed: Int64)
    /// The changes of a family after a sequence that its room did not receive.
    case missing(Identifier, after: Int64, MissingAnswer)
    /// The result of a request's job; `nil` if it failed.
    case jobEnded(UInt64, (any Sendable)?)
    /// The answer to a request's proposal, which is on stable storage. `took`: the writer's microseconds, which the
    /// member pays.
    case proposalEnded(UInt64, BatchAnswer, WorkOwner, took: Int64)
    /// The rows that purging skipped.
    case damaged([DamagedRow])
    case writerStopped
    /// Further promises cannot be kept; the process must end.
    case writerFailed(String)
    /// A stop as by SIGTERM, from this process.
    case stopAsked
}
