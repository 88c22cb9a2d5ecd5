import Bytes
import Family
import Ledger
import Queries
import SQLite
import TestSupport
import Testing
import Wire

@testable import Store
@testable import StoreSQLite

/// Short ways to documents.
extension World {
    /// A digest that is different for each number.
    static func digest(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    func document(
        _ home: Home, _ athlete: Identifier, id: Identifier? = nil, by: Identifier? = nil, content: Int = 1, octets: Int64 = 1_000,
        replaces: Identifier? = nil, title: String = "Transcript", school: Identifier? = nil
    ) -> NewDocument {
        NewDocument(
            id: id ?? newID(), family: home.family, member: by ?? home.parent, athlete: athlete, replaces: replaces,
            fields: patch(.document, ["type": .text("transcript"), "title": .text(title), "school_id": school.map { .reference($0) }]),
            file: .init(name: "t.pdf", type: "application/pdf", octets: octets, sha256: Self.digest(content)))
    }

    @discardableResult
    func add(_ document: NewDocument) throws -> Int64 { try store.addDocument(document).0.get() }

    /// The figures of the documents that a member asks for.
    func documentFigures(_ home: Home, athlete: Identifier? = nil) throws -> Statistics.Documents {
        let found = try reader.statistics(family: home.family, StatisticsRequest(request: 1, kind: .document), athlete: athlete).get()
        guard case .statistics(let answer) = try travelled(.statistics(found)), case .documents(let documents) = answer.statistics else { throw Unexpected() }
        return documents
    }

    func signIn(_ home: Home, _ member: Identifier) throws -> SignIn {
        guard case .token(let session) = try store.perform(.token(member: member)).0.get() else { throw Unexpected() }
        return try #require(try reader.signIn(token: session.token))
    }
}

@Suite("The storage of a family, issue 5 (quota)", .bothEngines)
struct QuotaTests {
    let world: World
    let home: World.Home
    let leo: Identifier

    init() throws {
        world = try World { $0.limits.familyStorage = 10_000 }
        home = try world.home()
        leo = try world.athlete(home)
    }

    /// Each file is counted as often as records name it.
    private func expectFiles(inUse: Int, unused: Int) throws {
        let found = try world.stored { [try $0.blobs.inUse(family: 1).count, try $0.blobs.unused(since: 0).count, try $0.blobs.miscounted()] }
        #expect(found == [inUse, unused, 0])
    }

    private func used() throws -> Int64? { try world.documentFigures(home).storageUsed }

    @Test("counts each file once, older versions and deleted documents too, until they are purged")
    func counts() throws {
        let one = world.document(home, leo, content: 1, octets: 1_000)
        try world.add(one)
        try world.add(world.document(home, leo, content: 1, octets: 1_000))
        #expect(try used() == 1_000)
        try world.add(world.document(home, leo, content: 2, octets: 500, replaces: one.id))
        #expect(try used() == 1_500)
        let figures = try world.documentFigures(home)
        #expect(figures.total == 2 && figures.octets == 2_500 && figures.storageQuota == 10_000)
        #expect(figures.mostCommonType == "transcript")
        let three = world.document(home, leo, content: 3, octets: 300)
        try world.add(three)
        try world.mutate(home, home.parent, delete(.document, three.id, base: 1))
        #expect(try used() == 1_800)
        world.surroundings.now += 31 * Surroundings.day
        try world.purge()
        #expect(try used() == 1_500)
        #expect(try world.stored { try $0.blobs.unused(since: world.surroundings.now).count } == 1)
    }

    @Test("a file that two documents have stays in use until the last of them is purged, and comes back into use by a third")
    func shared() throws {
        let documents = (0..<2).map { _ in world.document(home, leo) }
        for document in documents { try world.add(document) }
        try world.mutate(home, home.parent, delete(.document, documents[0].id, base: 1))
        world.surroundings.now += 31 * Surroundings.day
        try world.purge()
        try expectFiles(inUse: 1, unused: 0)
        try world.mutate(home, home.parent, delete(.document, documents[1].id, base: 1))
        world.surroundings.now += 31 * Surroundings.day
        try world.purge()
        try expectFiles(inUse: 0, unused: 1)
        try world.add(world.document(home, leo))
        try expectFiles(inUse: 1, unused: 0)
    }

    @Test("a document purged in many portions releases its file once")
    func portions() throws {
        let documents = (0..<2).map { _ in world.document(home, leo) }
        for document in documents { try world.add(document) }
        for base in 1...40 as ClosedRange<Int64> {
            try world.mutate(home, home.parent, update(.document, documents[0].id, base: base, ["title": .text("Take \(base)")]))
        }
        try world.mutate(home, home.parent, delete(.document, documents[0].id, base: 41))
        world.surroundings.now += 31 * Surroundings.day
        try world.purge()
        #expect(try world.count(.document) == 1)
        try expectFiles(inUse: 1, unused: 0)
    }

    @Test("a document at the quota is added, one octet above it is refused with figures; a known file costs nothing")
    func bound() throws {
        try world.add(world.document(home, leo, content: 1, octets: 9_000))
        try world.add(world.document(home, leo, content: 2, octets: 1_000))
        #expect(try used() == 10_000)
        let result = try world.store.addDocument(world.document(home, leo, content: 3, octets: 1)).0
        guard case .failure(let rejection) = result else { throw Unexpected() }
        #expect(rejection.code == .quotaExceeded)
        #expect(rejection.message.contains("9.8 KB"), "\(rejection.message)")
        try world.add(world.document(home, leo, content: 1, octets: 9_000))
        #expect(try world.count(.document) == 3)
    }

    @Test("one family's files do not count in another's quota")
    func families() throws {
        try world.add(world.document(home, leo, content: 1, octets: 10_000))
        let other = try world.home("Nowak")
        let mia = try world.athlete(other, name: "Mia")
        try world.add(world.document(other, mia, content: 1, octets: 10_000))
        #expect(try world.documentFigures(other).storageUsed == 10_000)
        #expect(try world.count("blobs") == 2)
    }

    @Test("adding a document again is answered as the first time and changes nothing; another file under its id is refused")
    func again() throws {
        let document = world.document(home, leo)
        try world.add(document)
        let sequence = try world.snapshot(home).sequence
        let (result, changes) = try world.store.addDocument(document)
        #expect(try result.get() == 1)
        #expect(changes.isEmpty)
        #expect(try world.snapshot(home).sequence == sequence)
        try expectFiles(inUse: 1, unused: 0)
        #expect(throws: Rejection.self) { try world.add(world.document(home, leo, id: document.id, content: 2)) }
        try world.mutate(home, home.parent, delete(.document, document.id, base: 1))
        #expect(try world.add(document) == 1)
        #expect(try world.record(home, document.id).isDeleted)
    }

    @Test("a database from before is counted when it is opened", .sqliteOnly("It is a step of its schema"))
    func migrated() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/huddle.db"
        try Database.withOldDocuments(path)
        let surroundings = Surroundings()
        _ = try FamilyStore(path: path, environment: surroundings.environment)
        let check = try Database(path: path, mode: .readOnly)
        let rows = try check.prepare("SELECT family || ' ' || substr(sha256, 64) || ' ' || octets || ' ' || documents FROM blobs ORDER BY 1").all { $0.text(0) }
        #expect(rows == ["1 1 70 2", "1 2 5 1", "2 1 70 1"])
    }
}

extension Database {
    /// A database of version 5 with four documents of two families, and something that is none.
    fileprivate static func withOldDocuments(_ path: String) throws {
        let database = try Database(path: path, mode: .readWriteCreate)
        try Schema.migrate(database, epoch: "e", at: 0, steps: Array(Schema.migrations.prefix(5)))
        for (row, (family, kind, content, octets)) in [(1, 11, 1, 70), (1, 11, 1, 70), (1, 11, 2, 5), (2, 11, 1, 70), (1, 4, 1, 9)].enumerated() {
            try database.execute(
                """
                INSERT INTO records (family, id, kind, version, created_at, created_by, updated_at, updated_by, fields)
                VALUES (\(family), x'\(Hex.encode([UInt8](repeating: UInt8(row), count: 16)))', \(kind), 1, 0, x'00', 0, x'00',
                    CAST('{"sha256":"\(World.digest(content))","octets":\(octets)}' AS BLOB))
                """)
        }
    }
}
