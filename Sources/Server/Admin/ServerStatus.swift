import Bytes
import Family
import JSON
import Posix
import EventLoop
import Rooms
import Store

/// The figures of `huddled status` and related commands that only a running server knows. Used on the reactor's thread.
final class LiveFigures {
    /// The path of the database.
    let database: String
    private let health: HealthMonitor
    private let hub: HubDriver
    private let workers: Workers
    private let table: ConnectionTable
    private let reactor: Reactor
    private let uploads: UploadTable
    private let startedAt = Clock.wallMilliseconds()

    init(
        health: HealthMonitor, hub: HubDriver, workers: Workers, table: ConnectionTable, reactor: Reactor, uploads: UploadTable, database: String
    ) {
        self.health = health
        self.hub = hub
        self.workers = workers
        self.table = table
        self.reactor = reactor
        self.uploads = uploads
        self.database = database
    }

    /// Adds the server's own figures to the answer of the database.
    func add(to tree: JSONTree, _ question: HostQuestion) -> JSONTree {
        switch question {
        case .status: status(tree)
        case .quotas: usage(tree)
        default: tree
        }
    }

    private func usage(_ tree: JSONTree) -> JSONTree {
        guard let family = tree["family"]?.text.flatMap({ Identifier($0) }) else { return tree }
        let used = [FamilyQuota.connections: hub.hub.connections(of: family), .uploads: uploads.open(of: family)]
        var tree = tree
        tree["quotas"] = .list((tree["quotas"]?.elements ?? []).map { row in
            var row = row
            if let count = row["quota"]?.text.flatMap(FamilyQuota.init).flatMap({ used[$0] }) { row["used"] = .integer(Int64(count)) }
            return row
        })
        return tree
    }

    private func status(_ tree: JSONTree) -> JSONTree {
        let report = health.report(now: reactor.now)
        let hub = hub.hub
        let machine = health.probe?.newest.reading
        func count(_ number: Int) -> JSONTree { .integer(Int64(number)) }
        func waiting(_ counts: [Int]) -> JSONTree { count(counts.reduce(0, +)) }
        var status = JSONTree.object(of: [
            "running": .flag(true), "version": .text(HuddleVersion.text), "uptime_ms": .integer(max(Clock.wallMilliseconds() - startedAt, 0)),
            "ready": .flag(report.isReady), "problems": .list(report.problems.map { .text($0.reason) }),
            "connections": count(table.served), "connections_limit": count(table.limit), "sessions": count(hub.openSessions),
            "people": count(hub.connectedPeople), "rooms": count(hub.openRooms), "uploads": count(uploads.count),
            "queues": .object(of: [
                "writer": waiting(workers.writer.waiting.map(\.count)), "readers": waiting(workers.readers.waiting.map(\.count)),
                "files": count(workers.files.count),
            ]),
            "disk_free_octets": machine?.free.map { count($0) }, "backup_at": machine?.backupAt.map { .integer($0) },
        ])
        for part in tree.members { status[part.key] = part.value }
        return status
    }
}

@available(*, unavailable) extension LiveFigures: Sendable {}

/// The figures of `huddled status` that are available to anybody who has the data folder.
enum ServerStatus {
    /// Adds the sizes of the database's files.
    static func withFiles(_ tree: JSONTree, database: String) -> JSONTree {
        let reading = MetricsReading.sizes(database: database)
        var tree = tree
        tree["database_octets"] = .integer(Int64(reading.database))
        tree["wal_octets"] = .integer(Int64(reading.writeAheadLog))
        return tree
    }

    /// The status of a data folder on which no server runs.
    static func withoutServer(_ tree: JSONTree, folder: String) -> JSONTree {
        let machine = MachineProbe.read(folder)
        var status = JSONTree.object(of: [
            "running": .flag(false), "version": .text(HuddleVersion.text), "disk_free_octets": machine.free.map { .integer(Int64($0)) },
            "backup_at": machine.backupAt.map { .integer($0) },
        ])
        for part in withFiles(tree, database: DataFolder.databasePath(in: folder)).members { status[part.key] = part.value }
        return status
    }
}
