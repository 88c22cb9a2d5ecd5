import SQLite
import Store

/// The statements on `consumers`, compiled when they are used: a consumer moves about once per second at most.
final class ConsumerTable: ConsumerWrites {
    private let database: Database

    init(_ database: Database) { self.database = database }

    private static func row(_ row: Statement) -> ConsumerRow { ConsumerRow(name: row.text(0), position: row.int64(1), movedAt: row.int64(2)) }

    func all() throws -> [ConsumerRow] { try database.prepare("SELECT name, position, moved_at FROM consumers ORDER BY name").all(Self.row) }

    func find(_ name: String) throws -> ConsumerRow? {
        let find = try database.prepare("SELECT name, position, moved_at FROM consumers WHERE name = ?")
        find.bind(1, name)
        return try find.one(Self.row)
    }

    func insert(_ row: ConsumerRow) throws {
        try database.run(
            "INSERT INTO consumers (name, position, moved_at) VALUES (?, ?, ?)", .text(row.name), .integer(row.position), .integer(row.movedAt))
    }

    func move(_ row: ConsumerRow) throws {
        try database.run(
            "UPDATE consumers SET position = ?, moved_at = ? WHERE name = ?", .integer(row.position), .integer(row.movedAt), .text(row.name))
    }

    func remove(_ name: String) throws { try database.run("DELETE FROM consumers WHERE name = ?", .text(name)) }
}

@available(*, unavailable)
extension ConsumerTable: Sendable {}
