internal import Family

extension CommandTable {
    private static let roles = Role.allCases.map(\.rawValue)

    static let people: [Command] = [
        Command(
            .invite, .people, words: [["invite"]], slash: [["invite"]], arguments: [.init("NAME", .text, repeats: true)],
            options: [
                .init("--role", hint: "ROLE", value: .word(roles), "of somebody new: athlete, parent or guest (guest)"),
                .init("--born", hint: "DATE", value: .date, "an athlete's birth date; under 13 there is a profile and no code"),
                .init("--email", hint: "ADDRESS", value: .text, "they may type it in place of their name; nothing is sent to it"),
                .init("--member", "NAME is in the family already and has no sign-in, like an athlete who turned 13"),
            ], output: .answer, "invite somebody: it prints a one-time code for huddle join, good for 7 days",
            notes: "For parents. The person types the code and their name as it is written here. A parent or guest is a member once they have joined."),
        Command(
            .invites, .people, words: [["invites"]], slash: [["invites"]],
            arguments: [.init("DO", .word(["list", "resend", "withdraw"]), required: false), .init("NAME|ID", .text, required: false, repeats: true)],
            output: .answer, "invites that nobody has accepted; a new code for one, or take one back",
            notes: "For parents. resend makes a new code, and the former one is dead. In the conversation, /invites comes first."),
        Command(
            .role, .people, words: [["role"]], slash: [["role"]], arguments: [.init("MEMBER", .record([.member])), .init("ROLE", .word(roles))],
            output: .receipt, "change what a member may do", notes: "For parents. A family keeps at least one parent."),
        Command(
            .remove, .people, kind: .member, words: [["remove"], ["members", "rm"]], slash: [["remove"], ["members", "rm"]],
            arguments: [.init("MEMBER", .record([.member]))], output: .receipt, "take a member out of the family",
            notes: "For parents. What the member wrote stays. A parent can bring them back for 30 days: huddle restore member NAME"),
        Command(
            .leave, .people, words: [["leave"]], slash: [["leave"]], options: [.init("--yes", "you mean it")], output: .receipt, "leave the family yourself",
            notes: "What you wrote stays; your sign-in ends where it was for this family alone. The last parent stays. A parent can bring you back for 30 days."),
    ]
}
