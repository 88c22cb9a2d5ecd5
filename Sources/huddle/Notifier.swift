import Posix
import Screen
import Terminal
import Words

/// Notifies the person that somebody wrote, in the ways that they chose: `set notify bell osc9 hook`, `set notify
/// none`.
final class Notifier {
    private let ways: Set<NotificationWay>
    private let hook: CommandHook?

    /// - Parameter isPlain: whether a screen reader may read the terminal, or the terminal may not know sequences: then
    ///   the terminal's own notification is used only if the configuration names it.
    init(_ configuration: ScreenConfiguration, isPlain: Bool = false) {
        ways = isPlain && !configuration.isNotifySet ? configuration.notify.subtracting([.osc9]) : configuration.notify
        hook = configuration.notifyCommand.isEmpty ? nil : CommandHook(configuration.notifyCommand)
    }

    /// The functions of the terminal that the notifier uses.
    struct Terminal {
        let bell: () -> Void
        let notify: (String) -> Void
    }

    /// - Parameter isAway: whether the person looks elsewhere, as far as the program knows.
    func tell(from name: String, _ text: String, family: String, isMention: Bool, isAway: Bool, on terminal: Terminal) {
        let line = ActionMessage.of(text).map { "* \(name) \($0)" } ?? "\(name): \(text)"
        if ways.contains(.bell) { terminal.bell() }
        if ways.contains(.osc9), isAway { terminal.notify(line) }
        guard ways.contains(.hook), let hook else { return }
        let plain = text.printable
        hook.run(
            .init(
                text: line.printable + "\n",
                variables: [
                    "HUDDLE_FROM=\(name)", "HUDDLE_TEXT=\(plain.prefix(CommandHook.textLimit / 4))", "HUDDLE_FAMILY=\(family)",
                    "HUDDLE_MENTION=\(isMention ? 1 : 0)",
                ]))
    }

    /// Reminds the person of an item that begins soon, wherever they look.
    func remind(_ line: String, family: String, on terminal: Terminal) {
        if ways.contains(.bell) { terminal.bell() }
        if ways.contains(.osc9) { terminal.notify(line) }
        guard ways.contains(.hook), let hook else { return }
        hook.run(
            .init(
                text: line + "\n",
                variables: ["HUDDLE_FROM=Huddle", "HUDDLE_TEXT=\(line.prefix(CommandHook.textLimit / 4))", "HUDDLE_FAMILY=\(family)", "HUDDLE_MENTION=0", "HUDDLE_REMINDER=1"]))
    }

    /// Ends the running command; the program waits for none.
    func end() { hook?.end() }
}
