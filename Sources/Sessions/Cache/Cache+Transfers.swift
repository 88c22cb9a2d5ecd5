package import Bytes
internal import Posix
internal import SQLite

/// Unfinished file transfers, as rows; their owner (`Documents`) defines the content.
extension Cache {
    /// Stores a transfer, or its new state, on stable storage.
    ///
    /// - Parameter saved: the state to resume from, in the owner's format.
    package func keep(transfer saved: [UInt8], number: Int) throws {
        try transaction(synchronously: true) {
            try database.run("INSERT OR REPLACE INTO transfer (number, body) VALUES (?, ?)", .integer(Int64(number)), .octets(saved))
        }
    }

    /// Stores the progress of transfers, for other processes that ask. Not synced: the next progress replaces it.
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

    /// Deletes a transfer, on stable storage: a finished file is never uploaded again.
    package func forget(transfer number: Int) throws {
        try transaction(synchronously: true) {
            try database.run("DELETE FROM transfer WHERE number = ?", .integer(Int64(number)))
            try database.run("DELETE FROM transfer_progress WHERE number = ?", .integer(Int64(number)))
        }
    }

    /// The unfinished transfers, oldest first.
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

    /// The transfers of a member, from all programs that run or ran on this machine, for a process that only reads.
    package static func lookSavedTransfers(_ place: CachePlace, _ member: Identifier) -> [SavedTransfer] {
        let folders = [place.folder(of: member)] + (1...mostBeside).map { place.folder(beside: $0, of: member) }
        return folders.flatMap { folder -> [SavedTransfer] in
            guard let database = try? databaseForLooking("\(folder)/\(fileName)") else { return [] }
            return (try? savedTransfers(in: database, isOpen: isOpen(folder))) ?? []
        }
    }

    /// Whether a program has the folder open now.
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

/// An unfinished transfer, as its owner wrote it.
package struct SavedTransfer: Hashable, Sendable {
    /// Its key in the cache.
    package let number: Int
    /// The state that the owner needs to resume the transfer.
    package let saved: [UInt8]
    /// The last reported progress; `nil` before the first report.
    package let progress: TransferProgress?
    /// Whether a running program has the transfer.
    package let isOpen: Bool
}

/// The progress of a transfer.
package struct TransferProgress: Hashable, Sendable {
    /// The values are listed in `proto/cli.md`.
    package enum State: String, Sendable {
        case queued, running
        /// Waits for the network, or for another sign-in.
        case waiting
    }

    /// Its key in the cache.
    package let number: Int
    /// The number of octets that are transferred.
    package let octets: Int64
    /// The current state.
    package let state: State

    package init(number: Int, octets: Int64, state: State) {
        self.number = number
        self.octets = octets
        self.state = state
    }
}
