import Family
import Store

/// A part of the way of a mail that the writer does.
enum MailStep: Sendable {
    /// `isFirst`: of this process.
    case claim(isFirst: Bool)
    case settle(Int64, MailOutcome)
}

/// The writer's answer to a step.
enum MailStepAnswer: Sendable {
    case claim(MailClaim)
    /// Why the mail was given up; `nil` if it was not.
    case settled(MailProblem?)
    /// The disk is full, or the writer is busy.
    case refused
}
