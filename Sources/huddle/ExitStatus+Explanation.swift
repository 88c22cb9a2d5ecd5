import Arguments
import Family
import Terminal

extension ExitStatus {
    /// The exit status after an error, and the sentence to print; "" if it was printed already.
    static func explanation(of error: any Error) -> (status: ExitStatus, sentence: String) {
        switch error {
        case let error as UsageError: (.usage, error.message)
        case let error as Rejection: (ExitStatus(error), error.message.printable)
        case let error as ProgramFailure: (error.status, error.message)
        default: (.failed, "\(error)")
        }
    }
}
