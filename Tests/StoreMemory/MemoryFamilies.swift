import Bytes
import Family
import Store

final class MemoryFamilies: FamilyWrites {
    let connection: MemoryConnection

    init(_ connection: MemoryConnection) { self.connection = connection }

    func find(_ id: Identifier) throws -> FamilyRow? {
        let tables = try connection.read()
        return tables.keys[id].flatMap { tables.families[$0]?.row }
    }

    func id(of key: Int64) throws -> Identifier? { try connection.read().families[key]?.row?.id }

    func all() throws -> [FamilyRow] { try connection.read().families.values.compactMap(\.row).sorted { $0.key < $1.key } }

    func count() throws -> Int { try all().count }

    func all(after key: Int64, limit: Int) throws -> [FamilyRow] { Array(try all().filter { $0.key > key }.prefix(limit)) }

    func quotas(family: Int64) throws -> FamilyQuotas { try connection.read().family(family).quotas }

    func ownQuotas() throws -> [Identifier: FamilyQuotas] {
        var all: [Identifier: FamilyQuotas] = [:]
        for tables in try connection.read().families.values where !tables.quotas.isEmpty { if let row = tables.row { all[row.id] = tables.quotas } }
        return all
    }

    func setQuotas(family: Int64, _ quotas: FamilyQuotas) throws { try connection.write { $0.families[family]?.quotas = quotas } }

    func nextKey() throws -> Int64 {
        let tables = try connection.read()
        return [tables.keys.values.max(), tables.imports.max(), tables.erasures.keys.max()].reduce(0) { max($0, $1 ?? 0) } + 1
    }

    func insert(_ family: FamilyRow) throws {
        try connection.write { tables in
            tables.families[family.key, default: .init()].row = family
            tables.keys[family.id] = family.key
            guard tables.imports.remove(family.key) != nil else { return }
            let arrival = (tables.takePosition(), tables.family(family.key).log.keys.max() ?? 0)
            tables.families[family.key]?.arrival = arrival
        }
    }

    func raiseFloor(family: Int64, to sequence: Int64) throws {
        try connection.write { tables in
            let floor = tables.families[family]?.row?.floor ?? 0
            tables.families[family]?.row?.floor = max(floor, sequence)
        }
    }

    func free(family: Int64, octets: Int) throws { try connection.write { $0.families[family]?.freed += Int64(octets) } }

    func beginImport(key: Int64, id: Identifier, at: Int64) throws {
        try connection.write { tables in
            tables.imports.insert(key)
            tables.families[key] = .init()
        }
    }

    func sweepImports(limit: Int) throws -> Bool {
        try connection.write { tables in
            guard let key = tables.imports.min() else { return false }
            for name in tables.clientNames.keys.filter({ $0.family == key }) { tables.clientNames[name] = nil }
            tables.families[key] = nil
            tables.imports.remove(key)
            return true
        }
    }
}

@available(*, unavailable)
extension MemoryFamilies: Sendable {}
