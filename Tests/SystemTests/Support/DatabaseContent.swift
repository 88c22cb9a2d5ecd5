import Bytes
import Family
import Posix
import Store
import StoreSQLite
import Testing
import Wire

/// The content of a database for one family, read while no server runs: every record and every change.
struct DatabaseContent {
    /// The family's, as clients see it.
    let epoch: String
    let sequence: Int64
    let records: [Identifier: Record]
    let changes: [Change]

    init(_ folder: String, _ family: Identifier) throws {
        var limits = Limits()
        // A family's snapshot has only its newest messages; here all are wanted.
        limits.snapshotMessages = limits.recordsPerFamily
        let environment = StoreEnvironment(
            now: { Clock.wallMilliseconds() }, random: { [UInt8](repeating: 0, count: $0) }, localDate: { _, _ in nil },
            rules: RuleEnvironment(zoneExists: { _ in true }), limits: limits)
        let reader = try StoreReader(path: DataFolder.databasePath(in: folder), environment: environment)
        epoch = Cursor.epoch(of: family, database: reader.epoch)
        let snapshot = try reader.snapshot(family: family) { $0 }
        sequence = snapshot.sequence
        var records: [Identifier: Record] = [:]
        for part in snapshot.parts {
            for record in part.records { #expect(records.updateValue(record, forKey: record.id) == nil) }
        }
        self.records = records
        let page = try reader.changes(family: family, after: 0, maxOctets: 1 << 30)
        try #require(page.reachedEnd)
        changes = try page.frames.map { sequence, octets in
            guard case .change(let change) = try Self.decode(octets) else { throw Unexpected("the log holds another frame") }
            #expect(change.sequence == sequence)
            return change
        }
    }

    /// The changes that one client asked for, by its mutation ids.
    func changes(of client: Identifier) -> [Int64: [Change]] {
        Dictionary(grouping: changes.filter { $0.client == client }) { $0.mutation ?? 0 }
    }

    /// The changes of one record after a version of it.
    func steps(_ id: Identifier, after version: Int64) -> [(change: Change, entry: ChangeEntry)] {
        changes.flatMap { change in change.entries.filter { $0.id == id && $0.version > version }.map { (change, $0) } }
    }

    private static func decode(_ octets: [UInt8]) throws -> ServerFrame {
        try octets.withUnsafeBytes { raw throws(Rejection) in try ServerFrame.decode(raw) }
    }
}

/// A fault that ends a test.
struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
