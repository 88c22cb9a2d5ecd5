import Commands
import Terminal
import Testing
import Views
import Words

@Suite("The page about keys")
struct KeysTopicTests {
    @Test("The page names keys that do what it says", arguments: [
        ("F1", "f1", "", RoomCommand.help), ("Tab", "tab", "input", .complete), ("F2", "f2", "", .season),
        ("Alt-N", "alt-n", "", .unread), ("Ctrl-Up", "ctrl-up", "input", .select), ("r comments", "r", "select", .comment),
        ("u undoes", "u", "select", .undoSelected), ("e changes", "e", "select", .rewrite), ("o opens", "o", "select", .open), ("y copies", "y", "select", .copy), ("l copies", "l", "select", .copyLink), ("Esc", "esc", "select", .leaveSelect),
        ("Ctrl-X u", "ctrl-x u", "input", .undoLast), ("Ctrl-X Ctrl-E", "ctrl-x ctrl-e", "input", .editOutside), ("Ctrl-L", "ctrl-l", "", .redraw),
        ("Ctrl-Z", "ctrl-z", "", .suspend),
    ])
    func keys(words: String, keys: String, mode: String, command: RoomCommand) {
        #expect(HelpTopic.keys.lines.joined(separator: "\n").contains(words))
        let keymap = ViewCommands.defaultKeymap()
        let bound = mode.isEmpty ? keymap.keys(of: command.rawValue) : keymap.keys(of: command.rawValue, in: mode)
        #expect(bound.contains { $0.lowercased() == keys }, "\(bound)")
    }

    @Test("The page names keys of buffers that do what it says", arguments: [
        ("Alt-A", "alt-a", BufferCommand.nextActive), ("Alt-/", "alt-/", .last), ("Alt-G", "alt-g", .switchTo), ("Alt-Up", "alt-up", .previous),
        ("Alt-Down", "alt-down", .next), ("Alt-Z", "alt-z", .deleted), ("Alt-<", "alt-<", .back), ("Alt->", "alt->", .forth),
    ])
    func buffers(words: String, keys: String, command: BufferCommand) {
        #expect(HelpTopic.keys.lines.joined(separator: "\n").contains(words))
        #expect(ViewCommands.defaultKeymap().keys(of: command.rawValue).contains { $0.lowercased() == keys })
    }

    @Test("Ctrl-O chooses the season that is looked at, in the room as on every page")
    func seasonMenu() {
        let keymap = ViewCommands.defaultKeymap()
        for mode in ["input", "events", "trips", "documents", "drafts", "conflict"] {
            #expect(keymap.keys(of: BufferCommand.season.rawValue, in: mode) == ["Ctrl-O"])
        }
    }

    @Test("The page lists exactly the themes that exist")
    func themes() { #expect(ScreenSetting.theme.words == Theme.names) }

    @Test("Tab after /bind and /unbind offers pages, keys with their actions, and actions after a key", arguments: [
        ("/bind @ev", ["@events"]), ("/bind @select y co", ["comment", "complete", "complete-backward", "copy", "copy-link"]), ("/unbind f", ["F1", "F10", "F2", "f"]),
        ("/bind ctrl-t undo-l", ["undo-last"]), ("/unbind ctrl-x ", nil), ("/bind", nil),
    ] as [(String, [String]?)])
    func completion(line: String, wanted: [String]?) {
        let menu = Completions.next(Array(line), cursor: line.count, RecordNames([]))
        if let wanted { #expect(Set(wanted).isSubset(of: menu?.entries.map(\.candidate.insertion) ?? []), "\(menu?.entries.map(\.candidate.insertion) ?? [])") }
        for entry in menu?.entries ?? [] { #expect(entry.candidate.insertion.lowercased().hasPrefix(line.split(separator: " ").last?.lowercased() ?? "") || line.hasSuffix(" ")) }
        if line == "/bind" { #expect(menu == nil) }
    }

    @Test("The page's configuration lines are valid")
    func configuration() {
        var keymap = ViewCommands.defaultKeymap()
        let mistakes = keymap.read(configuration: "bind ctrl-t season\nunbind f2", modes: ViewCommands.modes, actions: ViewCommands.names)
        #expect(mistakes.isEmpty)
    }
}
