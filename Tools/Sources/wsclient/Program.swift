import Arguments
import Glibc
import Posix
import WebSocket

/// A WebSocket client that sends back what it gets, for the servers of conformance suites (Autobahn's `fuzzingserver`).
@main
enum Program {
    static func main() { exit(run()) }

    private static let usage = """
        usage: wsclient --server HOST:PORT [--agent NAME] [--target TARGET]

        Runs every case of Autobahn's fuzzing server as the client NAME, by default "huddle", and has the report written; or, with
        --target, opens that one target and sends back what comes until the server closes.

        """

    /// The exit status: 0 done, whatever the server thinks of it, 1 the server could not be used, 2 wrong use.
    static func run() -> Int32 {
        do throws(UsageError) {
            let list = try ArgumentList(
                Array(CommandLine.arguments.dropFirst()), options: ["--server", "--agent", "--target"], switches: ["--help", "--version"])
            if list.has("--help") || list.has("--version") {
                Standard.write(output: list.has("--help") ? usage : "wsclient 0.1.0\n")
                return 0
            }
            try list.expectNoPositional()
            _ = try list.required("--server")
            let (host, port) = try list.endpoint("--server", default: "127.0.0.1:9001")
            Signals.ignoreBrokenPipes()
            let suite = Suite(host: host, port: port, agent: list.value("--agent") ?? "huddle")
            do {
                if let target = list.value("--target") { try suite.echo(target) } else { try suite.runAll() }
                return 0
            } catch {
                Standard.write(error: "wsclient: \(error)\n")
                return 1
            }
        } catch {
            Standard.write(error: "wsclient: \(error.message)\n\n\(usage)")
            return 2
        }
    }
}
