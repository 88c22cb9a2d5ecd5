import CFaultVFS
import CWriteAheadLog
import SQLite
import Synchronization

/// A disk for one test, which loses unsynced writes.
final class FaultDisk: Sendable {
    private static let count = Atomic<Int>(0)

    /// The name under which SQLite opens files on it.
    let name = "fault-\(FaultDisk.count.add(1, ordering: .relaxed).newValue)"

    init() { _ = faultvfs_register(name) }

    deinit {
        cwal_remove(name)
        _ = faultvfs_remove(name)
    }

    func open(
        _ mode: Database.Mode = .readWriteCreate, gathersLog: Bool = false, busyMilliseconds: Int32 = 0
    ) throws(SQLiteError) -> Database {
        try Database(path: "a.db", mode: mode, vfs: name, gathersLog: gathersLog, busyMilliseconds: busyMilliseconds)
    }
}
