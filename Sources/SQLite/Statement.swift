internal import CSQLite

/// One compiled statement: bind its parameters, step through its rows, use it again.
///
///     let byAge = try database.prepare("SELECT id, name FROM member WHERE born < ?")
///     byAge.bind(1, "2010-01-01")
///     try byAge.forEach { row in print(row.int64(0), row.text(1)) }
///
/// Confined, like its database, which it keeps open. Parameters count from 1 and columns from 0, as in SQLite.
/// Parameters keep their values until they are bound again; a parameter never bound is NULL.
///
/// The next `step` throws the error of a failed `bind` (text or blob above SQLite's limit of 10^9 octets, memory), so
/// that binding needs no `try`. Binding to a statement that is on a row ends that run first.
///
/// Source: https://sqlite.org/c3ref/stmt.html
package final class Statement {
    /// `nil` until the first use of a statement that is compiled on use. Unchecked, because every call to SQLite reads
    /// it: a statement is confined to one thread, and only `compile` writes it.
    @exclusivity(unchecked) private var handle: OpaquePointer?
    private let text: String
    private let database: Database
    private var bindFailure: Int32 = SQLITE_OK

    /// - Parameter compiled: `nil` to compile it at its first use.
    init(compiled: OpaquePointer?, sql: String, database: Database) {
        handle = compiled
        text = sql
        self.database = database
    }

    private func compile() throws(SQLiteError) {
        if handle == nil { handle = try database.compile(text) }
    }

    deinit { sqlite3_finalize(handle) }

    // MARK: Parameters

    package func bind(_ index: Int32, _ value: Int64) {
        bind { sqlite3_bind_int64(handle, index, value) }
    }

    /// Binds a text, copied by SQLite.
    package func bind(_ index: Int32, _ value: String) {
        var text = value
        text.withUTF8 { bind(index, text: UnsafeRawBufferPointer($0)) }
    }

    /// Binds a blob, copied by SQLite.
    package func bind(_ index: Int32, _ value: [UInt8]) {
        value.withUnsafeBytes { bind(index, $0) }
    }

    /// Binds a blob, copied by SQLite. Empty octets are an empty blob, not NULL.
    package func bind(_ index: Int32, _ value: UnsafeRawBufferPointer) {
        bind { csqlite_bind_blob_copied(handle, index, Statement.start(of: value), UInt64(value.count)) }
    }

    /// Binds a text, given as validated UTF-8, copied by SQLite. Empty octets are an empty text, not NULL.
    package func bind(_ index: Int32, text value: UnsafeRawBufferPointer) {
        let start = Statement.start(of: value).assumingMemoryBound(to: CChar.self)
        bind { csqlite_bind_text_copied(handle, index, start, UInt64(value.count)) }
    }

    /// Binds a blob that SQLite only points to. The octets must stay valid until the parameter is bound again or
    /// released by `clearBindings`: bind, run and clear inside the closure that lends them.
    package func bind(_ index: Int32, lending value: UnsafeRawBufferPointer) {
        bind { csqlite_bind_blob_lent(handle, index, Statement.start(of: value), UInt64(value.count)) }
    }

    /// Binds a text, given as validated UTF-8, that SQLite only points to, with the rule of `bind(_:lending:)`.
    package func bind(_ index: Int32, lendingText value: UnsafeRawBufferPointer) {
        let start = Statement.start(of: value).assumingMemoryBound(to: CChar.self)
        bind { csqlite_bind_text_lent(handle, index, start, UInt64(value.count)) }
    }

    /// Binds a 128-bit identifier as a blob of 16 octets, big-endian, so that it sorts like the identifier.
    package func bind(_ index: Int32, high: UInt64, low: UInt64) {
        bind { csqlite_bind_halves(handle, index, high, low) }
    }

    package func bindNull(_ index: Int32) {
        bind { sqlite3_bind_null(handle, index) }
    }

    /// Binds `nil` as NULL, otherwise like the method for the value itself.
    package func bind(_ index: Int32, _ value: Int64?) {
        if let value { bind(index, value) } else { bindNull(index) }
    }

    /// Binds `nil` as NULL, otherwise like the method for the value itself.
    package func bind(_ index: Int32, _ value: String?) {
        if let value { bind(index, value) } else { bindNull(index) }
    }

    /// Binds `nil` as NULL, otherwise like the method for the value itself.
    package func bind(_ index: Int32, _ value: [UInt8]?) {
        if let value { bind(index, value) } else { bindNull(index) }
    }

    package func bind(_ index: Int32, value: SQLiteValue) {
        switch value {
        case .null: bindNull(index)
        case .integer(let integer): bind(index, integer)
        case .text(let text): bind(index, text)
        case .octets(let octets): bind(index, octets)
        }
    }

    /// Sets every parameter to NULL, which also ends the loan of octets bound by `lending`.
    package func clearBindings() {
        guard handle != nil else { return bindFailure = SQLITE_OK }
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        bindFailure = SQLITE_OK
    }

    private func bind(_ call: () -> Int32) {
        if handle == nil {
            do { try compile() } catch {
                if bindFailure == SQLITE_OK { bindFailure = error.code }
                return
            }
        }
        var code = call()
        if code == SQLITE_MISUSE {
            // The last run stopped on a row, perhaps because an error left the loop. SQLite binds only between runs.
            sqlite3_reset(handle)
            code = call()
        }
        guard code != SQLITE_OK else { return }
        precondition(code != SQLITE_RANGE && code != SQLITE_MISUSE, "no such parameter, or a connection in use elsewhere")
        if bindFailure == SQLITE_OK { bindFailure = code }
    }

    /// The start of `octets`. SQLite takes a null pointer for NULL, so empty octets need an address.
    private static func start(of octets: UnsafeRawBufferPointer) -> UnsafeRawPointer {
        octets.baseAddress ?? UnsafeRawPointer(emptiness.utf8Start)
    }

    // MARK: Running

    /// Moves to the next row.
    ///
    /// - Returns: `true` on a row, whose columns can be read until the next `step`, `reset` or `bind`; `false` at the
    ///   end, when the statement is ready to be run again.
    /// - Throws: SQLite's error; the statement is ready to be run again.
    package func step() throws(SQLiteError) -> Bool {
        if bindFailure != SQLITE_OK {
            let code = bindFailure
            bindFailure = SQLITE_OK
            // Compiling again returns SQLite's own sentence; the bind has kept only its code.
            try compile()
            sqlite3_reset(handle)
            throw .last(of: nil, code: code, sql: sql)
        }
        if handle == nil { try compile() }
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE {
            sqlite3_reset(handle)
            return false
        }
        // Plain SQLITE_ERROR at run time comes from functions and virtual tables, whose messages quote their arguments
        // (`fts5: syntax error near "…"`): bound values must not reach a log.
        let mayQuote = code & 0xFF == SQLITE_ERROR && sqlite3_bind_parameter_count(handle) > 0
        let error = SQLiteError.last(of: database.handle, code: code, sql: sql, hidingMessage: mayQuote)
        sqlite3_reset(handle)
        throw error
    }

    /// Ends the run, so that the statement no longer holds a lock or a read transaction. Parameters keep their values.
    package func reset() {
        sqlite3_reset(handle)
    }

    /// Runs to the end and drops rows.
    package func run() throws(SQLiteError) {
        while try step() {}
    }

    /// Binds `values` in order, runs to the end and drops rows.
    package func run(_ values: SQLiteValue...) throws(SQLiteError) {
        for (index, value) in values.enumerated() { bind(Int32(index + 1), value: value) }
        try run()
    }

    /// Passes every row to `body`, in order. The run has ended when this returns or throws.
    package func forEach(_ body: (Statement) throws(SQLiteError) -> Void) throws(SQLiteError) {
        defer { sqlite3_reset(handle) }
        while try step() { try body(self) }
    }

    /// The result of `body` for the first row, or `nil` if there is none. The run has ended when this returns or
    /// throws.
    package func first<Value>(_ body: (Statement) throws(SQLiteError) -> Value) throws(SQLiteError) -> Value? {
        defer { sqlite3_reset(handle) }
        return try step() ? try body(self) : nil
    }

    /// The text from which it was compiled, parameters as `?`.
    package var sql: String { text }

    // MARK: Columns of the current row

    /// The number of columns of a row; 0 before the first use of a statement that is compiled on use.
    package var columnCount: Int32 { sqlite3_column_count(handle) }

    package func isNull(_ index: Int32) -> Bool {
        sqlite3_column_type(handle, index) == SQLITE_NULL
    }

    /// The integer in a column; NULL gives 0.
    package func int64(_ index: Int32) -> Int64 {
        sqlite3_column_int64(handle, index)
    }

    /// The text in a column; NULL gives an empty text.
    package func text(_ index: Int32) -> String {
        withOctets(index) { String(decoding: $0, as: UTF8.self) }
    }

    /// A copy of a blob, or of the UTF-8 of a text. NULL gives an empty array.
    package func octets(_ index: Int32) -> [UInt8] {
        withOctets(index) { [UInt8]($0) }
    }

    /// The number of octets of a blob; 0 for NULL.
    package func octetCount(_ index: Int32) -> Int { Int(sqlite3_column_bytes(handle, index)) }

    /// Lends `body` a blob, or the UTF-8 of a text, without a copy. NULL gives an empty buffer.
    package func withOctets<Value, Failure: Error>(
        _ index: Int32, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        // The pointer first: asking for it may convert the value, and the count belongs to the converted value.
        let start = sqlite3_column_blob(handle, index)
        let count = Int(sqlite3_column_bytes(handle, index))
        return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    /// The two halves of a 128-bit identifier that `bind(_:high:low:)` stored; `nil` for anything except 16 octets.
    package func identifierHalves(_ index: Int32) -> (high: UInt64, low: UInt64)? {
        withOctets(index) { octets in
            guard octets.count == 16 else { return nil }
            return (
                UInt64(bigEndian: octets.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                UInt64(bigEndian: octets.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
}

/// Zero octets that have an address.
private let emptiness: StaticString = ""

@available(*, unavailable)
extension Statement: Sendable {}
