internal import Family
internal import Words
internal import Words

extension CommandTable {
    /// The kinds whose records can be moved and copied.
    static let movable: [Kind] = [.trip, .event, .tripItem]
    static let copied: [Kind] = [.trip, .event]
    /// The kinds that can be exported as a table.
    static let exported: [Kind] = [.event, .metric, .interaction, .school, .coach, .trip, .tripItem, .document]

    static let changes: [Command] = [
        Command(
            .remove, .changes, words: [["rm"]], slash: [["rm"]], arguments: target(named), output: .receipt, "delete a record",
            notes: "KIND ID where a name is not enough: huddle rm trip Austin. It can be restored for 30 days."),
        Command(
            .restore, .changes, words: [["restore"]], slash: [["restore"]], arguments: target(named + [.member]), options: override, output: .receipt,
            "restore a record deleted in the last 30 days"),
        Command(
            .undo, .changes, words: [["undo"]], slash: [["undo"]], arguments: [.init("CHANGE", .sequence, required: false)],
            options: override, output: .receipt, "undo a whole change; without its number your own last one",
            notes: "The number is in the history (#121) and in every receipt (seq). It can be undone as long as nobody changed the same since. Again: the one before it."),
        Command(
            .redo, .changes, words: [["redo"]], slash: [["redo"]], options: override, output: .receipt, "redo the change that you undid last; again: the one before it"),
        Command(
            .shift, .changes, words: [["shift"]], slash: [["shift"]], arguments: target(movable) + [.init("DAYS", .number)],
            options: override, output: .receipt, "move a trip with all its items, an item or an event by days; local times stay",
            notes: "DAYS may be negative: huddle shift \"Fall Camp\" -7"),
        Command(
            .copy, .changes, words: [["copy"]], slash: [["copy"]], arguments: target(copied) + [.init("DAYS", .number)], output: .receipt,
            "a new trip or event like that one, DAYS later"),
        Command(
            .itinerary, .changes, words: [["itinerary"]], slash: [["itinerary"]],
            arguments: [.init("TRIP", .record([.trip]), required: false)],
            options: [.init("--day", hint: "DATE", value: .date, "only that day"), watch], output: .records,
            "the items of a trip, day by day; without its name of all trips that are not over"),
        Command(
            .export, .changes, words: [["export"]],
            arguments: [.init("KIND", .word(exported.map(KindWords.plural))), .init("TEXT", .text, required: false, repeats: true)],
            options: [
                .init("--csv", "as comma-separated values, every field: the way when nothing else is said"),
                .init("--pdf", "as pages to print or send, as a list shows them, with all texts; so also into a FILE that ends with .pdf"),
                .init("--ics", "events, trips and items as a calendar for other programs; so also into a FILE that ends with .ics"),
                .init("--output", hint: "FILE", value: .file, "into a file, which must not be there yet; else to standard output"),
            ] + ListOptions.declaredOfAll(exported),
            "a list as a table for spreadsheets, as pages, or as a calendar", notes: "Takes the filters of the list. In CSV what begins like a formula is made harmless. PDF needs the package libpangocairo-1.0-0."),
        Command(
            .exportFamily, .changes, words: [["export", "family"]], arguments: [.init("FILE", .file)],
            options: [.init("--private", "with birth dates and consents; the server asks for huddle confirm first, if you have a password or passkey")], output: .records,
            "the whole family with its files as one archive, into a new file",
            notes: "For parents. The archive can be imported on any server of Huddle. The family sees in its audit log, and athletes see in their access log, that it was made."),
    ]

    static let questions: [Command] = [
        Command(
            .history, .questions, words: [["history"]], slash: [["history"]], arguments: [.init("NAME", .record(named), required: false, repeats: true)],
            options: [
                .init("--before", hint: "SEQ", value: .sequence, "older than that change"),
                .init("--limit", hint: "N", value: .number, "at most N (20)"),
            ], output: .answer, "changes with their authors, of the family or of one record",
            notes: "KIND ID for a record that is deleted."),
        Command(
            .since, .questions, words: [["since"]], slash: [["since"]], arguments: [.init("SEQ", .sequence, required: false)],
            output: .answer, "changes by others since you last looked, or after a change"),
        Command(
            .deleted, .questions, words: [["deleted"]], slash: [["deleted"]],
            arguments: [.init("KIND", .word((named + [.member]).map { KindWords.singular($0)[0] }), required: false)], output: .records,
            "records deleted in the last 30 days, which can be restored"),
        Command(
            .reminders, .questions, words: [["reminders"]], slash: [["reminders"]], output: .reminders,
            "reminders of events and trip items that none of your devices has shown",
            notes: "They then count as seen on all your devices."),
        Command(
            .reminderRule, .questions, words: [["reminders", "rule"]], slash: [["reminders", "rule"]], output: .records,
            "when you are reminded"),
        Command(
            .remind, .questions, words: [["reminders", "set"]], slash: [["reminders", "set"]],
            options: [
                .init("--events", hint: "LEADS", value: .text, "before events: up to 5 lead times like 1d,2h,30m,0; none; usual (30m)"),
                .init("--items", hint: "LEADS", value: .text, "the same before trip items"),
                .init("--days", hint: "LEADS", value: .text, "before events and items without a time, from midnight: times of the day before like 18:00, or 1d; none; usual (18:00)"),
                .init("--athlete", hint: "NAME", value: .record([.member]), "with --events and --days: for the events of that athlete alone"),
                .init("--on", "reminders on; guests get none before"), .init("--off", "no reminders, and no alarms in your calendar feeds"),
                .init("--calendar", hint: "yes|no", value: .word(["yes", "no"]), "whether the alarms in your calendar app remind you, in place of Huddle"),
                .init("--quiet", hint: "HH:MM-HH:MM", value: .text, "hours without mail and push; off"),
                .init("--usual", "deletes your own rule"),
            ], output: .receipt, "change when you are reminded"),
        Command(
            .open, .questions, words: [["open"]], arguments: [.init("EVENT", .record([.event]))],
            options: [.init("--map", "the place on a map, for directions")], output: .link,
            "open an event's web page in your browser; without a desktop it prints the address"),
        Command(
            .statistics, .questions, words: [["stats"]], slash: [["stats"]],
            arguments: [.init("KIND", .word(["events", "documents", "metrics"]), required: false)], output: .answer,
            "figures of events, documents or metrics; else how many records there are"),
        Command(
            .access, .questions, words: [["access"]], slash: [["access"]],
            options: [
                .init("--before", hint: "MARK", value: .pageMark, "older entries; MARK is at the end of the last answer"),
                .init("--limit", hint: "N", value: .number, "at most N (20)"),
            ], output: .answer, "looks at an athlete's season by others"),
        Command(
            .audit, .questions, words: [["audit"]], slash: [["audit"]],
            options: [
                .init("--own", "your own entries only"),
                .init("--before", hint: "MARK", value: .pageMark, "older entries; MARK is at the end of the last answer"),
                .init("--limit", hint: "N", value: .number, "at most N entries (20)"),
            ], output: .answer, "sign-ins, invites, roles, consents, exports, and what the host did",
            notes: "Parents read all entries of the family, everyone else their own. Entries are kept for 2 years."),
    ]

    private static func target(_ kinds: [Kind]) -> [Command.Argument] {
        [.init("KIND", .word(kinds.map { KindWords.singular($0)[0] }), required: false), .init("ID", .record(kinds))]
    }
}
