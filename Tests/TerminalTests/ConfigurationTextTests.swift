import Terminal
import Testing

@Suite("One line of a configuration changes, the others stay")
struct ConfigurationTextTests {
    private static let before = "# my colours\nset theme dark\n\n  set   mouse off   \nbind ctrl-t season\n# end"

    @Test("A setting replaces its last occurrence, or is added at the end", arguments: [
        ("set theme dark\n", "theme", "set theme light", "set theme light\n"),
        ("set theme dark\nset theme mono\n", "theme", "set theme light", "set theme dark\nset theme light\n"),
        (before, "theme", "set theme light", "# my colours\nset theme light\n\n  set   mouse off   \nbind ctrl-t season\n# end"),
        (before, "mouse", "set mouse on", "# my colours\nset theme dark\n\nset mouse on\nbind ctrl-t season\n# end"),
        (before, "title", "set title off", before + "\nset title off\n"), ("", "title", "set title off", "set title off\n"),
        ("a\n\n", "title", "set title off", "a\n\nset title off\n"), ("#set theme dark\n", "theme", "set theme light", "#set theme dark\nset theme light\n"),
        ("set notify-command sh\n", "notify", "set notify bell", "set notify-command sh\nset notify bell\n"),
        ("set theme dark\r\nset mouse off\r\n", "theme", "set theme light", "set theme light\r\nset mouse off\r\n"),
        ("set theme dark\n# x\nset theme mono", "theme", nil, "# x"),
    ] as [(String, String, String?, String)])
    func settings(before: String, name: String, line: String?, after: String) {
        var text = ConfigurationText(before)
        text.set(name, line)
        #expect(String(decoding: text.octets, as: UTF8.self) == after)
        // A second write changes nothing.
        text.set(name, line)
        #expect(String(decoding: text.octets, as: UTF8.self) == after)
    }

    @Test("A binding matches keys in any spelling, but not in other modes", arguments: [
        ("bind ctrl-t season\n", "", "ctrl-t", "bind ctrl-t events", "bind ctrl-t events\n"),
        ("bind C-t season\n", "", "ctrl-t", "unbind ctrl-t", "unbind ctrl-t\n"), ("unbind ^T\n", "", "ctrl-t", "bind ctrl-t events", "bind ctrl-t events\n"),
        ("bind @events ctrl-t season\n", "", "ctrl-t", "bind ctrl-t events", "bind @events ctrl-t season\nbind ctrl-t events\n"),
        ("bind @events ctrl-t season\n", "events", "ctrl-t", nil, ""), ("bind nonsense\nbind ctrl-x ctrl-e season\n", "", "ctrl-x ctrl-e", nil, "bind nonsense\n"),
    ] as [(String, String, String, String?, String)])
    func keys(before: String, mode: String, keys: String, line: String?, after: String) throws {
        var text = ConfigurationText(before)
        text.bind(try #require(Keymap.keys(keys)), in: mode, line)
        #expect(String(decoding: text.octets, as: UTF8.self) == after)
    }

    @Test("Octets that are not text stay unchanged")
    func octets() {
        let before: [UInt8] = [0xFF, 0xC3, 10, 0, 10]
        var text = ConfigurationText(before)
        #expect(text.octets == before)
        text.set("theme", "set theme dark")
        #expect(text.octets == before + Array("set theme dark\n".utf8))
    }

    @Test("The text for readers has one kind of line end")
    func lines() { #expect(ConfigurationText("a\r\nb\n").text == "a\nb\n") }

    @Test("A line names its keys, and is written as it is read", arguments: [
        "bind ctrl-t season", "bind @select y copy", "unbind @events ctrl-x ctrl-e", "bind alt-X season", "bind alt-x season", "unbind shift-tab", "bind N season", "unbind f2", "bind @events ' season",
    ])
    func binding(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        #expect(try KeyBinding(words).line == line)
    }

    @Test("A binding that would leave no way back is dangerous", arguments: [
        ("bind a season", true), ("bind @input / season", true), ("bind @events a season", false), ("bind ctrl-a season", false), ("unbind @input enter", true), ("bind @form a b season", true),
        ("unbind f2", false), ("unbind a", false), ("bind alt-a season", false), ("bind space season", true),
    ])
    func dangers(line: String, isDanger: Bool) throws {
        let danger = try KeyBinding(line.split(separator: " ").map(String.init)).danger
        #expect((danger != nil) == isDanger)
        #expect(danger.map { $0.hasSuffix(".") } ?? true)
    }
}
