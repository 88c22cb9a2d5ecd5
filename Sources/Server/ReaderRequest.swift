import Bytes
import Rooms
import Store

/// A read of the database for a request of HTTP.
typealias RequestRead = @Sendable (StoreReader) throws(StoreFailure) -> any Sendable

/// What the reader threads are asked.
enum ReaderRequest: Sendable {
    case session(SessionID, ReadRequest)
    /// The changes of a family after a sequence, which its room was not told of.
    case missing(Identifier, after: Int64)
    case request(UInt64, RequestRead)
    /// A member who joined a large family is likely to ask for a list of it.
    case preparation(Identifier)
}
