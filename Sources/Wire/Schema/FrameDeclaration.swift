import Queries

/// The members of one frame, for schemas and for the test that holds the codec to them.
package struct FrameDeclaration: Sendable {
    package struct Member: Sendable {
        package let name: String
        package let isRequired: Bool
        package let schema: SchemaTree
        package let meaning: String
        /// `nil`: known to every server and client since 0.1.0, or part of a frame that has a feature.
        package let feature: Feature?

        init(_ name: String, _ schema: SchemaTree, _ meaning: String, required: Bool = true, feature: Feature? = nil) {
            self.name = name
            self.schema = schema
            self.meaning = meaning
            isRequired = required
            self.feature = feature
        }
    }

    /// The word of `"type"`.
    package let type: String
    package let meaning: String
    /// Besides `type`.
    package let members: [Member]
    /// Of these members a frame has exactly one; none of them is required by itself.
    package let oneOf: [String]
    /// The rules between members, as `allOf`.
    package let rules: [SchemaTree]
    /// `nil`: known since 0.1.0.
    package let feature: Feature?
    /// One such frame, as it is written.
    package let example: String

    init(
        _ type: String, _ meaning: String, _ members: [Member] = [], oneOf: [String] = [], rules: [SchemaTree] = [], feature: Feature? = nil,
        example: String
    ) {
        self.type = type
        self.meaning = meaning
        self.members = members
        self.oneOf = oneOf
        self.rules = rules
        self.feature = feature
        self.example = example
    }
}

extension FrameDeclaration {
    package static let client = ClientFrame.parts.map { $0.declaration }
    package static let server = ServerFrame.parts.map { $0.declaration }
}

/// A schema of `common.json`, seen from a frame's own file.
func commonSchema(_ name: String) -> SchemaTree { ["$ref": .string("../common.json#/$defs/\(name)")] }

/// An array of what `common.json` calls so.
func listSchema(_ name: String) -> SchemaTree { ["type": "array", "items": commonSchema(name)] }

/// A sum modulo 2^32.
let checksumSchema: SchemaTree = ["type": "integer", "minimum": 0, "maximum": 4_294_967_295]

extension FrameDeclaration.Member {
    /// Of a client's frame that has no number of its own.
    static let request = Self("request", commonSchema("count"), "A number that the client chooses; every answer echoes it.", required: false, feature: .requests)
    /// Of the frames that answer those.
    static let answered = Self("request", commonSchema("count"), "The number in the frame that it answers.", required: false, feature: .requests)
}
