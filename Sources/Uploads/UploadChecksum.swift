internal import Bytes

/// A digest that a client declares, of one request's octets or of the whole file.
package struct UploadChecksum: Hashable, Sendable {
    /// The algorithms with their names in tus, as listed in `Tus-Checksum-Algorithm`. Every server has to support sha1.
    package enum Algorithm: String, CaseIterable, Sendable {
        case sha1
        case sha256

        /// The octets of a digest.
        package var width: Int {
            switch self {
            case .sha1: 20
            case .sha256: 32
            }
        }
    }

    package var algorithm: Algorithm
    package var digest: [UInt8]

    package init(_ algorithm: Algorithm, _ digest: [UInt8]) {
        self.algorithm = algorithm
        self.digest = digest
    }

    /// Reads `Upload-Checksum`: name, one space, base64 (tus, Checksum).
    package init(tus text: String) throws(UploadRefusal) {
        let parts = text.utf8.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .badRequest("Upload-Checksum must be an algorithm, a space and a digest in base64") }
        guard let algorithm = Algorithm(rawValue: String(decoding: parts[0], as: UTF8.self)) else {
            let names = Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badRequest("the algorithms of Upload-Checksum are \(names)")
        }
        guard let digest = Base64.decode(Array(parts[1]).span), digest.count == algorithm.width else {
            throw .badRequest("Upload-Checksum contains no \(algorithm.rawValue) digest in base64")
        }
        self.init(algorithm, digest)
    }

    /// Reads `Content-Digest` or `Repr-Digest` (RFC 9530 §2, §3).
    ///
    /// - Parameter lines: the lines of the field; empty if it is absent.
    /// - Returns: its SHA-256; `nil` if it contains only other algorithms, which a recipient may ignore.
    static func digest(_ lines: [String]) throws(UploadRefusal) -> UploadChecksum? {
        guard !lines.isEmpty, let members = StructuredField.dictionary(lines.joined(separator: ",")), let member = members["sha-256"]
        else { return nil }
        guard case .octets(let digest) = member, digest.count == Algorithm.sha256.width else {
            throw .badRequest("sha-256 in a digest field must be 32 octets in base64 between colons")
        }
        return UploadChecksum(.sha256, digest)
    }

    /// The value of `Upload-Checksum`, for a client.
    package var tus: String { "\(algorithm.rawValue) \(Base64.encode(digest))" }
}
