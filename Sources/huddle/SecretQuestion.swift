import Arguments
import Commands
import Family
import Posix
import Terminal

/// Asks for passwords and codes: on a terminal without showing them, otherwise one line of standard input for each.
/// They are never on a command line, where other users of the machine could see them, and the shell would keep them in
/// its history.
struct SecretQuestion {
    /// The largest number of octets of a line; a password has at most 256.
    private static let limit = 1_024

    private let isTerminal = Standard.isTerminal(Standard.input) && Standard.isTerminal(Standard.output)
    private var typed: [UInt8] = []
    private var hasEnded = false

    /// - Parameter prompt: shown to a person; programs see none.
    /// - Returns: `nil` at the end of the input.
    /// - Throws: a sentence, if the person gives up or a line is too long.
    mutating func ask(_ prompt: String) throws -> String? {
        guard isTerminal else { return try line() }
        Standard.write(output: prompt)
        defer { Standard.write(output: "\n") }
        guard let octets = TerminalDevice.readHidden(limit: Self.limit) else {
            throw ProgramFailure(.usage, "Nothing was done.")
        }
        return try Self.text(octets)
    }

    /// The secrets that a question needs.
    mutating func ask(_ secrets: [AccountQuestion.Secret]) throws -> ShownSecrets {
        var shown = ShownSecrets()
        for secret in secrets {
            switch secret {
            case .password: shown.password = try need("Password: ", "the password")
            case .oneTime: shown.oneTime = try need("One-time password: ", "the one-time password")
            case .newPassword:
                shown.password = try need("New password, 10 to 256 octets: ", "the password")
                guard isTerminal else { continue }
                guard try ask("The same again: ") == shown.password else { throw ProgramFailure(.usage, "The two passwords differ. Nothing was done.") }
            }
        }
        return shown
    }

    /// - Parameter name: the name of the line that a program has to send.
    mutating func need(_ prompt: String, _ name: String) throws -> String {
        guard let text = try ask(prompt), !text.isEmpty else {
            throw UsageError("Standard input has to hold \(name) on a line of its own.")
        }
        return text
    }

    /// The next line of standard input.
    private mutating func line() throws -> String? {
        while true {
            if let end = typed.firstIndex(of: UInt8(ascii: "\n")) {
                defer { typed.removeFirst(end + 1) }
                return try Self.text(Array(typed[..<end]))
            }
            guard !hasEnded else {
                defer { typed = [] }
                return typed.isEmpty ? nil : try Self.text(typed)
            }
            guard typed.count <= Self.limit else { throw UsageError("A line of standard input is too long for a password.") }
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.limit, alignment: 1)
            defer { buffer.deallocate() }
            if case .done(let count)? = try? Octets.read(Standard.input, into: buffer), count > 0 { typed += buffer[..<count] } else { hasEnded = true }
        }
    }

    private static func text(_ octets: [UInt8]) throws -> String {
        let octets = octets.last == UInt8(ascii: "\r") ? Array(octets.dropLast()) : octets
        guard let text = String(validating: octets, as: UTF8.self) else { throw UsageError("A password has to be UTF-8.") }
        return text
    }
}
