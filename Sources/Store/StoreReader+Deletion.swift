package import Bytes
package import Family

extension StoreReader {
    /// Erasures, in the order of their beginning.
    ///
    /// - Parameter all: whether to include those that are done.
    package func erasures(all: Bool) throws(StoreFailure) -> [Erasure] { try reading { try engine.families.erasures(all: all) } }

    /// The request to delete a family; `nil` if there is none.
    package func deletion(of family: Identifier) throws(StoreFailure) -> FamilyDeletion? {
        try reading { try engine.families.find(family).flatMap { try engine.families.deletion(family: $0.key) } }
    }
}
