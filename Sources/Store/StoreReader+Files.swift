package import Blobs
package import Bytes

extension StoreReader {
    /// Every family, in the order of their creation.
    package func allFamilies() throws(StoreFailure) -> [Identifier] { try reading { try engine.families.all().map(\.id) } }

    /// Every file that documents name, with its octets, family by family, each file once.
    package func filesInUse() throws(StoreFailure) -> [(blob: BlobName, octets: Int64)] {
        try reading {
            try engine.families.all().flatMap { family in
                try engine.blobs.inUse(family: family.key).map { row in
                    guard let blob = BlobName(family: family.id, sha256: row.sha256) else { throw StoreFailure("a stored digest is damaged") }
                    return (blob, row.octets)
                }
            }
        }
    }
}
