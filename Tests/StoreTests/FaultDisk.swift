import CFaultVFS
import CWriteAheadLog
import Store
import Synchronization

/// A disk of its own for one test, which loses what was not synced.
final class FaultDisk: Sendable {
    private static let count = Atomic<Int>(0)

    /// The name under which SQLite opens files on it.
    let name = "store-\(FaultDisk.count.add(1, ordering: .relaxed).newValue)"

    init() { _ = faultvfs_register(name) }

    deinit {
        cwal_remove(name)
        _ = faultvfs_remove(name)
    }

    func world(_ surroundings: Surroundings) throws -> World {
        try World(path: "huddle.db", vfs: name, surroundings: surroundings)
    }
}
