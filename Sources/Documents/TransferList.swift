package import Sessions
internal import Terminal

/// The transfers of one user: the state of each, which ones outlast the program, and the sentences about them. Pure.
///
/// An unfinished transfer is stored (`Effect.keep`) until it is complete, refused, or cancelled by the user. A transfer
/// that the end of the program, the network or `kill -9` interrupted continues with `resume`, an upload from the octets
/// that the server has.
package struct TransferList: Sendable {
    /// The number of finished transfers that are still shown.
    static let mostOver = 20

    /// The effects of an event.
    package enum Effect: Hashable, Sendable {
        /// Write the transfer into the store, before anything else happens to it.
        case keep(Int, FileTransfer)
        /// Delete the transfer from the store, and then the location of an upload from the memory.
        case forget(Int, key: String?)
        /// Show the user a sentence.
        case say(String)
    }

    /// The rows, oldest first.
    package private(set) var rows: [TransferRow] = []
    private var transfers: [Int: FileTransfer] = [:]
    /// The transfers that resume by themselves when the server is reachable again.
    private var interrupted: Set<Int> = []
    private var last = 0

    package init() {}

    private mutating func takeOver(_ number: Int, _ transfer: FileTransfer) {
        transfers[number] = transfer
        interrupted.insert(number)
        rows.append(TransferRow(number: number, title: transfer.title, isUpload: transfer.isUpload, state: .waiting("continues where it stopped when the server answers")))
        last = max(last, number)
    }

    /// Takes over the unfinished transfers of an earlier program. Numbers that are in use are skipped.
    package mutating func takeOver(_ kept: [(number: Int, transfer: FileTransfer)]) {
        for (number, transfer) in kept where transfers[number] == nil { takeOver(number, transfer) }
    }

    /// The progress of the stored transfers.
    package var progress: [TransferProgress] {
        rows.compactMap { row in
            guard transfers[row.number] != nil, !row.state.isOver || interrupted.contains(row.number) else { return nil }
            let state: TransferProgress.State =
                switch row.state {
                case .queued: .queued
                case .running: .running
                case .waiting, .done, .failed: .waiting
                }
            return TransferProgress(number: row.number, octets: row.meter?.octets ?? 0, state: state)
        }
    }

    /// The number of transfers that are neither finished nor cancelled.
    package var unfinished: Int { rows.count { !$0.state.isOver || interrupted.contains($0.number) } }

    /// - Returns: its number; `nil` if too many transfers wait already.
    package mutating func add(_ transfer: FileTransfer) -> Int? {
        guard unfinished < JobLine.limit else { return nil }
        last += 1
        transfers[last] = transfer
        rows.append(TransferRow(number: last, title: transfer.title, isUpload: transfer.isUpload))
        forgetOld()
        return last
    }

    /// Restarts a transfer that failed or was stopped.
    package mutating func again(_ number: Int) -> FileTransfer? {
        guard let transfer = transfers[number], change(number, { $0.state = .queued }) else { return nil }
        interrupted.remove(number)
        return transfer
    }

    /// Called when the server is reachable: returns the transfers that resume by themselves, oldest first.
    package mutating func resume() -> [DocumentJob] {
        let numbers = interrupted.sorted()
        return numbers.compactMap { number in again(number).map { .transfer(number, $0) } }
    }

    /// Cancels a transfer that no thread is running.
    ///
    /// - Returns: `nil` if a thread is running it and has to stop it.
    package mutating func stop(_ number: Int) -> [Effect]? { interrupted.contains(number) ? take(.failed(number, .cancelled), now: 0) : nil }

    /// Handles a report about a transfer; other reports are ignored.
    ///
    /// - Parameter now: milliseconds of a monotonic clock.
    package mutating func take(_ report: DocumentReport, now: Int64) -> [Effect] {
        switch report {
        case .began(let number):
            let total = transfers[number]?.total ?? 0
            change(number) {
                $0.state = .running
                $0.meter = TransferMeter(total: total, now: now)
            }
        case .read(let number, let stamp):
            guard transfers[number] != nil, transfers[number]?.stamp != stamp else { break }
            transfers[number]?.stamp = stamp
            change(number) { $0.meter = TransferMeter(total: stamp.octets, now: now) }
            return transfers[number].map { [.keep(number, $0)] } ?? []
        case .resumed(let number, let octets):
            change(number) {
                $0.state = .running
                $0.meter = TransferMeter(total: $0.meter?.total, octets: octets, now: now)
            }
        case .progress(let number, let octets):
            change(number) {
                $0.state = .running
                $0.meter?.report(octets, now: now)
            }
        case .waits(let number, let pause, let reason):
            change(number) { $0.state = .waiting("\(reason) Trying again in \((pause + 999) / 1_000) s; the part so far is kept.") }
        case .done(let number, _, let key):
            guard let transfer = transfers.removeValue(forKey: number) else { break }
            change(number) { $0.state = .done(transfer.isUpload ? "uploaded" : "is here") }
            forgetOld()
            return [.forget(number, key: key), .say(transfer.isUpload ? "Uploaded \(transfer.title)." : "\(transfer.path.printable) is here.")]
        case .failed(let number?, let failure): return fail(number, failure)
        case .links, .picture, .made, .revoked, .failed(nil, _): break
        }
        return []
    }

    private mutating func fail(_ number: Int, _ failure: DocumentFailure) -> [Effect] {
        guard let transfer = transfers[number] else { return [] }
        interrupted.remove(number)
        var effects: [Effect] = [.forget(number, key: nil)]
        let words: String
        switch failure {
        case .cancelled: words = "Stopped. R continues it."
        case .offline:
            interrupted.insert(number)
            effects = []
            words = "\(failure.sentence(isUpload: transfer.isUpload)) It continues when the server is back; R tries now."
        // The transfer resumes with another sign-in.
        case .refused(401, _, _):
            interrupted.insert(number)
            effects = []
            words = failure.sentence(isUpload: transfer.isUpload)
        case .refused, .file:
            words = "\(failure.sentence(isUpload: transfer.isUpload)) R tries again."
            effects.append(.say("\(transfer.title): \(failure.sentence(isUpload: transfer.isUpload))"))
        }
        change(number) { $0.state = .failed(words) }
        forgetOld()
        return effects
    }

    @discardableResult
    private mutating func change(_ number: Int, _ change: (inout TransferRow) -> Void) -> Bool {
        guard let place = rows.firstIndex(where: { $0.number == number }) else { return false }
        change(&rows[place])
        return true
    }

    /// Removes the finished transfers, which the user has seen.
    package mutating func dismiss() {
        rows.removeAll { if case .done = $0.state { true } else { false } }
    }

    private mutating func forgetOld() {
        let over = rows.filter { $0.state.isOver && !interrupted.contains($0.number) }
        for row in over.dropLast(Self.mostOver) {
            transfers[row.number] = nil
            rows.removeAll { $0.number == row.number }
        }
    }

    // MARK: Leaving

    /// The warning for a user who leaves while a transfer is running; "" if none is.
    ///
    /// - Parameter isKept: whether the transfers outlast the program.
    package func underway(isKept: Bool) -> String {
        let open = rows.filter { !$0.state.isOver }
        guard let first = open.first else { return "" }
        var words: String
        if open.count == 1 {
            words = "\(first.title) is on its way\(first.meter?.percent.map { " (\($0)%)" } ?? "")."
        } else {
            words = "\(open.count) files are on their way."
        }
        let it = open.count == 1 ? "It" : "They"
        let ending = open.count == 1 ? "s" : ""
        words += isKept ? " \(it) continue\(ending) when huddle runs next." : " \(it) stop\(ending) when you leave; the same upload continues where it stopped."
        return words
    }

    /// The lines for a user who has left.
    package func farewell(isKept: Bool) -> [String] {
        switch unfinished {
        case 0: []
        case _ where !isKept: ["A transfer is not finished: the same upload or download continues where it stopped."]
        case 1: ["1 transfer is not finished; it continues when huddle runs next."]
        case let count: ["\(count) transfers are not finished; they continue when huddle runs next."]
        }
    }
}
