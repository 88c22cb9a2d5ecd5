package import Bytes
import JSON

/// The result of `huddled check`.
package struct CheckReport: Sendable {
    /// A fault in one place.
    package struct Finding: Hashable, Sendable {
        /// The word in `--json`; it never changes.
        package enum Code: String, CaseIterable, Sendable {
            /// SQLite reports that its file is damaged, or something in it cannot be read.
            case databaseDamaged = "database_damaged"
            case logGap = "log_gap"
            /// A row of the log does not hold the change of its sequence.
            case changeDamaged = "change_damaged"
            /// A record differs from the record that the log makes.
            case recordDiffers = "record_differs"
            /// The log names a record that does not exist.
            case recordMissing = "record_missing"
            /// A record exists that the log does not name.
            case recordUnknown = "record_unknown"
            /// A column for finding a record differs from its fields.
            case columnDiffers = "column_differs"
            /// The noted space of a family differs from that of its rows.
            case usageDiffers = "usage_differs"
            /// A checksum in the log differs from that of the records.
            case checksumDiffers = "checksum_differs"
            case fileMissing = "file_missing"
            case fileLength = "file_length"
            /// Only with `--deep`.
            case fileContent = "file_content"
            /// The number of documents that name a file is wrong.
            case fileCount = "file_count"
            /// The cursor of a consumer is ahead of the log.
            case cursorAhead = "cursor_ahead"
            case shareWithoutDocument = "share_without_document"
            case uploadDamaged = "upload_damaged"
            /// No harm: a file that nothing refers to, which takes space.
            case fileUnused = "file_unused"
            /// No harm: the remainder of an interrupted upload or import.
            case leftover

            /// Whether no promise is affected.
            package var isHarmless: Bool { self == .fileUnused || self == .leftover }
        }

        package var code: Code
        package var family: Identifier?
        /// The record, upload or file.
        package var name: String?
        package var sentence: String
        package var isRepaired = false
    }

    /// The largest number of findings that are listed; further ones are only counted.
    static let maxFindings = 1_000

    package var families = 0
    package var changes = 0
    package var records = 0
    package var documents = 0
    package var files = 0
    package var octets: Int64 = 0
    package var uploads = 0
    /// Whether each file's content was compared with its name.
    package var isDeep = false
    package internal(set) var findings: [Finding] = []
    /// The number of findings that were not kept.
    package private(set) var omitted = 0

    mutating func add(_ code: Finding.Code, _ sentence: String, family: Identifier? = nil, _ name: String? = nil) {
        guard findings.count < Self.maxFindings else {
            omitted += 1
            return
        }
        findings.append(Finding(code: code, family: family, name: name, sentence: sentence))
    }

    /// Whether all promises hold, or have been repaired.
    package var agrees: Bool { omitted == 0 && findings.allSatisfy { $0.isRepaired || $0.code.isHarmless } }

    /// `{"status":"agrees"|"disagrees","deep":…,"families":…,…,"findings":[{"code":…,"family":…,"name":…,"repaired":…,"sentence":…}],"omitted":0}`
    package func encode() -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("status")
        json.string(agrees ? "agrees" : "disagrees")
        json.key("deep")
        json.boolean(isDeep)
        let counts: [(StaticString, Int)] = [
            ("families", families), ("changes", changes), ("records", records), ("documents", documents), ("files", files), ("uploads", uploads),
        ]
        for (name, count) in counts {
            json.key(name)
            json.integer(count)
        }
        json.key("octets")
        json.integer(octets)
        json.key("findings")
        json.beginArray()
        for finding in findings {
            json.beginObject()
            json.key("code")
            json.string(finding.code.rawValue)
            if let family = finding.family {
                json.key("family")
                json.identifier(family)
            }
            if let name = finding.name {
                json.key("name")
                json.string(name)
            }
            json.key("repaired")
            json.boolean(finding.isRepaired)
            json.key("sentence")
            json.string(finding.sentence)
            json.endObject()
        }
        json.endArray()
        json.key("omitted")
        json.integer(omitted)
        json.endObject()
        return json.octets
    }
}
