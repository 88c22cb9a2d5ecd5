import Blobs
import Bytes
import Crypto
import Dates

/// The last file of a backup: it lists the others with their digests. A backup without it was not finished.
///
/// `sha256sum -c MANIFEST`, run in the folder of the backup, checks a backup without Huddle: a line is a digest, two
/// blanks and a path, and other lines begin with `#`. The last line holds the digest of all lines before it, so that a
/// truncated or changed manifest is detected.
struct BackupManifest: Equatable, Sendable {
    /// The largest number of octets that are read: about two million files.
    static let maxOctets = 256 << 20
    private static let format = "# huddle-backup 1"
    private static let head = "# huddle-backup "

    /// The time at which the copy began, UTC milliseconds.
    var madeAt: Int64
    /// The version of the program that made it.
    var program: String
    /// The version of the database.
    var schema: Int
    var families: Int
    /// SHA-256 of the database, in hex.
    var database: String
    /// The files in the folder that all backups of one place share.
    var files: [BlobName]

    /// The path of a file, relative to the folder of the backup.
    static func path(of blob: BlobName) -> String { "../\(archivePath(of: blob))" }

    /// The path of a file, relative to the folder of all backups.
    static func archivePath(of blob: BlobName) -> String { "\(BackupNames.files)/\(blob.family)/\(blob.fan)/\(blob.sha256)" }

    func encode() -> [UInt8] {
        var lines = [
            Self.format, "# made \(RFC3339.text(madeAt))", "# program \(program)", "# schema \(schema)", "# families \(families)",
            "\(database)  \(BackupNames.database)",
        ]
        lines.reserveCapacity(lines.count + files.count)
        for file in files { lines.append("\(file.sha256)  \(Self.path(of: file))") }
        let octets = Array((lines.joined(separator: "\n") + "\n").utf8)
        return octets + Array("# end \(Hex.encode(Digest.sha256(octets)))\n".utf8)
    }

    /// Reads a manifest.
    ///
    /// - Throws: the fault, as the end of a sentence.
    init(_ octets: [UInt8]) throws(BackupFault) {
        // "# end ", 64 digits, a line feed.
        let tail = 71
        guard octets.count > tail else { throw .manifest("is cut") }
        let body = octets[..<(octets.count - tail)]
        guard let text = String(validating: body, as: UTF8.self) else { throw .manifest("is damaged") }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, first.hasPrefix(Self.head) else { throw .manifest("does not belong to a Huddle backup") }
        guard first == Self.format else { throw .format(String(first.dropFirst(Self.head.count).prefix(20))) }
        guard octets.suffix(tail).elementsEqual("# end \(Hex.encode(Digest.sha256(Array(body))))\n".utf8), lines.popLast() == "" else {
            throw .manifest("was truncated or changed")
        }
        func value(_ index: Int, _ name: String) throws(BackupFault) -> String {
            guard index < lines.count, lines[index].hasPrefix("# \(name) ") else { throw .manifest("does not say its \(name)") }
            return String(lines[index].dropFirst(name.utf8.count + 3))
        }
        guard let madeAt = RFC3339.instant(try value(1, "made")), let schema = Int(try value(3, "schema")), let families = Int(try value(4, "families"))
        else { throw .manifest("is damaged") }
        self.madeAt = madeAt
        self.schema = schema
        self.families = families
        program = try value(2, "program")
        var database: String?
        var files: [BlobName] = []
        for line in lines.dropFirst(5) {
            let digest = String(line.prefix(64))
            let path = line.dropFirst(66)
            guard digest.utf8.count == 64, Hex.decode(digest) != nil, line.dropFirst(64).hasPrefix("  ") else { throw .manifest("is damaged") }
            if path == BackupNames.database, database == nil {
                database = digest
            } else {
                // Only a path that `path(of:)` makes is accepted: a name never leads elsewhere.
                let parts = path.split(separator: "/", omittingEmptySubsequences: false)
                guard parts.count == 5, let family = Identifier(String(parts[2])), let blob = BlobName(family: family, sha256: digest), path == Self.path(of: blob)
                else { throw .manifest("is damaged") }
                files.append(blob)
            }
        }
        guard let database else { throw .manifest("does not name the database") }
        self.database = database
        self.files = files
    }

    init(madeAt: Int64, program: String, schema: Int, families: Int, database: String, files: [BlobName]) {
        self.madeAt = madeAt
        self.program = program
        self.schema = schema
        self.families = families
        self.database = database
        self.files = files
    }
}
