import Arguments
import Client
import Family
import Posix

/// The terminal client; `proto/cli.md` says what it takes and answers.
@main
enum Program {
    static func main() {
        let status = run(CommandLine.arguments)
        // Output is written without a buffer, so that nothing is left to flush.
        Exit.now(status)
    }

    static let version = "0.1.0"

    /// Broken between words where the terminal is narrower.
    private static func fitted(_ text: String) -> String {
        guard Standard.isTerminal(Standard.output) else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { WordWrap.lines(String($0), columns: (TerminalDevice.size()?.columns ?? 80) - 1) }
            .joined(separator: "\n")
    }

    private static func run(_ words: [String]) -> ExitStatus {
        Signals.ignoreBrokenPipes()
        do {
            let invocation = try Invocation(Array(words.dropFirst()))
            switch invocation.action {
            case .help(let topic):
                Standard.write(output: fitted(Help.text(topic)))
                return .done
            case .version:
                Standard.write(output: "huddle \(version)\n")
                return .done
            case .join(let code): return try JoinCommand.run(code, invocation)
            case .watch(let since): return try WatchCommand.run(since, invocation, try Setting(invocation))
            case .interactive: return try Interactive.run(invocation, try Setting(invocation))
            case .outbox(let request): return try OutboxCommand(invocation, try Setting(invocation)).run(request)
            case .list, .add, .edit, .remove, .restore, .attend, .shift, .copy, .undo, .itinerary, .export, .document, .say, .ask:
                let command = OneShot(invocation, try Setting(invocation))
                return try command.run()
            }
        } catch let error as UsageError {
            Standard.write(error: "huddle: \(error.message)\n")
            return .usage
        } catch let error as Rejection {
            Standard.write(error: "huddle: \(error.message.printable)\n")
            return ExitStatus(error)
        } catch let error as ProgramFailure {
            if !error.message.isEmpty { Standard.write(error: "huddle: \(error.message)\n") }
            return error.status
        } catch {
            Standard.write(error: "huddle: \(error)\n")
            return .failed
        }
    }
}
