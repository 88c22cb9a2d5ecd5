import SQLite
import Testing

@Suite("Statement: parameters, rows, columns")
struct StatementTests {
    let database: Database
    let echo: Statement

    init() throws {
        database = try Database(path: ":memory:", mode: .readWriteCreate)
        echo = try database.prepare("SELECT ?1, typeof(?1), length(?1)")
    }

    /// The type that SQLite sees in the parameter of `echo`.
    private func type() throws -> String? { try echo.first { $0.text(1) } }

    @Test("Integers round-trip", arguments: [0, 1, -1, Int64.max, Int64.min])
    func integers(value: Int64) throws {
        echo.bind(1, value)
        #expect(try echo.first { $0.int64(0) } == value)
        #expect(try type() == "integer")
    }

    @Test("Texts round-trip octet for octet", arguments: [
        "", "a", "Łódź", "🏈🏟️", "a\u{0}b", String(repeating: "x", count: 100_000),
    ])
    func texts(value: String) throws {
        echo.bind(1, value)
        #expect(try echo.first { $0.text(0) } == value)
        #expect(try echo.first { $0.octets(0) } == Array(value.utf8))
        #expect(try type() == "text")
        try Array(value.utf8).withUnsafeBytes { (octets) throws -> Void in
            echo.bind(1, lendingText: octets)
            #expect(try echo.first { $0.text(0) } == value)
            #expect(try type() == "text")
            echo.clearBindings()
            echo.bind(1, text: octets)
        }
        #expect(try echo.first { $0.text(0) } == value)
    }

    @Test("Blobs round-trip", arguments: [[], [0], [0, 255, 0], [UInt8](repeating: 7, count: 100_000)])
    func blobs(value: [UInt8]) throws {
        echo.bind(1, value)
        #expect(try echo.first { $0.octets(0) } == value)
        #expect(try echo.first { $0.withOctets(0) { $0.count } } == value.count)
        #expect(try type() == "blob")
        try value.withUnsafeBytes { (octets) throws -> Void in
            echo.bind(1, lending: octets)
            #expect(try echo.first { $0.octets(0) } == value)
            #expect(try type() == "blob")
            echo.clearBindings()
        }
        #expect(try type() == "null")
    }

    @Test("NULL reads as NULL, 0, empty, and no identifier")
    func null() throws {
        echo.bind(1, 5)
        echo.bindNull(1)
        #expect(try type() == "null")
        echo.bind(1, Int64?.none)
        #expect(try type() == "null")
        echo.bind(1, String?.none)
        #expect(try type() == "null")
        echo.bind(1, [UInt8]?.none)
        #expect(try type() == "null")
        #expect(try echo.step())
        #expect(echo.isNull(0) && !echo.isNull(1))
        #expect(echo.int64(0) == 0)
        #expect(echo.text(0) == "")
        #expect(echo.octets(0) == [])
        #expect(echo.identifierHalves(0) == nil)
    }

    @Test("Optionals with a value are bound as that value")
    func optionals() throws {
        echo.bind(1, Int64?.some(4))
        #expect(try type() == "integer")
        echo.bind(1, String?.some("4"))
        #expect(try type() == "text")
        echo.bind(1, [UInt8]?.some([4]))
        #expect(try type() == "blob")
    }

    @Test("Identifiers are 16 octets, big-endian")
    func identifiers() throws {
        echo.bind(1, high: 0x0102_0304_0506_0708, low: 0xF9FA_FBFC_FDFE_FF00)
        #expect(try echo.first { $0.octets(0) } == [1, 2, 3, 4, 5, 6, 7, 8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF, 0])
        let halves = try #require(try echo.first { $0.identifierHalves(0) } ?? nil)
        #expect(halves == (high: 0x0102_0304_0506_0708, low: 0xF9FA_FBFC_FDFE_FF00))
    }

    @Test("Blobs of another length are not identifiers", arguments: [0, 1, 15, 17])
    func notIdentifiers(count: Int) throws {
        echo.bind(1, [UInt8](repeating: 1, count: count))
        #expect(try echo.first { $0.identifierHalves(0) == nil } == true)
    }

    @Test("A statement runs again after its end, after reset, and after being left on a row")
    func reuse() throws {
        let numbers = try database.prepare("SELECT value FROM json_each('[1, 2, 3]') WHERE value >= ?")
        numbers.bind(1, 2)
        #expect(try rows(numbers) == [2, 3])
        #expect(try rows(numbers) == [2, 3])
        #expect(try numbers.step())
        numbers.reset()
        #expect(try rows(numbers) == [2, 3])
        #expect(try numbers.step())
        numbers.bind(1, 3)
        #expect(try rows(numbers) == [3])
    }

    private func rows(_ statement: Statement) throws -> [Int64] {
        var found: [Int64] = []
        try statement.forEach { found.append($0.int64(0)) }
        return found
    }

    @Test("No row gives nil")
    func noRow() throws {
        #expect(try database.prepare("SELECT 1 WHERE 0").first { $0.int64(0) } == nil)
    }

    @Test("An error that leaves forEach ends the read")
    func errorInBody() throws {
        let numbers = try database.prepare("SELECT value FROM json_each('[1, 2, 3]')")
        #expect(throws: SQLiteError.self) {
            try numbers.forEach { (_) throws(SQLiteError) in throw SQLiteError(code: 11, message: "row is not ours") }
        }
        // It would fail with "SQL statements in progress" while a read is open.
        try database.execute("VACUUM")
    }

    @Test("A statement that failed can be run again")
    func failThenRun() throws {
        try database.execute("CREATE TABLE t (a UNIQUE)")
        let insert = try database.prepare("INSERT INTO t VALUES (?)")
        try insert.run(1)
        #expect(throws: SQLiteError.self) { try insert.run(1) }
        try insert.run(2)
        #expect(database.changes == 1)
    }

    @Test("A run, not a trap, reports a value above SQLite's limit")
    func tooBig() throws {
        echo.bind(1, lending: UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: 4096), count: 2_000_000_000))
        let error = #expect(throws: SQLiteError.self) { try echo.step() }
        #expect(error?.primaryCode == 18)
        echo.bind(1, 3)
        #expect(try echo.first { $0.int64(0) } == 3)
    }

    @Test("A statement keeps its database open")
    func outlives() throws {
        let statement = try Database(path: ":memory:", mode: .readWriteCreate).prepare("SELECT 3")
        #expect(try statement.first { $0.int64(0) } == 3)
    }

    @Test("A parameter that does not exist is a programming error and traps")
    func noSuchParameter() async {
        await #expect(processExitsWith: .failure) {
            let database = try Database(path: ":memory:", mode: .readWriteCreate)
            try database.prepare("SELECT ?").bind(2, 1)
        }
    }

    @Test("A statement that is compiled on use is compiled by its first bind or step, and kept")
    func compiledOnUse() throws {
        // The table is created after the statement.
        let insert = database.prepareOnUse("INSERT INTO late VALUES (?)")
        let count = database.prepareOnUse("SELECT count(*), total(n) FROM late")
        #expect(insert.columnCount == 0 && insert.sql == "INSERT INTO late VALUES (?)")
        insert.reset()
        insert.clearBindings()
        try database.execute("CREATE TABLE late (n INTEGER)")
        for n in 1...3 as ClosedRange<Int64> {
            insert.bind(1, n)
            try insert.run()
        }
        for _ in 0..<2 { #expect(try count.first { row throws(SQLiteError) in [row.int64(0), row.int64(1)] } == [3, 6]) }
    }

    @Test("The first step throws the error of a statement that is compiled on use, and never runs it without its values")
    func wrongOnUse() throws {
        let insert = database.prepareOnUse("INSERT INTO late VALUES (?)")
        insert.bind(1, 7 as Int64)
        let error = #expect(throws: SQLiteError.self) { try insert.run() }
        #expect(error?.message.contains("late") == true && error?.sql == "INSERT INTO late VALUES (?)")
        insert.bind(1, 7 as Int64)
        try database.execute("CREATE TABLE late (n INTEGER NOT NULL)")
        // It compiles now, and the value that it did not take is missing.
        #expect(throws: SQLiteError.self) { try insert.run() }
        #expect(try database.prepare("SELECT count(*) FROM late").first { row throws(SQLiteError) in row.int64(0) } == 0)
        insert.bind(1, 7 as Int64)
        try insert.run()
        #expect(try database.prepare("SELECT n FROM late").first { row throws(SQLiteError) in row.int64(0) } == 7)
    }
}
