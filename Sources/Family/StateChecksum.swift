package import Bytes

/// A checksum of the records of one family: the server and every client keep it up with each change, so that a copy that differs is noticed.
///
/// The checksum is the sum, modulo 2^32, of one term for each record that is not deleted. The term is MurmurHash3_x86_32 with seed 0 of 24 octets:
/// the id, then the version, both big endian. A sum has no order, so a change costs one or two terms, whatever the family holds. A deleted record
/// has no term, so its purge changes nothing.
///
/// A checksum finds mistakes, not forgeries. Two states that differ have the same checksum once in 4,294,967,296 times.
///
/// Source: Austin Appleby's MurmurHash3.cpp, in the public domain.
package struct StateChecksum: Hashable, Sendable {
    package private(set) var value: UInt32

    /// - Parameter value: 0 for a family without records.
    package init(_ value: UInt32 = 0) { self.value = value }

    package init(_ records: some Sequence<Record>) {
        self.init()
        for record in records { replace(nil, with: record) }
    }

    /// Counts a record that is not deleted.
    package mutating func add(_ id: Identifier, version: Int64) { value &+= Self.term(id, version: version) }

    /// Takes back `add`.
    package mutating func subtract(_ id: Identifier, version: Int64) { value &-= Self.term(id, version: version) }

    /// Follows one record from its state before a change to its state after the change; `nil` for a record that is not there.
    package mutating func replace(_ former: Record?, with record: Record?) {
        if let former, !former.isDeleted { subtract(former.id, version: former.version) }
        if let record, !record.isDeleted { add(record.id, version: record.version) }
    }

    /// Follows a record of which only the entry of the change is known: before an update or a deletion it was there in the version before.
    package mutating func replace(_ entry: ChangeEntry) {
        switch entry.effect {
        case .create, .restore: add(entry.id, version: entry.version)
        case .update:
            subtract(entry.id, version: entry.version - 1)
            add(entry.id, version: entry.version)
        case .delete: subtract(entry.id, version: entry.version - 1)
        }
    }

    package static func + (left: StateChecksum, right: StateChecksum) -> StateChecksum { StateChecksum(left.value &+ right.value) }

    package static func - (left: StateChecksum, right: StateChecksum) -> StateChecksum { StateChecksum(left.value &- right.value) }

    /// The term of one record.
    package static func term(_ id: Identifier, version: Int64) -> UInt32 {
        var hash: UInt32 = 0
        mix(id.high, into: &hash)
        mix(id.low, into: &hash)
        mix(UInt64(bitPattern: version), into: &hash)
        hash ^= 24
        hash ^= hash &>> 16
        hash &*= 0x85EB_CA6B
        hash ^= hash &>> 13
        hash &*= 0xC2B2_AE35
        return hash ^ (hash &>> 16)
    }

    /// Eight octets, big endian, which MurmurHash3 reads as two blocks of four, each little endian.
    @inline(__always)
    private static func mix(_ octets: UInt64, into hash: inout UInt32) {
        mix(block: UInt32(truncatingIfNeeded: octets &>> 32).byteSwapped, into: &hash)
        mix(block: UInt32(truncatingIfNeeded: octets).byteSwapped, into: &hash)
    }

    @inline(__always)
    private static func mix(block: UInt32, into hash: inout UInt32) {
        hash ^= rotated(block &* 0xCC9E_2D51, by: 15) &* 0x1B87_3593
        hash = rotated(hash, by: 13) &* 5 &+ 0xE654_6B64
    }

    @inline(__always)
    private static func rotated(_ word: UInt32, by bits: UInt32) -> UInt32 { word &<< bits | word &>> (32 &- bits) }
}
