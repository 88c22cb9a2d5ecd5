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
            .logout, .account, words: [["logout"]], output: .answer, "end the sign-in here, on the server too",
            notes: "What waits to be sent stays in the outbox and keeps you from signing out by mistake: send or drop it first (huddle outbox)."),
    ]
}
