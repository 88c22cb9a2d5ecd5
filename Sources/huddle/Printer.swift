import Posix
import Terminal

/// Where a command's lines go: to the standard streams at once, or gathered for who runs it.
final class Printer {
    private let gathers: Bool
    /// Before each complaint.
    private let prefix: String
    /// What was gathered.
    private(set) var output: [UInt8] = []
    private(set) var complaints: [String] = []
    /// False once nobody reads any more.
    private(set) var isRead = true
    /// Why something could not be written; what follows is not tried then.
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

    /// One JSON value as a line, with nothing in it that could steer a terminal.
    func write(json octets: [UInt8]) { write(output: octets.printableJSON + [UInt8(ascii: "\n")]) }

    func write(output text: String) { write(output: Array(text.utf8)) }

    /// - Throws: when something could not be written.
    func finish() throws(ProgramFailure) {
        if let failure { throw failure }
    }

    /// One sentence, or several lines, about what went wrong.
    func complain(_ text: String) {
        if gathers { complaints.append(text) } else { Standard.write(error: prefix + text + "\n") }
    }
}
