package import Bytes
package import Family

/// Decisions that are not written yet, laid over the view that they were made on.
///
/// There are two layers: one with the accepted decisions of a batch, and one with the decisions of the present mutation. A
/// refused mutation drops its own, and nothing has to be undone.
package final class Overlay: FamilyView {
    private let below: any FamilyView
    private(set) var records = WriteList<RecordWrite>()
    private(set) var history = WriteList<HistoryWrite>()
    private(set) var blobs: [BlobUse] = []
    private var changes: [Int64: Change] = [:]

    /// Records that are written here.
    package var count: Int { records.count }

    /// - Parameter below: the view that answers for everything that is not decided here.
    package init(over below: any FamilyView) { self.below = below }

    /// Lays a decision over what is here already.
    package func take(_ decision: Decision) {
        for write in decision.records { put(write.record, created: write.created) }
        for write in decision.history { history.append(write, of: write.record) }
        blobs += decision.blobs
        if let change = decision.entry?.change { changes[change.sequence] = change }
    }

    // MARK: Writes of the mutation that is being decided

    /// - Parameter created: the sequence that creates the record; `nil` if the family has the record already.
    /// - Parameter former: the record before, if the family has it already.
    func put(_ record: Record, created: Int64? = nil, over former: Record? = nil) {
        if let place = records.place(of: record.id) {
            records[place].record = record
        } else {
            records.append(RecordWrite(record: record, created: created, former: former), of: record.id)
        }
    }

    func append(_ entry: HistoryEntry, of record: Record) {
        history.append(HistoryWrite(kind: record.kind, record: record.id, entry: entry), of: record.id)
    }

    func use(_ blob: BlobUse) { blobs.append(blob) }

    /// The record as it is written here; `nil` if it is not.
    func written(_ id: Identifier) -> Record? { records.place(of: id).map { records[$0].record } }

    /// The record as it was before anything that is decided here.
    func former(_ id: Identifier) throws -> Record? { try below.record(id) }

    // MARK: Reads

    package func record(_ id: Identifier) throws -> Record? { try written(id) ?? below.record(id) }

    package func creation(of id: Identifier) throws -> Int64? {
        if let place = records.place(of: id), let created = records[place].created { return created }
        return try below.creation(of: id)
    }

    package func referrers(of target: Record, limit: Int, _ budget: inout ReadBudget) throws -> [Referrer] {
        guard let positions = Referrers.positions[target.kind] else { return [] }
        // Room for those that do not refer any more.
        var found = try below.referrers(of: target, limit: limit + records.count, &budget)
        guard records.count > 0 else { return found }
        func refers(_ record: Record, _ field: Int) -> Bool { !record.isDeleted && record.fields[field] == .reference(target.id) }
        found = found.compactMap { referrer in
            guard let written = written(referrer.record.id) else { return referrer }
            _ = budget.take(max(0, written.fields.octetsAtMost - referrer.record.fields.octetsAtMost))
            return refers(written, referrer.field) ? Referrer(record: written, field: referrer.field) : nil
        }
        let known = Set(found.map(\.record.id))
        for write in records.values {
            for field in positions[write.record.kind] ?? [] where refers(write.record, field) && !known.contains(write.record.id) {
                guard budget.take(write.record.fields.octetsAtMost) else { return found }
                found.append(Referrer(record: write.record, field: field))
            }
        }
        return found
    }

    package func plans(
        from first: String, before last: String, limit: Int, _ budget: inout ReadBudget
    ) throws -> (events: [Record], items: [Record]) {
        let (events, items) = try below.plans(from: first, before: last, limit: limit + records.count, &budget)
        guard records.count > 0 else { return (events, items) }
        func merged(_ below: [Record], _ kind: Kind, _ field: String) -> [Record] {
            let own = records.values.map(\.record).filter { record in
                guard record.kind == kind, !record.isDeleted, let start = record.fields.text(field) else { return false }
                return start >= first && start < last
            }
            let all = below.filter { written($0.id) == nil } + own
            return Array(all.sorted { ($0.fields.text(field) ?? "", $0.id) < ($1.fields.text(field) ?? "", $1.id) }.prefix(limit))
        }
        return (merged(events, .event, "start_date"), merged(items, .tripItem, "start_time"))
    }

    package func history(of record: Record, after version: Int64, limit: Int, _ budget: inout ReadBudget) throws -> [HistoryEntry] {
        let entries = try below.history(of: record, after: version, limit: limit, &budget)
        guard written(record.id) != nil else { return entries }
        let own = history.places(of: record.id).map { history[$0].entry }.filter { $0.version > version }
        return own.isEmpty ? entries : Array((entries + own).prefix(limit))
    }

    package func change(_ sequence: Int64) throws -> Change? { try changes[sequence] ?? below.change(sequence) }

    package func successor(of document: Identifier, excluding isExcluded: (Identifier) -> Bool) throws -> Record? {
        let own = records.values.last { write in
            write.created != nil && !write.record.isDeleted && write.record.fields.reference("replaces") == document && !isExcluded(write.record.id)
        }
        if let own { return own.record }
        // Versions that were written here are judged by what was written.
        guard let found = try below.successor(of: document, excluding: { isExcluded($0) || written($0)?.isDeleted == true }) else {
            return records.values.last {
                !$0.record.isDeleted && $0.record.fields.reference("replaces") == document && !isExcluded($0.record.id)
            }?.record
        }
        return written(found.id) ?? found
    }

    package func newestVersion(replacing document: Identifier) throws -> Int64 {
        let own = records.values.filter { $0.record.fields.reference("replaces") == document }.compactMap { write -> Int64? in
            guard case .integer(let version)? = write.record.fields["version"] else { return nil }
            return version
        }
        return max(own.max() ?? 0, try below.newestVersion(replacing: document))
    }

    package func usage(besides sha256: String) throws -> (used: Int64, known: Int64) {
        var (used, known) = try below.usage(besides: sha256)
        for blob in blobs where blob.isNew {
            used += blob.octets
            if blob.sha256 == sha256 { known += blob.octets }
        }
        return (used, known)
    }
}

@available(*, unavailable)
extension Overlay: Sendable {}

/// Writes in their order, found by the record that they are about. A few are searched; past that there is an index, so that a mutation of one
/// record pays for no dictionary and a batch of thousands for no search.
struct WriteList<Write> {
    private(set) var values: [Write] = []
    private var ids: [Identifier] = []
    /// Of each record the newest write, as far as `former` reaches. Brought up to date when something is looked up.
    private var newest: [Identifier: Int] = [:]
    /// Of each write the one before it about the same record, or -1.
    private var former: [Int] = []

    private static var searched: Int { 16 }

    var count: Int { values.count }

    subscript(place: Int) -> Write {
        get { values[place] }
        set { values[place] = newValue }
    }

    mutating func append(_ write: Write, of id: Identifier) {
        values.append(write)
        ids.append(id)
    }

    private mutating func index() {
        for place in former.count..<ids.count { former.append(newest.updateValue(place, forKey: ids[place]) ?? -1) }
    }

    /// The newest write about a record.
    mutating func place(of id: Identifier) -> Int? {
        guard values.count > Self.searched else { return ids.lastIndex(of: id) }
        index()
        return newest[id]
    }

    /// All writes about a record, in their order.
    mutating func places(of id: Identifier) -> [Int] {
        guard values.count > Self.searched else { return ids.indices.filter { ids[$0] == id } }
        index()
        var places: [Int] = []
        var next = newest[id]
        while let place = next, place >= 0 {
            places.append(place)
            next = former[place]
        }
        return places.reversed()
    }
}
