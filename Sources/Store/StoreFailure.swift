import Posix

/// The database can no longer be trusted: a write, commit or sync failed, or its content is not valid.
///
/// Final: nothing of the batch was acknowledged, nothing more is written, and the process ends with a non-zero code,
/// without closing the database in an orderly way. A full disk is not such a failure; see `FamilyStore.commit`.
package struct StoreFailure: Error, Equatable, Sendable {
    /// One sentence for the log, without a value of a record.
    package let message: String
    /// The engine's own code (SQLite's extended result code); 0 if the failure did not come from the engine.
    package let code: Int32
    /// Whether a read took longer than its caller allows (`StoreReader.stopping`); then nothing is wrong.
    package let isStopped: Bool

    package init(_ message: String, code: Int32 = 0, isStopped: Bool = false) {
        self.isStopped = isStopped
        self.message = message
        self.code = code
    }

    /// For an error of a confined, untyped body.
    init(_ error: any Error) {
        switch error {
        case let failure as StoreFailure: self = failure
        case EngineFailure.final(let failure): self = failure
        case let error as Errno: self.init("a file beside the database cannot be used: \(error.text)")
        default: self.init("\(error)")
        }
    }
}

extension StoreFailure: CustomStringConvertible {
    package var description: String { message }
}

/// The reason why a call of an engine failed.
package enum EngineFailure: Error {
    /// Nothing of the transaction happened, and the same transaction may succeed if it is run again: a serialization
    /// failure, or a connection that was lost before COMMIT.
    case again(String)
    /// The answer to COMMIT was lost: the transaction happened as a whole, or not at all.
    case unknown(String)
    /// There is no room. Nothing of the transaction happened; a later one may succeed.
    case full
    /// The storage failed, or its content is not valid. Nothing more may be written.
    case final(StoreFailure)
}
