package import Family

/// One thing that a person can ask of Huddle's terminal programs: as `huddle WORDS…`, as `/WORDS…` in the conversation, or both.
///
/// A value that only describes. `CommandTable` holds them all; help, the words that `huddle` and the conversation understand, completion in
/// shells and the manual are made from it.
package struct Command: Hashable, Sendable {
    /// What is done, whichever words ask for it.
    package enum Verb: CaseIterable, Hashable, Sendable {
        case converse, join, signIn, completions, complete
        case invite, invites, role, leave, consents, consent, birthDate, lastDay, family
        case sessions, tokens, device, logout, calendar
        case account, confirm, password, factor, recovery, passkeys, mail
        case list, show, add, edit, remove, restore
        case attend, shift, copy, undo, redo, itinerary, export
        case history, since, statistics, access, audit, deleted, identity, open
        case upload, download, versions, share, shares, unshare, link
        case say, deed, find, older, watch, batch
        case exportFamily
        case context, status, reconnect, drafts, retry, drop, help, clear, quit
        case outbox, conflicts, resolve
        case set, bind, unbind
    }

    /// Where it stands in help.
    package enum Section: String, CaseIterable, Hashable, Sendable {
        case start = "Begin"
        case records = "What the family keeps"
        case documents = "Documents"
        case changes = "Plans and changes"
        case people = "Members and invites"
        case account = "Your own sign-ins"
        case questions = "What happened"
        case talk = "Talking"
        case screen = "In the conversation"
    }

    /// What a word stands for, for completion and for hints.
    package enum Value: Hashable, Sendable {
        case text, date, time, moment, zone, url, number, amount, json, code, file, profile, sequence, pageMark
        /// One of these.
        case word([String])
        /// A record of one of these kinds: an id, enough of its beginning or end, or its name.
        case record([Kind])
        /// Several of them with commas between.
        case records(Kind)
        /// A member's name, or `all`.
        case season
        /// `name=value`, as the command's options of fields are called.
        case field
        /// The words of a command, or a topic of help.
        case command
        /// What can be set, and what it can be set to.
        case setting, settingValue
    }

    /// A word that stands by itself.
    package struct Argument: Hashable, Sendable {
        /// As usage shows it: `ID`.
        package var name: String
        package var value: Value
        package var isRequired: Bool
        /// Whether it may come several times.
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
        /// With dashes; all mean the same, the first is in full.
        package var names: [String]
        /// As usage shows the value: `DATE`; "" for a switch.
        package var hint: String
        /// `nil` for a switch.
        package var value: Value?
        package var summary: String
        package var isRequired: Bool
        package var repeats: Bool
        /// The position in the kind's declaration, for an option that writes a field.
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

        /// The one that is quickest typed.
        package var shortest: String { names.min { ($0.utf8.count, $0) < ($1.utf8.count, $1) } ?? "" }

        /// `--start DATE`.
        package var usage: String { hint.isEmpty ? shortest : shortest + " " + hint }
    }

    /// What `--json` prints (`proto/cli.md`, "JSON").
    package enum Output: Hashable, Sendable {
        /// One record a line.
        case records
        /// The server's answer to a question.
        case answer
        /// The answer to a change.
        case receipt
        /// One change a line.
        case changes
        /// What waits or was refused, one a line.
        case outbox
        /// A link, or one a line.
        case link
        /// Family and member.
        case seat
        /// The server, the profile and the family.
        case signIn
        /// The person who is signed in, and what waits.
        case identity
        /// One command of the table a line.
        case commands
        /// What each line of a batch came to, one a line.
        case results
    }

    package let verb: Verb
    package let section: Section
    /// What it is about; `nil`: any kind, or none.
    package let kind: Kind?
    /// Its words behind `huddle`, the one that help shows first; `[[]]` for `huddle` by itself, none when only the conversation has it.
    package let words: [[String]]
    /// Its words behind the slash; none when only the program has it.
    package let slash: [[String]]
    package let arguments: [Argument]
    package private(set) var options: [Option]
    /// One line without a full stop.
    package let summary: String
    /// More of it, in sentences; may be empty.
    package let notes: String
    /// `nil` when the program has no `--json` for it.
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

    /// Without the options that only the program takes.
    var asInConversation: Command {
        var command = self
        command.options.removeAll { !$0.isInConversation }
        return command
    }

    /// The options that write fields of the kind.
    package var fieldOptions: [Option] { options.filter { $0.field != nil } }

    /// The other options.
    package var plainOptions: [Option] { options.filter { $0.field == nil } }

    /// Its arguments as usage shows them: `[TRIP] FIELD=VALUE…`.
    package var argumentUsage: String {
        arguments.map { argument in
            let name = argument.name + (argument.repeats ? "…" : "")
            return argument.isRequired ? name : "[\(name)]"
        }.joined(separator: " ")
    }

    /// `huddle events rm ID`; "" when the program does not have it.
    package var usage: String {
        guard let words = words.first else { return "" }
        return (["huddle"] + words + [argumentUsage]).filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// `/rm ID`; "" when the conversation does not have it.
    package var slashUsage: String {
        guard let words = slash.first else { return "" }
        return "/" + (words + [argumentUsage]).filter { !$0.isEmpty }.joined(separator: " ")
    }
}
