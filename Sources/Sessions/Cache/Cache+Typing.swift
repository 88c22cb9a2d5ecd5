internal import Family
internal import SQLite

/// The unsent input of each conversation, and the reading position in it.
extension Cache {
    /// The stored state of one conversation (a buffer of the room view), by its name.
    package struct Place: Hashable, Sendable {
        /// The text that was typed and not sent; "" for none.
        package var text: String
        /// The reading position, in the format of the view; "" for the end.
        package var place: String

        package init(text: String = "", place: String = "") {
            self.text = text
            self.place = place
        }
    }

    /// The length of the longest stored input, in characters: a form with its longest texts filled.
    static let maxTyped = 262_144

    /// Stores the input of a conversation. Not synced: a power cut loses the last words.
    package func keep(_ place: Place, of conversation: String) throws { try keep([conversation: place], input: []) }

    /// Stores the input of several conversations, and lines for the history of the input. It stores all or, if it
    /// throws, nothing, so that a text that moves from one name to another is under one of them at any moment.
    package func keep(_ places: [String: Place], input lines: [String]) throws {
        guard !places.isEmpty || !lines.isEmpty else { return }
        try transaction(synchronously: false) {
            for (name, place) in places {
                if place == Place() {
                    try database.run("DELETE FROM conversation WHERE name = ?", .text(name))
                } else {
                    try statements.setConversation.run(.text(name), .text(String(place.text.prefix(Self.maxTyped))), .text(place.place))
                }
            }
            for line in lines where !line.isEmpty { try statements.addInput.run(.text(String(line.prefix(Self.maxTyped)))) }
            if !lines.isEmpty { try statements.trimInput.run(.integer(Int64(Self.keptInput))) }
        }
    }

    /// The input and the reading position, by conversation.
    package func conversations() throws -> [String: Place] {
        var found: [String: Place] = [:]
        try database.prepare("SELECT name, text, place FROM conversation").each { found[$0.text(0)] = Place(text: $0.text(1), place: $0.text(2)) }
        return found
    }

    /// Adds a line to the history of the input.
    package func keep(input line: String) throws { try keep([:], input: [line]) }

    /// The lines of input, oldest first; in a cache beside another one, the lines of the own cache come first.
    package func input() throws -> [String] {
        guard let own else { return try Self.input(database) }
        let earlier = try? Self.databaseForLooking(own)
        return (earlier.flatMap { try? Self.input($0) } ?? []) + (try Self.input(database))
    }

    private static func input(_ database: Database) throws -> [String] {
        var lines: [String] = []
        try database.prepare("SELECT line FROM input ORDER BY number").each { lines.append($0.text(0)) }
        return lines
    }

    // MARK: Taking over from a program that ran beside another

    /// Takes over the input and the unfinished transfers of `left`, on stable storage. Nothing in this cache is
    /// overwritten, and a text that an earlier, killed program already took over is not taken again.
    func takeOver(from left: Cache) throws {
        var places = try conversations()
        let (typed, lines, files) = (try left.conversations(), try Self.input(left.database), try left.savedTransfers())
        let (held, here) = (try Self.input(database), Set(try savedTransfers().map(\.saved)))
        let next = (try database.prepare("SELECT max(number) FROM transfer").first { $0.int64(0) } ?? 0) + 1
        try transaction(synchronously: true) {
            for (name, place) in typed.sorted(by: { $0.key < $1.key }) {
                let (free, both) = Self.merged(name, place, into: places)
                places[free] = both
                try statements.setConversation.run(.text(free), .text(both.text), .text(both.place))
            }
            if !held.suffix(lines.count).elementsEqual(lines) { for line in lines { try statements.addInput.run(.text(line)) } }
            for (place, file) in files.enumerated() where !here.contains(file.saved) {
                try database.run("INSERT INTO transfer (number, body) VALUES (?, ?)", .integer(next + Int64(place)), .octets(file.saved))
            }
        }
    }

    /// The name under which a text is stored, and the content stored there afterwards.
    static func merged(_ name: String, _ place: Place, into held: [String: Place]) -> (name: String, place: Place) {
        // "form 2": any unused number.
        if let space = name.lastIndex(of: " "), Int(name[name.index(after: space)...]) != nil {
            if let same = held.first(where: { $0.key.hasPrefix(name[...space]) && $0.value.text == place.text }) { return (same.key, same.value) }
            var number = 1
            while held["\(name[...space])\(number)"] != nil { number += 1 }
            return ("\(name[...space])\(number)", place)
        }
        guard let here = held[name], !here.text.isEmpty else { return (name, Place(text: place.text, place: held[name]?.place ?? place.place)) }
        guard !place.text.isEmpty, place.text != here.text else { return (name, here) }
        // Two JSON lists become one list; two other texts are put below each other.
        let isList = here.text.first == "[" && here.text.last == "]" && here.text.count > 2 && place.text.first == "[" && place.text.last == "]"
        // A text that is already at the end was taken over before.
        guard !here.text.hasSuffix(isList ? ",\(place.text.dropFirst())" : "\n\(place.text)") else { return (name, here) }
        let both = isList ? "\(here.text.dropLast()),\(place.text.dropFirst())" : "\(here.text)\n\(place.text)"
        return (name, Place(text: both, place: here.place))
    }
}
