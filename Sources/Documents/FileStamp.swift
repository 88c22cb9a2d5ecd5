package import Posix

/// The state of a file at one moment, to detect later changes.
package struct FileStamp: Hashable, Sendable {
    package var octets: Int64
    /// UTC milliseconds of the last change of its content.
    package var changed: Int64
    /// The digest in hex; `nil` until the file was read.
    package var sha256: String?

    package init(octets: Int64, changed: Int64, sha256: String? = nil) {
        self.octets = octets
        self.changed = changed
        self.sha256 = sha256
    }

    package init(_ status: Files.Status) { self.init(octets: Int64(status.size), changed: status.modified) }

    /// Whether a file with the stamp `other` can be this file: by digest if both are known, otherwise by length and
    /// time.
    package func fits(_ other: FileStamp) -> Bool {
        guard octets == other.octets else { return false }
        if let sha256, let otherDigest = other.sha256 { return sha256 == otherDigest }
        return changed == other.changed
    }
}
