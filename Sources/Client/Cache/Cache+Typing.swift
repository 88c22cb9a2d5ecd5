internal import Family
internal import SQLite

/// What is being typed, and where somebody was.
extension Cache {
    /// What is known of one conversation (a buffer of the room view), by its name.
    package struct Place: Hashable, Sendable {
        /// Typed and not sent yet; "" for nothing.
        package var text: String
        /// Where one was in it, in the words of the view; "" for the end.
        package var place: String

        package init(text: String = "", place: String = "") {
            self.text = text
            self.place = place
        }
    }

    /// Longest text that is kept of what is being typed, characters: a form with its longest texts filled.
    static let maxTyped = 262_144

    /// Keeps what is typed in a conversation. Not synced: a power cut costs the last words.
    package func keep(_ place: Place, of conversation: String) throws {
        try transaction(synchronously: false) {
            if place == Place() {
                try database.run("DELETE FROM conversation WHERE name = ?", .text(conversation))
            } else {
                try statements.setConversation.run(.text(conversation), .text(String(place.text.prefix(Self.maxTyped))), .text(place.place))
            }
        }
    }

    /// What was typed and where one was, by conversation.
    package func conversations() throws -> [String: Place] {
        var found: [String: Place] = [:]
        try database.prepare("SELECT name, text, place FROM conversation").each { found[$0.text(0)] = Place(text: $0.text(1), place: $0.text(2)) }
        return found
    }

    /// Adds a line to the history of the input.
    package func keep(input line: String) throws {
        guard !line.isEmpty else { return }
        try transaction(synchronously: false) {
            try statements.addInput.run(.text(String(line.prefix(Self.maxTyped))))
            try statements.trimInput.run(.integer(Int64(Self.keptInput)))
        }
    }

    /// Lines of input, the oldest first.
    package func input() throws -> [String] {
        var lines: [String] = []
        try database.prepare("SELECT line FROM input ORDER BY number").each { lines.append($0.text(0)) }
        return lines
    }
}
