/// The editing commands of the input line; the names are readline's where readline has one.
package enum EditCommand: String, CaseIterable, Sendable {
    case beginningOfLine = "beginning-of-line", endOfLine = "end-of-line"
    case backwardCharacter = "backward-char", forwardCharacter = "forward-char"
    case backwardWord = "backward-word", forwardWord = "forward-word"
    case previousLine = "previous-line", nextLine = "next-line"
    case deleteBackward = "backward-delete-char", deleteForward = "delete-char"
    case killLine = "kill-line", killToStart = "unix-line-discard", killBlankWord = "unix-word-rubout"
    case killWord = "kill-word", killWordBackward = "backward-kill-word"
    case yank = "yank", yankPop = "yank-pop", yankLastWord = "yank-last-arg"
    case transpose = "transpose-chars", transposeWords = "transpose-words", upcase = "upcase-word", downcase = "downcase-word", capitalize = "capitalize-word"
    case undo = "undo"
    case newline = "newline"
    case accept = "accept-line"
    case previousHistory = "previous-history", nextHistory = "next-history"
    case searchHistory = "reverse-search-history", searchHistoryForward = "forward-search-history", abort = "abort"

    /// Binds readline's keys, for a mode of a keymap.
    package static func bindDefaults(_ keymap: inout Keymap, in mode: String) {
        let keys: [(String, EditCommand)] = [
            ("ctrl-a", .beginningOfLine), ("home", .beginningOfLine), ("ctrl-e", .endOfLine), ("end", .endOfLine),
            ("ctrl-b", .backwardCharacter), ("left", .backwardCharacter), ("ctrl-f", .forwardCharacter), ("right", .forwardCharacter),
            ("alt-b", .backwardWord), ("ctrl-left", .backwardWord), ("alt-left", .backwardWord),
            ("alt-f", .forwardWord), ("ctrl-right", .forwardWord), ("alt-right", .forwardWord),
            ("up", .previousLine), ("down", .nextLine), ("ctrl-p", .previousHistory), ("ctrl-n", .nextHistory),
            ("backspace", .deleteBackward), ("ctrl-h", .deleteBackward), ("delete", .deleteForward), ("ctrl-d", .deleteForward),
            ("ctrl-k", .killLine), ("ctrl-u", .killToStart), ("ctrl-w", .killBlankWord), ("alt-d", .killWord),
            ("alt-backspace", .killWordBackward), ("ctrl-y", .yank), ("alt-y", .yankPop), ("alt-.", .yankLastWord), ("alt-_", .yankLastWord),
            ("ctrl-t", .transpose), ("alt-t", .transposeWords), ("alt-u", .upcase), ("alt-l", .downcase), ("alt-c", .capitalize), ("ctrl-_", .undo),
            ("alt-enter", .newline), ("ctrl-j", .newline), ("enter", .accept),
            ("ctrl-r", .searchHistory), ("ctrl-s", .searchHistoryForward), ("ctrl-g", .abort),
        ]
        for (names, command) in keys { keymap.bind(names, to: command.rawValue, in: mode) }
    }
}
