import Posix

/// The figures of the kernel and the disk, which a thread of its own reads.
struct MetricsReading: Sendable {
    var usage: ProcessUsage
    /// Octets of the database's file.
    var database: Int
    /// Octets of its write-ahead log.
    var writeAheadLog: Int

    /// - Parameter database: the path of the database.
    static func read(database path: String) -> MetricsReading {
        let sizes = sizes(database: path)
        return MetricsReading(usage: ProcessUsage.read(), database: sizes.database, writeAheadLog: sizes.writeAheadLog)
    }

    /// The octets of the database's files; 0 for a file that does not exist.
    static func sizes(database path: String) -> (database: Int, writeAheadLog: Int) {
        func size(_ path: String) -> Int { (try? Files.status(path)).flatMap(\.self).map { Int($0.size) } ?? 0 }
        return (size(path), size(path + "-wal"))
    }
}
