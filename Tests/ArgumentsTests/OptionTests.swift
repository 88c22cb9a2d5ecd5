import Arguments
import Testing

@Suite("Options from flags, environment and file")
struct OptionTests {
    private static let table = OptionTable(
        prefix: "DEMO_",
        [
            .init("One", [
                .init("listen", .endpoint, initial: "127.0.0.1:1", "S.", reason: "R."), .init("config", .path, isOutsideFile: true, "S.", reason: "R."),
                .init("free-space", .size(0...(1 << 40)), initial: "256M", isLive: true, "S.", reason: "R."),
            ]),
            .init("Two", [
                .init("peer", .checked(placeholder: "P", takes: "a peer, like p1") { $0.hasPrefix("p") }, isRepeatable: true, "S.", reason: "R."),
                .init("key", .secretPath, "S.", reason: "R."), .init("age", .duration(1_000...1_000_000_000), "S.", reason: "R."),
                .init("rate", .number(0...9), initial: "5", "S.", reason: "R."), .init("level", .choice(["info", "error"]), initial: "info", "S.", reason: "R."),
            ]),
        ])

    private func file(_ text: String) -> OptionFile { OptionFile(path: "f.conf", Array(text.utf8), Self.table) }

    private func settings(_ words: [String] = [], _ environment: [String] = [], _ text: String? = nil) throws -> OptionSettings {
        OptionSettings(Self.table, flags: try Self.table.flags(words), environment: environment, file: text.map(file))
    }

    @Test("A flag overrides a variable, a variable overrides a line, a line overrides the default, and each is named")
    func precedence() throws {
        func origin(_ words: [String], _ environment: [String], _ text: String?) throws -> String {
            let setting = try settings(words, environment, text)["rate"]
            return "\(setting.values) \(setting.origin.text)"
        }
        let (flag, variable, line) = (["--rate", "1"], ["DEMO_RATE=2", "OTHER=x"], "# c\n\nrate = 3\n")
        #expect(try origin(flag, variable, line) == "[\"1\"] --rate")
        #expect(try origin([], variable, line) == "[\"2\"] DEMO_RATE")
        #expect(try origin([], [], line) == "[\"3\"] f.conf:3")
        #expect(try origin([], ["DEMO_RATE="], nil) == "[\"5\"] default")
    }

    @Test("The values of an option that may be given several times come from one source, all of them")
    func several() throws {
        #expect(try settings(["--peer", "p1", "--peer=p2"], ["DEMO_PEER=p3"], "peer = p4").all("peer") == ["p1", "p2"])
        #expect(try settings([], ["DEMO_PEER=p3, p5"], "peer = p4").all("peer") == ["p3", "p5"])
        let lines = try settings([], [], "peer = p4\nrate = 1\npeer = p6")
        #expect(lines.all("peer") == ["p4", "p6"] && lines["peer"].origin.text == "f.conf:1,3")
        #expect(try settings().all("peer") == [])
    }

    @Test(
        "An invalid line is reported with file and line",
        arguments: [
            ("rat = 1", "There is no option 'rat'. Did you mean 'rate'?"), ("zebra = 1", "There is no option 'zebra'."), ("rate", "The line is not 'name = value'. Put an equals sign between name and value."),
            ("rate =", "'rate' has no value. Write one, or remove the line for the default."), ("rate = 1\nrate = 1", "'rate' is given twice, first in line 2. Keep one of the lines."),
            ("[network]", "A file of options has no sections. Remove the line."), ("--rate = 1", "Write the option without dashes in front: rate."),
            ("key = \"/a b\"", "Write the value of 'key' without quotes."), ("config = x", "'config' cannot be in a file. Give it as --config or DEMO_CONFIG."),
            ("RATE = 1", "There is no option 'RATE'."), ("rate = 1\u{7}", "The line holds a control character. Remove it."), ("= 1", "There is no option ''."),
            ("rate = \(String(repeating: "1", count: 5_000))", "The line is longer than 4096 octets. Shorten it."),
        ])
    func badLine(text: String, sentence: String) throws {
        let line = text.contains("\n") ? 3 : 2
        #expect(file("# one\n" + text).problems == ["f.conf:\(line): " + sentence])
    }

    @Test(
        "A value that its option does not accept is reported with its place and the value",
        arguments: [
            ("rate = 10", "f.conf:1: 'rate' takes a whole number from 0 to 9. It cannot be '10'."), ("rate = 5 # five", "f.conf:1: 'rate' takes a whole number from 0 to 9. It cannot be '5 # five'."),
            ("listen = 80", "f.conf:1: 'listen' takes HOST:PORT, like 127.0.0.1:8787. It cannot be '80'."), ("free-space = 5 GB", "f.conf:1: 'free-space' takes octets, or a size like 20G or 500M. It cannot be '5 GB'."),
            ("free-space = 2048G", "f.conf:1: 'free-space' takes octets, or a size like 20G or 500M. It cannot be '2048G'."), ("age = 36", "f.conf:1: 'age' takes a time like 90s, 45m, 36h or 7d. It cannot be '36'."),
            ("peer = p1\npeer = q", "f.conf:2: 'peer' takes a peer, like p1. It cannot be 'q'."), ("level = loud", "f.conf:1: 'level' takes one of info, error. It cannot be 'loud'."),
            ("key = credential:a/b", "f.conf:1: 'key' takes a path, or credential:NAME. It cannot be 'credential:a/b'."),
        ])
    func badValue(text: String, sentence: String) throws {
        #expect(try settings([], [], text).problems == [sentence])
        // A file with a mistake is not used, also where a flag overrides the line.
        #expect(try settings(["--rate", "1", "--peer", "p"], [], text).problems == [sentence])
    }

    @Test("An invalid value of a flag or a variable is reported with its name")
    func badFlag() throws {
        #expect(try settings(["--rate", "x"]).problems == ["--rate takes a whole number from 0 to 9. It cannot be 'x'."])
        #expect(try settings([], ["DEMO_AGE=1y"]).problems == ["DEMO_AGE takes a time like 90s, 45m, 36h or 7d. It cannot be '1y'."])
        #expect(throws: UsageError("--rate is given twice.")) { try Self.table.flags(["--rate", "1", "--rate", "1"]) }
        #expect(throws: UsageError("There is no option --rte: did you mean --rate?")) { try Self.table.flags(["--rte", "1"]) }
        #expect(try settings(["--peer="]).problems == ["--peer needs a value."])
    }

    @Test("A variable that is not an option is a warning that names the closest one, because others may set variables of that name")
    func unknownVariable() throws {
        let read = try settings([], ["DEMO_RTAE=1", "DEMO_PORT=tcp://10.0.0.1", "DEMORATE=1"])
        #expect(read.problems == [] && read.warnings == ["DEMO_PORT is not an option.", "DEMO_RTAE is not an option. Did you mean DEMO_RATE?"])
    }

    @Test("Windows line ends, a byte order mark, tabs, spaces and an equals sign in the value are read")
    func forms() {
        let read = file("\u{FEFF}  rate\t=  3 \r\n   # c\r\n\r\nkey = /a=b c\r\nage=90s")
        #expect(read.problems == [])
        #expect(read.entries.map { "\($0.line) \($0.name) \($0.value)" } == ["1 rate 3", "4 key /a=b c", "5 age 90s"])
    }

    @Test("A file that is something else is given up after twenty problems; octets that are no text are one")
    func otherFile() {
        let read = file(String(repeating: "{\n", count: 1_000))
        #expect(read.problems.count == 21 && read.problems.last?.contains("Is this a file of options?") == true)
        #expect(OptionFile(path: "f", [0xFF, 0xFE, 0x0A], Self.table).problems == ["f:1: The line is not UTF-8. Save the file as UTF-8."])
    }

    @Test("Every octet at every place of a file is read or refused, and never set as something else than it says")
    func anyOctet() {
        let text = Array("rate = 3\npeer = p1\n".utf8)
        for place in text.indices {
            for octet in UInt8.min...UInt8.max {
                var changed = text
                changed[place] = octet
                let read = OptionFile(path: "f", changed, Self.table)
                for entry in read.entries { #expect(Self.table[entry.name] != nil && !entry.value.isEmpty && !entry.value.contains("\n")) }
                #expect(read.entries.count + read.problems.count <= 3)
            }
        }
    }

    @Test(
        "Sizes and times are numbers with a unit, without a sign, and never overflow",
        arguments: [
            ("0", 0, nil), ("1", 1, nil), ("2M", 2 << 20, nil), ("3G", 3 << 30, nil), ("", nil, nil), ("M", nil, nil), ("-1", nil, nil), ("+1", nil, nil), ("1.5G", nil, nil), ("1g", nil, nil),
            ("9999999999999999999G", nil, nil), ("9223372036854775807G", nil, nil), ("90s", nil, 90_000), ("2m", nil, 120_000), ("1h", nil, 3_600_000), ("7d", nil, 604_800_000), ("-7d", nil, nil),
            ("9223372036854775807d", nil, nil),
        ] as [(String, Int?, Int64?)])
    func units(text: String, size: Int?, time: Int64?) {
        #expect(OptionForm.size(text) == size && OptionForm.duration(text) == time)
        if let size { #expect(OptionForm.size(OptionForm.text(size: size)) == size) }
    }

    @Test("Differences between two readings are named, also where a value goes back to its default")
    func differences() throws {
        let before = try settings([], [], "rate = 3\npeer = p1")
        #expect(try settings([], [], "peer = p1\nfree-space = 1G").differences(from: before) == ["rate", "free-space"])
        // Another source of the same value is not a difference.
        #expect(try settings(["--rate", "3", "--peer", "p1"]).differences(from: before) == [])
    }

    @Test("The manual has no line that roff would take for a command, and the example is all comments")
    func pages() {
        let table = OptionTable(prefix: "D_", [.init("G-1", [.init("a-b", .path, initial: "-x\\y", ".begins with a dot.", reason: "'quotes' too.")])])
        #expect(table.manual == [".SS G\\-1", ".TP", ".B \\-\\-a\\-b \\fIPATH\\fR", "\\&.begins with a dot.", "Default: \\-x\\ey. 'quotes' too."])
        #expect(table.file(head: ["h", ""]) == ["# h", "#", "", "## G-1", "", "# .begins with a dot.", "# Default: -x\\y. 'quotes' too.", "#a-b = -x\\y"])
    }
}
