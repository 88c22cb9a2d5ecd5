package import Bytes
package import Family
import SQLite
package import Wire

// Changes, snapshots and pages of a family's records.
extension StoreReader {
    /// Octets of one `snapshot` frame, unless one record alone has more: a quarter of what waits for a slow reader at most, so that
    /// the sender can pace them.
    package static let snapshotFrameOctets = 65_536

    /// Octets of the records in one page, unless one record alone has more.
    private static let pageOctets = 196_608

    /// The changes after a sequence, in order.
    ///
    /// - Parameter maxOctets: of all frames together; the first is given whatever its size.
    package func changes(family: Identifier, after: Int64, maxOctets: Int) throws(StoreFailure) -> LogPage {
        try reading {
            logAfter.bind(1, try key(family))
            logAfter.bind(2, after)
            var page = LogPage(frames: [], reachedEnd: true)
            var octets = 0
            defer { logAfter.reset() }
            while try logAfter.step() {
                let frame = logAfter.octets(1)
                octets += frame.count
                guard page.frames.isEmpty || octets <= maxOctets else {
                    page.reachedEnd = false
                    break
                }
                page.frames.append((logAfter.int64(0), frame))
            }
            return page
        }
    }

    /// All records of a family: tombstones of the last 30 days included, and of messages the newest (`Limits.snapshotMessages`).
    package func snapshot(family: Identifier) throws(StoreFailure) -> Snapshot {
        try reading {
            let key = try key(family)
            let sequence = try head(key)
            let oldest = environment.now() - Store.retention
            var chunks = SnapshotChunks(sequence: sequence, maxOctets: Self.snapshotFrameOctets)
            snapshotRecords.bind(1, key)
            snapshotRecords.bind(2, oldest)
            try snapshotRecords.each { row in chunks.add(try RecordTable.decode(row).record, size: row.withOctets(10) { $0.count }) }
            snapshotMessages.bind(1, key)
            snapshotMessages.bind(2, oldest)
            snapshotMessages.bind(3, Int64(environment.limits.snapshotMessages))
            try snapshotMessages.each { row in chunks.add(try RecordTable.decode(row).record, size: row.withOctets(10) { $0.count }) }
            return Snapshot(sequence: sequence, frames: chunks.finish())
        }
    }

    /// Older messages, newest first, deleted ones left out.
    ///
    /// - Returns: the encoded `page` frame; `invalid` for other kinds, whose records are all in the snapshot, and for a mark that is
    ///   not of this server.
    package func page(family: Identifier, _ request: ListRequest) throws(StoreFailure) -> Result<[UInt8], Rejection> {
        guard request.kind == .message else {
            return .failure(
                Rejection(.invalid, "Only messages are listed by pages; everything else is in the snapshot", kind: request.kind))
        }
        var before = PageMark.newest
        if let text = request.before {
            guard let mark = PageMark(text) else {
                return .failure(Rejection(.invalid, "This page mark is not one of ours: begin at the newest", field: "before"))
            }
            before = mark
        }
        let limit = min(max(request.limit, 1), environment.limits.pageRecords)
        return try reading {
            messagePage.bind(1, try key(family))
            messagePage.bind(2, before.createdAt)
            messagePage.bind(3, before.id)
            var records: [Record] = []
            var octets = 0
            var next: String?
            defer { messagePage.reset() }
            while try messagePage.step() {
                octets += messagePage.withOctets(10) { $0.count }
                if let last = records.last, records.count == limit || octets > Self.pageOctets {
                    next = PageMark(createdAt: last.createdAt, id: last.id).description
                    break
                }
                records.append(try RecordTable.decode(messagePage).record)
            }
            return .success(ServerFrame.page(request: request.request, records: records, next: next).encode())
        }
    }
}

/// Gathers records into `snapshot` frames.
private struct SnapshotChunks {
    let sequence: Int64
    let maxOctets: Int
    private var frames: [[UInt8]] = []
    private var records: [Record] = []
    private var octets = 0

    /// What a record's frame has besides its fields: four ids, three times, version, and their keys.
    private static let envelopeOctets = 512

    init(sequence: Int64, maxOctets: Int) {
        self.sequence = sequence
        self.maxOctets = maxOctets
    }

    /// - Parameter size: octets of the fields as they are stored, which is how they travel.
    mutating func add(_ record: Record, size: Int) {
        let size = size + Self.envelopeOctets
        if octets + size > maxOctets, !records.isEmpty { seal() }
        records.append(record)
        octets += size
    }

    mutating func finish() -> [[UInt8]] {
        if !records.isEmpty { seal() }
        return frames
    }

    private mutating func seal() {
        frames.append(ServerFrame.snapshot(sequence: sequence, records: records).encode())
        records.removeAll(keepingCapacity: true)
        octets = 0
    }
}

/// Where a page of messages ends: time and id of its last message, which is opaque to clients.
struct PageMark: Equatable, CustomStringConvertible {
    var createdAt: Int64
    var id: Identifier

    static let newest = PageMark(createdAt: .max, id: Identifier(high: .max, low: .max))

    init(createdAt: Int64, id: Identifier) {
        self.createdAt = createdAt
        self.id = id
    }

    init?(_ text: String) {
        guard let octets = Base64.decode(text, .urlSafe), octets.count == 24 else { return nil }
        func word(_ place: Int) -> UInt64 { octets[place..<place + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(createdAt: Int64(bitPattern: word(0)), id: Identifier(high: word(8), low: word(16)))
    }

    var description: String {
        let words = [UInt64(bitPattern: createdAt), id.high, id.low]
        return Base64.encode(words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }, .urlSafe)
    }
}
