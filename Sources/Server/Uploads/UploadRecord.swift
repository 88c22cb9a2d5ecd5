import Bytes
import Family
import Ledger
import JSON
import Store
import Uploads

/// The description of an upload on disk, for as long as the upload exists.
struct UploadRecord: Sendable {
    /// The family and member who upload. Nobody else may touch the upload.
    let family: Identifier
    let member: Identifier
    /// UTC milliseconds.
    let createdAt: Int64
    /// It is complete when its offset is its length (tus); otherwise when a request says so.
    let endsWhenFull: Bool
    let metadata: UploadMetadata
    /// The largest number of octets while its length is not known: the room that the family had when it began. `nil` if
    /// that was not kept.
    var mostOctets: Int64?
    /// The document that `metadata` describes.
    let document: DocumentDescription

    init(member: Identifier, createdAt: Int64, endsWhenFull: Bool, metadata: UploadMetadata) throws(UploadRefusal) {
        document = try DocumentDescription(metadata)
        family = document.family
        self.member = member
        self.createdAt = createdAt
        self.endsWhenFull = endsWhenFull
        self.metadata = metadata
    }

    /// Reads what `encoded` wrote; `nil` for anything else.
    init?(_ octets: [UInt8]) {
        var member: Identifier?
        var createdAt: Int64?
        var endsWhenFull: Bool?
        var text: String?
        var isWritten = false
        var mostOctets: Int64?
        do throws(JSONError) {
            try JSONReader.read(octets) { reader throws(JSONError) in
                try reader.readObject { reader, key throws(JSONError) in
                    switch key {
                    case "member": member = try reader.readIdentifier()
                    case "created_at": createdAt = try reader.readInteger()
                    case "ends_when_full": endsWhenFull = try reader.readBool()
                    case "metadata": text = try reader.readString()
                    case "is_written": isWritten = try reader.readBool()
                    case "most_octets": mostOctets = try reader.readInteger()
                    default: try reader.skipValue()
                    }
                }
            }
        } catch { return nil }
        guard let member, let createdAt, let endsWhenFull, let text, var metadata = try? UploadMetadata([text]) else { return nil }
        if !isWritten { metadata.forgetWriting() }
        guard let record = try? UploadRecord(member: member, createdAt: createdAt, endsWhenFull: endsWhenFull, metadata: metadata) else { return nil }
        self = record
        self.mostOctets = mostOctets
    }

    var encoded: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("member")
        writer.identifier(member)
        writer.key("created_at")
        writer.integer(createdAt)
        writer.key("ends_when_full")
        writer.boolean(endsWhenFull)
        writer.key("metadata")
        writer.string(metadata.written ?? metadata.text)
        writer.key("is_written")
        writer.boolean(metadata.written != nil)
        if let mostOctets {
            writer.key("most_octets")
            writer.integer(mostOctets)
        }
        writer.endObject()
        return writer.octets
    }

    /// - Parameter octets: the file's length, or its known part.
    func newDocument(_ id: Identifier, octets: Int64, sha256: [UInt8]) -> NewDocument {
        let kind = Kind.document.declaration
        let values: [(String, Value?)] = [
            ("type", .text(document.type.rawValue)), ("title", .text(document.title)), ("description", document.text.map { .text($0) }),
            ("school_id", document.school.map { .reference($0) }),
        ]
        let assignments = values.compactMap { name, value in
            value.flatMap { value in kind.index(of: name).map { FieldPatch.Assignment(field: $0, value: value) } }
        }
        return NewDocument(
            id: id, family: family, member: member, athlete: document.athlete, replaces: document.replaces,
            fields: FieldPatch(assignments: assignments.sorted { $0.field < $1.field }),
            file: NewDocument.File(
                name: document.fileName, type: document.fileExtension.mediaType, octets: octets, sha256: Hex.encode(sha256)))
    }
}

/// The end of an upload, kept on disk until the upload is removed.
enum UploadEnd: Hashable, Sendable {
    /// SHA-256 of the document.
    case finished(sha256: [UInt8])
    case refused(UploadRefusal)

    /// - Parameter limit: octets; a longer sentence is cut.
    func encoded(limit: Int) -> [UInt8] {
        switch self {
        case .finished(let sha256): return Array("+".utf8) + sha256
        case .refused(var refusal):
            while true {
                var writer = JSONWriter()
                writer.beginObject()
                writer.key("code")
                writer.string(refusal.code)
                writer.key("status")
                writer.integer(refusal.status)
                if let status = refusal.draftStatus {
                    writer.key("draft_status")
                    writer.integer(status)
                }
                if let field = refusal.field {
                    writer.key("field")
                    writer.string(field)
                }
                writer.key("sentence")
                writer.string(refusal.sentence)
                writer.endObject()
                if writer.octets.count <= limit || refusal.sentence.isEmpty { return Array(writer.octets.prefix(limit)) }
                refusal.sentence.removeLast(max(1, min(refusal.sentence.count, (writer.octets.count - limit) / 4)))
            }
        }
    }

    init?(_ octets: [UInt8]) {
        if octets.first == UInt8(ascii: "+") {
            guard octets.count == 33 else { return nil }
            self = .finished(sha256: Array(octets.dropFirst()))
            return
        }
        var code: String?
        var status: Int64?
        var draftStatus: Int64?
        var field: String?
        var sentence: String?
        do throws(JSONError) {
            try JSONReader.read(octets) { reader throws(JSONError) in
                try reader.readObject { reader, key throws(JSONError) in
                    switch key {
                    case "code": code = try reader.readString()
                    case "status": status = try reader.readInteger()
                    case "draft_status": draftStatus = try reader.readInteger()
                    case "field": field = try reader.readString()
                    case "sentence": sentence = try reader.readString()
                    default: try reader.skipValue()
                    }
                }
            }
        } catch { return nil }
        guard let code, let status, (400...599).contains(status), (400...599).contains(draftStatus ?? 400), let sentence else { return nil }
        // Only refusals that end an upload are kept.
        self = .refused(UploadRefusal(code, Int(status), draft: draftStatus.map { Int($0) }, sentence, field: field, endsUpload: true))
    }
}
