internal import Bytes
internal import Family
package import Sync
internal import Terminal
package import Words

/// A change that was refused and is kept, as its author sees it: what was asked for, why not, and both sides of a conflict in words.
package struct DraftItem: Hashable, Sendable {
    /// One field of a conflict. Texts are whole, with their line ends.
    package struct Field: Hashable, Sendable {
        package let label: String
        package let base: String
        package let yours: String
        package let theirs: String
        /// "Carmen Rivera, 09:14"; "" where nobody else changed it.
        package let who: String
        package let isContested: Bool
        /// Whether both can be kept: texts one under the other, sets with whoever is in one of them.
        package let canBeBoth: Bool
        /// What to begin with when it is written anew: both texts, or yours; `nil` for what cannot be written.
        package let merged: String?
        package let isMultiline: Bool
        /// Names that can be written, where records are named; and whether several are, with commas between.
        package let candidates: [String]
        package let isList: Bool
    }

    /// The mutation's number.
    package let id: Int64
    /// "change Spring Showcase: cost".
    package let what: String
    package let at: String
    package let reason: [String]
    /// "Carmen Rivera changed it meanwhile."
    package let head: String
    package let sides: ConflictSides?
    /// Those of `sides`, in its order.
    package let fields: [Field]
    /// Whether it was refused because items of a trip overlap, so that a reason lets both be.
    package let isOverlap: Bool
    /// The command, or the words, that ask for the same; `nil` for what no single command asks for.
    package let command: String?
    /// Operations that it asked for at once; 0 for an undo.
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

    /// What the records of both sides are called, with commas between; an id where a name has a comma or is nobody else's alone.
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

    /// A value without a cut.
    private static func words(_ value: Value?, _ declaration: FieldDeclaration, _ text: ChangeText) -> String {
        switch (declaration.type, value) {
        case (.line, .text(let content)?), (.text, .text(let content)?): content.printableLines.joined(separator: "\n")
        default: text.value(value, declaration)
        }
    }
}

/// What was refused, as the command that would ask for it, so that it can be changed and sent.
package enum DraftCommand {
    /// - Returns: `nil` for an undo, several operations at once, or values that no command takes.
    package static func text(_ draft: Draft) -> String? {
        guard draft.undo == nil, draft.operations.count == 1, let operation = draft.operations.first else { return nil }
        let word = KindWords.singular(operation.kind)[0]
        switch operation.action {
        case .create(_, let patch) where operation.kind == .message:
            // Whom it speaks to is found in its words again.
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

    /// One word for `SlashCommand`.
    package static func quoted(_ text: String) -> String {
        guard text.isEmpty || text.contains(where: { $0.isWhitespace || $0 == "\"" || $0 == "'" || $0 == "\\" }) else { return text }
        return "\"" + text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] } + "\""
    }
}
