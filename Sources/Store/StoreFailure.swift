import Posix

/// The database can no longer be trusted to do what it says: a write, commit or sync failed, or what it holds makes no sense.
///
/// Final: nothing of the batch was promised to anybody, nothing more is written, and the process ends with a non-zero code, without
/// closing the database in good order. A full disk is not this; see `Store.commit`.
package struct StoreFailure: Error, Equatable, Sendable {
    /// One sentence for the log; no value of anybody's record.
    package let message: String
    /// The engine's own code (SQLite's extended result code); 0 if it was not the engine that failed.
    package let code: Int32
    /// A read took longer than its caller allows (`StoreReader.stopping`); nothing is wrong.
    package let isStopped: Bool

    package init(_ message: String, code: Int32 = 0, isStopped: Bool = false) {
        self.isStopped = isStopped
        self.message = message
        self.code = code
    }

    /// For what a confined, untyped body threw.
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

/// Why a call of an engine did not do what it was asked for.
package enum EngineFailure: Error {
    /// Nothing of the transaction happened, and the same transaction may succeed if it is run again: a serialization failure, or a connection
    /// that was lost before COMMIT.
    case again(String)
    /// The answer to COMMIT was lost: the transaction happened as a whole, or not at all.
    case unknown(String)
    /// There is no room. Nothing of the transaction happened; a later one may succeed.
    case full
    /// Storage cannot do what it says, or what it holds makes no sense. Nothing more may be written.
    case final(StoreFailure)
}
