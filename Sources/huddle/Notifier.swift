import Client
import Posix
import Screen

/// Tells the person that somebody wrote, in the ways that they chose: `set notify bell osc9 hook`, `set notify none`.
final class Notifier {
    /// A way of telling.
    enum Way: String, CaseIterable {
        /// The terminal's bell.
        case bell
        /// The terminal's own notification, while the person looks elsewhere.
        case osc9
        /// The command of `set notify-command`.
        case hook
    }

    private let ways: Set<Way>
    private let hook: CommandHook?

    init(_ configuration: ScreenConfiguration) {
        ways = configuration.notify
        hook = configuration.notifyCommand.isEmpty ? nil : CommandHook(configuration.notifyCommand)
    }

    /// - Parameter isAway: whether the person looks elsewhere.
    func tell(from name: String, _ text: String, family: String, isMention: Bool, isAway: Bool, on screen: FullScreen) {
        if ways.contains(.bell) { screen.bell() }
        if ways.contains(.osc9), isAway { screen.notify("\(name): \(text)") }
        guard ways.contains(.hook), let hook else { return }
        let plain = text.printable
        hook.run(
            .init(
                text: "\(name): \(plain)\n",
                variables: [
                    "HUDDLE_FROM=\(name)", "HUDDLE_TEXT=\(plain.prefix(CommandHook.textLimit / 4))", "HUDDLE_FAMILY=\(family)",
                    "HUDDLE_MENTION=\(isMention ? 1 : 0)",
                ]))
    }
}
