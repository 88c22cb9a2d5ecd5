import Posix
import Terminal

/// Standard output of commands that are over when it is written: what could not be written is a failure, however the rest went.
enum Output {
    /// - Returns: false when nobody reads it any more.
    @discardableResult
    static func write(_ octets: [UInt8]) throws(ProgramFailure) -> Bool {
        do throws(Errno) { return try Standard.writeAll(output: octets) } catch {
            throw ProgramFailure(.failed, "The output could not be written: \(error.text).")
        }
    }

    /// One JSON value as a line, with nothing in it that could steer a terminal.
    @discardableResult
    static func write(json octets: [UInt8]) throws(ProgramFailure) -> Bool { try write(octets.printableJSON + [UInt8(ascii: "\n")]) }

    @discardableResult
    static func write(_ text: String) throws(ProgramFailure) -> Bool { try write(Array(text.utf8)) }
}
