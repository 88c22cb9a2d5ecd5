internal import Bytes
internal import Family
internal import JSON
internal import SQLite
internal import Sync
internal import Wire

/// Reads the content of a cache.
struct CacheReader {
    private let database: Database
    /// Sent mutations fitted the server's limits at that time; the current limits do not apply here.
    private static let limits: Limits = {
        var limits = Limits()
        limits.messageOctets = 64 << 20
        limits.operationsPerMutation = .max
        limits.overlapPairs = .max
        return limits
    }()

    init(_ database: Database) throws(SQLiteError) { self.database = database }

    /// - Returns: `nil` if nothing has been stored yet.
    /// - Throws: `CacheDamage` and `SQLiteError` for content that this program never wrote.
    func state() throws -> SavedState? {
        guard var state = try head() else { return nil }
        if state.cursor != nil { state.records = try records() }
        state.pending = try pending()
        state.drafts = try drafts()
        return state
    }

    /// The state for the first screen, in a few milliseconds regardless of the size of the cache: the members, the
    /// latest messages, and the records that `changes` and the pending mutations are about. `nil` if no records are
    /// stored.
    ///
    /// - Throws: as `state`.
    func firstScreen(_ changes: [Change]) throws -> SavedState? {
        guard var state = try head(), state.cursor != nil else { return nil }
        state.pending = try pending()
        state.drafts = try drafts()
        state.records = try firstRecords(changes, state.pending)
        return state
    }

    /// The number of messages of the first screen: more than the lines of the largest screen.
    private static let firstMessages: Int64 = 500

    private func firstRecords(_ changes: [Change], _ pending: [PendingMutation]) throws -> [Record] {
        var found: [Identifier: Record] = [:]
        let ofKind = try database.prepare("SELECT body FROM record WHERE \(CacheStatements.kindMark) = ? ORDER BY id DESC LIMIT ?")
        for kind in [Kind.family, .member, .readingPosition, .message] {
            ofKind.bind(1, CacheStatements.mark(of: kind))
            ofKind.bind(2, Self.firstMessages)
            try ofKind.each { row in
                let record = try Self.record(row)
                found[record.id] = record
            }
        }
        var wanted = Set(changes.flatMap { $0.entries.flatMap(\.named) } + pending.flatMap { $0.operations.flatMap(\.named) })
        for record in found.values { wanted.formUnion(record.named) }
        let one = try database.prepare("SELECT body FROM record WHERE id = ?")
        // Then the records that these name: the trip of a changed item.
        for _ in 0..<2 {
            var next: Set<Identifier> = []
            for id in wanted where found[id] == nil {
                one.bind(1, id)
                try one.each { row in
                    let record = try Self.record(row)
                    found[id] = record
                    next.formUnion(record.named)
                }
            }
            wanted = next
        }
        return Array(found.values)
    }

    private static func record(_ row: Statement) throws -> Record {
        try row.withOctets(0) { octets throws(JSONError) in
            try JSONReader.read(octets) { (reader: inout JSONReader) throws(JSONError) in try RecordCodec.read(&reader) }
        }
    }

    private func head() throws -> SavedState? {
        var values: [String: String] = [:]
        try database.prepare("SELECT name, CAST(value AS TEXT) FROM meta").each { values[$0.text(0)] = $0.text(1) }
        guard !values.isEmpty else { return nil }
        guard let client = values["client"].flatMap({ Identifier($0) }), let family = values["family"].flatMap({ Identifier($0) }),
            let member = values["member"].flatMap({ Identifier($0) })
        else { throw CacheDamage("it names nobody") }
        var state = SavedState(client: client, family: family, member: member)
        state.role = values["role"].flatMap { Role(rawValue: $0) }
        state.context = values["context"].flatMap { $0 == "all" ? .all : Identifier($0).map { .athlete($0) } }
        if let epoch = values["epoch"], let sequence = values["sequence"].flatMap({ Int64($0) }), sequence >= 0 {
            state.cursor = Cursor(epoch: epoch, sequence: sequence)
            if let unsent = values["unsent"]?.split(separator: " ").compactMap({ Int64($0) }), unsent.count == 2, unsent[0] == sequence {
                state.unsent = UInt32(exactly: unsent[1]).map { StateChecksum($0) }
            }
        }
        state.lastMutation = values["last_mutation"].flatMap { Int64($0) } ?? 0
        return state
    }

    private func records() throws -> [Record] {
        var records: [Record] = []
        try database.prepare("SELECT body FROM record").each { records.append(try Self.record($0)) }
        return records
    }

    private func pending() throws -> [PendingMutation] {
        var pending: [PendingMutation] = []
        try database.prepare(Self.pendingRows).each { pending.append(try Self.pending($0)) }
        return pending
    }

    private func drafts() throws -> [Draft] {
        var drafts: [Draft] = []
        try database.prepare(Self.draftRows).each { drafts.append(try Self.draft($0)) }
        return drafts
    }

    private static let pendingRows =
        "SELECT mutation, at, state, sequence, complaints, frame, unborn FROM pending ORDER BY mutation"
    private static let draftRows = "SELECT at, frame, unborn, rejection FROM draft ORDER BY place"

    private static func pending(_ row: Statement) throws -> PendingMutation {
        let (body, overlap) = try mutation(row.int64(0), row.octets(5), row.text(6))
        return .saved(
            id: row.int64(0), body: body, overlap: overlap, at: row.int64(1), wasSent: row.int64(2) > 0,
            sequence: row.int64(2) == 2 ? row.int64(3) : nil, complaints: Int(clamping: row.int64(4)))
    }

    private static func draft(_ row: Statement) throws -> Draft {
        guard case .reject(let id, let rejection) = try ServerFrame.decode(row.octets(3)) else { throw CacheDamage("a draft") }
        let (body, overlap) = try mutation(id, row.octets(1), row.text(2))
        return .saved(id: id, body: body, overlap: overlap, at: row.int64(0), rejection: rejection)
    }

    func changes() throws -> [Change] {
        var changes: [Change] = []
        try database.prepare("SELECT frame FROM change ORDER BY sequence").each { row in
            guard case .change(let change) = try row.withOctets(0, { octets throws(Rejection) in try ServerFrame.decode(octets) }) else {
                throw CacheDamage("a change")
            }
            changes.append(change)
        }
        return changes
    }

    private static func mutation(_ id: Int64, _ octets: [UInt8], _ unborn: String) throws -> (Mutation.Body, OverlapOverride?) {
        guard case .mutation(id, let body, let overlap) = try ClientFrame.decode(octets, limits: limits) else {
            throw CacheDamage("a mutation")
        }
        guard case .operations(var operations) = body else { return (body, overlap) }
        for place in unborn.split(separator: ",") {
            guard let place = Int(place), operations.indices.contains(place) else { throw CacheDamage("a mutation") }
            operations[place].base = 0
        }
        return (.operations(operations), overlap)
    }

    /// Reads the pending mutations of a file that cannot be used otherwise, as far as possible: the rows before the
    /// first damaged one of each table.
    static func salvage(_ path: String, _ member: Identifier) -> SavedState? {
        guard let database = try? Database(path: path, mode: .readWrite, busyMilliseconds: 1_000), let reader = try? CacheReader(database) else {
            return nil
        }
        guard var state = try? reader.head(), state.member == member else { return nil }
        state.cursor = nil
        try? database.prepare(pendingRows).each { row in
            if let mutation = try? pending(row) { state.pending.append(mutation) }
        }
        try? database.prepare(draftRows).each { row in
            if let draft = try? draft(row) { state.drafts.append(draft) }
        }
        return state
    }
}

// The records that a line about a record may name.

extension Record {
    fileprivate var named: [Identifier] { [athlete].compactMap(\.self) + fields.values.compactMap { $0?.named } }
}

extension ChangeEntry {
    fileprivate var named: [Identifier] {
        switch effect {
        case .create(let athlete, let fields), .restore(let athlete, let fields, _, _):
            [id] + [athlete].compactMap(\.self) + fields.values.compactMap { $0?.named }
        case .update(let assignments): [id] + assignments.compactMap { $0.value?.named }
        case .delete: [id]
        }
    }
}

extension Operation {
    fileprivate var named: [Identifier] {
        if case .copy(let from, _) = action { [id, from] } else { [id] }
    }
}

extension Value {
    fileprivate var named: Identifier? {
        switch self {
        case .reference(let id), .link(_, let id): id
        case .text, .integer, .flag, .set, .json: nil
        }
    }
}
