package import Bytes
import JSON

/// What `huddled check` found.
package struct CheckReport: Sendable {
    /// What is wrong in one place.
    package struct Finding: Hashable, Sendable {
        /// The word in `--json`; stable.
        package enum Code: String, CaseIterable, Sendable {
            /// SQLite says that its file is damaged, or something in it cannot be read.
            case databaseDamaged = "database_damaged"
            case logGap = "log_gap"
            /// A row of the log is not the change that it stands for.
            case changeDamaged = "change_damaged"
            /// A record is not what the log makes of it.
            case recordDiffers = "record_differs"
            /// The log speaks of a record that is not there.
            case recordMissing = "record_missing"
            /// A record is there of which the log does not speak.
            case recordUnknown = "record_unknown"
            /// A column by which a record is found is not what its fields say.
            case columnDiffers = "column_differs"
            /// What a family takes is not what its rows take.
            case usageDiffers = "usage_differs"
            /// A checksum in the log is not that of the records.
            case checksumDiffers = "checksum_differs"
            case fileMissing = "file_missing"
            case fileLength = "file_length"
            /// Only with `--deep`.
            case fileContent = "file_content"
            /// The count of what speaks of a file is wrong.
            case fileCount = "file_count"
            /// A consumer of the log claims to have read what the log does not hold.
            case cursorAhead = "cursor_ahead"
            case shareWithoutDocument = "share_without_document"
            case uploadDamaged = "upload_damaged"
            /// No harm: a file that nothing speaks of, which takes room.
            case fileUnused = "file_unused"
            /// No harm: what an upload or an import that was cut short left behind.
            case leftover

            /// Whether anything that was promised is affected.
            package var isHarmless: Bool { self == .fileUnused || self == .leftover }
        }

        package var code: Code
        package var family: Identifier?
        /// The record, upload or file.
        package var name: String?
        package var sentence: String
        package var isRepaired = false
    }

    /// Findings that are told; of more only their number.
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
    /// Findings that were not kept.
    package private(set) var omitted = 0

    mutating func add(_ code: Finding.Code, _ sentence: String, family: Identifier? = nil, _ name: String? = nil) {
        guard findings.count < Self.maxFindings else {
            omitted += 1
            return
        }
        findings.append(Finding(code: code, family: family, name: name, sentence: sentence))
    }

    /// Whether everything that was promised is as it should be, or has been made so.
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
