import Posix
import Testing

/// The programs of this package, and what they say when they are run to their end.
enum Programs {
    /// The output and end of a program.
    struct Answer {
        let ending: ChildProcess.Ending
        let output: String
        let errors: String

        /// The object that `--json` printed.
        func json() throws -> JSONValue { try JSONValue(output) }

        /// Each line of the output as a JSON value.
        func lines() throws -> [JSONValue] { try output.split(separator: "\n").map { try JSONValue(String($0)) } }
    }

    /// Products lie beside the test bundle, which is this process.
    static func path(_ name: String) throws -> String {
        let own = try #require(CommandLine.arguments.first { $0.hasSuffix(".xctest") || $0.contains(".xctest/") })
        let folder = own.split(separator: "/").prefix { !$0.hasSuffix(".xctest") }.joined(separator: "/")
        return (own.hasPrefix("/") ? "/" : "") + folder + "/" + name
    }

    /// The folder that holds `Package.swift`: of this file, three up.
    static var root: String { #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/") }

    static func huddled(_ arguments: String...) throws -> Answer { try run(path("huddled"), arguments) }

    /// - Parameter timeout: milliseconds.
    static func run(
        _ program: String, _ arguments: [String], environment: [String]? = nil, input: [UInt8] = [], timeout: Int = 30_000
    ) throws -> Answer {
        let (ending, output, errors) = try ChildProcess.run(
            [program] + arguments, environment: environment, input: input, timeoutMilliseconds: timeout)
        return Answer(ending: ending, output: String(decoding: output, as: UTF8.self), errors: String(decoding: errors, as: UTF8.self))
    }
}

