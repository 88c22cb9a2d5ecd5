import Blobs
import Bytes
import Family
import Ledger
import Locks
import Posix
import Store
import StoreSQLite
import TestSupport
import Testing
import Wire

@testable import Server

/// A data folder with a family that has documents, and a place for its backups. No server runs.
final class BackupFixture {
    let folder: TemporaryFolder
    let parent: SessionCreated
    let athlete: Identifier
    private var schools = 0
    private var documents: Int64 = 0

    var data: String { folder.path + "/data" }
    var place: String { folder.path + "/backups" }
    var blobs: BlobFolder { BlobFolder(path: DataFolder.blobsPath(in: data)) }

    init(documents: Int = 2) throws {
        folder = try TemporaryFolder()
        let claim = try DataFolder(path: folder.path + "/data")
        let store = try FamilyStore(path: claim.databasePath, environment: MachineEnvironment.make(Limits()), mark: claim.markPath)
        guard case .family(let family) = try store.perform(.createFamily(name: "Rivera", zone: "UTC", parent: "Ana")).0.get(),
            case .token(let parent) = try store.perform(.token(member: family.member)).0.get(),
            case .invited(let athlete) = try store.perform(
                .invite(NewInvite(family: family.family, name: "Leo", role: .athlete, born: "2009-03-04", by: family.member))).0.get()
        else { throw Unexpected("no family") }
        self.parent = parent
        self.athlete = athlete.member
        for _ in 0..<documents { try addDocument(store) }
        try store.stop()
        withExtendedLifetime(claim) {}
    }

    /// Runs `body` as the only user of the data folder.
    func withStore(_ body: (FamilyStore) throws -> Void) throws {
        let store = try openStore()
        try body(store)
        try store.stop()
    }

    func openStore() throws -> FamilyStore {
        let data = data
        return try FamilyStore(
            path: DataFolder.databasePath(in: data), environment: MachineEnvironment.make(Limits()), mark: data + "/huddle.mark",
            isCopied: { CopyLock.isHeld(in: data) })
    }

    @discardableResult
    func addDocument(_ store: FamilyStore) throws -> BlobName {
        documents += 1
        let content = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(documents) &* 7 &+ $0 >> 9) }
        let blob = try blobs.put(content, family: parent.family)
        let fields = ["type": Value.text("transcript"), "title": .text("Transcript \(documents)")]
        let new = NewDocument(
            id: Identifier(high: 5, low: UInt64(documents)), family: parent.family, member: parent.member, athlete: athlete,
            fields: Self.patch(.document, fields), file: .init(name: "a.pdf", type: "application/pdf", octets: Int64(content.count), sha256: blob.sha256))
        _ = try store.addDocument(new).0.get()
        return blob
    }

    func addSchool(_ store: FamilyStore) throws {
        schools += 1
        let operation = Operation(
            kind: .school, id: Identifier(high: 6, low: UInt64(schools)),
            action: .create(athlete: nil, patch: Self.patch(.school, ["name": .text("School \(schools)")])))
        let mutation = Mutation(client: Identifier(high: 9, low: 9), id: Int64(schools), operations: [operation])
        _ = try store.commit([Proposal(family: parent.family, member: parent.member, context: .all, mutation: mutation, session: .max)])
    }

    private static func patch(_ kind: Kind, _ values: [String: Value]) -> FieldPatch {
        FieldPatch(
            assignments: values.compactMap { name, value in kind.declaration.index(of: name).map { FieldPatch.Assignment(field: $0, value: value) } }
                .sorted { $0.field < $1.field })
    }

    func backUp(keep: BackupKeep? = nil, disk: any Disk = SystemDisk(), at: Int64? = nil) throws -> Backup.Report {
        try Backup(dataFolder: data, to: place, keep: keep, disk: disk, now: { at ?? Clock.wallMilliseconds() }).run()
    }

    func entries() throws -> [BackupFolder.Entry] { try BackupFolder(path: place, disk: SystemDisk()).entries() }

    /// Waits until nobody holds the claim of a copy: a child that another test has just forked may hold it until it is executed.
    func expectFree(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let end = Clock.monotonicMilliseconds() + 10_000
        var none: [Poll.Item] = []
        while CopyLock.isHeld(in: data), Clock.monotonicMilliseconds() < end { _ = try Poll.wait(&none, timeoutMilliseconds: 1) }
        #expect(!CopyLock.isHeld(in: data), sourceLocation: sourceLocation)
    }

    var isNoted: Bool { Files.exists("\(data)/\(MachineProbe.backupFile)") }

    /// Whether the restored folder is whole and holds what the backup's database holds.
    func expectWhole(_ restored: String, head: Int64, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let report = try DataCheck.run(dataFolder: restored, isRepairing: false, isDeep: true)
        #expect(report.findings == [], sourceLocation: sourceLocation)
        #expect(try self.head(DataFolder.databasePath(in: restored)) == head, sourceLocation: sourceLocation)
    }

    /// The newest sequence of the family in a database.
    func head(_ database: String) throws -> Int64 {
        try StoreReader(path: database, environment: MachineEnvironment.make(Limits())).snapshot(family: parent.family) { $0.records.count }.sequence
    }

    func epoch(_ database: String) throws -> String { try StoreReader(path: database, environment: MachineEnvironment.make(Limits())).epoch }

    func isSignedIn(_ database: String) throws -> Bool {
        try StoreReader(path: database, environment: MachineEnvironment.make(Limits())).signIn(token: parent.token) != nil
    }
}

/// The machine's disk, of which one call fails, or all from one call on.
struct FailingDisk: Disk {
    private struct State {
        var calls = 0
        var at: Int
        var isCut: Bool
        var errno: Errno
        var failures = 0
    }

    private final class Shared: Sendable {
        let state: Lock<State>
        init(_ state: State) { self.state = Lock(state) }
    }

    private let shared: Shared
    private let disk = SystemDisk()

    /// - Parameters:
    ///   - at: the number of the call that fails, from 1.
    ///   - isCut: whether all calls after it fail too: the process was killed, or the disk is gone.
    init(at: Int, _ errno: Errno, isCut: Bool = false) { shared = Shared(State(at: at, isCut: isCut, errno: errno)) }

    /// Calls that failed.
    var failures: Int { shared.state.withLock { $0.failures } }

    private func next() throws(Errno) {
        let failure: Errno? = shared.state.withLock { state in
            state.calls += 1
            guard state.calls == state.at || (state.isCut && state.calls > state.at) else { return nil }
            state.failures += 1
            return state.errno
        }
        if let failure { throw failure }
    }

    func create(_ path: String) throws(Errno) -> Int32 { try next(); return try disk.create(path) }
    func open(_ path: String) throws(Errno) -> Int32 { try next(); return try disk.open(path) }
    func close(_ file: Int32) { disk.close(file) }
    func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        try next()
        return try disk.read(file, into: buffer, at: offset)
    }
    func write(_ file: Int32, _ octets: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        try next()
        return try disk.write(file, octets, at: offset)
    }
    func cut(_ file: Int32, to length: Int64) throws(Errno) { try next(); try disk.cut(file, to: length) }
    func synchronize(_ file: Int32) throws(Errno) { try next(); try disk.synchronize(file) }
    func synchronizeFolder(_ path: String) throws(Errno) { try next(); try disk.synchronizeFolder(path) }
    func rename(_ path: String, to other: String) throws(Errno) { try next(); try disk.rename(path, to: other) }
    func remove(_ path: String) throws(Errno) { try next(); try disk.remove(path) }
    func removeFolder(_ path: String) throws(Errno) { try next(); try disk.removeFolder(path) }
    func makeFolder(_ path: String) throws(Errno) -> Bool { try next(); return try disk.makeFolder(path) }
    func list(_ path: String) throws(Errno) -> [String] { try next(); return try disk.list(path) }
    func status(_ path: String) throws(Errno) -> DiskStatus? { try next(); return try disk.status(path) }
    func touch(_ path: String) throws(Errno) { try next(); try disk.touch(path) }
}
