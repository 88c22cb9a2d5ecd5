import Arguments
import Glibc
import Posix
import EventLoop
import TLS
import WebSocket

/// A WebSocket echo server for conformance suites, made of the same parts as the real one.
@main
enum Program {
    static func main() { exit(run()) }

    private static let usage = """
        usage: wsecho --listen HOST:PORT [--tls-cert FILE --tls-key FILE] [--max-message OCTETS]
                      [--compression generous|shared|off]

        Echoes every WebSocket message, text and binary, at any path. Port 0 takes a free port; once ready, the line
        "listening on HOST:PORT" says which. Ends with status 0 on SIGTERM.

          --max-message OCTETS   longest message taken, default 16777216; a longer one closes with 1009
          --compression WORD     what is granted to clients that offer permessage-deflate: "generous", the default, all that they
                                 ask for; "shared" what huddled grants, nothing that takes memory between messages; "off" nothing

        """

    /// The exit status: 0 stopped by a signal, 1 could not start, 2 wrong use.
    static func run() -> Int32 {
        let options: Options?
        do throws(UsageError) {
            options = try Options(Array(CommandLine.arguments.dropFirst()))
        } catch {
            Standard.write(error: "wsecho: \(error.message)\n\n\(usage)")
            return 2
        }
        guard let options else { return 0 }
        Signals.block([Signals.terminate, Signals.interrupt])
        Signals.ignoreBrokenPipes()
        do {
            try Environment.raiseOpenFiles()
            let server = try EchoServer(options)
            Standard.write(output: "listening on \(server.address)\n")
            server.run()
            return 0
        } catch {
            Standard.write(error: "wsecho: \(error)\n")
            return 1
        }
    }

    /// The settings in the arguments.
    struct Options {
        var host: String
        var port: UInt16
        var certificate: String?
        var key: String?
        var maxMessage: Int
        var compression: CompressionPolicy?

        /// `nil` when only help or version was asked for, and printed.
        init?(_ words: [String]) throws(UsageError) {
            let list = try ArgumentList(
                words, options: ["--listen", "--tls-cert", "--tls-key", "--max-message", "--compression"],
                switches: ["--help", "--version"])
            if list.has("--help") || list.has("--version") {
                Standard.write(output: list.has("--help") ? usage : "wsecho 0.1.0\n")
                return nil
            }
            try list.expectNoPositional()
            _ = try list.required("--listen")
            (host, port) = try list.endpoint("--listen", default: "127.0.0.1:9001")
            certificate = list.value("--tls-cert")
            key = list.value("--tls-key")
            guard (certificate == nil) == (key == nil) else { throw UsageError("--tls-cert and --tls-key go together.") }
            maxMessage = try list.integer("--max-message", in: 1...1 << 30) ?? 16 << 20
            switch list.value("--compression") {
            case nil, "generous": compression = .generous
            case "shared": compression = .shared
            case "off": compression = nil
            default: throw UsageError("--compression is one of generous, shared, off.")
            }
        }
    }
}
