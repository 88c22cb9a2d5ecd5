internal import Arguments
internal import Bytes
package import Family
internal import Terminal
internal import Wire

/// A request about the person's sessions, in the person's words. A session is named by its name, the beginning of its
/// id, or `this`.
package enum SessionQuestion: Hashable, Sendable {
    case list
    case rename(String, String)
    case end(String)
    case endOthers

    /// Letters of the beginning of an id that are enough to name a session.
    private static let leastLetters = 4

    /// The content of the request's frame.
    ///
    /// - Parameter sessions: the person's sessions.
    /// - Throws: a sentence, if the words fit no session or several.
    func act(_ sessions: [AccountSession]) throws(UsageError) -> SessionsRequest.Act {
        switch self {
        case .list: .list
        case .rename(let text, let name): .rename(try Self.find(text, sessions).id, name)
        case .end(let text): .end(try Self.find(text, sessions).id)
        case .endOthers: .endOthers
        }
    }

    private static func find(_ text: String, _ sessions: [AccountSession]) throws(UsageError) -> AccountSession {
        let typed = text.lowercased()
        if typed == "this", let current = sessions.first(where: \.isCurrent) { return current }
        let found = sessions.filter {
            $0.name.lowercased() == typed || (typed.utf8.count >= leastLetters && ($0.id.description.hasPrefix(typed) || $0.shortID.hasPrefix(typed)))
        }
        guard let first = found.first else { throw UsageError("You have no session or token called '\(text.printable)'. Look at the list: sessions.") }
        guard found.count == 1 else {
            throw UsageError("Several sessions fit '\(text.printable)': take one of the ids \(found.map { "\($0.id)" }.joined(separator: ", ")).")
        }
        return first
    }
}

/// A token for a program, in the person's words.
package struct TokenWords: Hashable, Sendable {
    package var name: String
    package var scope: TokenScope
    package var days: Int64
    /// Names or ids of athletes.
    package var athletes: [String]

    package init(name: String, scope: TokenScope, days: Int64, athletes: [String] = []) {
        self.name = name
        self.scope = scope
        self.days = days
        self.athletes = athletes
    }
}
