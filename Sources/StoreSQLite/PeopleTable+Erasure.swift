import SQLite
import Store

extension PeopleTable {
    func erase(family: Int64, limit: Int) throws -> (sessions: [Int64], isFinished: Bool) {
        let list = try database.prepare("SELECT key, person FROM memberships WHERE family = ? LIMIT ?")
        list.bind(1, family)
        list.bind(2, Int64(limit))
        var ended: [Int64] = []
        let members = try list.all { (key: $0.int64(0), person: $0.optionalInt64(1)) }
        for member in members {
            try database.run("DELETE FROM memberships WHERE key = ?", .integer(member.key))
            guard let person = member.person else { continue }
            let other = try database.prepare("SELECT 1 FROM memberships WHERE person = ? AND removed_at IS NULL LIMIT 1")
            other.bind(1, person)
            guard try other.one({ _ in true }) == nil else { continue }
            ended += try endAllSessions(ofPerson: person)
            // Of families that the person has left.
            try database.run("UPDATE memberships SET person = NULL WHERE person = ?", .integer(person))
            // With it go passkeys, password and the like (triggers).
            try database.run("DELETE FROM people WHERE key = ?", .integer(person))
        }
        guard members.isEmpty else { return (ended, false) }
        for table in ["codes", "invites"] {
            try database.run("DELETE FROM \(table) WHERE key IN (SELECT key FROM \(table) WHERE family = ?1 LIMIT ?2)", .integer(family), .integer(Int64(limit)))
            if database.changes > 0 { return ([], false) }
        }
        return ([], true)
    }
}
