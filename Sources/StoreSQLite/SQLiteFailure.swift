import Posix
import SQLite
import Store

/// The meaning of errors of SQLite, and of files beside the database.
enum SQLiteFailure {
    static func engineFailure(_ error: any Error) -> EngineFailure {
        if let error = error as? SQLiteError, error.isFull { return .full }
        return .final(storeFailure(error))
    }

    static func storeFailure(_ error: any Error) -> StoreFailure {
        switch error {
        case let failure as StoreFailure: failure
        case let error as SQLiteError: StoreFailure(error.description, code: error.code, isStopped: error.isInterrupted)
        case let error as Errno: StoreFailure("a file beside the database cannot be used: \(error.text)")
        default: StoreFailure("\(error)")
        }
    }
}
