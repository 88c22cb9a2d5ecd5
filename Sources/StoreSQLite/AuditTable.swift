import Bytes
import Family
import SQLite
import Store

/// The statements on `audit`.
final class AuditTable: AuditWrites {
    /// Entries between two looks at the bound of a family's entries, because a look walks them.
    private static let trimInterval: Int64 = 1_000

    private let database: Database
    private let insert: Statement
    private let nextNumber: Statement
    private let nextFamily: Statement

    init(_ database: Database) {
        self.database = database
        insert = database.prepareOnUse(
            "INSERT INTO audit (family, number, at, act, origin, member, about, count, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        nextNumber = database.prepareOnUse("SELECT max(number) FROM audit WHERE family = ?")
        nextFamily = database.prepareOnUse("SELECT min(family) FROM audit WHERE family > ?")
    }

    private static let columns = "number, at, act, origin, member, about, count, detail"
    static let pageQuery = "SELECT \(columns) FROM audit WHERE family = ? AND number < ? ORDER BY number DESC LIMIT ?"
    static let authorQuery = "SELECT \(columns) FROM audit INDEXED BY audit_by_author WHERE family = ? AND member = ? AND number < ? ORDER BY number DESC LIMIT ?"
    static let subjectQuery = "SELECT \(columns) FROM audit INDEXED BY audit_by_subject WHERE family = ? AND about = ? AND number < ? ORDER BY number DESC LIMIT ?"
    static let failureQuery = "SELECT number FROM audit WHERE act = 'sign_in_failed' AND family = ? AND about = ? AND at > ? ORDER BY at DESC LIMIT 1"
    static let refusalQuery =
        "SELECT number FROM audit WHERE act = 'passkey_refused' AND family = ? AND about = ? AND detail = ? AND at > ? ORDER BY at DESC LIMIT 1"
    static let oldestQuery = "SELECT number, at FROM audit WHERE family = ? ORDER BY number LIMIT ?"

    private static func row(_ row: Statement) throws -> AuditRow {
        let author: Audit.Author
        switch (row.text(3), try row.optionalIdentifier(4)) {
        case ("member", let member?): author = .member(member)
        case ("host", nil): author = .host
        case ("server", nil): author = .server
        default: throw StoreFailure("an entry of the audit log has an author that is not known")
        }
        return AuditRow(
            number: row.int64(0),
            entry: Audit.Entry(
                at: row.int64(1), act: row.text(2), author: author, about: try row.optionalIdentifier(5), count: row.int64(6),
                detail: row.isNull(7) ? nil : row.text(7)))
    }

    func entries(family: Int64, of member: Identifier?, before: Int64, limit: Int) throws -> [AuditRow] {
        guard let member else {
            let list = try database.prepare(Self.pageQuery)
            list.bind(1, family)
            list.bind(2, before)
            list.bind(3, Int64(limit))
            return try list.all(Self.row)
        }
        var found: [Int64: AuditRow] = [:]
        for query in [Self.authorQuery, Self.subjectQuery] {
            let list = try database.prepare(query)
            list.bind(1, family)
            list.bind(2, member)
            list.bind(3, before)
            list.bind(4, Int64(limit))
            for row in try list.all(Self.row) { found[row.number] = row }
        }
        return Array(found.values.sorted { $0.number > $1.number }.prefix(limit))
    }

    static let hostQuery =
        "SELECT \(columns), family FROM audit INDEXED BY audit_by_host WHERE origin = 'host' AND (at, family, number) < (?, ?, ?) ORDER BY at DESC, family DESC, number DESC LIMIT ?"

    func hostEntries(after mark: HostActMark?, limit: Int) throws -> [(family: Int64, row: AuditRow)] {
        let mark = mark ?? HostActMark(at: .max, family: .max, number: .max)
        let list = try database.prepare(Self.hostQuery)
        list.bind(1, mark.at)
        list.bind(2, mark.family)
        list.bind(3, mark.number)
        list.bind(4, Int64(limit))
        return try list.all { ($0.int64(8), try Self.row($0)) }
    }

    func append(family: Int64, _ entry: Audit.Entry, limit: Int) throws {
        nextNumber.bind(1, family)
        let newest: Int64? = try nextNumber.one { $0.optionalInt64(0) } ?? nil
        let number = (newest ?? 0) + 1
        insert.bind(1, family)
        insert.bind(2, number)
        insert.bind(3, entry.at)
        insert.bind(4, entry.act)
        switch entry.author {
        case .member(let member):
            insert.bind(5, "member")
            insert.bind(6, member)
        case .host:
            insert.bind(5, "host")
            insert.bind(6, nil as Identifier?)
        case .server:
            insert.bind(5, "server")
            insert.bind(6, nil as Identifier?)
        }
        insert.bind(7, entry.about)
        insert.bind(8, entry.count)
        insert.bind(9, entry.detail)
        try insert.run()
        guard number % Self.trimInterval == 0, number > Int64(limit) else { return }
        let delete = try database.prepare("DELETE FROM audit WHERE family = ? AND number <= ?")
        delete.bind(1, family)
        delete.bind(2, number - Int64(limit))
        try delete.run()
    }

    func addFailures(_ count: Int64, family: Int64, about member: Identifier, after time: Int64) throws -> Bool {
        let find = try database.prepare(Self.failureQuery)
        find.bind(1, family)
        find.bind(2, member)
        find.bind(3, time)
        return try add(count, family: family, find)
    }

    func addRefusals(_ count: Int64, family: Int64, about member: Identifier, detail: String, after time: Int64) throws -> Bool {
        let find = try database.prepare(Self.refusalQuery)
        find.bind(1, family)
        find.bind(2, member)
        find.bind(3, detail)
        find.bind(4, time)
        return try add(count, family: family, find)
    }

    private func add(_ count: Int64, family: Int64, _ find: Statement) throws -> Bool {
        guard let number = try find.one({ $0.int64(0) }) else { return false }
        try database.run(
            "UPDATE audit SET count = count + ? WHERE family = ? AND number = ?", .integer(count), .integer(family), .integer(number))
        return true
    }

    func purge(before limit: Int64, afterFamily: Int64, count: Int, families: Int) throws -> PurgedPortion<Int64> {
        var portion = PurgedPortion(next: afterFamily)
        for _ in 0..<families {
            nextFamily.bind(1, portion.next)
            guard let family = try nextFamily.one({ $0.optionalInt64(0) }) ?? nil else {
                portion.isLast = true
                return portion
            }
            let room = count - portion.count
            let list = try database.prepare(Self.oldestQuery)
            list.bind(1, family)
            list.bind(2, Int64(room))
            let due = try list.all { (number: $0.int64(0), at: $0.int64(1)) }.prefix { $0.at < limit }
            if let last = due.last {
                try database.run("DELETE FROM audit WHERE family = ? AND number <= ?", .integer(family), .integer(last.number))
                portion.count += due.count
            }
            // The same family again: it may have more.
            guard portion.count < count else { return portion }
            portion.next = family
        }
        return portion
    }
}

@available(*, unavailable)
extension AuditTable: Sendable {}
