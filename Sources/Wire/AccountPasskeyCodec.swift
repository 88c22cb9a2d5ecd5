internal import Bytes
internal import Dates
package import Family
package import JSON

extension AccountPasskey {
    /// Appends the passkey as a JSON object.
    package func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.identifier(id)
        writer.key("name")
        writer.string(name)
        writer.key("created_on")
        writer.string(createdOn.description)
        if let usedOn {
            writer.key("used_on")
            writer.string(usedOn.description)
        }
        writer.endObject()
    }
}

/// Passkeys in frames.
enum AccountPasskeyCodec {
    static func read(_ reader: inout JSONReader) throws(JSONError) -> AccountPasskey {
        let start = reader.offset
        var id: Identifier?
        var name: String?
        var days: [String: CalendarDate] = [:]
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "id": id = try reader.readIdentifier()
            case "name": name = try reader.readString()
            case "created_on", "used_on":
                let start = reader.offset
                guard let day = CalendarDate(try reader.readString()) else { throw .unexpected("a date", at: start) }
                days[key.string] = day
            default: try reader.skipValue()
            }
        }
        guard let id, let name, let created = days["created_on"] else { throw .unexpected("a passkey", at: start) }
        return AccountPasskey(id: id, name: name, createdOn: created, usedOn: days["used_on"])
    }
}
