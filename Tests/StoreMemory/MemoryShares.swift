import Bytes
import Family
import Store

final class MemoryShares: ShareWrites {
    private let connection: MemoryConnection

    init(_ connection: MemoryConnection) { self.connection = connection }

    func open(hash: [UInt8], at: Int64) throws -> OpenShare? {
        for family in try connection.read().families.values {
            guard let link = family.links.values.first(where: { $0.hash == hash })?.link else { continue }
            guard let id = family.row?.id, link.endedAt == nil, link.expiresAt > at,
                let document = family.records[link.document]?.record, !document.isDeleted,
                let school = family.records[link.school]?.record, !school.isDeleted
            else { return nil }
            return OpenShare(
                family: id, link: link.id, school: link.school, expiresAt: link.expiresAt, document: document,
                schoolName: school.fields.text("name") ?? "")
        }
        return nil
    }

    func document(family: Int64, of link: Identifier) throws -> Identifier? { try connection.read().family(family).links[link]?.link.document }

    func links(family: Int64, document: Identifier?, limit: Int) throws -> [StoredShareLink] {
        try connection.read().family(family).links.values.filter { document == nil || $0.link.document == document }
            .sorted { $0.isNewer(than: $1) }.prefix(limit).map { row in
                var link = row.link
                link.lastOpenedAt = row.visits.map(\.at).max()
                return link
            }
    }

    func visits(family: Int64, link: Identifier, limit: Int) throws -> [(at: Int64, what: ShareVisit.What)] {
        (try connection.read().family(family).links[link]?.visits ?? []).suffix(limit).reversed()
    }

    func openings(family: Int64, of link: Identifier) throws -> Int64? {
        try connection.read().family(family).links[link].map { $0.link.views + $0.link.downloads }
    }

    private static func lost(_ family: MemoryTables.FamilyTables) -> [Identifier] {
        family.links.values.map(\.link).filter { family.records[$0.document] == nil }.map(\.id)
    }

    func countLost() throws -> Int { try connection.read().families.values.reduce(0) { $0 + Self.lost($1).count } }

    // MARK: Writes

    func insert(family: Int64, _ link: StoredShareLink, hash: [UInt8], limit: Int) throws {
        try connection.write { tables in
            tables.families[family]?.links[link.id] = .init(link: link, hash: hash)
            let over = tables.family(family).links.values.filter {
                $0.link.document == link.document && ($0.link.endedAt != nil || $0.link.expiresAt <= link.createdAt)
            }.sorted { $0.isNewer(than: $1) }.dropFirst(limit)
            for row in over { tables.families[family]?.links[row.link.id] = nil }
        }
    }

    func end(family: Int64, link: Identifier, at: Int64) throws -> Bool {
        try connection.write { tables in
            guard let row = tables.family(family).links[link], row.link.endedAt == nil else { return false }
            tables.endLinks(family: family, at: at) { $0.id == link }
            return true
        }
    }

    func end(family: Int64, document: Identifier, school: Identifier?, at: Int64) throws {
        try connection.write { $0.endLinks(family: family, at: at) { $0.document == document && (school == nil || $0.school == school) } }
    }

    func end(family: Int64, creator: Identifier, at: Int64) throws {
        try connection.write { $0.endLinks(family: family, at: at) { $0.createdBy == creator } }
    }

    func note(family: Int64, link: Identifier, _ openings: ShareOpenings, limit: Int) throws -> Int64? {
        try connection.write { tables in
            guard var row = tables.families[family]?.links[link] else { return nil }
            if openings.what == .page { row.link.views += openings.count } else { row.link.downloads += openings.count }
            for place in 0..<min(openings.rows, Int64(limit)) { row.visits.append((place == 0 ? openings.first : openings.last, openings.what)) }
            row.visits = row.visits.suffix(limit)
            tables.families[family]?.links[link] = row
            return row.link.views + row.link.downloads
        }
    }

    func forget(family: Int64, document: Identifier) throws {
        try connection.write { tables in
            for row in tables.family(family).links.values where row.link.document == document {
                tables.families[family]?.links[row.link.id] = nil
            }
        }
    }

    func purge(before limit: Int64, count: Int) throws -> Int {
        try connection.write { tables in
            var due: [(family: Int64, link: Identifier)] = []
            for (key, family) in tables.families {
                for row in family.links.values where (row.link.endedAt ?? row.link.expiresAt) < limit { due.append((key, row.link.id)) }
            }
            let gone = due.sorted { ($0.family, $0.link) < ($1.family, $1.link) }.prefix(count)
            for row in gone { tables.families[row.family]?.links[row.link] = nil }
            return gone.count
        }
    }

    func forgetLost() throws {
        try connection.write { tables in
            for (key, family) in tables.families { for link in Self.lost(family) { tables.families[key]?.links[link] = nil } }
        }
    }
}

@available(*, unavailable)
extension MemoryShares: Sendable {}

extension MemoryTables.LinkRow {
    fileprivate func isNewer(than other: Self) -> Bool { (link.createdAt, link.id) > (other.link.createdAt, other.link.id) }
}

extension MemoryTables {
    /// Ends links that have not ended.
    mutating func endLinks(family: Int64, at: Int64, where isWanted: (StoredShareLink) -> Bool) {
        for row in self.family(family).links.values where row.link.endedAt == nil && isWanted(row.link) {
            families[family]?.links[row.link.id]?.link.endedAt = at
        }
    }
}
