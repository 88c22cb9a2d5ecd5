import Family
import Mail

/// Of `Mailer`: what became of mail.
final class MailCounts: Sendable {
    let sent = Counter()
    /// Tries that failed, by reason.
    let failed = CounterTable(MailFailure.Kind.allCases)
    /// Mails that were given up, by problem.
    let givenUp = CounterTable(MailProblem.allCases)
}
