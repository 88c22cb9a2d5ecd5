internal import Arguments
package import Family
internal import Queries
internal import Words

extension CommandTable {
    /// Kinds with commands of their own, in the order of help.
    package static let kinds: [Kind] = [.event, .school, .coach, .trip, .tripItem, .metric, .interaction, .document, .member, .message]

    /// The kind that a word means, in the singular or in the plural.
    package static func kind(_ word: String) -> Kind? { word == "docs" ? .document : kinds.first { KindWords.singular($0).contains(word) || KindWords.plural($0) == word } }

    /// The kinds whose records can be named by name alone, in the order in which a name is looked up.
    package static let named: [Kind] = [.event, .trip, .tripItem, .document, .school, .coach, .metric, .interaction]

    static let override: [Command.Option] = [
        .init(
            "--override", inConversation: false,
            "accept that items of a trip are at the same time; the items are shown"),
        .init("--reason", hint: "TEXT", value: .text, inConversation: false, "why; kept with the change"),
    ]

    /// An option of lists.
    static let watch = Command.Option("--watch", inConversation: false, "show it again whenever it changes, until it is interrupted")

    static let records: [Command] = kinds.flatMap(commands)

    private static func commands(_ kind: Kind) -> [Command] {
        let plural = KindWords.plural(kind)
        let plurals = [plural] + (kind == .document ? ["docs"] : [])
        let singular = KindWords.singular(kind)
        let label = kind.declaration.label.lowercased()
        let a = "aeiou".contains(label.first ?? "x") ? "an" : "a"
        let takesOverride = kind == .trip || kind == .tripItem
        var commands = [
            Command(
                .list, .records, kind: kind, words: plurals.map { [$0] }, slash: plurals.map { [$0] }, arguments: [.init("TEXT", .text, required: false, repeats: true)],
                options: ListOptions.declared(kind) + ListOptions.shown(kind) + [watch], output: .records, "list \(plural); TEXT is searched", notes: notes(kind))
        ]
        if kind == .message { return commands }
        if kind != .member {
            commands.append(
                Command(
                    .show, .records, kind: kind, slash: singular.map { [$0] }, arguments: [.init("N", .record([kind]), repeats: true)],
                    "one \(label) in full"))
        }
        if kind.declaration.isCreatedByMutation {
            let athlete: [Command.Option] =
                kind.declaration.scope == .athlete
                ? [.init("--athlete", hint: "MEMBER", value: .record([.member]), "the athlete; otherwise the context's")] : []
            commands.append(
                Command(
                    .add, .records, kind: kind, words: [[plural, "add"]] + singular.map { ["add", $0] },
                    slash: [[plural, "add"]] + singular.map { ["add", $0] } + (kind == .event ? [["add"]] : []),
                    arguments: [.init("FIELD=VALUE", .field, required: false, repeats: true)],
                    options: athlete + (takesOverride ? override : []) + FieldOptions.declared(kind), output: .receipt, "add \(a) \(label)",
                    notes: "A field is written --field VALUE or field=VALUE. In the conversation, without fields, they are asked for one by one."))
        }
        commands.append(
            Command(
                .edit, .records, kind: kind, words: plurals.map { [$0, "edit"] } + singular.map { ["edit", $0] },
                slash: plurals.map { [$0, "edit"] } + singular.map { ["edit", $0] } + (kind == .event ? [["edit"]] : []),
                arguments: [.init("ID", .record([kind])), .init("FIELD=VALUE", .field, required: false, repeats: true)],
                options: (takesOverride ? override : []) + FieldOptions.declared(kind), output: .receipt, "change \(a) \(label)",
                notes: "An empty value clears a field. Sets take names with commas between; +NAME,-NAME adds and takes away."))
        // Members have a command of their own (`people`).
        if kind.declaration.isDeletedByMutation, kind != .member {
            commands.append(
                Command(
                    .remove, .records, kind: kind, words: plurals.map { [$0, "rm"] }, slash: plurals.map { [$0, "rm"] }, arguments: [.init("ID", .record([kind]))],
                    output: .receipt, "delete \(a) \(label)", notes: "It can be restored for 30 days."))
            if kind == .document {
                // A further word in the list of documents would be a search text that no document has.
                commands.append(
                    Command(
                        .restore, .records, kind: kind, words: plurals.map { [$0, "restore"] }, slash: plurals.map { [$0, "restore"] },
                        arguments: [.init("ID", .record([kind]))], output: .receipt, "restore a deleted document"))
            }
        }
        if kind == .event {
            commands.append(attend(words: [["attend"], ["events", "attend"]], slash: [["attend"], ["events", "attend"]]))
        }
        return commands
    }

    private static func notes(_ kind: Kind) -> String {
        switch kind {
        case .event: "Newest first, with --upcoming soonest first. The conversation lists what is ahead; /events past and /events all the rest."
        case .message: "The newest, oldest first."
        case .tripItem: "huddle itinerary has them by day."
        default: ""
        }
    }

    private static func attend(words: [[String]], slash: [[String]]) -> Command {
        let interaction = Kind.interaction.declaration
        func choices(_ name: String) -> [String] {
            guard let field = interaction.fields.first(where: { $0.name == name }), case .choice(let words, _) = field.type else { return [] }
            return words
        }
        return Command(
            .attend, .records, kind: .event, words: words, slash: slash, arguments: [.init("EVENT", .record([.event]))],
            options: [
                .init("--coaches", hint: "COACH,…", value: .records(.coach), "coaches who were there; added to those already listed"),
                .init("--notes", hint: "TEXT", value: .text, "how it went (performance notes)"),
                .init("--quick", "log an interaction as well, with words made from the event"),
                .init("--log", hint: "TEXT", value: .text, "log an interaction with these words"),
                .init("--with", hint: "COACH", value: .record([.coach]), "with whom the interaction was"),
                .init("--direction", hint: "WORD", value: .word(choices("direction")), "the direction of the contact: \(choices("direction").joined(separator: ", ")) (outbound)"),
                .init("--sentiment", hint: "WORD", value: .word(choices("sentiment")), "how it felt: \(choices("sentiment").joined(separator: ", "))"),
                .init(
                    "--metric", hint: "TYPE=VALUE", value: .text, repeats: true,
                    "a result, as often as wanted: --metric pop_time=1.89, --metric \"velocity=82.5 mph\""),
            ],
            output: .receipt, "mark an event attended, with results and an interaction",
            notes: "Everything is one change: it is done whole or not at all, and one undo undoes all of it.")
    }
}
