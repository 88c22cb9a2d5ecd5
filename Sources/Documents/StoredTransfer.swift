package import Bytes
internal import Family
package import Sessions

/// A stored, unfinished transfer.
package struct StoredTransfer: Hashable, Sendable {
    package let transfer: FileTransfer
    /// The octets known here: an upload resumes from the server's offset.
    package let octets: Int64
    /// `nil`: no program is running the transfer; the next program resumes it.
    package let state: TransferProgress.State?

    /// - Returns: `nil` for content that this program never wrote.
    init?(_ kept: SavedTransfer) {
        guard let transfer = FileTransfer.read(saved: kept.saved) else { return nil }
        self.transfer = transfer
        // For a download, the file itself shows the progress.
        var octets = kept.progress?.octets ?? 0
        if case .download(let file) = transfer.way { octets = max(octets, DocumentDownload.size(DocumentDownload.part(of: file, for: transfer.path))) }
        self.octets = min(octets, transfer.total)
        state = kept.isOpen ? kept.progress?.state ?? .queued : nil
    }

    /// "Fall highlights goes up: 45%, 3.2 of 7 MB; it continues when huddle runs next".
    package var words: String {
        let meter = TransferMeter(total: transfer.total, octets: octets, now: 0)
        let far = transfer.total > 0 ? "\(meter.percent ?? 0) %, \(ByteCount.text(octets)) of \(ByteCount.text(transfer.total))" : ByteCount.text(octets)
        let how =
            switch state {
            case .running: "under way"
            case .queued: "waits for its turn"
            case .waiting: "waits for the server"
            case nil: "continues when huddle runs next"
            }
        return "\(transfer.title) \(transfer.isUpload ? "up" : "down"): \(far), \(how)"
    }
}

/// Reads and writes the rows of unfinished transfers.
extension Cache {
    /// Stores a transfer, or its new state, on stable storage.
    package func keep(_ transfer: FileTransfer, number: Int) throws { try keep(transfer: transfer.saved, number: number) }

    /// The unfinished transfers, oldest first; unreadable rows are skipped.
    package func transfers() throws -> [(number: Int, transfer: FileTransfer)] {
        try savedTransfers().compactMap { kept in FileTransfer.read(saved: kept.saved).map { (kept.number, $0) } }
    }

    /// The unfinished transfers with their progress.
    package func keptTransfers() -> [StoredTransfer] { ((try? savedTransfers()) ?? []).compactMap { StoredTransfer($0) } }

    /// The transfers of a member, from all programs that run or ran on this machine, for a process that only reads.
    package static func lookTransfers(_ place: CachePlace, _ member: Identifier) -> [StoredTransfer] {
        lookSavedTransfers(place, member).compactMap { StoredTransfer($0) }
    }
}
