internal import SQLite

/// Files that are on their way.
extension Cache {
    /// Keeps one, or what is known of it now, on stable storage.
    package func keep(_ transfer: Transfer, number: Int) throws {
        try transaction(synchronously: true) {
            try database.run("INSERT OR REPLACE INTO transfer (number, body) VALUES (?, ?)", .integer(Int64(number)), .octets(transfer.saved))
        }
    }

    /// Forgets one, on stable storage: what is through never goes up again.
    package func forget(transfer number: Int) throws {
        try transaction(synchronously: true) { try database.run("DELETE FROM transfer WHERE number = ?", .integer(Int64(number))) }
    }

    /// Those that are not through, oldest first; what cannot be read is passed over.
    package func transfers() throws -> [(number: Int, transfer: Transfer)] {
        var found: [(number: Int, transfer: Transfer)] = []
        try database.prepare("SELECT number, body FROM transfer ORDER BY number").each { row in
            if let number = Int(exactly: row.int64(0)), let transfer = Transfer.read(saved: row.octets(1)) { found.append((number, transfer)) }
        }
        return found
    }
}
