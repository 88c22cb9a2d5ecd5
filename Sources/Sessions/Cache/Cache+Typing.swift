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
    package func keep(_ place: Place, of conversation: String) throws { try keep([conversation: place], input: []) }

    /// Keeps what is typed in several conversations, and lines for the history of the input: all of it or, where it throws, nothing, so that
    /// what goes from one name to another is under one of them at any moment.
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

    /// What was typed and where one was, by conversation.
    package func conversations() throws -> [String: Place] {
        var found: [String: Place] = [:]
        try database.prepare("SELECT name, text, place FROM conversation").each { found[$0.text(0)] = Place(text: $0.text(1), place: $0.text(2)) }
        return found
    }

    /// Adds a line to the history of the input.
    package func keep(input line: String) throws { try keep([:], input: [line]) }

    /// Lines of input, the oldest first; beside another cache that one's before them.
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

    // MARK: Of a program that ran beside another one

    /// Takes over what was typed and which files were on their way there, on stable storage: nothing that is here gives way to it, and what was
    /// taken over before by a program that was killed then is not taken again.
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

    /// Where a text goes, and what stands there then.
    static func merged(_ name: String, _ place: Place, into held: [String: Place]) -> (name: String, place: Place) {
        // "form 2": any number that is free.
        if let space = name.lastIndex(of: " "), Int(name[name.index(after: space)...]) != nil {
            if let same = held.first(where: { $0.key.hasPrefix(name[...space]) && $0.value.text == place.text }) { return (same.key, same.value) }
            var number = 1
            while held["\(name[...space])\(number)"] != nil { number += 1 }
            return ("\(name[...space])\(number)", place)
        }
        guard let here = held[name], !here.text.isEmpty else { return (name, Place(text: place.text, place: held[name]?.place ?? place.place)) }
        guard !place.text.isEmpty, place.text != here.text else { return (name, here) }
        // Two lists of JSON are one list; two texts stand one under the other.
        let isList = here.text.first == "[" && here.text.last == "]" && here.text.count > 2 && place.text.first == "[" && place.text.last == "]"
        // What ends it already was taken over before.
        guard !here.text.hasSuffix(isList ? ",\(place.text.dropFirst())" : "\n\(place.text)") else { return (name, here) }
        let both = isList ? "\(here.text.dropLast()),\(place.text.dropFirst())" : "\(here.text)\n\(place.text)"
        return (name, Place(text: both, place: here.place))
    }
}
