package import Family
internal import Wire

// Whether the records held are those of the server (guarantees: "verifiable").
extension SyncEngine {
    /// The results of earlier comparisons.
    struct Verification: Sendable {
        /// The sequence to report with the next join.
        var differed: Int64?
        /// Before this time a difference does not make the client load again.
        var notBefore: Int64 = .min
        /// Times that everything was loaded again, each soon after the one before.
        var reloads = 0
        /// A difference has been reported since everything was loaded again.
        var isReported = false

        /// Milliseconds from one reload to the next, which doubles up to the longest: the server answers a reload with all that a family has.
        static let firstWait: Int64 = 60_000
        static let longestWait: Int64 = 3_600_000

        /// - Returns: whether everything may be loaded again now.
        mutating func takeReload(now: Int64) -> Bool {
            guard now >= notBefore else { return false }
            if reloads > 0, now - notBefore > Self.longestWait { reloads = 0 }
            notBefore = now + min(Self.firstWait << Int64(min(reloads, 10)), Self.longestWait)
            reloads += 1
            isReported = false
            return true
        }
    }

    /// Of all records of the family as this client knows them; `nil` if the server keeps none.
    package var checksum: StateChecksum? { confirmed.checksum }

    /// Compares the records held with the server's checksum at the cursor.
    ///
    /// If they differ, the connection ends and the next join reports it and loads everything again; what waits to be sent and the drafts stay. If a
    /// reload was too short a time ago, the fault is reported once, and the engine continues with what it holds.
    ///
    /// - Parameter checksum: `nil` of a server that keeps none.
    /// - Returns: false if the connection was ended.
    mutating func verify(_ checksum: StateChecksum?, now: Int64) -> Bool {
        guard let checksum, let cursor, configuration.holdsRecords else { return true }
        guard let own = confirmed.checksum else {
            // The records are from a cache or a server without checksums: nothing differs, but nothing can be compared either.
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

    /// - Returns: false if a reload was too short a time ago.
    private mutating func loadAgain(differed: Int64?, _ now: Int64) -> Bool {
        guard verification.takeReload(now: now) else { return false }
        verification.differed = differed
        if let differed { report(.differs(sequence: differed)) }
        cursor = nil
        output.append(.disconnect(closeCode: CloseCode.normal.rawValue))
        endConnection()
        // A fault of the server is noticed by all clients at the same moment.
        output.append(.connect(afterMilliseconds: backoff.wait(failures: 0)))
        return true
    }

    private mutating func report(_ fault: SyncFault) {
        faultCount += 1
        output.append(.notify(.fault(fault)))
    }
}
