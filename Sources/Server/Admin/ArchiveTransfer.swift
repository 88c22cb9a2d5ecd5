package import Bytes
import JSON
import Store

/// A command about an archive, whose open file comes with it over the admin socket: the server needs no permission for
/// the path, and a relative path means the caller's folder.
package enum ArchiveTransfer: Equatable, Sendable {
    /// - Parameter family: an id, or a name that one family has.
    case export(family: String, isPrivate: Bool)
    case load

    /// `{"transfer":"export","family":"…","private":false}`, `{"transfer":"import"}`
    func encode() -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("transfer")
        switch self {
        case .export(let family, let isPrivate):
            json.string("export")
            json.key("family")
            json.string(family)
            json.key("private")
            json.boolean(isPrivate)
        case .load: json.string("import")
        }
        json.endObject()
        return json.octets
    }

    /// - Returns: `nil` for another command.
    static func decode(_ octets: [UInt8]) throws(JSONError) -> ArchiveTransfer? {
        guard octets.starts(with: #"{"transfer":"#.utf8) else { return nil }
        var word: String?
        var family: String?
        var isPrivate = false
        try JSONReader.read(octets) { reader throws(JSONError) in
            try reader.readObject { reader, key throws(JSONError) in
                switch key {
                case "transfer": word = try reader.readString()
                case "family": family = try reader.readString()
                case "private": isPrivate = try reader.readBool()
                default: throw .unknownKey(key.string)
                }
            }
        }
        switch (word, family) {
        case ("export", let family?): return .export(family: family, isPrivate: isPrivate)
        case ("import", nil): return .load
        default: throw .invalid("not a transfer of this version of huddled")
        }
    }
}

/// The result of an export or import.
package struct Transferred: Equatable, Sendable {
    package enum Outcome: String, Sendable {
        case exported, imported
        case alreadyHere = "already_here"
    }

    package var outcome: Outcome
    package var family: Identifier
    package var name: String
    /// The newest sequence.
    package var head: Int64

    init(_ outcome: Outcome, _ manifest: ArchiveManifest) {
        self.init(outcome: outcome, family: manifest.family, name: manifest.name, head: manifest.head)
    }

    private init(outcome: Outcome, family: Identifier, name: String, head: Int64) {
        self.outcome = outcome
        self.family = family
        self.name = name
        self.head = head
    }

    /// `{"transferred":"exported","family":"…","name":"…","head":12}`
    package func encode() -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("transferred")
        json.string(outcome.rawValue)
        json.key("family")
        json.identifier(family)
        json.key("name")
        json.string(name)
        json.key("head")
        json.integer(head)
        json.endObject()
        return json.octets
    }

    /// - Returns: `nil` for another answer.
    static func decode(_ octets: [UInt8]) throws(JSONError) -> Transferred? {
        guard octets.starts(with: #"{"transferred":"#.utf8) else { return nil }
        var outcome: Outcome?
        var family: Identifier?
        var name = ""
        var head: Int64 = 0
        try JSONReader.read(octets) { reader throws(JSONError) in
            try reader.readObject { reader, key throws(JSONError) in
                switch key {
                case "transferred": outcome = Outcome(rawValue: try reader.readString())
                case "family": family = try reader.readIdentifier()
                case "name": name = try reader.readString()
                case "head": head = try reader.readInteger()
                default: throw .unknownKey(key.string)
                }
            }
        }
        guard let outcome, let family else { throw .invalid("an unknown answer") }
        return Transferred(outcome: outcome, family: family, name: name, head: head)
    }
}
