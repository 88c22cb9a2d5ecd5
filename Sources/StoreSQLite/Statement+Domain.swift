import Bytes
import Family
import JSON
import SQLite
import Store
import Wire

extension Statement {
    /// 16 octets, big-endian, so that ids sort as blobs as they do as numbers.
    func bind(_ index: Int32, _ id: Identifier) {
        bind(index, high: id.high, low: id.low)
    }

    func bind(_ index: Int32, _ id: Identifier?) {
        if let id { bind(index, id) } else { bindNull(index) }
    }

    /// - Throws: `StoreFailure` when the column does not hold an id.
    func identifier(_ index: Int32) throws(StoreFailure) -> Identifier {
        guard let halves = identifierHalves(index) else { throw StoreFailure("a stored id is damaged") }
        return Identifier(high: halves.high, low: halves.low)
    }

    func optionalIdentifier(_ index: Int32) throws(StoreFailure) -> Identifier? {
        isNull(index) ? nil : try identifier(index)
    }

    func optionalInt64(_ index: Int32) -> Int64? {
        isNull(index) ? nil : int64(index)
    }

    /// The result of `body` for the first row; `nil` when there is none. As `first`, for bodies that also find damage.
    func one<Value>(_ body: (Statement) throws -> Value) throws -> Value? {
        defer { reset() }
        return try step() ? try body(self) : nil
    }

    /// Gives `body` every row. As `forEach`, for bodies that also find damage.
    func each(_ body: (Statement) throws -> Void) throws {
        defer { reset() }
        while try step() { try body(self) }
    }

    /// The results of `body` for all rows.
    func all<Value>(_ body: (Statement) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        try each { values.append(try body($0)) }
        return values
    }
}

extension StoredFields {
    /// - Throws: `StoreFailure` when the column does not hold fields of the kind.
    static func decode(_ kind: Kind, _ row: Statement, _ column: Int32) throws(StoreFailure) -> Fields {
        do throws(JSONError) {
            return try row.withOctets(column) { octets throws(JSONError) in try FieldsCodec.decode(kind, octets) }
        } catch {
            throw StoreFailure("the fields of a stored record are damaged: \(error.code)")
        }
    }
}
