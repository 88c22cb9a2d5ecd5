internal import Arguments

/// The known word that a person probably meant by an unknown one.
package enum Nearest {
    /// Words of other programs for things that have another name here.
    private static let others = [
        "who": "members", "names": "members", "msg": "say", "delete": "rm", "del": "rm", "remove": "rm", "new": "add", "create": "add",
        "change": "edit", "update": "edit", "set": "edit", "log": "history", "files": "documents", "list": "events",
        "ls": "events", "search": "find", "grep": "find", "tail": "watch", "upload": "docs upload", "download": "docs download",
        "share": "docs share", "login": "join", "bye": "quit", "leave": "quit", "part": "quit", "disconnect": "quit",
    ]

    /// The first word of a command of `huddle`; `nil` if none is close.
    package static func command(_ word: String) -> String? { meant(word, among: CommandTable.all.flatMap { $0.words.compactMap(\.first) }) }

    /// The same for a command behind a slash.
    package static func slash(_ word: String) -> String? { meant(word, among: CommandTable.all.flatMap { $0.slash.compactMap(\.first) }) }

    private static func meant(_ word: String, among words: [String]) -> String? {
        let word = word.lowercased()
        if let other = others[word], words.contains(String(other.prefix { $0 != " " })) { return other }
        return NearestWord.of(word, among: words)
    }
}
