package import Bytes
package import Family
import Ledger
import Queries
import Wire

// Changes, snapshots and pages of a family's records.
extension StoreReader {
    /// The largest number of octets of one sent portion of a snapshot, unless one record alone is larger: a quarter of
    /// the octets that may wait for a slow reader, so that the sender can pace them.
    package static let snapshotFrameOctets = 65_536

    /// The place before all messages, of which the newest comes first.
    static let newestMessage = place(.max, .max)

    /// The place of a message in the list of all: by the sequence and the position in its change, later ones first.
    private static func place(_ sequence: Int64, _ position: Int64) -> OrderKey {
        OrderKey(first: ~sequence, second: ~position, id: Identifier(high: 0, low: 0))
    }

    /// The changes after a sequence, in order.
    ///
    /// - Parameters:
    ///   - maxOctets: the octets of all frames together; the first one is returned whatever its size.
    ///   - isOver: called after each frame; if it returns true, the page ends there.
    package func changes(
        family: Identifier, after: Int64, maxOctets: Int, endingWhen isOver: () -> Bool = { false }
    ) throws(StoreFailure) -> LogPage {
        try reading { try changesOnce(family: family, after: after, maxOctets: maxOctets, endingWhen: isOver) }
    }

    /// The changes after a sequence, in order, and the members whose records they changed, each with their current
    /// role; `nil` for a member who was removed.
    package func missedChanges(
        family: Identifier, after: Int64, maxOctets: Int
    ) throws(StoreFailure) -> (page: LogPage, rights: [(member: Identifier, role: Role?)]) {
        try reading {
            let page = try changesOnce(family: family, after: after, maxOctets: maxOctets)
            var touched: Set<Identifier> = []
            for (_, octets) in page.frames {
                guard let change = LogCodec.decode(octets) else { throw StoreFailure("a change is damaged") }
                for entry in change.entries where entry.kind == .member { touched.insert(entry.id) }
            }
            guard !touched.isEmpty else { return (page, []) }
            let states = try engine.records.members(family: try key(family))
            return (page, touched.sorted().map { ($0, states[$0].flatMap { $0.isRemoved ? nil : $0.role }) })
        }
    }

    /// Runs within a read transaction.
    private func changesOnce(
        family: Identifier, after: Int64, maxOctets: Int, endingWhen isOver: () -> Bool = { false }
    ) throws -> LogPage {
        let (key, floor) = try keyAndFloor(family)
        var page = LogPage(frames: [], reachedEnd: true)
        // A purge happened between the join and this read.
        guard after >= floor else {
            page.reachedEnd = false
            page.isTrimmed = true
            return page
        }
        var octets = 0
        try engine.log.frames(family: key, after: after) { sequence, frame in
            octets += frame.count
            guard page.frames.isEmpty || octets <= maxOctets else {
                page.reachedEnd = false
                return false
            }
            page.frames.append((sequence, frame))
            guard !isOver() else {
                page.reachedEnd = false
                return false
            }
            return true
        }
        if page.reachedEnd {
            let (sequence, checksum) = try engine.log.position(family: key)
            if sequence == page.frames.last?.sequence ?? after { page.checksum = checksum }
        }
        return page
    }

    /// All records of a family, including tombstones of the last 30 days, and the newest messages
    /// (`Limits.snapshotMessages`).
    ///
    /// - Parameter encode: converts each portion to the caller's form, so that the records are never all in memory
    ///   together.
    package func snapshot<Part>(family: Identifier, _ encode: (SnapshotPortion) -> Part) throws(StoreFailure) -> Snapshot<Part> {
        try reading {
            let key = try key(family)
            let (sequence, checksum) = try engine.log.position(family: key)
            let oldest = environment.now() - FamilyStore.retention
            var portions = SnapshotPortions(sequence: sequence, maxOctets: Self.snapshotFrameOctets)
            var parts: [Part] = []
            func take(_ portion: SnapshotPortion) { parts.append(encode(portion)) }
            try engine.records.forEachInSnapshot(family: key, deletedAfter: oldest) { stored in
                if let record = readable(stored) { portions.add(record, size: stored.octets, take) }
            }
            var messages = 0
            try walkMessages(key, before: Self.newestMessage) { record, size, _ in
                guard record.deletedAt.map({ $0 > oldest }) ?? true else { return true }
                portions.add(record, size: size, take)
                messages += 1
                return messages < environment.limits.snapshotMessages
            }
            portions.finish(take)
            // By subtraction: so the old messages need not be read, and a damaged record counts as left out.
            return Snapshot(
                sequence: sequence, parts: parts, verification: SnapshotVerification(checksum: checksum, unsent: checksum - portions.checksum))
        }
    }

    /// Passes the family's current messages to `body`, the newest creation first.
    ///
    /// - Parameters:
    ///   - before: the place at which an earlier walk ended.
    ///   - body: receives the record, the octets of its fields and its place; `false` ends the walk.
    /// - Returns: the place to continue at if the walk ended by its own bound; `nil` if `body` or the log ended it.
    /// - Complexity: at most `walkedChanges` rows of the log, so that no family can block the reader.
    @discardableResult
    func walkMessages(
        _ family: Int64, before: OrderKey, _ body: (Record, Int, OrderKey) throws -> Bool
    ) throws -> OrderKey? {
        // A mark may contain any number, because a client can invent one.
        let newest = min(~before.first, try head(family))
        guard newest > 0 else { return nil }
        let oldest = newest - walkedChanges
        var isEnded = false
        try engine.log.messageFrames(family: family, from: newest, downTo: oldest) { sequence, frame in
            guard let change = LogCodec.decode(frame) else { throw StoreFailure("a change is damaged") }
            for (position, entry) in change.entries.enumerated().reversed() where entry.isNewMessage {
                let place = Self.place(sequence, Int64(position))
                guard before < place else { continue }
                guard let found = try engine.records.find(family: family, entry.id), let record = readable(found) else { continue }
                isEnded = try !body(record, found.octets, place)
                if isEnded { return false }
            }
            return true
        }
        if isEnded { return nil }
        return oldest > 0 ? Self.place(oldest + 1, 0) : nil
    }
}

extension ChangeEntry {
    /// Whether it created a message.
    var isNewMessage: Bool {
        guard kind == .message, case .create = effect else { return false }
        return true
    }
}

/// Gathers records into portions.
private struct SnapshotPortions {
    let sequence: Int64
    let maxOctets: Int
    private var records: [Record] = []
    private var octets = 0
    /// The checksum of the added records.
    private(set) var checksum = StateChecksum()

    /// The octets of a record's frame besides its fields: four ids, three times, the version, and their keys.
    private static let envelopeOctets = 512

    init(sequence: Int64, maxOctets: Int) {
        self.sequence = sequence
        self.maxOctets = maxOctets
    }

    /// - Parameter size: the octets of the stored fields, which are sent in the same form.
    mutating func add(_ record: Record, size: Int, _ body: (SnapshotPortion) -> Void) {
        let size = size + Self.envelopeOctets
        if octets + size > maxOctets { finish(body) }
        records.append(record)
        checksum.replace(nil, with: record)
        octets += size
    }

    mutating func finish(_ body: (SnapshotPortion) -> Void) {
        if !records.isEmpty { body(SnapshotPortion(sequence: sequence, records: records)) }
        records.removeAll(keepingCapacity: true)
        octets = 0
    }
}
