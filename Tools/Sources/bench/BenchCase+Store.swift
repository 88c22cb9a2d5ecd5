import Blobs
import Bytes
import Crypto
import Dates
import Family
import Glibc
import Posix
import Store
import StoreSQLite
import Wire

// Changes on their way to stable storage, and back out of it.
extension BenchCase {
    static var store: [BenchCase] { [commit(1), commit(32), commit(32, families: 32), commit(FamilyStore.maxBatch), snapshot(), resume(), opening(), export(), load()] }

    private static func commit(_ batch: Int, families: Int = 1) -> BenchCase {
        BenchCase(
            name: "store-commit-\(batch)" + (families > 1 ? "x\(families)" : ""),
            question: "a new message, \(batch) in a commit" + (families > 1 ? " of \(families) families" : "") + ", on stable storage",
            unit: .microseconds(per: "mutation"), perCall: batch, floor: "appending as many octets to a file, and fdatasync"
        ) {
            let folder = try TemporaryStore(families: families)
            // Families that have a past: each has leaves of its own in every index.
            if families > 1 { for _ in 0..<60 { try folder.commit(8 * families) } }
            let line = [UInt8](repeating: 65, count: Samples.changeFrame.count * batch)
            return Work(
                run: { times in for _ in 0..<times { try folder.commit(batch) } },
                floor: { times in
                    for _ in 0..<times {
                        try Octets.writeAll(folder.file.raw, line)
                        guard fdatasync(folder.file.raw) == 0 else { throw Errno.last("fdatasync") }
                    }
                })
        }
    }

    private static func snapshot() -> BenchCase {
        BenchCase(
            name: "snapshot-10000", question: "a family of 10,000 schools read and encoded for a client that joins",
            unit: .milliseconds(per: "snapshot"), floor: "copying the frames once"
        ) {
            let folder = try TemporaryStore()
            try folder.addSchools(10_000)
            let frames = try folder.frames()
            let memory = Scratch(frames.map(\.count).max() ?? 0)
            return Work(
                run: { times in for _ in 0..<times { use(try folder.frames().count) } },
                floor: { times in for _ in 0..<times { for frame in frames { memory.copy(frame) } } })
        }
    }

    private static func opening() -> BenchCase {
        BenchCase(
            name: "reader-open", question: "one more reader of a database opened, and the head of a log read", unit: .microseconds(per: "reader"),
            floor: "opening the file"
        ) {
            let folder = try TemporaryStore()
            return Work(
                run: { times in
                    for _ in 0..<times {
                        let reader = try folder.openReader()
                        use(try reader.changes(family: folder.family, after: folder.head, maxOctets: 1).frames.count)
                    }
                },
                floor: { times in for _ in 0..<times { use(try Files.openForReading(folder.databasePath).raw) } })
        }
    }

    private static func export() -> BenchCase {
        BenchCase(
            name: "export-10000", question: "a family of 10,000 schools written as an archive, digests and sync included",
            unit: .milliseconds(per: "export"), floor: "writing as many octets to a file, and fdatasync"
        ) {
            let folder = try TemporaryStore()
            try folder.addSchools(10_000)
            let size = try folder.export()
            let octets = [UInt8](repeating: 65, count: size)
            return Work(
                run: { times in for _ in 0..<times { use(try folder.export()) } },
                floor: { times in
                    for _ in 0..<times {
                        try Octets.writeAll(folder.file.raw, octets)
                        guard fdatasync(folder.file.raw) == 0 else { throw Errno.last("fdatasync") }
                    }
                })
        }
    }

    private static func load() -> BenchCase {
        BenchCase(
            name: "import-10000", question: "that archive read, checked against its log and put into a new database",
            unit: .milliseconds(per: "import"), floor: "reading its octets"
        ) {
            let folder = try TemporaryStore()
            try folder.addSchools(10_000)
            _ = try folder.export()
            return Work(
                run: { times in for _ in 0..<times { try TemporaryStore(families: 0).load(folder.archive) } },
                floor: { times in for _ in 0..<times { use(try Files.read(folder.archive)) } })
        }
    }

    private static func resume() -> BenchCase {
        BenchCase(
            name: "resume-100", question: "100 missed changes read out of the log", unit: .microseconds(per: "resume"),
            floor: "copying the frames once"
        ) {
            let folder = try TemporaryStore()
            for _ in 0..<4 { try folder.commit(32) }
            let page = try folder.reader.changes(family: folder.family, after: folder.head - 100, maxOctets: 1 << 20)
            guard page.frames.count == 100 else { throw BenchFailure("\(page.frames.count) changes instead of 100") }
            let memory = Scratch(4_096)
            return Work(
                run: { times in
                    for _ in 0..<times {
                        let page = try folder.reader.changes(family: folder.family, after: folder.head - 100, maxOctets: 1 << 20)
                        use(page.frames.count)
                    }
                },
                floor: { times in for _ in 0..<times { for change in page.frames { memory.copy(change.frame) } } })
        }
    }
}

/// A database in a folder that goes with it, with some families of one parent each.
final class TemporaryStore {
    let store: FamilyStore
    let reader: StoreReader
    private let homes: [(family: Identifier, member: Identifier)]
    /// Beside the database, for floors.
    let file: FileDescriptor
    /// Where `export` writes.
    let archive: String
    private let path: String
    private let environment: StoreEnvironment
    private var mutation: Int64 = 0
    private var records = 0
    /// The newest sequence of the first family, while all proposals are for it.
    private(set) var head: Int64 = 0

    /// The first family.
    var family: Identifier { homes[0].family }
    /// Its parent.
    var member: Identifier { homes[0].member }

    /// A snapshot of the first family, encoded.
    func frames() throws -> [[UInt8]] {
        try reader.snapshot(family: family) { ServerFrame.snapshot(sequence: $0.sequence, records: $0.records).encode() }.parts
    }

    func newID() -> Identifier {
        records += 1
        return Samples.record(records)
    }

    /// One mutation of the first family, in a commit of its own.
    ///
    /// - Returns: the sequence of its change.
    @discardableResult
    func propose(_ operations: [Operation]) throws -> Int64 { try propose(.operations(operations)) }

    func propose(_ body: Mutation.Body) throws -> Int64 {
        mutation += 1
        let proposal = Proposal(
            family: family, member: member, context: .all, mutation: Mutation(client: Samples.client, id: mutation, body: body), session: 1)
        for case .change(let change) in try store.commit([proposal]) {
            try store.checkpointIfDue()
            return change.sequence
        }
        throw BenchFailure("the store refused a mutation")
    }

    init(families: Int = 1) throws {
        path = try Files.makeTemporaryFolder(prefix: "huddle-bench")
        do {
            var limits = Limits()
            limits.recordsPerFamily = .max
            environment = StoreEnvironment(
                now: { Clock.wallMilliseconds() }, random: { Random.octets($0) },
                localDate: { _, at in ZoneRules.utc.localDate(at: at).description },
                rules: RuleEnvironment(zoneExists: { _ in true }), limits: limits)
            store = try FamilyStore(path: DataFolder.databasePath(in: path), environment: environment)
            var homes: [(family: Identifier, member: Identifier)] = []
            for _ in 0..<families {
                guard case .family(let created) = try store.perform(.createFamily(name: "Bench", zone: "UTC", parent: "Ana")).0.get()
                else { throw BenchFailure("no family was made") }
                homes.append((created.family, created.member))
            }
            self.homes = homes
            reader = try StoreReader(path: DataFolder.databasePath(in: path), environment: environment)
            archive = path + "/family.tar"
            file = try Files.create(path + "/floor")
            head = 1
        } catch {
            try? Files.removeTree(path)
            throw error
        }
    }

    deinit { try? Files.removeTree(path) }

    var databasePath: String { DataFolder.databasePath(in: path) }

    /// One more reader.
    func openReader() throws -> StoreReader { try StoreReader(path: databasePath, environment: environment) }

    /// One commit of the given number of mutations, each a new message, over all families in turn.
    func commit(_ batch: Int) throws {
        try propose((0..<batch).map { _ in
            records += 1
            return [Samples.create(Samples.record(records))]
        })
        head += Int64(batch)
        try store.checkpointIfDue()
    }

    /// - Returns: octets of the archive.
    func export() throws -> Int {
        try? Files.remove(archive)
        let file = try Files.create(archive)
        _ = try reader.export(family, to: file.raw, blobs: nil, isPrivate: false).get()
        return Int(try Files.status(archive)?.size ?? 0)
    }

    func load(_ archive: String) throws {
        let file = try Files.openForReading(archive)
        let read = try FamilyArchive.read(file.raw, reader: reader, blobs: BlobFolder(path: DataFolder.blobsPath(in: path))) { step throws(ArchiveError) in
            let refusal: Rejection?
            do throws(StoreFailure) { refusal = try store.perform(step) } catch { throw .stopped }
            if let refusal { throw .refused(refusal) }
        }
        guard case .imported = try read.get().1 else { throw BenchFailure("the family was there already") }
    }

    func addSchools(_ count: Int) throws {
        let declaration = Kind.school.declaration
        for start in stride(from: 0, to: count, by: 100) {
            try propose([
                (start..<min(start + 100, count)).map { number in
                    var patch = FieldPatch()
                    let values = [("name", "College \(number)"), ("location", "Durham, NC"), ("notes", "The coach answered in March.")]
                    for (name, text) in values {
                        if let field = declaration.index(of: name) { patch.assignments.append(.init(field: field, value: .text(text))) }
                    }
                    return Operation(kind: .school, id: Samples.record(number), action: .create(athlete: nil, patch: patch))
                }
            ])
            head += 1
        }
        _ = try store.truncateLog()
    }

    private func propose(_ mutations: [[Operation]]) throws {
        let proposals = mutations.map { operations in
            mutation += 1
            let home = homes[Int(mutation) % homes.count]
            return Proposal(
                family: home.family, member: home.member, context: .all,
                mutation: Mutation(client: Samples.client, id: mutation, operations: operations), session: 1)
        }
        // A receipt and a change for each; a refusal has no change.
        let results = try store.commit(proposals)
        guard results.count == 2 * proposals.count else { throw BenchFailure("the store refused a mutation") }
    }
}
