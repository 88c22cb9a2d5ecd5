import Commands
import Words

/// What the owner of a conversation decides: how it speaks, and what it cannot do itself.
struct ConversationOptions {
    /// Whether it is read aloud: lists are sentences then, where there are such.
    var isSpoken = false
    /// Of the terminal, to which lists are fitted; `nil` where there is none.
    var columns: Int?
    /// What is shown besides messages.
    var activity = TimelineActivity.all
    /// Whether messages and events stand on the screen already, so that nothing is told of them at the start.
    var opensQuietly = false
    /// The key that shows what was refused, where there is a view of it; otherwise the commands for it are told.
    var keptKey: String?
    /// What is on its way besides changes, as sentences that are said before the person leaves; the owner keeps it up to date.
    var underway = ""
    /// Does what is asked of the configuration, and answers in lines.
    var configure: ((SettingRequest) -> [String])?
    /// Stops a file that this program is at, by its number in the cache; answers false when it is at none of that number.
    var stopFile: ((Int) -> Bool)?
}
