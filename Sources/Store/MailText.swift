/// Subject and body of a mail.
///
/// A mail to an unconfirmed address contains no text that a person typed, so that nobody can send their own words
/// through the server. A mail with the code of an invite names neither the family nor the inviter: the code leads to
/// both.
struct MailText: Hashable, Sendable {
    var subject: String
    var body: String

    private init(_ subject: String, _ paragraphs: [String]) {
        self.subject = subject
        body = paragraphs.joined(separator: "\n\n") + "\n"
    }

    private static func place(_ terms: MailTerms) -> String { terms.publicURL.map { " (\($0))" } ?? "" }

    static func confirm(_ code: String, _ terms: MailTerms) -> MailText {
        MailText(
            "Confirm your address for Huddle",
            [
                "Somebody wants to use this address for their account on Huddle\(place(terms)). If it was you, type this code within 30 minutes where you asked for it:",
                "    \(code)", "In the terminal: huddle mail confirm \(code)",
                "If it was not you, ignore this mail. Without the code nothing happens.",
            ])
    }

    static func recovery(_ code: String, name: String?, asksFactor: Bool, address: String, _ terms: MailTerms) -> MailText {
        let name = name ?? address
        var lines = [
            "Somebody wants to regain access to your account on Huddle\(place(terms)). If it was you, sign in within 30 minutes with this code in place of the password:",
            "    Name: \(name)\n    Code: \(code)",
            "In the terminal: huddle sign-in --name \(quoted(name)) --recovery",
        ]
        if asksFactor { lines.append("You are asked for your one-time password as well.") }
        lines.append("The code works once. If it was not you, ignore this mail, and tell nobody the code.")
        return MailText("Your code to sign in to Huddle again", lines)
    }

    static func invite(_ code: String, _ terms: MailTerms) -> MailText {
        var lines = ["You are invited to join a family on Huddle. This code shows who invites you, and lets you in once within 7 days:", "    \(code)"]
        if let url = terms.publicURL { lines.append("In a browser: open \(url) and choose the code of an invite.") }
        lines += [
            "In the terminal: huddle join \(code)\(terms.publicURL.map { " --server \($0)" } ?? "")",
            "You are asked for your name or this address. If you do not expect an invite, ignore this mail.",
        ]
        return MailText("You are invited to Huddle", lines)
    }

    static func removed(_ terms: MailTerms) -> MailText {
        MailText(
            "This address was removed from a Huddle account",
            [
                "An account on Huddle\(place(terms)) used this address. It was removed, or another address has taken its place.",
                "If it was not you: sign in, check your sessions, end those that are not yours, and set a new password.",
            ])
    }

    /// Quotes a name for a shell.
    private static func quoted(_ name: String) -> String {
        name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || [0x2E, 0x2D, 0x40].contains($0) }
            ? name : "'\(name.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }
}
