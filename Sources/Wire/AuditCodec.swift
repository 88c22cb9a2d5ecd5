import Bytes
import Family
import JSON

/// An entry of the audit log within a frame.
enum AuditCodec {
    static func encode(_ entry: borrowing Audit.Entry, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("at")
        writer.integer(entry.at)
        writer.key("act")
        writer.string(entry.act)
        writer.key("origin")
        switch entry.author {
        case .member(let member):
            writer.string("member")
            writer.key("member")
            writer.identifier(member)
        case .host: writer.string("host")
        case .server: writer.string("server")
        }
        if let about = entry.about {
            writer.key("about")
            writer.identifier(about)
        }
        if entry.count != 1 {
            writer.key("count")
            writer.integer(entry.count)
        }
        if let detail = entry.detail {
            writer.key("detail")
            writer.string(detail)
        }
        writer.endObject()
    }

    static func read(_ reader: inout JSONReader) throws(JSONError) -> Audit.Entry {
        let start = reader.offset
        var at: Int64?
        var act: String?
        var origin: String?
        var member: Identifier?
        var about: Identifier?
        var count: Int64 = 1
        var detail: String?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "at": at = try reader.readInteger()
            case "act": act = try reader.readString()
            case "origin": origin = try reader.readString()
            case "member": member = try reader.readIdentifier()
            case "about": about = try reader.readIdentifier()
            case "count": count = try reader.readCount()
            case "detail": detail = try reader.readString()
            default: try reader.skipValue()
            }
        }
        let author: Audit.Author?
        switch (origin, member) {
        case ("member", let member?): author = .member(member)
        case ("host", _): author = .host
        case ("server", _): author = .server
        default: author = nil
        }
        guard let at, let act, let author else { throw .unexpected("an entry of the audit log", at: start) }
        return Audit.Entry(at: at, act: act, author: author, about: about, count: count, detail: detail)
    }
}
