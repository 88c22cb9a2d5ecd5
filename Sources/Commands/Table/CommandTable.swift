package import Family

/// All commands of `huddle` and of the conversation in it, in the order of help.
package enum CommandTable {
    package static let all: [Command] = start + records + documents + changes + people + account + questions + talk + screen

    /// The options that every command of `huddle` takes, before or behind its words.
    package static let common: [Command.Option] = [
        .init("--server", hint: "URL", value: .url, "ws://HOST:PORT or wss://HOST:PORT; else $HUDDLE_SERVER, else the one of the invitation, else ws://127.0.0.1:8787"),
        .init("--tls-ca", hint: "FILE", value: .file, "certificates (PEM) to trust for wss://, when the system's do not know the server; else $HUDDLE_CA"),
        .init("--profile", hint: "NAME", value: .profile, "the sign-in and the server kept under this name; else $HUDDLE_PROFILE"),
        .init("--token-file", hint: "FILE", value: .file, "a sign-in token, alone in a file or on standard input (-); else the profile's, see huddle help connection"),
        .init("--token", hint: "T", value: .text, "the same, but other users of the machine may see it: prefer --token-file"),
        .init("--family", hint: "ID|NAME", value: .text, "for a member of several families"),
        .init("--context", hint: "ID|NAME|all", value: .season, "the season: filters lists, and owns added records"),
        .init("--json", "one JSON object a line (proto/cli.md)"),
        .init("--plain", "lines instead of a full screen, for screen readers"),
        .init("--offline", "with what is kept on this machine: lists show it, changes wait in the outbox"),
        .init("--timeout", hint: "SECONDS", value: .number, "how long a command may take (10)"),
        .init("--help", "the arguments of a command; huddle add event --help lists the fields"),
        .init("--version", "the version of this program"),
    ]

    /// The command with the longest words that these words begin with, and the number of words that are the command's
    /// own.
    package static func command(_ words: [String]) -> (command: Command, count: Int)? { match(words, \.words) }

    /// The same for the words behind a slash.
    package static func slash(_ words: [String]) -> (command: Command, count: Int)? { match(words, \.slash) }

    /// The command with this verb for records of a kind.
    package static func command(_ verb: Command.Verb, _ kind: Kind) -> Command? { all.first { $0.verb == verb && $0.kind == kind } }

    private static func match(_ words: [String], _ forms: (Command) -> [[String]]) -> (command: Command, count: Int)? {
        var best: (command: Command, count: Int)?
        for command in all {
            for form in forms(command) where words.starts(with: form) && form.count > best?.count ?? -1 && !(form.isEmpty && !words.isEmpty) {
                best = (command, form.count)
            }
        }
        return best
    }

    private static let start: [Command] = [
        Command(
            .converse, .start, words: [[]], "talk and follow the season, with everyone who is here",
            notes: "On a terminal a full screen, else lines in and out. /help lists what can be typed."),
        Command(
            .join, .start, words: [["join"]], arguments: [.init("CODE", .code)],
            options: [
                .init("--name", hint: "NAME", value: .text, "your name or e-mail address, as the invite has it; else you are asked for it"),
                .init("--add", "add the family to the sign-in that is here"), .init("--new", "make a new sign-in; the one that is here is kept in a file"),
            ], output: .seat,
            "redeem an invitation (once): signs you in on this computer",
            notes: "Redeems an invitation and remembers who you are; from then on, write just: huddle"),
        Command(
            .signIn, .start, words: [["sign-in"]],
            options: [
                .init("--replace", "replace the other sign-in that the profile holds; it is kept in a file beside it"),
                .init("--name", hint: "NAME", value: .text, "sign in by the name and password that you have set with huddle password"),
                .init("--recovery", "with --name: use a recovery code, or a code from a mail, in the place of the password"),
                .init("--mail", "with --name NAME or ADDRESS: have a code mailed, where the server sends mail and you have confirmed an address"),
                .init("--origin", hint: "TEXT", value: .text, "where the token comes from; a later sign-in of the same origin may replace this one"),
            ], output: .signIn,
            "sign in on this computer with a token, or by name and password",
            notes: "The token is read from --token-file or $HUDDLE_TOKEN, otherwise you are asked for it. The server checks it first. "
                + "With --name the password, and the one-time password where there is one, are asked for on the terminal, or read from standard input, one per line. "
                + "With --profile NAME several people, or several servers, can be kept on one machine: huddle --profile NAME."),
        Command(
            .help, .start, words: [["help"]], slash: [["help"], ["h"], ["?"]],
            arguments: [.init("COMMAND|TOPIC", .command, required: false, repeats: true)],
            options: [.init("--man", inConversation: false, "the whole manual as a page for man: huddle help --man | man -l -")], output: .commands,
            "the use of a command, or a page on a topic",
            notes: "Topics: " + HelpTopic.allCases.map { "\($0.rawValue) (\($0.summary))" }.joined(separator: "; ") + "."),
        Command(
            .identity, .start, words: [["whoami"]], output: .identity, "your name, role, family and server",
            notes: "It asks the server. With --offline, or if no server answers, it shows what is kept on this computer."),
        Command(
            .completions, .start, words: [["completions"]], arguments: [.init("SHELL", .word(Shell.allCases.map(\.rawValue)))],
            "completion of commands, options, words and names for a shell",
            notes: "It prints a script: put it where your shell looks for them (docs/TOUR.md), or try it with: source <(huddle completions bash)"),
        Command(
            .complete, .start, words: [["complete"]], arguments: [.init("WORD", .text, required: false, repeats: true)],
            "completions for the last word, one per line, as shells ask for them",
            notes: "huddle complete -- events add --ty. Behind a tab it says what it is; a line that begins with a tab means files. It asks no server: names are those that are kept here."),
    ]

    private static let talk: [Command] = [
        Command(
            .say, .talk, words: [["say"]], arguments: [.init("TEXT", .text, repeats: true)], output: .receipt, "send a message to the family",
            notes: "In the conversation, text without a slash is sent to the family; two slashes send text that begins with one."),
        Command(
            .edit, .talk, kind: .message, words: [["edit", "message"], ["messages", "edit"]], slash: [["edit", "message"], ["messages", "edit"]],
            arguments: [.init("ID", .text), .init("TEXT", .text, repeats: true)], output: .receipt, "edit a message you sent",
            notes: "ID is the one that huddle messages shows. Members named in the new text are notified. On the full screen, e in select mode does it."),
        Command(
            .watch, .talk, words: [["watch"]],
            options: [.init("--since", hint: "SEQ|EPOCH:SEQ", value: .sequence, "begin with the changes after that one, as an earlier line printed it")],
            output: .changes, "every change as it happens, until it is interrupted",
            notes: "One change a line; it comes back by itself when the server was away."),
        Command(
            .batch, .talk, words: [["batch"]],
            options: [
                .init("--atomic", "all lines are one change: done whole or not at all"),
                .init("--stop", "end at the first line that fails, instead of continuing"),
            ], output: .results, "commands from standard input, one per line, over one connection",
            notes: "The lines are written as behind huddle: add event type=camp name=\"Fall Camp\" start=2026-12-01. Empty lines and those that begin with # are passed over. "
                + "Files can go up and down in it (docs upload …). It ends with the status of the first line that failed. A single - means the same as batch."),
        Command(.actionMessage, .talk, slash: [["me"]], arguments: [.init("TEXT", .text, repeats: true)], "say what you do: /me packs the car"),
        Command(.find, .talk, slash: [["find"]], arguments: [.init("TEXT", .text, repeats: true)], "find messages and changes with these words; n finds older ones, N newer ones"),
        Command(.older, .talk, slash: [["older"]], "older messages"),
    ]

    private static let screen: [Command] = [
        Command(
            .context, .screen, slash: [["context"]], arguments: [.init("NAME|all", .season)],
            "choose the season that you look at; everyone's with all"),
        Command(.status, .screen, words: [["status"]], slash: [["status"]], output: .identity, "server, season, members who are here, waiting and refused changes"),
        Command(.reconnect, .screen, slash: [["reconnect"]], "try the server now, instead of waiting for the next attempt"),
        Command(.drafts, .screen, slash: [["drafts"]], "refused changes, kept as drafts"),
        Command(
            .retry, .screen, slash: [["retry"]], arguments: [.init("N", .number)],
            options: [
                .init("--override", "accept that items of a trip are at the same time, as the refusal says"),
                .init("--reason", hint: "TEXT", value: .text, "why; kept with the change"),
            ],
            "send a draft again"),
        Command(
            .outbox, .screen, words: [["outbox"]], slash: [["outbox"]],
            arguments: [
                .init("DO", .word(["list", "send", "retry", "drop", "resolve"]), required: false), .init("N", .number, required: false),
                .init("CHOICE", .text, required: false, repeats: true),
            ], output: .outbox, "waiting changes, refused changes, and transfers",
            notes: "send waits until everything is answered; retry N, drop N and resolve N are for refused changes: /conflicts and /resolve show the choices. drop f1 stops the first transfer for good."),
        Command(.conflicts, .screen, slash: [["conflicts"]], "conflicts: your change beside the other one"),
        Command(
            .resolve, .screen, slash: [["resolve"]],
            arguments: [.init("N", .number), .init("CHOICE", .text, required: false, repeats: true)],
            "decide a conflict: yours, theirs or both, for all fields or FIELD=yours",
            notes: "Both keeps both texts, theirs first. Without a choice it shows the two sides."),
        Command(.drop, .screen, slash: [["drop"]], arguments: [.init("N", .number)], "discard a draft; f1 stops the first transfer"),
        Command(
            .set, .screen, words: [["config"]], slash: [["set"]],
            arguments: [.init("NAME", .setting, required: false), .init("VALUE", .settingValue, required: false, repeats: true)],
            "settings of the screen: shows them, or changes one immediately and keeps it",
            notes: "Without a value it shows the setting, without a name all of them. The value default removes a setting. Settings are kept in ~/.config/huddle/config; other lines stay as they are."),
        Command(
            .bind, .screen, slash: [["bind"]], arguments: [.init("@PAGE", .text, required: false), .init("KEY", .text, repeats: true), .init("ACTION", .text)],
            "bind a key to an action, immediately and from then on: /bind f5 season",
            notes: "Tab offers keys and actions. Behind @events, @trips, @documents, @form, @select and so on it counts there alone. Several keys are pressed one after the other."),
        Command(
            .unbind, .screen, slash: [["unbind"]], arguments: [.init("@PAGE", .text, required: false), .init("KEY", .text, repeats: true)],
            "remove the binding of a key: /unbind f2"),
        Command(.clear, .screen, slash: [["clear"]], "remove the program's own lines from the screen; the family's messages stay"),
        Command(.quit, .screen, slash: [["quit"], ["q"], ["exit"]], "leave"),
    ]
}
