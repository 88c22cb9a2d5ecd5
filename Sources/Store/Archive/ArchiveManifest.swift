package import Bytes
import Crypto
import JSON
import Wire

/// The last file of an archive: it lists the content, and everything before it is checked by it.
package struct ArchiveManifest: Equatable, Sendable {
    /// The version of the format that this program writes, and the newest that it reads.
    package static let version: Int64 = 2
    /// From this version on, archives contain the files of documents.
    static let versionWithFiles: Int64 = 2
    static let format = "huddle-family-archive"
    static let fileName = "manifest.json"
    /// The largest number of octets of a manifest: a handful of names and digests need far fewer.
    static let maxOctets = 65_536

    /// One file of the archive.
    struct Member: Equatable, Sendable {
        var name: String
        var octets: Int64
        var lines: Int64
        /// In hexadecimal.
        var sha256: String
    }

    /// The version of the format.
    package var version = ArchiveManifest.version
    /// The epoch of the database that it was exported from; an imported family gets the epoch of its new database.
    package var epoch: String
    /// UTC milliseconds.
    package var exportedAt: Int64
    package var family: Identifier
    package var name: String
    /// UTC milliseconds.
    package var createdAt: Int64
    /// The newest sequence.
    package var head: Int64
    package var floor: Int64
    /// Whether birth dates and consents are in it.
    package var isPrivate: Bool
    var members: [Member] = []

    /// Whether another export of the same state agrees, wherever it was made. Receipts do not count, because they
    /// expire. Records name their files.
    func isSameState(as other: ArchiveManifest) -> Bool {
        func state(_ manifest: ArchiveManifest) -> [Member] {
            manifest.members.filter { [ArchiveMember.records, .log, .history].map(\.rawValue).contains($0.name) }
        }
        return family == other.family && head == other.head && floor == other.floor && state(self) == state(other)
    }

    /// The files that an archive of this version has, in their order.
    var expected: [String] {
        ArchiveMember.allCases
            .filter { ($0.isPrivate ? isPrivate : true) && ($0 == .files ? version >= Self.versionWithFiles : true) }.map(\.rawValue)
    }

    func lines(_ member: ArchiveMember) -> Int64 { members.first { $0.name == member.rawValue }?.lines ?? 0 }

    /// The encoded manifest with its own digest at the end, so that a change of the manifest itself is detected as
    /// well.
    func encode() -> [UInt8] { encode(seal: Hex.encode(Digest.sha256(encode(seal: "")))) }

    private func encode(seal: String) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("format")
        json.string(Self.format)
        json.key("version")
        json.integer(version)
        json.key("epoch")
        json.string(epoch)
        json.key("exported_at")
        json.integer(exportedAt)
        json.key("family")
        json.identifier(family)
        json.key("name")
        json.string(name)
        json.key("created_at")
        json.integer(createdAt)
        json.key("head")
        json.integer(head)
        json.key("floor")
        json.integer(floor)
        json.key("private")
        json.boolean(isPrivate)
        json.key("members")
        json.beginArray()
        for member in members {
            json.beginObject()
            json.key("name")
            json.string(member.name)
            json.key("octets")
            json.integer(member.octets)
            json.key("lines")
            json.integer(member.lines)
            json.key("sha256")
            json.string(member.sha256)
            json.endObject()
        }
        json.endArray()
        json.key("seal")
        json.string(seal)
        json.endObject()
        return json.octets + [UInt8(ascii: "\n")]
    }

    /// - Throws: `.newer` for a later version, `.notAnArchive` for octets that are not a manifest.
    static func decode(_ octets: [UInt8]) throws(ArchiveError) -> ArchiveManifest {
        // The version first: a later version may have other members.
        guard let version = try? versionAlone(octets) else { throw .notAnArchive }
        guard version <= Self.version else { throw .newer(version) }
        let manifest: ArchiveManifest
        do throws(JSONError) {
            manifest = try whole(octets)
        } catch {
            throw .notAnArchive
        }
        guard manifest.encode() == octets else { throw .changed(fileName) }
        return manifest
    }

    private static func versionAlone(_ octets: [UInt8]) throws(JSONError) -> Int64 {
        var version: Int64?
        var format: String?
        try JSONReader.read(octets) { reader throws(JSONError) in
            try reader.readObject { reader, key throws(JSONError) in
                switch key {
                case "format": format = try reader.readString()
                case "version": version = try reader.readInteger()
                default: try reader.skipValue()
                }
            }
        }
        guard format == Self.format, let version, version > 0 else { throw .invalid("no manifest of an archive") }
        return version
    }

    private static func whole(_ octets: [UInt8]) throws(JSONError) -> ArchiveManifest {
        var texts: [String: String] = [:]
        var numbers: [String: Int64] = [:]
        var family: Identifier?
        var isPrivate: Bool?
        var members: [Member] = []
        try JSONReader.read(octets) { reader throws(JSONError) in
            try reader.readObject { reader, key throws(JSONError) in
                switch key {
                case "format", "epoch", "name", "seal": texts[key.string] = try reader.readString()
                case "version", "exported_at", "created_at", "head", "floor": numbers[key.string] = try reader.readInteger()
                case "family": family = try reader.readIdentifier()
                case "private": isPrivate = try reader.readBool()
                case "members": try reader.readArray { reader throws(JSONError) in members.append(try member(&reader)) }
                default: throw .unknownKey(key.string)
                }
            }
        }
        guard let family, let isPrivate, let epoch = texts["epoch"], let name = texts["name"], let exportedAt = numbers["exported_at"],
            let createdAt = numbers["created_at"], let head = numbers["head"], let floor = numbers["floor"], head >= 0, floor >= 0
        else { throw .invalid("a member of the manifest is missing") }
        return ArchiveManifest(
            version: numbers["version"] ?? 0, epoch: epoch, exportedAt: exportedAt, family: family, name: name, createdAt: createdAt, head: head, floor: floor,
            isPrivate: isPrivate, members: members)
    }

    private static func member(_ reader: inout JSONReader) throws(JSONError) -> Member {
        var member = Member(name: "", octets: -1, lines: -1, sha256: "")
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "name": member.name = try reader.readString()
            case "octets": member.octets = try reader.readInteger()
            case "lines": member.lines = try reader.readInteger()
            case "sha256": member.sha256 = try reader.readString()
            default: throw .unknownKey(key.string)
            }
        }
        return member
    }
}
