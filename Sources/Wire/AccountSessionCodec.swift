import Bytes
import Dates
package import Family
package import JSON

/// A session or token within a frame, and over HTTP.
package enum AccountSessionCodec {
    /// Appends a session as an object.
    package static func encode(_ session: AccountSession, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.identifier(session.id)
        writer.key("kind")
        writer.string(session.kind.rawValue)
        writer.key("name")
        writer.string(session.name)
        writer.key("created")
        writer.string(session.createdOn.description)
        writer.key("used")
        writer.string(session.usedOn.description)
        writer.key("ends")
        writer.string(session.endsOn.description)
        writer.key("current")
        writer.boolean(session.isCurrent)
        if let scope = session.scope {
            writer.key("scope")
            writer.string(scope.rawValue)
        }
        if !session.athletes.isEmpty {
            writer.key("athletes")
            writer.beginArray()
            for athlete in session.athletes { writer.identifier(athlete) }
            writer.endArray()
        }
        writer.endObject()
    }

    static func read(_ reader: inout JSONReader) throws(JSONError) -> AccountSession {
        let start = reader.offset
        var id: Identifier?
        var kind: SessionKind?
        var name: String?
        var days: [String: CalendarDate] = [:]
        var isCurrent: Bool?
        var scope: TokenScope?
        var athletes: [Identifier] = []
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "id": id = try reader.readIdentifier()
            case "kind": kind = try reader.readWord(of: SessionKind.self)
            case "name": name = try reader.readString()
            case "created", "used", "ends":
                let start = reader.offset
                guard let day = CalendarDate(try reader.readString()) else { throw .unexpected("a date", at: start) }
                days[key.string] = day
            case "current": isCurrent = try reader.readBool()
            case "scope": scope = try reader.readWord(of: TokenScope.self)
            case "athletes": athletes = try reader.readList { reader throws(JSONError) in try reader.readIdentifier() }
            default: try reader.skipValue()
            }
        }
        guard let id, let kind, let name, let created = days["created"], let used = days["used"], let ends = days["ends"], let isCurrent else {
            throw .unexpected("a session", at: start)
        }
        return AccountSession(
            id: id, name: name, kind: kind, createdOn: created, usedOn: used, endsOn: ends, isCurrent: isCurrent, scope: scope, athletes: athletes)
    }
}

extension JSONReader {
    /// A string that is one of the words of an enumeration.
    mutating func readWord<Word: RawRepresentable<String>>(of _: Word.Type) throws(JSONError) -> Word {
        let start = offset
        guard let word = Word(rawValue: try readString()) else { throw .unexpected("a word that is known", at: start) }
        return word
    }
}
