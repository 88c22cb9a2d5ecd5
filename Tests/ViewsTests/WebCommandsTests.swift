import Commands
import Posix
import Terminal
import Testing
import Views

@Suite("Commands of the web client")
struct WebCommandsTests {
    private struct Row: Hashable {
        let mode, name, keys, text: String
    }

    /// The rows of the web client's table; each is a line `command("MODE", "NAME", "KEYS", "TEXT"),`.
    private static func rows() throws -> [Row] {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        let text = String(decoding: try Files.read(root + "/Sources/WebClient/site/words/commands.js"), as: UTF8.self)
        return text.split(separator: "\n").compactMap { line in
            guard let match = line.wholeMatch(of: /\ \ command\("([^"]+)", "([^"]+)", "([^"]*)", "([^"]+)"\),/) else { return nil }
            return Row(mode: String(match.1), name: String(match.2), keys: String(match.3), text: String(match.4))
        }
    }

    @Test("The web client's commands have the names, keys and summaries of the terminal client")
    func agree() throws {
        let keymap = ViewCommands.defaultKeymap()
        let pairs = RoomCommand.allCases.map { ($0.rawValue, $0.summary) } + EventsCommand.helpLines + ItineraryCommand.helpLines + DocumentsCommand.helpLines
        let summaries = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        let rows = try Self.rows()
        try #require(rows.count > 40)
        #expect(Set(rows).count == rows.count)
        for row in rows {
            switch row.mode {
            case "web":
                #expect(!ViewCommands.names.contains(row.name), "\(row.name) is a command of the terminal client: give it the terminal client's mode")
            case "line":
                let commands = CommandTable.all.filter { $0.slash.contains([row.name]) || $0.words.contains([row.name]) }
                #expect(commands.contains { $0.summary == row.text }, "\(row.name): \(commands.map(\.summary))")
            default:
                #expect(keymap.keys(of: row.name, in: row.mode).contains(row.keys), "\(row.name) in \(row.mode): \(keymap.keys(of: row.name, in: row.mode))")
                #expect(summaries[row.name] == row.text, "\(row.name)")
            }
        }
    }

    @Test("No two commands of one page share a key, and no key begins two keys of its page")
    func distinct() throws {
        let rows = try Self.rows().filter { !$0.keys.isEmpty }
        let everywhere: Set = ["web", "select"]
        let shared: Set = ["undo-last", "redo-last"]
        for page in ["events", "trips", "documents"] {
            let keys = rows.filter { row in
                (everywhere.contains(row.mode) && !row.name.hasPrefix("trip-")) || row.mode == page || shared.contains(row.name) || (page == "trips" && row.name.hasPrefix("trip-"))
            }.map(\.keys)
            #expect(Set(keys).count == keys.count, "\(page): \(keys.sorted())")
            for key in keys { #expect(!keys.contains { $0.hasPrefix(key + " ") }, "\(key) on \(page) hides longer ones") }
        }
    }
}
