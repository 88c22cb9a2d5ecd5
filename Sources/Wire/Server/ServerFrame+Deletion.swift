import Bytes
package import Family
import JSON

/// Answers `deletion`, `delete_family` and `keep_family`.
package struct DeletionAnswer: Hashable, Sendable {
    package var request: Int64
    /// The request that stands; `nil`: the family stays.
    package var deletion: FamilyDeletion?

    package init(request: Int64, deletion: FamilyDeletion?) {
        self.request = request
        self.deletion = deletion
    }
}

extension ServerFrame {
    struct DeletionParts: ServerFrameParts {
        static let declaration = FrameDeclaration("deletion", "Answers deletion, delete_family and keep_family.", [
            .init("request", commonSchema("count"), "The number in the request."),
            .init("due_at", commonSchema("instant"), "From then on the family is erased; left out: it stays.", required: false),
            .init("requested_at", commonSchema("instant"), "When the deletion was asked for.", required: false),
            .init("by", commonSchema("identifier"), "The parent who asked; left out: the person who runs the server.", required: false),
        ], feature: .deletion, example: #"""
            {"type":"deletion","request":31,"due_at":1777460400000,"requested_at":1776250800000,"by":"01910000-0000-7000-8000-000000000010"}
            """#)

        private var dueAt: Int64?
        private var requestedAt: Int64?
        private var by: Identifier?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "due_at": dueAt = try reader.readInteger()
            case "requested_at": requestedAt = try reader.readInteger()
            case "by": by = try reader.readIdentifier()
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            var deletion: FamilyDeletion?
            if let dueAt {
                let usual = dueAt - Int64(FamilyDeletion.days) * 86_400_000
                deletion = FamilyDeletion(requestedAt: requestedAt ?? usual, by: by, dueAt: dueAt)
            }
            return .deletion(DeletionAnswer(request: try need(request, "request"), deletion: deletion))
        }

        static func encode(_ answer: DeletionAnswer, into writer: inout JSONWriter) {
            writer.word("deletion")
            writer.key("request")
            writer.integer(answer.request)
            guard let deletion = answer.deletion else { return }
            writer.key("due_at")
            writer.integer(deletion.dueAt)
            writer.key("requested_at")
            writer.integer(deletion.requestedAt)
            guard let by = deletion.by else { return }
            writer.key("by")
            writer.identifier(by)
        }
    }
}
