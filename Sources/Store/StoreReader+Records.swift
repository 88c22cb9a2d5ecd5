package import Bytes
package import Family
import Ledger
import Queries
import Wire

// Changes, snapshots and pages of a family's records.
extension StoreReader {
    /// Octets of one portion of a snapshot when it travels, unless one record alone has more: a quarter of what waits for a slow reader at most, so that
    /// the sender can pace them.
    package static let snapshotFrameOctets = 65_536

    /// Before all messages, the newest of which comes first.
    static let newestMessage = place(.max, .max)

    /// Where a message stands in the list of all: by the sequence and the position in its change, the later first.
    private static func place(_ sequence: Int64, _ position: Int64) -> Place {
        Place(first: ~sequence, second: ~position, id: Identifier(high: 0, low: 0))
    }

    /// The changes after a sequence, in order.
    ///
    /// - Parameters:
    ///   - maxOctets: of all frames together; the first is given whatever its size.
    ///   - isOver: asked after each frame; when it is true, the page ends there.
    package func changes(
        family: Identifier, after: Int64, maxOctets: Int, endingWhen isOver: () -> Bool = { false }
    ) throws(StoreFailure) -> LogPage {
        try reading { try changesOnce(family: family, after: after, maxOctets: maxOctets, endingWhen: isOver) }
    }

    /// The changes after a sequence, in order, and the members whose records they touched, with the role that each of them has now; `nil` for a
    /// member who was removed.
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

    /// Inside of a read transaction.
    private func changesOnce(
        family: Identifier, after: Int64, maxOctets: Int, endingWhen isOver: () -> Bool = { false }
    ) throws -> LogPage {
        let (key, floor) = try keyAndFloor(family)
        var page = LogPage(frames: [], reachedEnd: true)
        // A purge came in between the join and this.
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

    /// All records of a family: tombstones of the last 30 days included, and of messages the newest (`Limits.snapshotMessages`).
    ///
    /// - Parameter encode: makes of each portion what the caller wants of it, so that all records are never in memory together.
    package func snapshot<Part>(family: Identifier, _ encode: (SnapshotPortion) -> Part) throws(StoreFailure) -> Snapshot<Part> {
        try reading {
            let key = try key(family)
            let (sequence, checksum) = try engine.log.position(family: key)
            let oldest = environment.now() - Store.retention
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
            // By subtraction: the old messages are not read for it, and a damaged record counts as left out.
            return Snapshot(
                sequence: sequence, parts: parts, verification: SnapshotVerification(checksum: checksum, unsent: checksum - portions.checksum))
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
    func walkMessages(
        _ family: Int64, before: Place, _ body: (Record, Int, Place) throws -> Bool
    ) throws -> Place? {
        // A mark may say any number: whoever asks can make one up.
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
    /// Whether it made a message.
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
    /// Of the records that were added.
    private(set) var checksum = StateChecksum()

    /// What a record's frame has besides its fields: four ids, three times, version, and their keys.
    private static let envelopeOctets = 512

    init(sequence: Int64, maxOctets: Int) {
        self.sequence = sequence
        self.maxOctets = maxOctets
    }

    /// - Parameter size: octets of the fields as they are stored, which is how they travel.
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
