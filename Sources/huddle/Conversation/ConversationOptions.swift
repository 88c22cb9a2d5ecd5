import Commands
import Words

/// The choices of a conversation's owner: the style of its output, and the acts that it cannot do by itself.
struct ConversationOptions {
    /// Whether a screen reader reads the output: then lists are sentences where sentences exist.
    var isSpoken = false
    /// The width of the terminal, to which lists are fitted; `nil` without a terminal.
    var columns: Int?
    /// The content shown besides messages.
    var activity = TimelineActivity.all
    /// Whether messages and events are already on the screen, so that the start reports none.
    var opensQuietly = false
    /// The key of the page that shows refused changes, if there is one; otherwise the output names the commands.
    var keptKey: String?
    /// Sentences about files on their way, shown before the person leaves; the owner keeps them up to date.
    var underway = ""
    /// Carries out a request to change the configuration; returns the lines to print.
    var configure: ((SettingRequest) -> [String])?
    /// Stops a transfer of this program, by its number in the cache; returns false if this program has no such
    /// transfer.
    var stopFile: ((Int) -> Bool)?
}
