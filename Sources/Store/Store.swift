package import Bytes
package import Family
package import Wire

/// The one writer of a database.
package final class Store {
    /// Proposals in one transaction at most: a commit stays below about 5 ms, and more would save nothing (`swift-notes.md` §5).
    package static let maxBatch = 256

    package init(path: String, vfs: String? = nil, environment: StoreEnvironment) throws(StoreFailure) { fatalError() }
    package var epoch: String { "" }
    package func commit(_ proposals: [Proposal]) throws(StoreFailure) -> [CommitResult] { fatalError() }
    package func perform(_ command: AdminCommand) throws(StoreFailure) -> (Result<AdminAnswer, Rejection>, [CommitResult]) { fatalError() }
    package func purgeReceipts(now: Int64) throws(StoreFailure) -> (purged: Int, isFinished: Bool) { fatalError() }
    package func checkpointIfDue() throws(StoreFailure) {}
    package func truncateLog() throws(StoreFailure) -> Bool { false }
}

package final class StoreReader {
    package init(path: String, vfs: String? = nil, environment: StoreEnvironment) throws(StoreFailure) { fatalError() }
    package func signIn(token: String) throws(StoreFailure) -> SignIn? { fatalError() }
    package func join(person: Int64, _ join: Join) throws(StoreFailure) -> JoinAnswer { fatalError() }
    package func changes(family: Identifier, after: Int64, maxOctets: Int) throws(StoreFailure) -> LogPage { fatalError() }
    package func snapshot(family: Identifier) throws(StoreFailure) -> Snapshot { fatalError() }
    package func page(family: Identifier, _ request: ListRequest) throws(StoreFailure) -> Result<[UInt8], Rejection> { fatalError() }
}
