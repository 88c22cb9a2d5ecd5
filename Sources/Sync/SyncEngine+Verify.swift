package import Family
internal import Wire

// The comparison of the held records with the server's (guarantees: "verifiable").
extension SyncEngine {
    /// The results of earlier comparisons.
    struct Verification: Sendable {
        /// The sequence to report with the next join.
        var differed: Int64?
        /// The time before which a difference does not cause a reload.
        var notBefore: Int64 = .min
        /// The number of reloads, each soon after the previous one.
        var reloads = 0
        /// Whether a difference has been reported since the last reload.
        var isReported = false

        /// The milliseconds from one reload to the next, which double up to the longest: a reload makes the server send
        /// all records of a family.
        static let firstWait: Int64 = 60_000
        static let longestWait: Int64 = 3_600_000

        /// - Returns: whether a reload is allowed now.
        mutating func takeReload(now: Int64) -> Bool {
            guard now >= notBefore else { return false }
            if reloads > 0, now - notBefore > Self.longestWait { reloads = 0 }
            notBefore = now + min(Self.firstWait << Int64(min(reloads, 10)), Self.longestWait)
            reloads += 1
            isReported = false
            return true
        }
    }

    /// The checksum of all records of the family, as known to this client; `nil` if the server keeps none.
    package var checksum: StateChecksum? { confirmed.checksum }

    /// Compares the held records with the server's checksum at the cursor.
    ///
    /// If they differ, the connection ends, and the next join reports it and loads everything again; pending mutations
    /// and drafts stay. If the last reload was too recent, the fault is reported once, and the engine continues with
    /// the held records.
    ///
    /// - Parameter checksum: `nil` from a server that keeps none.
    /// - Returns: false if the connection was ended.
    mutating func verify(_ checksum: StateChecksum?, now: Int64) -> Bool {
        guard let checksum, let cursor, configuration.holdsRecords else { return true }
        guard let own = confirmed.checksum else {
            // The records come from a cache or a server without checksums: nothing differs, but nothing can be compared
            // either.
            return !loadAgain(differed: nil, now)
        }
        guard own != checksum else { return true }
        if loadAgain(differed: cursor.sequence, now) { return false }
        if !verification.isReported {
            verification.isReported = true
            report(.differs(sequence: cursor.sequence))
        }
        return true
    }

    /// - Returns: false if the last reload was too recent.
    private mutating func loadAgain(differed: Int64?, _ now: Int64) -> Bool {
        guard verification.takeReload(now: now) else { return false }
        verification.differed = differed
        if let differed { report(.differs(sequence: differed)) }
        cursor = nil
        output.append(.disconnect(closeCode: CloseCode.normal.rawValue))
        endConnection()
        // All clients notice a fault of the server at the same moment.
        output.append(.connect(afterMilliseconds: backoff.wait(failures: 0)))
        return true
    }

    private mutating func report(_ fault: SyncFault) {
        faultCount += 1
        output.append(.notify(.fault(fault)))
    }
}
