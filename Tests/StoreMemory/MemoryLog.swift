import Family
import Store

final class MemoryLog: LogWrites {
    private let connection: MemoryConnection

    init(_ connection: MemoryConnection) { self.connection = connection }

    /// Log rows in order.
    private func rows(_ family: Int64, _ isWanted: (Int64) -> Bool = { _ in true }) throws -> [LogRow] {
        let log = try connection.read().family(family).log
        return log.keys.filter(isWanted).sorted().compactMap { log[$0]?.row }
    }

    func head(family: Int64) throws -> Int64 { try connection.read().family(family).log.keys.max() ?? 0 }

    func position(family: Int64) throws -> (sequence: Int64, checksum: StateChecksum) {
        let log = try connection.read().family(family).log
        let head = log.keys.max() ?? 0
        return (head, try log[head]?.row.checksum ?? computedChecksum(family: family))
    }

    func computedChecksum(family: Int64) throws -> StateChecksum {
        var checksum = StateChecksum()
        for row in try connection.read().family(family).records.values where !row.record.isDeleted {
            checksum.add(row.record.id, version: row.record.version)
        }
        return checksum
    }

    func usage(family: Int64, head: Int64) throws -> FamilyUsage {
        let tables = try connection.read().family(family)
        guard let newest = tables.log[head]?.row else { return .none }
        if let written = newest.written { return FamilyUsage(written: written, freed: tables.freed) }
        return FamilyUsage(written: try computedUsage(family: family) + tables.freed, freed: tables.freed)
    }

    func computedUsage(family: Int64) throws -> Int64 {
        let tables = try connection.read().family(family)
        let log = tables.log.values.reduce(0) { $0 + Int64($1.row.frame.count) + FamilyUsage.changeOverhead }
        let history = tables.history.values.joined().reduce(0) { $0 + Int64($1.value.before?.count ?? 0) + FamilyUsage.historyOverhead }
        return log + history
    }

    func frame(family: Int64, sequence: Int64) throws -> [UInt8]? { try connection.read().family(family).log[sequence]?.row.frame }

    func entry(family: Int64, sequence: Int64) throws -> (frame: [UInt8], checksum: StateChecksum?)? {
        try connection.read().family(family).log[sequence].map { ($0.row.frame, $0.row.checksum) }
    }

    func lastTime(family: Int64) throws -> Int64? {
        let log = try connection.read().family(family).log
        return log.keys.max().flatMap { log[$0]?.row.at }
    }

    func frames(family: Int64, after sequence: Int64, _ body: (Int64, [UInt8]) throws -> Bool) throws {
        try connection.walk(try rows(family) { $0 > sequence }) { try body($0.sequence, $0.frame) }
    }

    func newestFrames(family: Int64, before sequence: Int64, _ body: (Int64, [UInt8]) throws -> Bool) throws {
        try connection.walk(try rows(family) { $0 < sequence }.reversed()) { try body($0.sequence, $0.frame) }
    }

    func messageFrames(family: Int64, from newest: Int64, downTo oldest: Int64, _ body: (Int64, [UInt8]) throws -> Bool) throws {
        let found = try rows(family) { $0 <= newest && $0 > oldest }.reversed().filter { $0.messages > 0 }
        try connection.walk(found) { try body($0.sequence, $0.frame) }
    }

    func outlines(family: Int64, after sequence: Int64, _ body: (Int64, [UInt8]) throws -> Bool) throws {
        try connection.walk(try rows(family) { $0 > sequence }) { try body($0.sequence, $0.outline ?? $0.frame) }
    }

    func newestOutlines(family: Int64, after sequence: Int64, _ body: (Int64, [UInt8]) throws -> Bool) throws {
        try connection.walk(try rows(family) { $0 > sequence }.reversed()) { try body($0.sequence, $0.outline ?? $0.frame) }
    }

    func forEach(family: Int64, _ body: (LogRow) throws -> Void) throws { try connection.each(try rows(family), body) }

    func newestPosition() throws -> Int64 { try connection.read().newestPosition }

    func follow(after position: Int64, _ body: (FollowedRow) throws -> Bool) throws {
        let tables = try connection.read()
        var rows: [FollowedRow] = []
        for family in tables.families.values {
            if let arrival = family.arrival, let id = family.row?.id, arrival.position > position {
                rows.append(FollowedRow(position: arrival.position, content: .arrival(family: id, sequence: arrival.sequence)))
            }
            for (row, place) in family.log.values where place > position {
                rows.append(FollowedRow(position: place, content: Self.content(row, at: place, of: family)))
            }
        }
        try connection.walk(rows.sorted { $0.position < $1.position }, body)
    }

    private static func content(_ row: LogRow, at position: Int64, of family: MemoryTables.FamilyTables) -> FollowedRow.Content {
        guard let found = family.row, position > family.arrival?.position ?? 0 else { return .imported }
        return row.sequence > found.floor
            ? .change(family: found.id, sequence: row.sequence, frame: row.frame)
            : .trimmed(family: found.id, sequence: row.sequence, floor: found.floor)
    }

    // MARK: Writes

    func append(family: Int64, _ row: LogRow) throws { try connection.write { $0.append(row, family: family) } }

    func replace(family: Int64, sequence: Int64, frame: [UInt8], outline: [UInt8]?) throws {
        try connection.write { tables in
            tables.families[family]?.log[sequence]?.row.frame = frame
            tables.families[family]?.log[sequence]?.row.outline = outline
        }
    }

    func forgetChecksums(family: Int64) throws {
        try connection.write { tables in
            for sequence in tables.family(family).log.keys { tables.families[family]?.log[sequence]?.row.checksum = nil }
        }
    }

    func uncompacted(_ body: (LogScanRow) throws -> Bool) throws {
        let tables = try connection.read()
        var rows: [LogScanRow] = []
        for (key, family) in tables.families {
            for (row, position) in family.log.values where position > tables.compacted {
                rows.append(LogScanRow(position: position, family: key, sequence: row.sequence, at: row.at, frame: row.frame))
            }
        }
        try connection.walk(rows.sorted { $0.position < $1.position }, body)
    }

    func setCompacted(upTo position: Int64) throws { try connection.write { $0.compacted = position } }
}

@available(*, unavailable)
extension MemoryLog: Sendable {}

extension MemoryTables {
    mutating func append(_ row: LogRow, family: Int64) {
        let position = takePosition()
        families[family, default: .init()].log[row.sequence] = (row, position)
    }
}
