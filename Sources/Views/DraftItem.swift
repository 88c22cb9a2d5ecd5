internal import Bytes
internal import Family
package import Sync
internal import Terminal
package import Words

/// A refused change that the client has saved, in words for its author: the request, the reason, and both sides of a
/// conflict.
package struct DraftItem: Hashable, Sendable {
    /// One field of a conflict. Texts are complete and keep their line ends.
    package struct Field: Hashable, Sendable {
        package let label: String
        package let base: String
        package let yours: String
        package let theirs: String
        /// "Carmen Rivera, 09:14"; "" if no other member changed the field.
        package let who: String
        package let isContested: Bool
        /// Whether both values can be kept: two texts one below the other, or the union of two sets.
        package let canBeBoth: Bool
        /// The initial text for a rewrite: both texts, or yours; `nil` for a field that cannot be rewritten.
        package let merged: String?
        package let isMultiline: Bool
        /// The names that can be typed, if the field names records; `isList` says whether it takes several, separated
        /// by commas.
        package let candidates: [String]
        package let isList: Bool
    }

    /// The mutation's number.
    package let id: Int64
    /// "change Spring Showcase: cost".
    package let what: String
    package let at: String
    package let reason: [String]
    /// "Carmen Rivera changed it in the meantime."
    package let head: String
    package let sides: ConflictSides?
    /// The fields of `sides`, in its order.
    package let fields: [Field]
    /// Whether the change was refused because trip items overlap, so that a reason makes both valid.
    package let isOverlap: Bool
    /// The command, or the message text, for the same request; `nil` if no single command makes it.
    package let command: String?
    /// The number of operations in the request; 0 for an undo.
    package let parts: Int

    /// - Parameter sides: `SyncEngine.conflict` of the draft.
    package init(_ draft: Draft, _ sides: ConflictSides?, _ text: ChangeText) {
        id = draft.id
        what = text.draft(draft)
        at = text.time(draft.at)
        self.sides = sides
        reason = text.rejection(draft.rejection)
        isOverlap = draft.rejection.code == .overlap && !draft.rejection.overlaps.isEmpty
        command = DraftCommand.text(draft)
        parts = draft.undo == nil ? draft.operations.count : 0
        guard let sides else {
            (head, fields) = ("", [])
            return
        }
        head = text.conflict(sides).first ?? ""
        let declared = sides.record.kind.declaration.fields
        fields = sides.fields.compactMap { field in
            guard declared.indices.contains(field.field) else { return nil }
            return Field(field, declared[field.field], text)
        }
    }
}

extension DraftItem.Field {
    fileprivate init(_ field: ConflictSides.Field, _ declaration: FieldDeclaration, _ text: ChangeText) {
        label = declaration.label
        base = field.base == nil && !field.isContested ? "" : Self.words(field.base, declaration, text)
        yours = Self.words(field.yours, declaration, text)
        theirs = Self.words(field.theirs, declaration, text)
        isContested = field.isContested
        switch declaration.type {
        case .set(let kind, _): (candidates, isList) = (Self.candidates(kind, text.names), true)
        case .reference(let kind): (candidates, isList) = (Self.candidates(kind, text.names), false)
        case .flag: (candidates, isList) = (["yes", "no"], false)
        default: (candidates, isList) = ([], false)
        }
        who = field.member.map { member in text.names.member(member) + (field.at.map { ", \(text.time($0))" } ?? "") } ?? ""
        switch (declaration.type, field.theirs, field.yours) {
        case (.text, .text(let theirs)?, .text(let yours)?):
            (canBeBoth, isMultiline) = (true, true)
            merged = theirs == yours ? yours : theirs + "\n" + yours
        case (.text, let theirs, let yours):
            (canBeBoth, isMultiline) = (true, true)
            merged = Self.raw(yours) ?? Self.raw(theirs) ?? ""
        case (.line, .text(let theirs)?, .text(let yours)?):
            (canBeBoth, isMultiline) = (true, false)
            merged = theirs == yours ? yours : theirs + " / " + yours
        case (.set, let theirs, let yours):
            (canBeBoth, isMultiline) = (true, false)
            merged = Self.names(theirs, yours, text.names)
        case (.reference, let theirs, let yours):
            (canBeBoth, isMultiline) = (false, false)
            merged = Self.names(nil, yours ?? theirs, text.names)
        case (.flag, _, let yours):
            (canBeBoth, isMultiline) = (false, false)
            merged = yours == .flag(true) ? "yes" : "no"
        case (.link, _, _), (.json, _, _): (canBeBoth, isMultiline, merged) = (false, false, nil)
        case (_, let theirs, let yours): (canBeBoth, isMultiline, merged) = (false, false, Self.raw(yours) ?? Self.raw(theirs) ?? "")
        }
    }

    /// The names of the records on both sides, separated by commas; an id replaces a name that contains a comma or is
    /// not unique.
    private static func names(_ theirs: Value?, _ yours: Value?, _ names: RecordNames) -> String {
        var ids: [Identifier] = []
        for value in [theirs, yours] {
            switch value {
            case .set(let elements)?: for element in elements where !ids.contains(element.id) { ids.append(element.id) }
            case .reference(let id)?: ids.append(id)
            default: break
            }
        }
        return ids.map { id in
            let name = names.name(id)
            guard let kind = names[id]?.kind, !name.contains(","), (try? names.find(kind, name))?.id == id else { return id.description }
            return name
        }.joined(separator: ", ")
    }

    private static func candidates(_ kind: Kind, _ names: RecordNames) -> [String] {
        names.records(of: kind).map { RecordNames.name($0) }.filter { !$0.isEmpty && !$0.contains(",") }.sorted()
    }

    private static func raw(_ value: Value?) -> String? {
        switch value {
        case .text(let text)?: text
        case .integer(let number)?: String(number)
        default: nil
        }
    }

    /// A value in full.
    private static func words(_ value: Value?, _ declaration: FieldDeclaration, _ text: ChangeText) -> String {
        switch (declaration.type, value) {
        case (.line, .text(let content)?), (.text, .text(let content)?): content.printableLines.joined(separator: "\n")
        default: text.value(value, declaration)
        }
    }
}

/// A refused change as the command for the same request, so that the user can edit and send it.
package enum DraftCommand {
    /// - Returns: `nil` for an undo, for several operations, or for values that no command takes.
    package static func text(_ draft: Draft) -> String? {
        guard draft.undo == nil, draft.operations.count == 1, let operation = draft.operations.first else { return nil }
        let word = KindWords.singular(operation.kind)[0]
        switch operation.action {
        case .create(_, let patch) where operation.kind == .message:
            // The message's own text contains the names of its addressees.
            guard let field = operation.kind.declaration.index(of: "text"),
                case .text(let text)? = patch.assignments.first(where: { $0.field == field })?.value
            else { return nil }
            return text.hasPrefix("/") ? "/" + text : text
        case .create(let athlete, let patch):
            guard let fields = fields(patch, operation.kind) else { return nil }
            return (["/add \(word)"] + fields + (athlete.map { ["--athlete \($0)"] } ?? [])).joined(separator: " ")
        case .update(_, _, let patch):
            guard operation.kind != .message, let fields = fields(patch, operation.kind) else { return nil }
            return (["/edit \(word) \(operation.id)"] + fields).joined(separator: " ")
        case .delete: return "/rm \(word) \(operation.id)"
        case .restore: return "/restore \(word) \(operation.id)"
        case .shift(_, let days): return "/shift \(word) \(operation.id) \(days)"
        case .copy(let from, let days): return "/copy \(word) \(from) \(days)"
        }
    }

    private static func fields(_ patch: FieldPatch, _ kind: Kind) -> [String]? {
        let declared = kind.declaration.fields
        var words: [String] = []
        for assignment in patch.assignments {
            guard declared.indices.contains(assignment.field), let text = text(assignment.value) else { return nil }
            words.append("\(name(declared[assignment.field]))=\(quoted(text))")
        }
        for edit in patch.setEdits {
            guard declared.indices.contains(edit.field) else { return nil }
            let people = edit.add.map { "+\($0)" } + edit.remove.map { "-\($0)" }
            words.append("\(name(declared[edit.field]))=\(quoted(people.joined(separator: ",")))")
        }
        return words
    }

    private static func name(_ field: FieldDeclaration) -> String { String(field.name.map { $0 == "_" ? "-" : $0 }) }

    private static func text(_ value: Value?) -> String? {
        switch value {
        case nil: ""
        case .text(let text)?: text
        case .integer(let number)?: String(number)
        case .flag(let flag)?: flag ? "yes" : "no"
        case .reference(let id)?: id.description
        case .set(let elements)?: elements.map(\.id.description).joined(separator: ",")
        case .json(let octets)?: String(decoding: octets, as: UTF8.self)
        case .link: nil
        }
    }

    /// A text quoted as one word for `SlashCommand`.
    package static func quoted(_ text: String) -> String {
        guard text.isEmpty || text.contains(where: { $0.isWhitespace || $0 == "\"" || $0 == "'" || $0 == "\\" }) else { return text }
        return "\"" + text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] } + "\""
    }
}
