package import Bytes
package import Family
package import Sync
internal import Terminal
package import Wire

/// Changes, messages, presence and refusals in words, on lines that are safe for a terminal.
package struct ChangeText {
    package let names: RecordNames
    /// Formats UTC milliseconds as `HH:MM` in the reader's zone.
    package let time: (Int64) -> String

    package init(_ names: RecordNames, time: @escaping (Int64) -> String) {
        self.names = names
        self.time = time
    }

    /// "09:14 Dana: see you at the camp".
    package func message(_ record: Record) -> String {
        let text = record.fields.text("text") ?? ""
        let who = names.member(record.createdBy)
        let lines = (ActionMessage.of(text) ?? text).printableLines.joined(separator: "\n      ")
        return "\(time(record.createdAt)) " + (ActionMessage.of(text) == nil ? "\(who): " : "* \(who) ") + lines
    }

    /// One line for each record entry of the change; none for messages, which `message` covers.
    ///
    /// - Parameter before: returns a record in its state before the change, for the names of deleted records.
    package func lines(_ change: Change, before: (Identifier) -> Record? = { _ in nil }) -> [String] {
        change.entries.compactMap { entry in
            line(entry, by: names.member(change.member), before: before(entry.id)).map { "\(time(change.at)) " + $0 }
        }
    }

    /// The viewer's own change in one line: "Deleted Albany, with 2 items".
    ///
    /// - Parameter before: as in `lines`.
    package func done(_ change: Change, before: (Identifier) -> Record? = { _ in nil }) -> String {
        let what = what(change, before: before)
        return change.undoes == nil ? (what.first?.uppercased() ?? "") + what.dropFirst() : "Undone: \(what)"
    }

    /// The content of a change in words, without its author: "marked Late Camp attended, with 1 result".
    ///
    /// - Parameter before: as in `lines`.
    package func what(_ change: Change, before: (Identifier) -> Record? = { _ in nil }) -> String {
        sentence(change.entries, by: "", before: before)?.text ?? "done"
    }

    /// A change in line mode: "09:14 Dana added 200 events".
    ///
    /// - Parameters:
    ///   - before: as in `lines`.
    ///   - undone: the change that this one undoes or redoes, and whether it undoes it.
    package func told(_ change: Change, undone: (change: Change, isUndo: Bool)? = nil, before: (Identifier) -> Record? = { _ in nil }) -> String? {
        let who = names.member(change.member)
        if let undone, let words = sentence(undone.change.entries, by: "", before: before) {
            return "\(time(change.at)) \(who) \(undone.isUndo ? "undid" : "redid"): \(words.text)"
        }
        return sentence(change.entries, by: who, before: before).map { "\(time(change.at)) \($0.text)" }
    }

    func line(_ entry: ChangeEntry, by author: String, before: Record?) -> String? {
        let record = names[entry.id] ?? before
        let name = name(entry, record)
        switch entry.effect {
        case .create(_, let fields):
            switch entry.kind {
            case .message, .readingPosition: return nil
            case .event: return "\(author) added \(name), \(EventText.dates(fields))"
            case .member: return "\(name) joined the family"
            case .reminderRule: return "\(author) chose when to be reminded"
            default: return "\(author) added \(entry.kind.declaration.label.lowercased()) \(name)"
            }
        case .update(let assignments): return entry.kind == .readingPosition ? nil : update(entry, assignments, author, name)
        case .delete:
            if entry.kind == .reminderRule { return "\(author) went back to the usual reminders" }
            return entry.kind == .message ? "\(author) deleted a message" : "\(author) deleted \(name)"
        case .restore: return "\(author) restored \(name)"
        }
    }

    private func update(_ entry: ChangeEntry, _ assignments: [FieldPatch.Assignment], _ author: String, _ name: String) -> String {
        let fields = entry.kind.declaration.fields
        if entry.kind == .reminderRule { return "\(author) chose when to be reminded" }
        if assignments.count == 1, let only = assignments.first, fields.indices.contains(only.field) {
            switch (entry.kind, fields[only.field].name, only.value) {
            case (.event, "attended", .flag(true)?): return "\(author) marked \(name) attended"
            case (.event, "attended", _): return "\(author) marked \(name) not attended"
            case (.event, "registered", .flag(true)?): return "\(author) marked \(name) registered"
            case (.event, "registered", _): return "\(author) marked \(name) not registered"
            case (.family, FamilyDeletion.field, .text(let day)?):
                return "\(author) asked for the deletion of this family: it will be erased on \(day.printable). Until then any parent can keep it: huddle family keep"
            case (.family, FamilyDeletion.field, _): return "\(author) withdrew the request to delete this family: it stays"
            case (.message, _, _): return "\(author) edited a message"
            default: break
            }
        }
        // The coaches and notes accompany the mark.
        if entry.kind == .event, assignments.contains(where: { $0.value == .flag(true) && fields.indices.contains($0.field) && fields[$0.field].name == "attended" }) {
            let rest = assignments.filter { fields.indices.contains($0.field) && fields[$0.field].name != "attended" }
            let parts = rest.prefix(3).map { "\(fields[$0.field].label.lowercased()) \(value($0.value, fields[$0.field]))" }
            return "\(author) marked \(name) attended" + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")) + (rest.count > 3 ? " and \(rest.count - 3) more" : "")
        }
        let parts = assignments.prefix(3).compactMap { assignment -> String? in
            guard fields.indices.contains(assignment.field) else { return nil }
            let value = value(assignment.value, fields[assignment.field])
            return "\(fields[assignment.field].label.lowercased()) \(value)"
        }
        let more = assignments.count > 3 ? " and \(assignments.count - 3) more" : ""
        return "\(author) changed \(name): \(parts.joined(separator: ", "))\(more)"
    }

    func name(_ entry: ChangeEntry, _ record: Record?) -> String {
        var known = record?.fields
        switch entry.effect {
        case .create(_, let fields), .restore(_, let fields, _, _): known = known ?? fields
        case .update, .delete: break
        }
        let name = TextWidth.cut(known.map { RecordNames.name($0) } ?? "", to: 60)
        return name.isEmpty ? Self.unnamed(entry.kind) : name
    }

    /// "a school", "an interaction".
    private static func unnamed(_ kind: Kind) -> String {
        let label = kind.declaration.label.lowercased()
        return (label.first.map { "aeiou".contains($0) } == true ? "an " : "a ") + label
    }

    /// A value for display, cut to a width.
    package func value(_ value: Value?, _ field: FieldDeclaration, columns: Int = 60) -> String {
        let text: String
        switch value {
        case nil: text = "–"
        case .text(let content):
            if case .choice(let words, let labels) = field.type, let place = words.firstIndex(of: content), labels.indices.contains(place) {
                text = labels[place]
            } else if case .localDateTime = field.type {
                text = TripText.moment(content)
            } else if case .date = field.type {
                text = EventText.dates(content, nil)
            } else {
                text = content.printable
            }
        case .integer(let number): text = field.name == "octets" ? ByteCount.text(number) : String(number)
        case .flag(let flag): text = flag ? "yes" : "no"
        case .reference(let id), .link(_, let id):
            let name = names.name(id)
            text = name.isEmpty ? names.short(id) : name
        case .set(let elements):
            let all = elements.map { $0.name.isEmpty ? names.short($0.id) : $0.name.printable }
            text = all.isEmpty ? "–" : all.joined(separator: ", ")
        case .json: text = "{…}"
        }
        return TextWidth.cut(text, to: columns)
    }

    private static func days(_ count: Int) -> String { count == 1 || count == -1 ? "\(count) day" : "\(count) days" }

    /// "Maya is here, viewing Maya's season"; "Maya has left".
    package func presence(_ presence: Presence) -> String {
        let name = names.member(presence.member)
        guard presence.connections > 0 else { return "\(name) has left" }
        switch presence.context {
        case .all: return "\(name) is here, viewing everyone's season"
        case .athlete(presence.member): return "\(name) is here, viewing their own season"
        case .athlete(let id): return "\(name) is here, viewing \(names.member(id))'s season"
        }
    }

    /// "Maya is uploading Fall highlights, 45%".
    package func upload(_ upload: UploadProgress) -> String {
        let title = upload.title.printable
        switch upload.state {
        case .running:
            let percent = upload.percent.map { ", \($0)%" } ?? ""
            return "\(names.member(upload.member)) is uploading \(title)\(percent)"
        case .paused: return "\(names.member(upload.member))'s upload of \(title) waits for the connection"
        case .finished: return "\(names.member(upload.member)) uploaded \(title)"
        case .cancelled: return "\(names.member(upload.member)) gave up the upload of \(title)"
        }
    }

    /// The sentence of a rejection, and for a conflict each contested field: yours, theirs, author and time.
    package func rejection(_ rejection: Rejection) -> [String] {
        var lines = [rejection.message.printable]
        for overlap in rejection.overlaps {
            let who = overlap.members.map(names.member).sorted().joined(separator: ", ")
            lines.append("  \(TripText.overlapping(overlap.item)); \(TripText.overlapping(overlap.with))" + (who.isEmpty ? "" : ": \(who)"))
        }
        guard let conflict = rejection.conflict else { return lines }
        let declared = conflict.record.kind.declaration.fields
        for field in conflict.fields where declared.indices.contains(field.field) {
            let declaration = declared[field.field]
            lines.append(
                "  \(declaration.label): yours \(value(field.yours, declaration)), theirs \(value(field.theirs, declaration))"
                    + " (\(names.member(field.member)), \(time(field.at)))")
        }
        if conflict.record.isDeleted { lines.append("  It was deleted in the meantime; trying again restores it.") }
        return lines
    }

    /// The request of a draft, on one line.
    package func draft(_ draft: Draft) -> String { draft.undo.map { "undo #\($0)" } ?? operations(draft.operations) }

    /// The request of a mutation, on one line.
    package func operations(_ operations: [Operation]) -> String {
        operations.map { operation in
            let known = names.name(operation.id)
            let own = operation.patch?.assignments.first { assignment in
                operation.kind.declaration.fields.indices.contains(assignment.field)
                    && ["name", "text", "last_name", "title", "subject"].contains(operation.kind.declaration.fields[assignment.field].name)
            }
            var name = known
            if name.isEmpty, case .text(let text)? = own?.value { name = text.printable }
            name = TextWidth.cut(name.isEmpty ? Self.unnamed(operation.kind) : name, to: 60)
            switch operation.action {
            case .create: return operation.kind == .message ? "message: \(name)" : "add \(name)"
            case .update(_, _, let patch):
                let fields = (patch.assignments.map(\.field) + patch.setEdits.map(\.field)).sorted().map {
                    operation.kind.declaration.fields[$0].label.lowercased()
                }
                return "change \(name): \(fields.joined(separator: ", "))"
            case .delete: return "delete \(name)"
            case .restore: return "restore \(name)"
            case .shift(_, let days): return "move \(name) by \(Self.days(days))"
            case .copy(let from, let days):
                return "copy \(TextWidth.cut(names.name(from), to: 60)), \(Self.days(days)) on"
            }
        }.joined(separator: "; ")
    }
}
