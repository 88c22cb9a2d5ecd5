import Bytes
import Family
import JSON
import Wire

/// The files of a family's archive, in their order. `proto/archive.md` describes the content of each.
package enum ArchiveMember: String, CaseIterable, Sendable {
    case records = "records.jsonl"
    case log = "log.jsonl"
    case history = "history.jsonl"
    case clients = "clients.jsonl"
    case receipts = "receipts.jsonl"
    /// The remainder of deleted records after 30 days: their names.
    case purged = "purged.jsonl"
    /// Birth dates, consents, and the access log; only if they were requested.
    case people = "private.jsonl"
    case accesses = "accesses.jsonl"
    /// The files of documents, which follow this one in the archive, each under `blobs/` and its digest.
    case files = "files.jsonl"

    var isPrivate: Bool { self == .people || self == .accesses }
}

/// One line of an archive.
enum ArchiveRow: Sendable {
    case record(Record)
    case change(Change)
    case replaced(Replaced)
    case client(Client)
    case receipt(Receipt)
    case purged(Purged)
    case person(Person)
    case access(Access)
    case file(File)

    /// A row of the log.
    struct Change: Sendable {
        var sequence: Int64
        var at: Int64
        /// The number of messages that the change created.
        var messages: Int64
        /// The frame octet for octet.
        var frame: [UInt8]
    }

    typealias Replaced = HistoryRow
    typealias Purged = PurgedRow
    typealias Access = AccessRow
    typealias Person = PersonRow
    typealias File = BlobRow

    struct Client: Sendable {
        var member: Identifier
        var client: Identifier
        var floor: Int64
    }

    struct Receipt: Sendable {
        var member: Identifier
        var client: Identifier
        var mutation: Int64
        var at: Int64
        var hash: [UInt8]
        /// The answer octet for octet.
        var frame: [UInt8]
    }
}

extension BlobRow {
    /// The name in the archive.
    var name: String { Self.folder + sha256 }
    static let folder = "blobs/"
}

extension ArchiveRow {
    /// The line without its line feed.
    func encode() -> [UInt8] {
        var json = JSONWriter()
        json.reserve(512)
        if case .record(let record) = self {
            RecordCodec.encode(record, into: &json)
            return json.octets
        }
        json.beginObject()
        switch self {
        case .record: break
        case .change(let change):
            json.number("seq", change.sequence)
            json.number("at", change.at)
            json.number("messages", change.messages)
            json.raw("change", change.frame)
        case .replaced(let row):
            json.id("record", row.record)
            json.number("version", row.version)
            json.number("seq", row.sequence)
            json.id("member", row.member)
            json.number("at", row.at)
            if let before = row.before { json.raw("before", before) }
        case .client(let client):
            json.id("member", client.member)
            json.id("client", client.client)
            json.number("floor", client.floor)
        case .receipt(let receipt):
            json.id("member", receipt.member)
            json.id("client", receipt.client)
            json.number("mutation", receipt.mutation)
            json.number("at", receipt.at)
            json.text("hash", Hex.encode(receipt.hash))
            json.raw("answer", receipt.frame)
        case .purged(let purged):
            json.id("id", purged.id)
            json.text("kind", purged.kind.name.description)
            json.number("deleted_at", purged.deletedAt)
        case .access(let access):
            json.id("athlete", access.athlete)
            json.id("member", access.member)
            json.number("at", access.at)
            json.text("what", access.what)
            if let record = access.record { json.id("record", record) }
        case .file(let file):
            json.text("sha256", file.sha256)
            json.number("octets", file.octets)
        case .person(let person):
            json.id("member", person.member)
            if let born = person.born { json.text("born", born) }
            if let by = person.consentBy { json.id("consent_by", by) }
            if let at = person.consentAt { json.number("consent_at", at) }
            if let terms = person.consentTerms { json.text("consent_terms", terms) }
        }
        json.endObject()
        return json.octets
    }

    /// Reads a line of a member.
    ///
    /// - Throws: also for a line that `encode` would write differently: this program would lose a part of it.
    static func decode(_ member: ArchiveMember, _ octets: UnsafeRawBufferPointer) throws(JSONError) -> ArchiveRow {
        let row = try JSONReader.read(octets, maxDepth: JSONReader.deepest) { reader throws(JSONError) in
            member == .records ? .record(try RecordCodec.read(&reader)) : try read(member, &reader, octets.count)
        }
        guard row.encode().elementsEqual(octets) else { throw .invalid("a line that this version of Huddle would write otherwise") }
        return row
    }

    private static func read(_ member: ArchiveMember, _ reader: inout JSONReader, _ size: Int) throws(JSONError) -> ArchiveRow {
        var ids: [String: Identifier] = [:]
        var numbers: [String: Int64] = [:]
        var texts: [String: String] = [:]
        var raws: [String: [UInt8]] = [:]
        try reader.readObject { reader, key throws(JSONError) in
            let name = key.string
            switch name {
            case "member", "client", "record", "consent_by", "id", "athlete": ids[name] = try reader.readIdentifier()
            case "seq", "at", "messages", "version", "floor", "mutation", "consent_at", "deleted_at", "octets": numbers[name] = try reader.readInteger()
            case "hash", "born", "consent_terms", "kind", "what", "sha256": texts[name] = try reader.readString()
            case "change", "before", "answer":
                raws[name] = Array(try reader.readRaw(maxOctets: size, maxDepth: JSONReader.deepest / 2))
            default: throw .unknownKey(name)
            }
        }
        func id(_ key: String) throws(JSONError) -> Identifier { try found(ids[key], key) }
        func number(_ key: String) throws(JSONError) -> Int64 { try found(numbers[key], key) }
        switch member {
        case .records: throw .invalid("a record is read by its own codec")
        case .log:
            return .change(
                Change(
                    sequence: try number("seq"), at: try number("at"), messages: try number("messages"), frame: try found(raws["change"], "change")))
        case .history:
            return .replaced(
                Replaced(
                    record: try id("record"), version: try number("version"), sequence: try number("seq"), member: try id("member"),
                    at: try number("at"), before: raws["before"]))
        case .clients:
            return .client(Client(member: try id("member"), client: try id("client"), floor: try number("floor")))
        case .receipts:
            guard let hash = Hex.decode(try found(texts["hash"], "hash")) else { throw .invalid("a hash is hexadecimal") }
            return .receipt(
                Receipt(
                    member: try id("member"), client: try id("client"), mutation: try number("mutation"), at: try number("at"), hash: hash,
                    frame: try found(raws["answer"], "answer")))
        case .purged:
            guard let kind = Kind(name: try found(texts["kind"], "kind")) else { throw .invalid("an unknown kind") }
            return .purged(Purged(id: try id("id"), kind: kind, deletedAt: try number("deleted_at")))
        case .accesses:
            return .access(
                Access(
                    athlete: try id("athlete"), member: try id("member"), at: try number("at"), what: try found(texts["what"], "what"),
                    record: ids["record"]))
        case .files: return .file(File(sha256: try found(texts["sha256"], "sha256"), octets: try number("octets")))
        case .people:
            return .person(
                Person(
                    member: try id("member"), born: texts["born"], consentBy: ids["consent_by"], consentAt: numbers["consent_at"],
                    consentTerms: texts["consent_terms"]))
        }
    }

    private static func found<Value>(_ value: Value?, _ key: String) throws(JSONError) -> Value {
        guard let value else { throw .invalid("\(key) is missing") }
        return value
    }
}

extension JSONWriter {
    fileprivate mutating func number(_ name: StaticString, _ value: Int64) {
        key(name)
        integer(value)
    }

    fileprivate mutating func id(_ name: StaticString, _ value: Identifier) {
        key(name)
        identifier(value)
    }

    fileprivate mutating func text(_ name: StaticString, _ value: String) {
        key(name)
        string(value)
    }

    /// - Parameter value: a JSON value that was checked when it was stored.
    fileprivate mutating func raw(_ name: StaticString, _ value: [UInt8]) {
        key(name)
        value.withUnsafeBytes { raw($0) }
    }
}
