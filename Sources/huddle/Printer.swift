import Posix

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

    init(gathers: Bool = false, prefix: String = "huddle: ") {
        self.gathers = gathers
        self.prefix = prefix
    }

    func write(output octets: [UInt8]) {
        if gathers { output += octets } else { isRead = Standard.write(output: octets) && isRead }
    }

    func write(output text: String) { write(output: Array(text.utf8)) }

    /// One sentence, or several lines, about what went wrong.
    func complain(_ text: String) {
        if gathers { complaints.append(text) } else { Standard.write(error: prefix + text + "\n") }
    }
}
