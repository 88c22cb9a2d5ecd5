import Commands
import Posix
import Terminal

/// The look and the keys of the program: the person's configuration and everything that follows from it.
struct Appearance {
    private(set) var configuration: ScreenConfiguration
    private(set) var theme: Theme
    private(set) var notifier: Notifier
    private let depth: ColourDepth

    init(_ configuration: ScreenConfiguration, depth: ColourDepth) {
        self.configuration = configuration
        self.depth = depth
        theme = Theme(wanted: configuration.theme, depth: depth, environment: Environment.value)
        notifier = Notifier(configuration)
    }

    var keymap: Keymap { configuration.keymap }

    /// Carries out a request to change the configuration.
    ///
    /// - Returns: lines for the person, and whether the appearance changed.
    mutating func perform(_ request: SettingRequest) -> (lines: [String], isChanged: Bool) {
        let (lines, isChanged) = configuration.perform(request, isPlain: false)
        guard isChanged else { return (lines, false) }
        theme = Theme(wanted: configuration.theme, depth: depth, environment: Environment.value)
        notifier.end()
        notifier = Notifier(configuration)
        return (lines, true)
    }

    /// Ends the commands that the notifier runs.
    func end() { notifier.end() }
}
