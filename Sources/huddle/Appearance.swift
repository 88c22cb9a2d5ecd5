import Commands
import Posix
import Terminal

/// How the person wants the program: their configuration, and what follows from it.
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

    /// Does what is asked of the configuration.
    ///
    /// - Returns: lines for the person, and whether everything looks different now.
    mutating func perform(_ request: SettingRequest) -> (lines: [String], isChanged: Bool) {
        let (lines, isChanged) = configuration.perform(request, isPlain: false)
        guard isChanged else { return (lines, false) }
        theme = Theme(wanted: configuration.theme, depth: depth, environment: Environment.value)
        notifier.end()
        notifier = Notifier(configuration)
        return (lines, true)
    }

    /// Ends what the notifier runs.
    func end() { notifier.end() }
}
