internal import Family

extension CommandTable {
    static let account: [Command] = [
        Command(
            .sessions, .account, words: [["sessions"]], slash: [["sessions"]],
            arguments: [
                .init("DO", .word(["list", "rename", "end"]), required: false), .init("SESSION", .text, required: false),
                .init("NAME", .text, required: false, repeats: true),
            ],
            options: [.init("--others", "with end: all sessions and tokens but this one")], output: .answer,
            "your sessions; name or end one",
            notes: "SESSION is a name, the beginning of an id, or this. No address is kept. A session ends after 90 days without use, and after 400 days in all. In the conversation, /sessions comes first."),
        Command(
            .tokens, .account, words: [["tokens"]], slash: [["tokens"]],
            arguments: [.init("DO", .word(["list", "create", "revoke"]), required: false), .init("NAME", .text, required: false, repeats: true)],
            options: [
                .init("--scope", hint: "SCOPE", value: .word(TokenScope.allCases.map(\.rawValue)), "with create: read, write or calendar (read)"),
                .init("--days", hint: "DAYS", value: .text, "with create: how long it is valid, 1 to 365 (90)"),
                .init("--athletes", hint: "NAME,NAME", value: .text, "with create --scope calendar: the athletes whose calendars it opens"),
            ], output: .answer, "tokens for programs of yours; make one, or end one",
            notes: "create prints the token once; a program sends it as Authorization: Bearer. At most 20. read refuses every change. In the conversation, /sessions comes before /tokens revoke."),
        Command(
            .calendar, .account, words: [["calendar"]],
            arguments: [.init("DO", .word(["list", "add", "remove"]), required: false), .init("NAME", .text, required: false, repeats: true)],
            options: [
                .init("--athletes", hint: "NAME,NAME", value: .text, "with add: the seasons of these athletes, and your own trips (all of them)"),
                .init("--athlete", hint: "NAME", value: .text, "with add: the season and the trips of one athlete"),
                .init("--trip", hint: "TRIP", value: .record([.trip]), "with add: the items of one trip"),
                .init("--all", "with add: all seasons and trips of the family"),
                .init("--kinds", hint: "KIND,KIND", value: .text, "with add: events, trips, items (events,items)"),
                .init("--busy", "with add: times alone, under the title Busy"),
                .init("--no-alarms", "with add: without alarms"),
                .init("--until", hint: "DATE", value: .date, "with add: the last day"),
            ], output: .answer, "your plans in the calendar of a phone or computer: make an address to subscribe to, or end one",
            notes: "add prints the address once, and on a terminal shows it as a picture for a phone, if libqrencode is installed. At most 20. The list says when each was read, and by which program."),
        Command(
            .device, .account, words: [["device", "add"]], slash: [["device", "add"]], output: .answer,
            "sign in on another device of yours: it prints a one-time code for huddle join, good for 10 minutes",
            notes: "On a terminal the code is shown as a picture for a phone as well, if libqrencode is installed. The device is signed in as you, in all your families."),
        Command(
            .account, .account, words: [["account"]], output: .answer, "your ways to sign in: name, second factor, recovery codes",
            notes: "Name and password, a second factor and recovery codes are optional: codes of other devices and of parents let you in as well."),
        Command(
            .confirm, .account, words: [["confirm"]], output: .answer, "show your password again; that counts for 10 minutes",
            notes: "Changes of passwords, factors and tokens need it. The password, and the one-time password where there is one, are asked for, or read from standard input, one per line."),
        Command(
            .password, .account, words: [["password"]], arguments: [.init("DO", .word(["set", "remove"])), .init("NAME", .text, required: false)], output: .answer,
            "set or change your sign-in name and password; or remove them",
            notes: "huddle password set NAME asks for the password, or reads it from standard input. Your other sessions end. On another device: huddle sign-in --name NAME"),
        Command(
            .factor, .account, words: [["totp"]], arguments: [.init("DO", .word(["add", "confirm", "remove"]))], output: .answer,
            "a second factor: one-time passwords of an authenticator program",
            notes: "add shows a secret, on a terminal also as a picture; confirm asks for its first one-time password, and your other sessions end. Make recovery codes as well."),
        Command(
            .recovery, .account, words: [["recovery"]], arguments: [.init("DO", .word(["codes", "member"])), .init("NAME", .text, required: false)], output: .answer,
            "ten recovery codes for yourself; or, for parents, a code by which a member comes back",
            notes: "codes are shown once, and replace the former ones. member makes a code for somebody who has lost their sign-in; they run huddle join CODE within 24 hours, and all their devices are notified."),
        Command(
            .mail, .account, words: [["mail"]], arguments: [.init("DO", .word(["show", "set", "confirm", "remove"]), required: false), .init("VALUE", .text, required: false)],
            output: .answer, "your e-mail address, for coming back without a password; set it with a code that is sent to it",
            notes: "set ADDRESS sends a code, confirm CODE shows it within 30 minutes. Only you see the address, and only in part. The server must send mail. After the loss of a password: huddle sign-in --name NAME --mail"),
        Command(
            .passkeys, .account, words: [["passkeys"]],
            arguments: [.init("DO", .word(["list", "remove"]), required: false), .init("NAME", .text, required: false, repeats: true)], output: .answer,
            "your passkeys, which sign you in on a web page without a password; remove one",
            notes: "A browser makes them. NAME is a name or the beginning of an id. Remove the passkey of a device that you have lost, and end its sessions: huddle sessions."),
        Command(
            .logout, .account, words: [["logout"]], output: .answer, "end the sign-in here, on the server too",
            notes: "Changes that wait in the outbox keep you from signing out by mistake: send or drop them first (huddle outbox)."),
    ]
}
