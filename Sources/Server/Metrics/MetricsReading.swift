import Posix

/// The figures that the kernel and the disk know, which a thread of its own reads.
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

    /// Octets of the database's files; 0 for one that is not there.
    static func sizes(database path: String) -> (database: Int, writeAheadLog: Int) {
        func size(_ path: String) -> Int { (try? Files.status(path)).flatMap(\.self).map { Int($0.size) } ?? 0 }
        return (size(path), size(path + "-wal"))
    }
}
