package import Client
package import Family
package import Terminal

extension Sigil {
    /// The kind of the records that are named behind it.
    package var kind: Kind? {
        switch self {
        case .person: .member
        case .event: .event
        case .trip: .trip
        case .command, .emoji: nil
        }
    }
}

/// What can be completed in the room, by sigil, from the commands and the records.
package enum Completions {
    package static func all(_ sigil: Sigil, _ names: RecordNames) -> LabelIndex<CompletionCandidate> {
        switch sigil {
        case .command: commands
        case .emoji: emoji
        case .person:
            LabelIndex(
                names.records(of: .member).map { member in
                    let name = RecordNames.name(member)
                    return CompletionCandidate(name, insertion: "@" + name, detail: member.fields.text("role") ?? "")
                }.sorted { $0.label < $1.label })
        case .event: records(.event, names, "#")
        case .trip: records(.trip, names, "~")
        }
    }

    private static let commands = LabelIndex(
        CommandTable.all.flatMap { command in
            command.slash.prefix(1).map { words in
                let text = "/" + words.joined(separator: " ")
                return CompletionCandidate(text, insertion: text, detail: command.summary)
            }
        })

    private static let emoji = LabelIndex(Emoji.table.map { CompletionCandidate($0.name, insertion: $0.emoji, detail: $0.emoji) })

    /// Those that have dates, the latest first.
    private static func records(_ kind: Kind, _ names: RecordNames, _ sigil: String) -> LabelIndex<CompletionCandidate> {
        let records = names.records(of: kind)
        let dates = records.map { $0.fields.text("start_date") ?? "" }
        return LabelIndex(
            dates.indices.sorted { dates[$0] > dates[$1] }.map { place in
                let name = RecordNames.name(records[place])
                return CompletionCandidate(name, insertion: sigil + name, detail: dates[place])
            })
    }
}
