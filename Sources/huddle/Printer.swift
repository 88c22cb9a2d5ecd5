import Posix
import Terminal

/// The destination of a command's lines: the standard streams, or a collection for the caller.
final class Printer {
    private let gathers: Bool
    /// The text before each complaint.
    private let prefix: String
    /// The collected output.
    private(set) var output: [UInt8] = []
    private(set) var complaints: [String] = []
    /// False once nobody reads the output any more.
    private(set) var isRead = true
    /// The reason why a write failed; nothing is written after it.
    private(set) var failure: ProgramFailure?

    init(gathers: Bool = false, prefix: String = "huddle: ") {
        self.gathers = gathers
        self.prefix = prefix
    }

    func write(output octets: [UInt8]) {
        if gathers {
            output += octets
        } else if failure == nil {
            do throws(ProgramFailure) { isRead = try Output.write(octets) && isRead } catch { failure = error }
        }
    }

    /// Writes one JSON value as a line, without characters that could control a terminal.
    func write(json octets: [UInt8]) { write(output: octets.printableJSON + [UInt8(ascii: "\n")]) }

    func write(output text: String) { write(output: Array(text.utf8)) }

    /// - Throws: if a write failed.
    func finish() throws(ProgramFailure) {
        if let failure { throw failure }
    }

    /// Prints one sentence, or several lines, about a failure.
    func complain(_ text: String) {
        if gathers { complaints.append(text) } else { Standard.write(error: prefix + text + "\n") }
    }
}
