package import Client
internal import Family
package import Terminal

/// What can be completed in the room, from the commands and the records.
package enum Completions {
    package static func all(_ names: RecordNames) -> [Sigil: [CompletionCandidate]] {
        [
            .command: commands, .emoji: emoji,
            .person: names.records(of: .member).map { member in
                let name = RecordNames.name(member)
                return CompletionCandidate(name, insertion: "@" + name, detail: member.fields.text("role") ?? "")
            }.sorted { $0.label < $1.label },
            .event: records(.event, names, "#", date: "start_date"), .trip: records(.trip, names, "~", date: "start_date"),
        ]
    }

    private static let commands: [CompletionCandidate] = CommandTable.all.flatMap { command in
        command.slash.prefix(1).map { words in
            let text = "/" + words.joined(separator: " ")
            return CompletionCandidate(text, insertion: text, detail: command.summary)
        }
    }

    private static let emoji = Emoji.table.map { CompletionCandidate($0.name, insertion: $0.emoji, detail: $0.emoji) }

    private static func records(_ kind: Kind, _ names: RecordNames, _ sigil: String, date: String) -> [CompletionCandidate] {
        names.records(of: kind).map { record in
            let name = RecordNames.name(record)
            return CompletionCandidate(name, insertion: sigil + name, detail: record.fields.text(date) ?? "")
        }.sorted { $0.detail > $1.detail }
    }
}
