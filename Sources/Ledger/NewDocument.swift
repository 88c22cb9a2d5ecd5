package import Bytes
package import Family

/// A document whose file is there, so that its record can be made. Uploads, imports and the demo make documents in this one way.
package struct NewDocument: Sendable {
    package var id: Identifier
    package var family: Identifier
    /// The member who uploads it.
    package var member: Identifier
    /// The athlete whose document it is.
    package var athlete: Identifier
    /// A version in the chain that it joins, not necessarily the newest; `nil` begins a chain.
    package var replaces: Identifier?
    /// As an author writes them: `type`, `title`, `description`, `school_id`.
    package var fields: FieldPatch
    package var file: File

    /// The facts about the file that the server found out by itself.
    package struct File: Hashable, Sendable {
        package var name: String
        /// Media type.
        package var type: String
        package var octets: Int64
        /// Hex.
        package var sha256: String

        package init(name: String, type: String, octets: Int64, sha256: String) {
            self.name = name
            self.type = type
            self.octets = octets
            self.sha256 = sha256
        }
    }

    package init(
        id: Identifier, family: Identifier, member: Identifier, athlete: Identifier, replaces: Identifier? = nil, fields: FieldPatch, file: File
    ) {
        self.id = id
        self.family = family
        self.member = member
        self.athlete = athlete
        self.replaces = replaces
        self.fields = fields
        self.file = file
    }
}
