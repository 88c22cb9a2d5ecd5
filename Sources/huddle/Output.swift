import Posix
import Terminal

/// Standard output of commands that end with it: a failed write is a failure of the command, whatever else succeeded.
enum Output {
    /// - Returns: false if nobody reads the output any more.
    @discardableResult
    static func write(_ octets: [UInt8]) throws(ProgramFailure) -> Bool {
        do throws(Errno) { return try Standard.writeAll(output: octets) } catch {
            throw ProgramFailure(.failed, "The output could not be written: \(error.text).")
        }
    }

    /// Writes one JSON value as a line, without characters that could control a terminal.
    @discardableResult
    static func write(json octets: [UInt8]) throws(ProgramFailure) -> Bool { try write(octets.printableJSON + [UInt8(ascii: "\n")]) }

    @discardableResult
    static func write(_ text: String) throws(ProgramFailure) -> Bool { try write(Array(text.utf8)) }
}
