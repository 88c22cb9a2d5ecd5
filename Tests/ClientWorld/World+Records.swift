package import Bytes
package import Family

/// Records of other kinds.
extension World {
    package static func event(_ values: [String: Value], id: UInt64 = 60, athlete: Identifier? = athlete) -> Record {
        var fields = Fields(.event)
        for (name, value) in values { fields[name] = value }
        return Record(
            kind: .event, id: self.id(id), athlete: athlete, version: 2, createdAt: 0, createdBy: parent, updatedAt: 0,
            updatedBy: parent, fields: fields)
    }

    package static func member(_ id: Identifier, _ name: String) -> Record {
        var fields = Fields(.member)
        fields["name"] = .text(name)
        return Record(
            kind: .member, id: id, athlete: nil, version: 1, createdAt: 0, createdBy: id, updatedAt: 0, updatedBy: id, fields: fields)
    }

    package static func message(_ number: UInt64, _ text: String, by author: Identifier, at: Int64, _ more: [String: Value] = [:]) -> Record {
        var fields = Fields(.message)
        fields["text"] = .text(text)
        for (name, value) in more { fields[name] = value }
        return Record(
            kind: .message, id: id(number), athlete: nil, version: 1, createdAt: at, createdBy: author, updatedAt: at,
            updatedBy: author, fields: fields)
    }
}
