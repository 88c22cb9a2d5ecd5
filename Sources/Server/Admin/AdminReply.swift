import Bytes
package import Demo
import Family
package import JSON
package import Store
import Wire

/// The answer to an `AdminRequest`.
package enum AdminReply: Sendable {
    case answer(AdminAnswer)
    case demo(DemoFamily)
    /// The result of an act of the host, or the answer to a question.
    case tree(JSONTree)
    case health(HealthReport)
    case transferred(Transferred)
}

extension AdminReply {
    /// One line without its line feed: the answer's own form, `{"demo":{…}}`, `{"tree":{…}}`, `{"health":{…}}`, or the
    /// refusal.
    static func encode(_ result: Result<AdminReply, Rejection>) -> [UInt8] {
        switch result {
        case .success(.answer(let answer)): return AdminAnswer.encode(.success(answer))
        case .failure(let rejection): return AdminAnswer.encode(.failure(rejection))
        case .success(.demo(let demo)):
            var json = JSONWriter()
            json.beginObject()
            json.key("demo")
            demo.encode(into: &json)
            json.endObject()
            return json.octets
        case .success(.tree(let tree)): return JSONTree.object(of: ["tree": tree]).octets
        case .success(.health(let health)):
            var json = JSONWriter()
            json.beginObject()
            json.key("health")
            health.encode(into: &json)
            json.endObject()
            return json.octets
        case .success(.transferred(let transferred)): return transferred.encode()
        }
    }

    static func decode(_ octets: [UInt8]) throws(JSONError) -> Result<AdminReply, Rejection> {
        if let transferred = try Transferred.decode(octets) { return .success(.transferred(transferred)) }
        if octets.starts(with: #"{"tree":"#.utf8) {
            guard let tree = try JSONTree(octets)["tree"] else { throw .invalid("the answer is missing") }
            return .success(.tree(tree))
        }
        if octets.starts(with: #"{"health":"#.utf8) {
            var health: HealthReport?
            try JSONReader.read(octets) { reader throws(JSONError) in
                try reader.readObject { (reader: inout JSONReader, _) throws(JSONError) in health = try HealthReport(&reader) }
            }
            guard let health else { throw .invalid("the health is missing") }
            return .success(.health(health))
        }
        guard octets.starts(with: #"{"demo":"#.utf8) else { return try AdminAnswer.decode(octets).map(AdminReply.answer) }
        var demo: DemoFamily?
        try JSONReader.read(octets) { reader throws(JSONError) in
            try reader.readObject { (reader: inout JSONReader, _) throws(JSONError) in demo = try DemoFamily(&reader) }
        }
        guard let demo else { throw .invalid("a demo family is missing") }
        return .success(.demo(demo))
    }
}

extension DemoFamily {
    /// Reads what `encode` wrote.
    init(_ reader: inout JSONReader) throws(JSONError) {
        var family: Identifier?
        var name = ""
        var members: [Member] = []
        try reader.readObject { (reader: inout JSONReader, key) throws(JSONError) in
            switch key {
            case "family": family = try reader.readIdentifier()
            case "name": name = try reader.readString()
            case "members":
                try reader.readArray { (reader: inout JSONReader) throws(JSONError) in members.append(try Member(&reader)) }
            default: throw .unknownKey(key.string)
            }
        }
        guard let family else { throw .invalid("the family's id is missing") }
        self.init(family: family, name: name, members: members)
    }
    /// `{"family":"…","name":"…","members":[{"member":"…","name":"…","role":"parent","token":"…"}]}`
    package func encode(into json: inout JSONWriter) {
        json.beginObject()
        json.key("family")
        json.identifier(family)
        json.key("name")
        json.string(name)
        json.key("members")
        json.beginArray()
        for member in members {
            json.beginObject()
            json.key("member")
            json.identifier(member.id)
            json.key("name")
            json.string(member.name)
            json.key("role")
            json.string(member.role.rawValue)
            json.key("token")
            json.string(member.token)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}

extension DemoFamily.Member {
    fileprivate init(_ reader: inout JSONReader) throws(JSONError) {
        var id: Identifier?
        var name = ""
        var role: Role?
        var token = ""
        try reader.readObject { (reader: inout JSONReader, key) throws(JSONError) in
            switch key {
            case "member": id = try reader.readIdentifier()
            case "name": name = try reader.readString()
            case "role": role = Role(rawValue: try reader.readString())
            case "token": token = try reader.readString()
            default: throw .unknownKey(key.string)
            }
        }
        guard let id, let role else { throw .invalid("a member's id or role is missing") }
        self.init(id: id, name: name, role: role, token: token)
    }
}
