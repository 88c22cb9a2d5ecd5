package import Bytes

/// The name of a file's content within one family. Two documents of one family with the same content share one blob;
/// two families never do, so that an upload cannot reveal whether another family has a file.
package struct BlobName: Hashable, Sendable {
    package let family: Identifier
    /// Hex, 64 digits in lower case.
    package let sha256: String

    /// - Parameter sha256: the digest, 32 octets.
    package init(family: Identifier, sha256: [UInt8]) {
        precondition(sha256.count == 32, "SHA-256 has 32 octets")
        self.family = family
        self.sha256 = Hex.encode(sha256)
    }

    /// The name for a digest in hex; `nil` unless `sha256` is 64 digits in lower case: it becomes part of a path.
    package init?(family: Identifier, sha256: String) {
        guard sha256.utf8.count == 64, Hex.decode(sha256) != nil else { return nil }
        self.family = family
        self.sha256 = sha256
    }

    /// The folder within the family's folder: 256 of them keep each one small.
    package var fan: String { String(sha256.prefix(2)) }
}
