internal import Family

extension CommandTable {
    private static let roles = Role.allCases.map(\.rawValue)

    static let people: [Command] = [
        Command(
            .invite, .people, words: [["invite"]], slash: [["invite"]], arguments: [.init("NAME", .text, repeats: true)],
            options: [
                .init("--role", hint: "ROLE", value: .word(roles), "of somebody new: athlete, parent or guest (guest)"),
                .init("--born", hint: "DATE", value: .date, "an athlete's birth date; under 18 there is a profile and no code"),
                .init("--until", hint: "DATE", value: .date, "a guest's last day"),
                .init("--email", hint: "ADDRESS", value: .text, "they may type it in place of their name; where the server sends mail, the code is sent to it"),
                .init("--member", "NAME is in the family already and has no sign-in, like an athlete who turned 13"),
            ], output: .answer, "invite somebody: it prints a one-time code for huddle join, good for 7 days",
            notes: "For parents. The person types the code and their name as it is written here. A parent or guest is a member once they have joined."),
        Command(
            .invites, .people, words: [["invites"]], slash: [["invites"]],
            arguments: [.init("DO", .word(["list", "resend", "withdraw"]), required: false), .init("NAME|ID", .text, required: false, repeats: true)],
            output: .answer, "invites that nobody has accepted; a new code for one, or withdraw one",
            notes: "For parents. resend makes a new code, and the former one is dead. In the conversation, /invites comes first."),
        Command(
            .consents, .people, words: [["consents"]], slash: [["consents"]], options: [.init("--text", "show the text in force as well")], output: .answer,
            "the sign-in of each member, athletes who need a consent, and last days of guests",
            notes: "Parents see everyone, others themselves."),
        Command(
            .consent, .people, words: [["consent"]], arguments: [.init("ATHLETE", .record([.member]), repeats: true)],
            options: [
                .init("--accept", hint: "VERSION", value: .text, "you have read this version of the text (huddle consents --text) and consent"),
                .init("--withdraw", "withdraw the consent: the athlete's sessions end"),
            ], output: .answer, "consent to the sign-in of an athlete of 13 to 17",
            notes: "For parents. On a terminal it shows the text and asks. Afterwards: huddle invite NAME --member"),
        Command(
            .birthDate, .people, words: [["born"]], slash: [["born"]], arguments: [.init("ATHLETE", .record([.member])), .init("DATE", .date)], output: .answer,
            "correct an athlete's birth date", notes: "For parents. It opens no sign-in by itself; a younger age closes it."),
        Command(
            .lastDay, .people, words: [["guest"]], slash: [["guest"]], arguments: [.init("GUEST", .record([.member]), repeats: true)],
            options: [.init("--until", hint: "DATE", value: .date, "the last day"), .init("--stays", "the guest has no last day")], output: .answer,
            "set the last day of a guest", notes: "For parents. On the day after, by the family's zone, the guest is out of the family."),
        Command(
            .role, .people, words: [["role"]], slash: [["role"]], arguments: [.init("MEMBER", .record([.member])), .init("ROLE", .word(roles))],
            output: .receipt, "change the role of a member", notes: "For parents. A family needs at least one parent."),
        Command(
            .remove, .people, kind: .member, words: [["remove"], ["members", "rm"]], slash: [["remove"], ["members", "rm"]],
            arguments: [.init("MEMBER", .record([.member]))], output: .receipt, "remove a member from the family",
            notes: "For parents. Everything that the member wrote stays. A parent can restore them for 30 days: huddle restore member NAME"),
        Command(
            .leave, .people, words: [["leave"]], slash: [["leave"]], options: [.init("--yes", "you mean it")], output: .receipt, "leave the family yourself",
            notes: "Everything that you wrote stays; a sign-in for this family alone ends. The last parent cannot leave. A parent can restore you for 30 days."),
        Command(
            .family, .people, words: [["family"]], slash: [["family"]], arguments: [.init("DO", .word(["status", "delete", "keep"]), required: false)],
            options: [.init("--name", hint: "NAME", value: .text, "of delete: the family's name, which says that you mean it")], output: .answer,
            "the deletion of the family: its state, a request, or its withdrawal",
            notes: "delete and keep are for parents. A family is erased 14 days after delete, with all records, files, tokens and links; until then any parent can keep it. "
                + "Take a copy first: huddle export family FILE"),
    ]
}
