import Bytes
import Family
import Testing
import Wire

/// Tables of `proto/protocol.md` that state what the program's own declarations state: each is between two marks, and is written from
/// the declarations (`ProtoFolder.isWriting`).
@Suite("The tables of protocol.md", .serialized)
struct ProtocolTableTests {
    @Test("P04 The tables of rights, of defaults and of features are the generated ones", arguments: ["rights", "defaults", "features"])
    func tables(_ name: String) throws {
        let table = name == "rights" ? Self.rights() : name == "defaults" ? Self.defaults() : Self.features()
        let text = String(decoding: try #require(ProtoFolder.read("protocol.md")), as: UTF8.self)
        let begin = "<!-- \(name): written by a test from the declarations -->\n"
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let first = try #require(lines.firstIndex { $0 + "\n" == begin }, "protocol.md has no mark for \(name)")
        let last = try #require(lines[first...].firstIndex { $0 == "<!-- end -->" })
        if ProtoFolder.isWriting {
            let written = lines[...first] + table + lines[last...]
            #expect(ProtoFolder.write("protocol.md", Array(written.joined(separator: "\n").utf8)))
        } else {
            #expect(Array(lines[(first + 1)..<last]) == table, "write it again with HUDDLE_WRITE_PROTO=1")
        }
    }

    // MARK: Rights

    /// One row for all kinds with the same rights, by the answers of `Permission`.
    private static func rights() -> [String] {
        var rows: [(kinds: [String], cells: [String])] = []
        for kind in Kind.allCases {
            let cells = [Role.parent, .athlete, .guest].map { cell(kind, $0) }
            if let place = rows.firstIndex(where: { $0.cells == cells }) {
                rows[place].kinds.append("`\(kind.name)`")
            } else {
                rows.append((["`\(kind.name)`"], cells))
            }
        }
        return ["| kind | parent | athlete | guest |", "| --- | --- | --- | --- |"]
            + rows.map { "| \($0.kinds.joined(separator: ", ")) | \($0.cells.joined(separator: " | ")) |" }
    }

    /// The owner of a record, seen from the actor.
    private enum Whose: CaseIterable { case own, editable, viewed }

    private static func cell(_ kind: Kind, _ role: Role) -> String {
        var clauses: [(words: [String], whose: String)] = []
        func add(_ word: String, _ whose: [Whose]) {
            guard let phrase = phrase(whose, kind) else { return }
            if let place = clauses.firstIndex(where: { $0.whose == phrase }) {
                clauses[place].words.append(word)
            } else {
                clauses.append(([word], phrase))
            }
        }
        for action in AccessAction.allCases {
            switch action {
            case .create where kind == .document: add("upload", allowed(kind, role, action, [0]))
            case .create where !kind.declaration.isCreatedByMutation: break
            case .delete where !kind.declaration.isDeletedByMutation: break
            case .restore where !kind.declaration.isDeletedByMutation: break
            case .update where kind == .member:
                for (index, field) in kind.declaration.fields.enumerated() {
                    let grown = allowed(kind, role, action, [index], age: Permission.ownAccessAge)
                    let young = allowed(kind, role, action, [index], age: Permission.ownAccessAge - 1)
                    add("update `\(field.name)`" + (grown == young ? "" : " from age \(Permission.ownAccessAge)"), grown)
                }
            default: add("\(action)", allowed(kind, role, action, kind.declaration.fields.indices.filter { kind != .member || $0 == 0 }))
            }
        }
        return clauses.isEmpty ? "–" : clauses.map { $0.words.joined(separator: ", ") + $0.whose }.joined(separator: "; ")
    }

    private static func allowed(_ kind: Kind, _ role: Role, _ action: AccessAction, _ fields: [Int], age: Int? = nil) -> [Whose] {
        let actor = Actor(member: Identifier(high: 0x7000, low: 1), role: role)
        return Whose.allCases.filter { whose in
            let member = whose == .own ? actor.member : Identifier(high: 0x7000, low: 2)
            return Permission.allows(
                Access(
                    actor: actor, kind: kind, action: action, owner: kind.declaration.scope == .athlete ? member : nil,
                    ownerAllowsParents: whose == .viewed ? .view : .edit, author: member,
                    subject: kind == .readingPosition ? ReadingPosition.id(of: member) : kind == .reminderRule ? ReminderRule.id(of: member) : member, fields: fields, actorAge: age))
        }
    }

    /// `nil` for nobody's.
    private static func phrase(_ whose: [Whose], _ kind: Kind) -> String? {
        switch whose {
        case []: return nil
        case Whose.allCases: return ""
        case [.own]: return " (own)"
        case [.own, .editable] where kind.declaration.scope == .athlete: return " (unless the athlete's `parent_access` is `view`)"
        default:
            Issue.record("rights that the table has no words for: \(kind.name) \(whose)")
            return nil
        }
    }

    // MARK: Features

    private static func features() -> [String] {
        ["| feature | a client may send | the server may send |", "| --- | --- | --- |"]
            + Feature.allCases.map { feature in
                var client = parts(of: feature, FrameDeclaration.client)
                if !feature.operations.isEmpty { client.append("operations " + list(feature.operations)) }
                var server = parts(of: feature, FrameDeclaration.server)
                if !feature.kinds.isEmpty {
                    let kinds = "kinds " + list(feature.kinds.map(\.name.description))
                    client.append(kinds)
                    server.append(kinds)
                }
                return "| `\(feature.rawValue)` | \(cell(client)) | \(cell(server)) |"
            }
    }

    /// Whole frames, and of others the keys that belong to it.
    private static func parts(of feature: Feature, _ frames: [FrameDeclaration]) -> [String] {
        let whole = frames.filter { $0.feature == feature }.map(\.type)
        let keys: [String] = frames.compactMap { frame in
            let keys = frame.members.filter { $0.feature == feature }.map(\.name)
            return keys.isEmpty ? nil : "\(list(keys)) of `\(frame.type)`"
        }
        return (whole.isEmpty ? [] : ["frame " + list(whole)]) + keys
    }

    private static func list(_ words: [String]) -> String { words.map { "`\($0)`" }.joined(separator: ", ") }

    private static func cell(_ parts: [String]) -> String { parts.isEmpty ? "–" : parts.joined(separator: "; ") }

    // MARK: Defaults

    private static func defaults() -> [String] {
        var rows = ["| kind | field | a create without it gets |", "| --- | --- | --- |"]
        for kind in Kind.allCases {
            for field in kind.declaration.fields {
                let value: String? =
                    switch field.defaultValue {
                    case .flag(let flag)?: "`\(flag)`"
                    case .text(let text)?: "`\"\(text)\"`"
                    case let other?: "`\(other)`"
                    case nil: field.filledIn
                    }
                if let value { rows.append("| `\(kind.name)` | `\(field.name)` | \(value) |") }
            }
        }
        return rows
    }
}
