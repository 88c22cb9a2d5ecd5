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
            let (key, floor) = try keyAndFloor(family)
            var page = LogPage(frames: [], reachedEnd: true)
            // A purge came in between the join and this.
            guard after >= floor else {
                page.reachedEnd = false
                page.isTrimmed = true
                return page
            }
            logAfter.bind(1, key)
            logAfter.bind(2, after)
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
            var messages = 0
            try walkMessages(key, before: .newest) { record, size, _ in
                guard record.deletedAt.map({ $0 > oldest }) ?? true else { return true }
                chunks.add(record, size: size)
                messages += 1
                return messages < environment.limits.snapshotMessages
            }
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
            var records: [Record] = []
            var octets = 0
            var last = before
            var next: PageMark?
            let end = try walkMessages(try key(family), before: before) { record, size, place in
                guard !record.isDeleted else { return true }
                octets += size
                if !records.isEmpty, records.count == limit || octets > Self.pageOctets {
                    next = last
                    return false
                }
                records.append(record)
                last = place
                return true
            }
            return .success(
                ServerFrame.page(request: request.request, records: records, next: (next ?? end)?.description).encode())
        }
    }

    /// Gives the family's messages, the newest creation first, as they are now.
    ///
    /// - Parameters:
    ///   - before: where an earlier walk ended.
    ///   - body: with the record, the octets of its fields and its place; `false` ends the walk.
    /// - Returns: where to go on when the walk ended by its own bound; `nil` when `body` ended it or the log did.
    /// - Complexity: at most `walkedChanges` rows of the log, so that no family can hold up the reader.
    @discardableResult
    private func walkMessages(
        _ family: Int64, before: PageMark, _ body: (Record, Int, PageMark) throws -> Bool
    ) throws -> PageMark? {
        let newest = min(before.sequence, try head(family))
        let oldest = newest - walkedChanges
        messageLog.bind(1, family)
        messageLog.bind(2, newest)
        messageLog.bind(3, oldest)
        defer { messageLog.reset() }
        while try messageLog.step() {
            let sequence = messageLog.int64(0)
            let frame = try messageLog.withOctets(1) { octets throws(Rejection) in try ServerFrame.decode(octets) }
            guard case .change(let change) = frame else { continue }
            for (position, entry) in change.entries.enumerated().reversed() where entry.isNewMessage {
                let place = PageMark(sequence: sequence, position: Int64(position))
                guard place < before else { continue }
                findRecord.bind(1, family)
                findRecord.bind(2, entry.id)
                let found = try findRecord.one { row in (try RecordTable.decode(row).record, row.withOctets(10) { $0.count }) }
                if let (record, size) = found, try !body(record, size, place) { return nil }
            }
        }
        return oldest > 0 ? PageMark(sequence: oldest + 1, position: 0) : nil
    }
}

extension ChangeEntry {
    /// Whether it made a message.
    var isNewMessage: Bool {
        guard kind == .message, case .create = effect else { return false }
        return true
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

/// Where a page of messages ends: sequence and position in its change of the last message, opaque to clients. What follows is
/// older than that.
struct PageMark: Equatable, Comparable, CustomStringConvertible {
    var sequence: Int64
    var position: Int64

    static let newest = PageMark(sequence: .max, position: .max)

    init(sequence: Int64, position: Int64) {
        self.sequence = sequence
        self.position = position
    }

    init?(_ text: String) {
        guard let octets = Base64.decode(text, .urlSafe), octets.count == 16 else { return nil }
        func word(_ place: Int) -> Int64 { Int64(bitPattern: octets[place..<place + 8].reduce(0) { $0 << 8 | UInt64($1) }) }
        self.init(sequence: word(0), position: word(8))
        guard sequence > 0, position >= 0 else { return nil }
    }

    static func < (left: PageMark, right: PageMark) -> Bool {
        left.sequence == right.sequence ? left.position < right.position : left.sequence < right.sequence
    }

    var description: String {
        var octets: [UInt8] = []
        BigEndian.append(UInt64(bitPattern: sequence), to: &octets)
        BigEndian.append(UInt64(bitPattern: position), to: &octets)
        return Base64.encode(octets, .urlSafe)
    }
}
