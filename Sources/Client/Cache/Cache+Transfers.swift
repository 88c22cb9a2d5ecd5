package import Bytes
internal import Family
internal import Posix
internal import SQLite

/// Files that are on their way.
extension Cache {
    /// Keeps one, or what is known of it now, on stable storage.
    package func keep(_ transfer: Transfer, number: Int) throws {
        try transaction(synchronously: true) {
            try database.run("INSERT OR REPLACE INTO transfer (number, body) VALUES (?, ?)", .integer(Int64(number)), .octets(transfer.saved))
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

    /// Those that are not through, oldest first; what cannot be read is passed over.
    package func transfers() throws -> [(number: Int, transfer: Transfer)] { try Self.transfers(in: database) }

    private static func transfers(in database: Database) throws -> [(number: Int, transfer: Transfer)] {
        var found: [(number: Int, transfer: Transfer)] = []
        try database.prepare("SELECT number, body FROM transfer ORDER BY number").each { row in
            if let number = Int(exactly: row.int64(0)), let transfer = Transfer.read(saved: row.octets(1)) { found.append((number, transfer)) }
        }
        return found
    }

    /// The same with how far they are.
    package func keptTransfers() -> [KeptTransfer] { Self.kept(in: database, isOpen: true) }

    private static func kept(in database: Database, isOpen: Bool) -> [KeptTransfer] {
        var progress: [Int: TransferProgress] = [:]
        try? database.prepare("SELECT number, octets, state FROM transfer_progress").each { row in
            guard let number = Int(exactly: row.int64(0)), let state = TransferProgress.State(rawValue: row.text(2)) else { return }
            progress[number] = TransferProgress(number: number, octets: row.int64(1), state: state)
        }
        return ((try? transfers(in: database)) ?? []).map { number, transfer in
            let known = progress[number]
            // Of a download the file itself tells it.
            var octets = known?.octets ?? 0
            if case .download(let file) = transfer.way { octets = max(octets, DocumentDownload.size(DocumentDownload.part(of: file, for: transfer.path))) }
            return KeptTransfer(transfer: transfer, octets: min(octets, transfer.total), state: isOpen ? known?.state ?? .queued : nil)
        }
    }

    /// Those of a member, of all programs that run or ran on this machine, for a process that only looks.
    package static func lookTransfers(_ place: CachePlace, _ member: Identifier) -> [KeptTransfer] {
        let folders = [place.folder(of: member)] + (1...mostBeside).map { place.folder(beside: $0, of: member) }
        return folders.flatMap { folder -> [KeptTransfer] in
            guard let database = try? databaseForLooking("\(folder)/\(fileName)") else { return [] }
            return kept(in: database, isOpen: isOpen(folder))
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

/// How far a file is.
package struct TransferProgress: Hashable, Sendable {
    /// The words stand in `proto/cli.md`.
    package enum State: String, Sendable {
        case queued, running
        /// For the network, or for another sign-in.
        case waiting
    }

    package let number: Int
    package let octets: Int64
    package let state: State
}

/// A file that is not through, as it is kept.
package struct KeptTransfer: Hashable, Sendable {
    package let transfer: Transfer
    /// As far as is known here: an upload goes on from what the server has.
    package let octets: Int64
    /// `nil`: no program is at it now; it goes on with the next.
    package let state: TransferProgress.State?

    /// "Fall highlights goes up: 45 %, 3.2 of 7 MB; it goes on when huddle runs next".
    package var words: String {
        let meter = TransferMeter(total: transfer.total, octets: octets, now: 0)
        let far = transfer.total > 0 ? "\(meter.percent ?? 0) %, \(ByteCount.text(octets)) of \(ByteCount.text(transfer.total))" : ByteCount.text(octets)
        let how =
            switch state {
            case .running: "under way"
            case .queued: "waits for its turn"
            case .waiting: "waits for the server"
            case nil: "goes on when huddle runs next"
            }
        return "\(transfer.title) \(transfer.isUpload ? "up" : "down"): \(far), \(how)"
    }
}
