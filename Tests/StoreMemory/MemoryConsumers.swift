import Store

final class MemoryConsumers: ConsumerWrites {
    private let connection: MemoryConnection

    init(_ connection: MemoryConnection) { self.connection = connection }

    func all() throws -> [ConsumerRow] { try connection.read().consumers.values.sorted { $0.name < $1.name } }

    func find(_ name: String) throws -> ConsumerRow? { try connection.read().consumers[name] }

    func insert(_ row: ConsumerRow) throws { try connection.write { $0.consumers[row.name] = row } }

    func move(_ row: ConsumerRow) throws {
        try connection.write { tables in if tables.consumers[row.name] != nil { tables.consumers[row.name] = row } }
    }

    func remove(_ name: String) throws { try connection.write { $0.consumers[name] = nil } }
}

@available(*, unavailable)
extension MemoryConsumers: Sendable {}
