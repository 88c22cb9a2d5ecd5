internal import Bytes
internal import Family
package import Sync
internal import Terminal

extension ChangeText {
    /// The two sides of a conflict, field by field, all texts in full.
    package func conflict(_ sides: ConflictSides) -> [String] {
        let kind = sides.record.kind.declaration
        let name = RecordNames.name(sides.record)
        let whose = names.member(sides.record.updatedBy)
        var lines: [String] = []
        switch sides.matter {
        case .deleted: lines.append("\(name): \(whose) deleted it. Yours brings it back with your change, theirs lets it go.")
        case .whole: lines.append("\(name): \(whose) changed it in the meantime. Yours is done all the same, theirs leaves it as it is.")
        case .fields: lines.append("\(name): \(whose) changed it in the meantime.")
        }
        for field in sides.fields where kind.fields.indices.contains(field.field) {
            let declaration = kind.fields[field.field]
            guard field.isContested else {
                lines += column("  \(declaration.label), only yours: ", whole(field.yours, declaration))
                continue
            }
            lines.append("  \(declaration.label) (\(declaration.name))")
            if field.base != nil { lines += column("    before: ", whole(field.base, declaration)) }
            lines += column("    yours:  ", whole(field.yours, declaration))
            let who = field.member.map { member in " (\(names.member(member))\(field.at.map { ", \(time($0))" } ?? ""))" } ?? ""
            lines += column("    theirs: ", whole(field.theirs, declaration) + who)
        }
        return lines
    }

    /// A value in full.
    private func whole(_ value: Value?, _ declaration: FieldDeclaration) -> String {
        switch (declaration.type, value) {
        case (.line, .text(let text)?), (.text, .text(let text)?): text.printableLines.joined(separator: "\n")
        default: self.value(value, declaration)
        }
    }

    private func column(_ head: String, _ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
            (index == 0 ? head : String(repeating: " ", count: head.count)) + line
        }
    }

    /// The text of a pending mutation, on one line.
    package func waiting(_ mutation: PendingMutation) -> String {
        let what = mutation.undo.map { "undo #\($0)" } ?? operations(mutation.operations)
        return mutation.state == .unsent ? what : what + " (sent, not answered yet)"
    }
}
