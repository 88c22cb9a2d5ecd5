import Arguments
import Commands
import Family
import Posix
import Sync
import Terminal
import Words

/// The terminal client; `proto/cli.md` specifies its arguments and output.
@main
enum ClientProgram {
    static func main() {
        let status = run(CommandLine.arguments)
        // Output is not buffered, so that nothing is left to flush.
        Exit.now(status)
    }

    /// The text with line breaks between words, if the terminal is narrower.
    private static func fitted(_ text: String) -> String {
        guard Standard.isTerminal(Standard.output) else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { WordWrap.lines(String($0), columns: (TerminalDevice.size()?.columns ?? 80) - 1) }
            .joined(separator: "\n")
    }

    private static func run(_ words: [String]) -> ExitStatus {
        Standard.claim()
        Signals.ignoreBrokenPipes()
        DateOrder.current = DateOrder(locale: DateOrder.locale(Environment.value))
        do {
            var invocation = try Invocation(Array(words.dropFirst()))
            // This comes first: other users can see these words as long as the program runs.
            try TokenArgument.hide(words, invocation)
            invocation = try TokenArgument.read(invocation)
            switch invocation.action {
            case .help(let topic):
                if let topic, !Help.knows(topic) { throw UsageError("There is no command or topic '\(topic.printable)'. huddle help lists them.") }
                if invocation.isJSON { try Output.write(Help.json(topic)) } else { try Output.write(fitted(Help.text(topic))) }
                return .done
            case .manual:
                try Output.write(Manual.roff(version: HuddleVersion.text))
                return .done
            case .completions(let shell):
                try Output.write(shell.script)
                return .done
            case .complete(let line):
                // Names are optional: without a sign-in or a copy on this machine, completion offers none.
                let visible = invocation.connecting(as: line)
                try? TokenArgument.hide(words, visible, warns: false)
                let typed = TokenArgument.forCompletion(visible)
                func kept() -> SyncEngine? { (try? Setting(typed)).flatMap { LocalState.look($0) }?.engine }
                let answer = Completion.answer(line, profiles: { ProfilePlace.names }, deleted: { kept().map { RecordLookup.deleted($0) } }) { kept().map { RecordNames($0) } }
                try Output.write(answer.lines)
                return .done
            case .version:
                try Output.write(invocation.isJSON ? "{\"version\":\"\(HuddleVersion.text)\"}\n" : "huddle \(HuddleVersion.text)\n")
                return .done
            case .join(let code, let name, let adds): return try JoinCommand.run(code, name: name, adds: adds, invocation)
            case .signIn(let replaces, let origin): return try SignInCommand.run(replaces: replaces, origin: origin, invocation)
            case .askForMail(let name): return try SignInCommand.askForMail(name, invocation)
            case .signInByName(let name, let replaces, let isRecovery):
                return try SignInCommand.run(name: name, isRecovery: isRecovery, replaces: replaces, invocation)
            case .logout: return try LogoutCommand.run(invocation)
            case .watch(let since): return try WatchCommand.run(since, invocation, try Setting(invocation))
            case .interactive:
                invocation = try FirstRun.complete(invocation)
                do { return try Interactive.run(invocation, try Setting(invocation)) } catch let failure as ProgramFailure where failure.message == ProgramFailure.expired {
                    invocation = try FirstRun.again(invocation, failure)
                    return try Interactive.run(invocation, try Setting(invocation))
                }
            case .batch(let isAtomic, let stops): return try BatchCommand(invocation, try Setting(invocation), isAtomic: isAtomic, stops: stops).run()
            case .configure(let request):
                let (lines, isDone) = ScreenConfiguration.perform(request)
                guard isDone else { throw UsageError(lines.joined(separator: " ")) }
                try Output.write(lines.joined(separator: "\n") + "\n")
                return .done
            case .outbox(let request): return try OutboxCommand(invocation, try Setting(invocation)).run(request)
            case .list, .add, .edit, .remove, .restore, .attend, .shift, .copy, .undo, .redo, .itinerary, .export, .exportCalendar, .document, .say, .leave, .ask, .deleted, .reminders, .reminderRule, .remind, .identity, .open:
                let setting = try Setting(invocation)
                return invocation.isWatched ? try ListWatch(invocation, setting).run() : try OneShot(invocation, setting).run()
            }
        } catch {
            let (status, sentence) = ExitStatus.explanation(of: error)
            if !sentence.isEmpty { Standard.write(error: "huddle: \(sentence)\n") }
            return status
        }
    }
}
