import Bytes
import Family
import Rooms
import Store
import Wire

/// What other threads tell the reactor.
enum ShardEvent: Sendable {
    case committed([CommitResult])
    case commanded(SessionID, SessionCommandAnswer)
    /// A member may not enter their family any more.
    case shutOut(BarredMember)
    /// What became of revocations: why one was not done, `nil` when it is durable.
    case revoked([(Revocation, Rejection?)])
    /// Sessions that ended by something else than their own revocation.
    case sessionsEnded([Int64])
    /// What devices of people are told about their accounts.
    case noticed([AccountNotice])
    case administered(UInt64, Result<AdminReply, Rejection>)
    /// `owed`: microseconds that the read took beyond what was charged in advance; `nil`: nobody pays.
    case answered(SessionID, ReadAnswer, Payer?, owed: Int64)
    /// The changes of a family after a sequence that its room was not told of.
    case missing(Identifier, after: Int64, MissingAnswer)
    /// The result of a request's job; `nil` when it failed.
    case jobEnded(UInt64, (any Sendable)?)
    /// The answer to a request's proposal; it is on stable storage. `took`: microseconds of the writer, which the member pays.
    case proposalEnded(UInt64, BatchAnswer, Payer, took: Int64)
    /// Purging left these out.
    case damaged([DamagedRow])
    case writerStopped
    /// What was promised can no longer be kept; the process must end.
    case writerFailed(String)
    /// As SIGTERM, from this process.
    case stopAsked
}
