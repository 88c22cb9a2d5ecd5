import Bytes
import Family
import Store

final class MemoryBlobs: BlobWrites {
    private let connection: MemoryConnection

    init(_ connection: MemoryConnection) { self.connection = connection }

    func usage(family: Int64, besides sha256: String) throws -> (used: Int64, known: Int64) {
        let blobs = try connection.read().family(family).blobs.filter { $0.value.documents > 0 }
        return (blobs.values.reduce(0) { $0 + $1.octets }, blobs[sha256]?.octets ?? 0)
    }

    func octetsOfAll() throws -> Int64 { try connection.read().families.values.reduce(0) { $0 + $1.blobs.values.reduce(0) { $0 + $1.octets } } }

    func octets(family: Int64, sha256: String) throws -> Int64? { try connection.read().family(family).blobs[sha256]?.octets }

    func inUse(family: Int64) throws -> [BlobRow] {
        try connection.read().family(family).blobs.filter { $0.value.documents > 0 }.sorted { $0.key < $1.key }
            .map { BlobRow(sha256: $0.key, octets: $0.value.octets) }
    }

    /// Files that no document names, the oldest first, and those of one moment by family and digest.
    private func unused(_ isWanted: (Int64) -> Bool) throws -> [FamilyBlobRow] {
        var found: [(since: Int64, key: Int64, row: FamilyBlobRow)] = []
        for (key, family) in try connection.read().families {
            guard let id = family.row?.id else { continue }
            for (sha256, blob) in family.blobs {
                guard blob.documents == 0, let since = blob.unusedSince, isWanted(since) else { continue }
                found.append((since, key, FamilyBlobRow(family: id, blob: BlobRow(sha256: sha256, octets: blob.octets))))
            }
        }
        return found.sorted { ($0.since, $0.key, $0.row.blob.sha256) < ($1.since, $1.key, $1.row.blob.sha256) }.map(\.row)
    }

    func unused(before time: Int64, limit: Int) throws -> [FamilyBlobRow] { Array(try unused { $0 < time }.prefix(limit)) }

    func unused(since time: Int64) throws -> [FamilyBlobRow] { try unused { $0 >= time } }

    /// Every file that records name, as they do.
    private static func counted(_ family: MemoryTables.FamilyTables) -> [String: (octets: Int64, documents: Int64)] {
        var counted: [String: (octets: Int64, documents: Int64)] = [:]
        for row in family.records.values where row.record.kind == .document {
            guard let sha256 = row.record.fields.text("sha256"), case .integer(let octets)? = row.record.fields["octets"] else { continue }
            let known = counted[sha256] ?? (0, 0)
            counted[sha256] = (max(known.octets, octets), known.documents + 1)
        }
        return counted
    }

    func miscounted() throws -> Int {
        try connection.read().families.values.reduce(0) { sum, family in
            let counted = Self.counted(family)
            let stored = family.blobs.filter { $0.value.documents > 0 }
            let wrong = Set(counted.keys).union(stored.keys).filter { sha256 in
                guard let (octets, documents) = counted[sha256], let blob = stored[sha256] else { return true }
                return blob.octets != octets || blob.documents != documents
            }
            return sum + wrong.count
        }
    }

    func use(family: Int64, sha256: String, octets: Int64) throws {
        try connection.write { $0.use(family: family, sha256: sha256, octets: octets) }
    }

    func release(family: Int64, sha256: String, at: Int64) throws {
        try connection.write { tables in
            guard var blob = tables.families[family]?.blobs[sha256] else { return }
            blob.unusedSince = blob.documents <= 1 ? at : nil
            blob.documents = max(blob.documents - 1, 0)
            tables.families[family]?.blobs[sha256] = blob
        }
    }

    func forget(family: Int64, sha256: String) throws {
        try connection.write { tables in
            if tables.families[family]?.blobs[sha256]?.documents == 0 { tables.families[family]?.blobs[sha256] = nil }
        }
    }

    func recount(at: Int64) throws {
        try connection.write { tables in
            for key in tables.families.keys {
                let counted = Self.counted(tables.family(key))
                for (sha256, count) in counted {
                    tables.families[key]?.blobs[sha256] = .init(octets: count.octets, documents: count.documents)
                }
                for (sha256, blob) in tables.family(key).blobs where counted[sha256] == nil && blob.documents > 0 {
                    tables.families[key]?.blobs[sha256] = .init(octets: blob.octets, documents: 0, unusedSince: at)
                }
            }
        }
    }
}

@available(*, unavailable)
extension MemoryBlobs: Sendable {}

extension MemoryTables {
    mutating func use(family: Int64, sha256: String, octets: Int64) {
        var blob = families[family]?.blobs[sha256] ?? BlobCount(octets: octets, documents: 0)
        blob.documents += 1
        blob.unusedSince = nil
        families[family, default: .init()].blobs[sha256] = blob
    }
}
