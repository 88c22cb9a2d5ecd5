import Family
import Store

/// A step in the delivery of a mail that the writer carries out.
enum MailStep: Sendable {
    /// `isFirst`: whether it is the first claim of this process.
    case claim(isFirst: Bool)
    case settle(Int64, MailOutcome)
}

/// The writer's answer to a step.
enum MailStepAnswer: Sendable {
    case claim(MailClaim)
    /// The reason why the mail was abandoned; `nil` if it was not.
    case settled(MailProblem?)
    /// The disk is full, or the writer is busy.
    case refused
}
