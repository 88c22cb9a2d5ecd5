import Bytes
import Rooms
import Store

/// A read of the database for an HTTP request.
typealias RequestRead = @Sendable (StoreReader) throws(StoreFailure) -> any Sendable

/// A request to the reader threads.
enum ReaderRequest: Sendable {
    case session(SessionID, ReadRequest)
    /// The changes of a family after a sequence, which its room did not receive.
    case missing(Identifier, after: Int64)
    case request(UInt64, RequestRead)
    /// A member who joined a large family is likely to request a list of it.
    case preparation(Identifier)
}
