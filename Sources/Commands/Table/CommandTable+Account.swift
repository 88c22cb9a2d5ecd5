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
            "where you are signed in; name a session, or end one",
            notes: "SESSION is a name, the beginning of an id, or this. No address is kept. A session ends after 90 days without use, and after 400 days in all. In the conversation, /sessions comes first."),
        Command(
            .tokens, .account, words: [["tokens"]], slash: [["tokens"]],
            arguments: [.init("DO", .word(["list", "create", "revoke"]), required: false), .init("NAME", .text, required: false, repeats: true)],
            options: [
                .init("--scope", hint: "SCOPE", value: .word(TokenScope.allCases.map(\.rawValue)), "with create: read, write or calendar (read)"),
                .init("--days", hint: "DAYS", value: .text, "with create: how long it is valid, 1 to 365 (90)"),
                .init("--athletes", hint: "NAME,NAME", value: .text, "with create --scope calendar: whose calendars it opens"),
            ], output: .answer, "tokens for programs of yours; make one, or end one",
            notes: "create prints the token once; a program sends it as Authorization: Bearer. At most 20. read refuses every change. In the conversation, /sessions comes before /tokens revoke."),
        Command(
            .device, .account, words: [["device", "add"]], slash: [["device", "add"]], output: .answer,
            "sign in on another device of yours: it prints a one-time code for huddle join, good for 10 minutes",
            notes: "On a terminal the code is shown as a picture for a phone as well, if libqrencode is installed. The device is signed in as you, in all your families."),
        Command(
            .logout, .account, words: [["logout"]], output: .answer, "end the sign-in here, on the server too",
            notes: "Changes that wait in the outbox keep you from signing out by mistake: send or drop them first (huddle outbox)."),
    ]
}
