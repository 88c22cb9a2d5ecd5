import CFaultVFS
import CWriteAheadLog
import Store
import StoreSQLite
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

    /// Opens the database as the next start does, which the disk may kill.
    ///
    /// - Returns: Whether the start came as far as the second step of the schema. A sweep over kills of one step ends there: kills of later steps are
    ///   swept by the tests of those, and from each released version by `MigrationTests`.
    func takesMoreThanOneStep(_ surroundings: Surroundings) -> Bool {
        var steps = 0
        _ = try? FamilyStore(path: "huddle.db", vfs: name, environment: surroundings.environment, upgrading: { _, _ in steps += 1 })
        return steps > 1
    }
}
