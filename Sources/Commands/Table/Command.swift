package import Family

/// One command of Huddle's terminal programs: `huddle WORDS…`, `/WORDS…` in the conversation, or both.
///
/// A value that only describes. `CommandTable` holds all commands; help, the parsers of `huddle` and of the
/// conversation, completion in shells and the manual are made from it.
package struct Command: Hashable, Sendable {
    /// The act of a command, whichever words ask for it.
    package enum Verb: CaseIterable, Hashable, Sendable {
        case converse, join, signIn, completions, complete
        case invite, invites, role, leave, consents, consent, birthDate, lastDay, family
        case sessions, tokens, device, logout, calendar
        case account, confirm, password, factor, recovery, passkeys, mail
        case list, show, add, edit, remove, restore
        case attend, shift, copy, undo, redo, itinerary, export
        case history, since, statistics, access, audit, deleted, identity, open, reminders, reminderRule, remind
        case upload, download, versions, share, shares, unshare, link
        case say, actionMessage, find, older, watch, batch
        case exportFamily
        case context, status, reconnect, drafts, retry, drop, help, clear, quit
        case outbox, conflicts, resolve
        case set, bind, unbind
    }

    /// The section of help that lists the command.
    package enum Section: String, CaseIterable, Hashable, Sendable {
        case start = "Begin"
        case records = "Records of the family"
        case documents = "Documents"
        case changes = "Plans and changes"
        case people = "Members and invites"
        case account = "Your own sign-ins"
        case questions = "History and figures"
        case talk = "Talking"
        case screen = "In the conversation"
    }

    /// The meaning of a word, for completion and for hints.
    package enum Value: Hashable, Sendable {
        case text, date, time, moment, zone, url, number, amount, json, code, file, profile, sequence, pageMark
        /// One of these words.
        case word([String])
        /// A record of one of these kinds: an id, enough of its beginning or end, or its name.
        case record([Kind])
        /// Several records, separated by commas.
        case records(Kind)
        /// A member's name, or `all`.
        case season
        /// `name=value`, with the names of the command's field options.
        case field
        /// The words of a command, or a topic of help.
        case command
        /// The name of a setting, and the value of a setting.
        case setting, settingValue
    }

    /// A word that is not part of an option.
    package struct Argument: Hashable, Sendable {
        /// The name in usage: `ID`.
        package var name: String
        package var value: Value
        package var isRequired: Bool
        /// Whether several such words may follow.
        package var repeats: Bool

        package init(_ name: String, _ value: Value, required: Bool = true, repeats: Bool = false) {
            self.name = name
            self.value = value
            isRequired = required
            self.repeats = repeats
        }
    }

    /// `--name VALUE`, or `--name` by itself.
    package struct Option: Hashable, Sendable {
        /// With dashes. All names mean the same; the first is the full one.
        package var names: [String]
        /// The value in usage: `DATE`; "" for a switch.
        package var hint: String
        /// `nil` for a switch.
        package var value: Value?
        package var summary: String
        package var isRequired: Bool
        package var repeats: Bool
        /// The position of the field in the kind's declaration, for an option that writes a field.
        package var field: Int?
        /// Whether the conversation takes it as well.
        package var isInConversation: Bool

        package init(
            _ name: String, hint: String = "", value: Value? = nil, required: Bool = false, repeats: Bool = false, field: Int? = nil,
            inConversation: Bool = true, _ summary: String
        ) {
            self.init(
                names: [name], hint: hint, value: value, required: required, repeats: repeats, field: field, inConversation: inConversation,
                summary)
        }

        package init(
            names: [String], hint: String, value: Value?, required: Bool = false, repeats: Bool = false, field: Int? = nil,
            inConversation: Bool = true, _ summary: String
        ) {
            self.names = names
            self.hint = hint
            self.value = value
            self.summary = summary
            isRequired = required
            self.repeats = repeats
            self.field = field
            isInConversation = inConversation
        }

        /// The shortest name.
        package var shortest: String { names.min { ($0.utf8.count, $0) < ($1.utf8.count, $1) } ?? "" }

        /// `--start DATE`.
        package var usage: String { hint.isEmpty ? shortest : shortest + " " + hint }
    }

    /// The output of `--json` (`proto/cli.md`, "JSON").
    package enum Output: Hashable, Sendable {
        /// One record per line.
        case records
        /// The server's answer to a question.
        case answer
        /// The receipt of a change.
        case receipt
        /// One change per line.
        case changes
        /// The outbox, one change per line.
        case outbox
        /// A link, or one link per line.
        case link
        /// The family and the member.
        case seat
        /// The server, the profile and the family.
        case signIn
        /// The person who is signed in, and the outbox.
        case identity
        /// One reminder per line.
        case reminders
        /// One command of the table per line.
        case commands
        /// The result of each line of a batch, one per line.
        case results
    }

    package let verb: Verb
    package let section: Section
    /// The kind of record that the command is about; `nil`: any kind, or none.
    package let kind: Kind?
    /// The words behind `huddle`, first the form that help shows; `[[]]` for `huddle` by itself, empty if only the
    /// conversation has the command.
    package let words: [[String]]
    /// The words behind the slash; empty if only the program has the command.
    package let slash: [[String]]
    package let arguments: [Argument]
    package private(set) var options: [Option]
    /// One line without a full stop.
    package let summary: String
    /// Further sentences; may be empty.
    package let notes: String
    /// `nil` if the command has no `--json`.
    package let output: Output?

    package init(
        _ verb: Verb, _ section: Section, kind: Kind? = nil, words: [[String]] = [], slash: [[String]] = [], arguments: [Argument] = [],
        options: [Option] = [], output: Output? = nil, _ summary: String, notes: String = ""
    ) {
        self.verb = verb
        self.section = section
        self.kind = kind
        self.words = words
        self.slash = slash
        self.arguments = arguments
        self.options = options
        self.summary = summary
        self.notes = notes
        self.output = output
    }

    /// The command without the options that only the program takes.
    var asInConversation: Command {
        var command = self
        command.options.removeAll { !$0.isInConversation }
        return command
    }

    /// The options that write fields of the kind.
    package var fieldOptions: [Option] { options.filter { $0.field != nil } }

    /// The other options.
    package var plainOptions: [Option] { options.filter { $0.field == nil } }

    /// The arguments in usage: `[TRIP] FIELD=VALUE…`.
    package var argumentUsage: String {
        arguments.map { argument in
            let name = argument.name + (argument.repeats ? "…" : "")
            return argument.isRequired ? name : "[\(name)]"
        }.joined(separator: " ")
    }

    /// `huddle events rm ID`; "" if the program does not have the command.
    package var usage: String {
        guard let words = words.first else { return "" }
        return (["huddle"] + words + [argumentUsage]).filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// `/rm ID`; "" if the conversation does not have the command.
    package var slashUsage: String {
        guard let words = slash.first else { return "" }
        return "/" + (words + [argumentUsage]).filter { !$0.isEmpty }.joined(separator: " ")
    }
}
