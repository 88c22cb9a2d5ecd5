import Family
import Mail

/// The counters of `Mailer`: the results of mails.
final class MailCounts: Sendable {
    let sent = Counter()
    /// Attempts that failed, by reason.
    let failed = CounterTable(MailFailure.Kind.allCases)
    /// Mails that were abandoned, by problem.
    let givenUp = CounterTable(MailProblem.allCases)
}
