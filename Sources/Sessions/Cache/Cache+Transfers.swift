package import Bytes
internal import Posix
internal import SQLite

/// Files that are on their way, as rows: what they say is known to who keeps them (`Documents`).
extension Cache {
    /// Keeps one, or what is known of it now, on stable storage.
    ///
    /// - Parameter saved: what to go on with, as its owner writes it.
    package func keep(transfer saved: [UInt8], number: Int) throws {
        try transaction(synchronously: true) {
            try database.run("INSERT OR REPLACE INTO transfer (number, body) VALUES (?, ?)", .integer(Int64(number)), .octets(saved))
        }
    }

    /// Keeps how far they are, for who asks from outside. Not synced: the next one tells it anew.
    package func keep(progress: [TransferProgress]) throws {
        guard !progress.isEmpty else { return }
        try transaction(synchronously: false) {
            for one in progress {
                try database.run(
                    "INSERT OR REPLACE INTO transfer_progress (number, octets, state) VALUES (?, ?, ?)", .integer(Int64(one.number)), .integer(one.octets),
                    .text(one.state.rawValue))
            }
        }
    }

    /// Forgets one, on stable storage: what is through never goes up again.
    package func forget(transfer number: Int) throws {
        try transaction(synchronously: true) {
            try database.run("DELETE FROM transfer WHERE number = ?", .integer(Int64(number)))
            try database.run("DELETE FROM transfer_progress WHERE number = ?", .integer(Int64(number)))
        }
    }

    /// Those that are not through, oldest first.
    package func savedTransfers() throws -> [SavedTransfer] { try Self.savedTransfers(in: database, isOpen: true) }

    private static func savedTransfers(in database: Database, isOpen: Bool) throws -> [SavedTransfer] {
        var progress: [Int: TransferProgress] = [:]
        try? database.prepare("SELECT number, octets, state FROM transfer_progress").each { row in
            guard let number = Int(exactly: row.int64(0)), let state = TransferProgress.State(rawValue: row.text(2)) else { return }
            progress[number] = TransferProgress(number: number, octets: row.int64(1), state: state)
        }
        var found: [SavedTransfer] = []
        try database.prepare("SELECT number, body FROM transfer ORDER BY number").each { row in
            guard let number = Int(exactly: row.int64(0)) else { return }
            found.append(SavedTransfer(number: number, saved: row.octets(1), progress: progress[number], isOpen: isOpen))
        }
        return found
    }

    /// Those of a member, of all programs that run or ran on this machine, for a process that only looks.
    package static func lookSavedTransfers(_ place: CachePlace, _ member: Identifier) -> [SavedTransfer] {
        let folders = [place.folder(of: member)] + (1...mostBeside).map { place.folder(beside: $0, of: member) }
        return folders.flatMap { folder -> [SavedTransfer] in
            guard let database = try? databaseForLooking("\(folder)/\(fileName)") else { return [] }
            return (try? savedTransfers(in: database, isOpen: isOpen(folder))) ?? []
        }
    }

    /// Whether a program has it now.
    private static func isOpen(_ folder: String) -> Bool {
        do throws(Errno) {
            let lock = try Files.lock(folder: folder)
            _ = consume lock
            return false
        } catch {
            return error == .locked
        }
    }
}

/// A file that is not through, as its owner wrote it.
package struct SavedTransfer: Hashable, Sendable {
    /// Its key in the cache.
    package let number: Int
    /// What the owner needs to go on with it.
    package let saved: [UInt8]
    /// How far it was when that was last told; `nil` before it was.
    package let progress: TransferProgress?
    /// Whether a program that has it runs now.
    package let isOpen: Bool
}

/// How far a file is.
package struct TransferProgress: Hashable, Sendable {
    /// The words stand in `proto/cli.md`.
    package enum State: String, Sendable {
        case queued, running
        /// For the network, or for another sign-in.
        case waiting
    }

    /// Its key in the cache.
    package let number: Int
    /// Octets that are through.
    package let octets: Int64
    /// What it is at.
    package let state: State

    package init(number: Int, octets: Int64, state: State) {
        self.number = number
        self.octets = octets
        self.state = state
    }
}
