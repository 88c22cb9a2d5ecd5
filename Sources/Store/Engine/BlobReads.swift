package import Bytes

/// A file that documents of a family name.
package struct BlobRow: Hashable, Sendable {
    /// Hex.
    package var sha256: String
    package var octets: Int64

    package init(sha256: String, octets: Int64) {
        self.sha256 = sha256
        self.octets = octets
    }
}

/// A file with its family.
package struct FamilyBlobRow: Hashable, Sendable {
    package var family: Identifier
    package var blob: BlobRow

    package init(family: Identifier, blob: BlobRow) {
        self.family = family
        self.blob = blob
    }
}

/// The files that documents name, each once for a family. `family` is the integer that stands for one.
package protocol BlobReads: AnyObject {
    /// See `FamilyView.usage`.
    func usage(family: Int64, besides sha256: String) throws -> (used: Int64, known: Int64)

    /// The octets of the files of all families.
    func octetsOfAll() throws -> Int64

    /// The octets of a file; `nil` if the family does not store it.
    func octets(family: Int64, sha256: String) throws -> Int64?

    /// The files of a family that a document names, in the order of their digests.
    func inUse(family: Int64) throws -> [BlobRow]

    /// Files that no document has named since before a time (UTC milliseconds), the oldest first, and those of one
    /// moment by family and digest.
    func unused(before time: Int64, limit: Int) throws -> [FamilyBlobRow]

    /// Files that no document names now, but one named at or after a time (UTC milliseconds).
    func unused(since time: Int64) throws -> [FamilyBlobRow]

    /// The number of files whose count of documents is wrong.
    func miscounted() throws -> Int
}

package protocol BlobWrites: BlobReads {
    /// Counts one more document that names a file.
    func use(family: Int64, sha256: String, octets: Int64) throws

    /// Counts one document less.
    func release(family: Int64, sha256: String, at: Int64) throws

    /// Removes the row of a removed file, unless a document names it.
    func forget(family: Int64, sha256: String) throws

    /// Counts all documents again.
    func recount(at: Int64) throws
}
