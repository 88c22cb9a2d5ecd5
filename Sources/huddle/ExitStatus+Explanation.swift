import Arguments
import Family
import Terminal

extension ExitStatus {
    /// How the program ends after an error, and what it says; "" for what was said already.
    static func explanation(of error: any Error) -> (status: ExitStatus, sentence: String) {
        switch error {
        case let error as UsageError: (.usage, error.message)
        case let error as Rejection: (ExitStatus(error), error.message.printable)
        case let error as ProgramFailure: (error.status, error.message)
        default: (.failed, "\(error)")
        }
    }
}
