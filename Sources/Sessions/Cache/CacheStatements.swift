internal import Bytes
internal import Family
internal import SQLite

/// Tables and statements of the cache.
final class CacheStatements {
    /// `record.body`, `change.frame`, `pending.frame`: JSON as it is sent. `pending.state`: 0 never sent, 1 perhaps
    /// sent, 2 acknowledged with `sequence`. `unborn`: the positions in the batch of the operations whose base is 0,
    /// "1,3". They rest on a record that the server does not know yet, which no frame may say, so `frame` has 1 there.
    /// `pending.mutation` grows, so its order is the order of the requests.
    static let schema = """
        CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS record (id BLOB PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS change (sequence INTEGER PRIMARY KEY, frame BLOB NOT NULL);
        CREATE TABLE IF NOT EXISTS pending (
            mutation INTEGER PRIMARY KEY, at INTEGER NOT NULL, state INTEGER NOT NULL, sequence INTEGER, complaints INTEGER NOT NULL,
            frame BLOB NOT NULL, unborn TEXT NOT NULL);
        CREATE TABLE IF NOT EXISTS draft (
            place INTEGER PRIMARY KEY, at INTEGER NOT NULL, frame BLOB NOT NULL, unborn TEXT NOT NULL, rejection BLOB NOT NULL);
        CREATE TABLE IF NOT EXISTS conversation (name TEXT PRIMARY KEY, text TEXT NOT NULL, place TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS input (number INTEGER PRIMARY KEY, line TEXT NOT NULL);
        """

    /// Later tables, and an index: they are created wherever they are missing, and harm no older program, so the
    /// version stays.
    static let additions = """
        CREATE INDEX IF NOT EXISTS record_kind ON record (\(kindMark), id);
        CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS transfer (number INTEGER PRIMARY KEY, body BLOB NOT NULL);
        CREATE TABLE IF NOT EXISTS transfer_progress (number INTEGER PRIMARY KEY, octets INTEGER NOT NULL, state TEXT NOT NULL);
        """

    /// The expression that distinguishes a record's kind in its body, which begins with `{"kind":"…","id":`: the first
    /// octets of the kind's name and the text after it.
    static let kindMark = "substr(body, 10, 7)"

    /// The mark of a kind; it differs for each kind.
    static func mark(of kind: Kind) -> [UInt8] { Array("\(kind.name)\",\"id\"".utf8.prefix(7)) }

    let setMeta: Statement
    let clearMeta: Statement
    let setRecord: Statement
    let clearRecord: Statement
    let setChange: Statement
    let trimChanges: Statement
    let setPending: Statement
    let clearPending: Statement
    let setDraft: Statement
    let setConversation: Statement
    let addInput: Statement
    let trimInput: Statement

    init(_ database: Database) throws(SQLiteError) {
        setMeta = try database.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)")
        clearMeta = try database.prepare("DELETE FROM meta WHERE name = ?")
        setRecord = try database.prepare("INSERT OR REPLACE INTO record (id, body) VALUES (?, ?)")
        clearRecord = try database.prepare("DELETE FROM record WHERE id = ?")
        setChange = try database.prepare("INSERT OR REPLACE INTO change (sequence, frame) VALUES (?, ?)")
        trimChanges = try database.prepare("DELETE FROM change WHERE sequence <= ?")
        setPending = try database.prepare(
            "INSERT OR REPLACE INTO pending (mutation, at, state, sequence, complaints, frame, unborn) VALUES (?, ?, ?, ?, ?, ?, ?)")
        clearPending = try database.prepare("DELETE FROM pending WHERE mutation = ?")
        setDraft = try database.prepare("INSERT INTO draft (at, frame, unborn, rejection) VALUES (?, ?, ?, ?)")
        setConversation = try database.prepare("INSERT OR REPLACE INTO conversation (name, text, place) VALUES (?, ?, ?)")
        addInput = try database.prepare("INSERT INTO input (line) VALUES (?)")
        trimInput = try database.prepare("DELETE FROM input WHERE number <= (SELECT max(number) FROM input) - ?")
    }
}

@available(*, unavailable) extension CacheStatements: Sendable {}

extension Statement {
    func bind(_ index: Int32, _ id: Identifier) { bind(index, high: id.high, low: id.low) }

    /// Passes every row to `body`. Like `forEach`, for bodies that also detect damage.
    func each(_ body: (Statement) throws -> Void) throws {
        defer { reset() }
        while try step() { try body(self) }
    }
}
