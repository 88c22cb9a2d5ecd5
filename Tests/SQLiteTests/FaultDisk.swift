import CFaultVFS
import SQLite
import Synchronization

/// A disk for one test, which loses unsynced writes.
final class FaultDisk: Sendable {
    private static let count = Atomic<Int>(0)

    /// The name under which SQLite opens files on it.
    let name = "fault-\(FaultDisk.count.add(1, ordering: .relaxed).newValue)"

    init() { _ = faultvfs_register(name) }

    deinit { _ = faultvfs_remove(name) }

    func open(_ mode: Database.Mode = .readWriteCreate, busyMilliseconds: Int32 = 0) throws(SQLiteError) -> Database {
        try Database(path: "a.db", mode: mode, vfs: name, busyMilliseconds: busyMilliseconds)
    }
}
