import Bytes
import ClientWorld
import Commands
import Family
import Queries
import Terminal
import Testing
import Wire
import Words

@Suite("Words for people, R016-R019, R051, R053, R086")
struct RenderingTests {
    @Test("A reminder is a line with its state, its time on the clocks of the place, and its place", arguments: [
        (Reminder.State.due, "2026-04-15T08:00", "Upcoming: Camp, Apr 15, 2026 08:00, Main field"),
        (.late, "2026-04-15", "Late. Upcoming: Camp, Apr 15, 2026, Main field"), (.missed, "2026-04-15", "Missed. Upcoming: Camp, Apr 15, 2026, Main field"),
    ] as [(Reminder.State, String, String)])
    func reminders(state: Reminder.State, when: String, line: String) {
        let key = Reminder.Key(item: World.id(20), lead: 30, start: 5)
        let reminder = Reminder(kind: .event, key: key, state: state, when: when, title: "Upcoming: Camp", body: "Main field")
        #expect(ReminderWords.line(reminder) == line)
        #expect(ReminderWords.lines([reminder]) == [line] && ReminderWords.lines([]) == ["No reminders."])
        let hostile = Reminder(kind: .event, key: key, state: state, when: when, title: "Upcoming: \u{9B}31m", body: "\u{202E}x")
        #expect(!ReminderWords.line(hostile).unicodeScalars.contains { $0 == "\u{9B}" || $0 == "\u{202E}" })
    }

    @Test("Dates", arguments: [
        ("2026-04-15", nil, "Apr 15, 2026"), ("2026-04-15", "2026-04-15", "Apr 15, 2026"),
        ("2026-04-15", "2026-04-16", "Apr 15 - 16, 2026"),
        ("2026-04-30", "2026-05-02", "Apr 30 - May 2, 2026"), ("2026-12-31", "2027-01-02", "Dec 31, 2026 - Jan 2, 2027"),
        ("bad\u{1B}", nil, "bad\u{FFFD}"),
    ] as [(String, String?, String)])
    func dates(start: String, end: String?, text: String) {
        var values: [String: Value] = ["start_date": .text(start)]
        if let end { values["end_date"] = .text(end) }
        #expect(EventText.dates(World.event(values).fields) == text)
    }

    @Test("R010 Dates follow the order of the locale", arguments: [
        (DateOrder.dayFirst, "15 Apr 2026", "15 - 16 Apr 2026", "30 Apr - 2 May 2026", "31 Dec 2026 - 2 Jan 2027", "15 Apr"),
        (.yearFirst, "2026-04-15", "2026-04-15 - 2026-04-16", "2026-04-30 - 2026-05-02", "2026-12-31 - 2027-01-02", "15 Apr"),
        (.monthFirst, "Apr 15, 2026", "Apr 15 - 16, 2026", "Apr 30 - May 2, 2026", "Dec 31, 2026 - Jan 2, 2027", "Apr 15"),
    ])
    func orders(order: DateOrder, day: String, days: String, months: String, years: String, short: String) {
        #expect(EventText.dates("2026-04-15", nil, order) == day && EventText.dates("2026-04-15", "2026-04-15", order) == day)
        #expect(EventText.dates("2026-04-15", "2026-04-16", order) == days)
        #expect(EventText.dates("2026-04-30", "2026-05-02", order) == months)
        #expect(EventText.dates("2026-12-31", "2027-01-02", order) == years)
        #expect(EventText.dayAndMonth("2026-04-15", order) == short)
        #expect(EventText.dates("bad\u{1B}", nil, order) == "bad\u{FFFD}")
    }

    @Test("R010 The locale decides the order of dates", arguments: [
        (nil, DateOrder.monthFirst), ("C.UTF-8", .monthFirst), ("en_US.UTF-8", .monthFirst), ("es_PR", .monthFirst), ("de_DE.UTF-8", .dayFirst), ("en_GB", .dayFirst),
        ("pl-PL", .dayFirst), ("sv_SE@euro", .dayFirst), ("en_CA", .monthFirst), ("fr_CA", .dayFirst), ("ja_JP.eucJP", .yearFirst), ("en_DK", .yearFirst), ("hu_HU", .yearFirst),
    ] as [(String?, DateOrder)])
    func localeOrders(locale: String?, order: DateOrder) {
        #expect(DateOrder(locale: locale) == order)
        #expect(DateOrder.locale { $0 == "LC_TIME" ? locale : $0 == "LANG" ? "fr_FR" : "" } == locale ?? "fr_FR")
    }

    @Test("R018 Status", arguments: [
        (true, true, "Attended"), (false, true, "Attended"), (true, false, "Registered"), (false, false, "Not Registered"),
    ])
    func status(registered: Bool, attended: Bool, text: String) {
        #expect(EventText.status(World.event(["registered": .flag(registered), "attended": .flag(attended)]).fields) == text)
    }

    @Test("Names are cut after 60 columns, missing ones replaced")
    func names() {
        let long = World.event(["name": .text(String(repeating: "n", count: 70))])
        #expect(EventText.name(long.fields) == String(repeating: "n", count: 59) + "…")
        #expect(EventText.name(World.event([:]).fields) == "Unknown event")
        #expect(EventText.type(World.event(["type": .text("official_visit")]).fields) == "Official Visit")
    }

    @Test("Text of others cannot steer a terminal", arguments: [
        ("\u{1B}[31mred", "\u{FFFD}[31mred"), ("a\u{9B}31m", "a\u{FFFD}31m"), ("\u{7}bell\r\nx", "\u{FFFD}bell  x"),
        ("\u{202E}turned", "\u{FFFD}turned"), ("A\u{E0041}\u{E007F}", "A\u{FFFD}\u{FFFD}"), ("\u{2066}x\u{2069}", "\u{FFFD}x\u{FFFD}"), ("plain żółć 日本 👍", "plain żółć 日本 👍"),
    ])
    func printable(text: String, shown: String) {
        #expect(text.printable == shown)
    }

    @Test("JSON for a terminal is the same JSON, with escapes for what could steer it", arguments: [
        ("{\"a\":\"\u{9B}31m\u{202E}\u{2028}\u{7F}\"}\n", "{\"a\":\"\\u009b31m\\u202e\\u2028\\u007f\"}\n"),
        ("[\"\u{E0041}\",\"\u{61C}\u{FFF9}\"]", "[\"\\udb40\\udc41\",\"\\u061c\\ufff9\"]"),
        ("{\"ż\":\"日本 👍 \\n\"}\n{\"b\":1}\n", "{\"ż\":\"日本 👍 \\n\"}\n{\"b\":1}\n"), ("", ""),
    ])
    func printableJSON(json: String, shown: String) {
        #expect(String(decoding: Array(json.utf8).printableJSON, as: UTF8.self) == shown)
    }

    @Test("A plain list aligns in the columns that the full screen draws", arguments: [
        "日本", "e\u{301}te\u{301}", "👨‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "⌚\u{FE0E} watch", "🇵 pennant", "\u{301}accent", "\u{1B}[2J", "soft\u{AD}",
    ])
    func columns(name: String) {
        let lines = Table(["NAME", "X"], [[name.printable, "a"], ["0123456789", "b"]]).lines.dropFirst()
        for (line, end) in zip(lines, ["a", "b"] as [Character]) {
            var canvas = Canvas(Size(columns: 20, rows: 1))
            _ = canvas.draw(line, at: 0, 0)
            #expect(canvas[12, 0].character == end, "\(canvas.text)")
        }
    }

    @Test("An event in full says each fact once, and shows no id; a document shows its size for people, and nothing for programs")
    func details() {
        let event = World.event([
            "name": .text("Fall Camp"), "type": .text("camp"), "start_date": .text("2026-12-05"), "start_time": .text("09:00"), "cost": .text("60.00"),
            "registered": .flag(true), "attended": .flag(false), "city": .text("Albany"),
        ])
        var fields = Fields(.document)
        for (name, value) in [
            "title": .text("Fall transcript"), "type": .text("transcript"), "version": .integer(2), "octets": .integer(20_221), "is_current": .flag(true),
            "replaces": .reference(World.id(60)), "sha256": .text(String(repeating: "a", count: 64)), "file_name": .text("fall.pdf"),
        ] as [String: Value] { fields[name] = value }
        let document = Record(
            kind: .document, id: World.id(61), athlete: World.athlete, version: 1, createdAt: 0, createdBy: World.athlete, updatedAt: 0, updatedBy: World.athlete,
            fields: fields)
        let text = ChangeText(RecordNames([World.member(World.athlete, "Elena Rivera"), event, document])) { _ in "09:14" }
        let lines = RecordTables.details(event, text)
        #expect(lines.first == "Fall Camp (Camp, Registered)")
        for fact in ["Fall Camp", "Dec 5, 2026", "09:00", "Registered", "60.00", "Albany"] { #expect(lines.count { $0.contains(fact) } == 1, "\(fact) in \(lines)") }
        #expect(!lines.contains { $0.contains(event.id.description) })
        let file = RecordTables.details(document, text)
        #expect(file.first == "Fall transcript" && file.contains { $0.hasPrefix("  Size") && $0.hasSuffix(" 19.7 KB") }, "\(file)")
        for word in ["SHA-256", "Current", "Replaces", "Id "] { #expect(!file.contains { $0.contains(word) }, "\(word) is in \(file)") }
    }

    @Test("A table aligns wide text and leaves out empty columns")
    func table() {
        let table = Table(["ID", "NAME", "EMPTY", "X"], [["1", "日本", "", "a"], ["22", "abc", "", "b"]])
        #expect(table.lines == ["ID  NAME  X", "1   日本  a", "22  abc   b"])
    }

    @Test("A table that is too wide drops columns in their order, then cuts the widest, down to its least width", arguments: [
        (40, ["ID  NAME        WHERE       TYPE", "1   0123456789  abcdefghij  camp"]),
        (32, ["ID  NAME        WHERE       TYPE", "1   0123456789  abcdefghij  camp"]), (31, ["ID  NAME       WHERE       TYPE", "1   01234567…  abcdefghij  camp"]),
        (25, ["ID  NAME    WHERE    TYPE", "1   01234…  abcdef…  camp"]), (21, ["ID  NAME  WHERE  TYPE", "1   012…  abcd…  camp"]),
        (20, ["ID  NAME        TYPE", "1   0123456789  camp"]), (14, ["ID  NAME  TYPE", "1   012…  camp"]), (13, ["ID  NAME", "1   01234567…"]),
        (3, ["ID  NAME", "1   012…"]),
    ] as [(Int, [String])])
    func fitted(room: Int, lines: [String]) {
        let table = Table(
            ["ID", .init("NAME", least: 4), .init("WHERE", least: 5, leaves: 1), .init("TYPE", leaves: 2)], [["1", "0123456789", "abcdefghij", "camp"]])
        #expect(table.lines(within: room) == lines)
    }

    @Test("The season's list fits 80 columns and keeps date, name, status and owner; a pipe gets everything")
    func listOfEvents() throws {
        let long = World.event([
            "name": .text(String(repeating: "Prospect Camp ", count: 6)), "start_date": .text("2026-12-31"), "end_date": .text("2027-01-02"),
            "start_time": .text("09:00"), "end_time": .text("17:00"), "type": .text("unofficial_visit"), "city": .text("Asheville"), "state": .text("NC"),
        ])
        let names = RecordNames([World.member(World.athlete, "Elena Rivera"), long])
        let fitted = RecordTables.lines(.event, [long], names, showsAthlete: true, columns: 76, isNumbered: true)
        #expect(fitted.allSatisfy { TextWidth.of($0) <= 76 }, "\(fitted)")
        #expect(fitted.first?.split(separator: " ") == ["DATE", "NAME", "STATUS", "ATHLETE"])
        #expect(try #require(fitted.last).contains("Prospect Camp Prosp…"))
        let piped = RecordTables.lines(.event, [long], names, showsAthlete: true)
        #expect(piped.first?.split(separator: " ") == ["ID", "DATE", "TIME", "NAME", "TYPE", "STATUS", "WHERE", "ATHLETE"])
    }

    @Test("Long lines break between words and continue below their text", arguments: [
        ("short", ["short"]), ("09:14 Dana: one two three", ["09:14 Dana: one two", "      three"]),
        ("  Host  Hudson Hawks at Millrace", ["  Host  Hudson Hawks", "        at Millrace"]),
        ("0123456789012345678901234", ["01234567890123456789", "      01234"]), ("01234567890123456789 x", ["01234567890123456789", "      x"]),
        ("日本日本日本日本日本日", ["日本日本日本日本日本", "      日"]),
    ] as [(String, [String])])
    func wrapped(line: String, lines: [String]) {
        #expect(WordWrap.lines(line, columns: 20) == lines)
    }

    @Test("Wrapped text always fits, and loses no word", arguments: 20...60)
    func wrappedWhole(columns: Int) {
        let text = "  Description  A two-day camp 日本 for catchers, https://www.calderridge.example/camps/catching/2026/fall included."
        let lines = WordWrap.lines(text, columns: columns)
        #expect(lines.allSatisfy { TextWidth.of($0) <= columns })
        #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
    }

    @Test("A user finds records by id, beginning, end, name")
    func find() throws {
        let names = RecordNames([World.school(20, "Ohio State"), World.school(21, "Ohio"), World.school(22, "Iowa")])
        #expect(try names.find(.school, World.id(20).description).id == World.id(20))
        #expect(try names.find(.school, "0014").id == World.id(20))
        #expect(try names.find(.school, "OHIO").id == World.id(21), "a whole name before a beginning")
        #expect(try names.find(.school, "iow").id == World.id(22))
        #expect(throws: LookupFailure.self) { try names.find(.school, "o") }
        #expect(throws: LookupFailure.self) { try names.find(.coach, "iowa") }
        #expect(throws: LookupFailure.self) { try names.find(.school, "") }
        for number in [20, 21, 22] as [UInt64] { #expect(try names.find(.school, names.short(World.id(number))).id == World.id(number)) }
    }

    @Test("Changes in words")
    func changes() {
        let showcase = World.event(["name": .text("Spring Showcase"), "start_date": .text("2026-04-15")])
        let names = RecordNames([World.member(World.parent, "Dana\u{1B}"), World.member(World.athlete, "Maya"), showcase])
        let text = ChangeText(names) { _ in "09:14" }
        func lines(_ effect: ChangeEntry.Effect, kind: Kind = .event, id: Identifier = World.id(60)) -> [String] {
            text.lines(
                Change(
                    sequence: 1, at: 0, member: World.parent, client: nil, mutation: nil,
                    entries: [ChangeEntry(kind: kind, id: id, version: 2, effect: effect)]))
        }
        func set(_ values: [String: Value?]) -> ChangeEntry.Effect { .update(World.patch(.event, values).assignments) }
        #expect(lines(set(["attended": .flag(true)])) == ["09:14 Dana\u{FFFD} marked Spring Showcase attended"])
        #expect(lines(.create(athlete: nil, fields: showcase.fields)) == ["09:14 Dana\u{FFFD} added Spring Showcase, Apr 15, 2026"])
        #expect(lines(.delete) == ["09:14 Dana\u{FFFD} deleted Spring Showcase"])
        #expect(
            lines(set(["cost": .text("150.00"), "city": nil])) == ["09:14 Dana\u{FFFD} changed Spring Showcase: cost 150.00, city –"])
        var message = Fields(.message)
        message["text"] = .text("see you\nthere \u{1B}]0;x\u{7}")
        let record = Record(
            kind: .message, id: World.id(70), athlete: nil, version: 1, createdAt: 0, createdBy: World.athlete, updatedAt: 0,
            updatedBy: World.athlete, fields: message)
        #expect(lines(.create(athlete: nil, fields: message), kind: .message, id: World.id(70)) == [])
        #expect(text.message(record) == "09:14 Maya: see you\n      there \u{FFFD}]0;x\u{FFFD}")
        #expect(
            text.presence(Presence(member: World.athlete, connections: 1, context: .athlete(World.athlete)))
                == "Maya is here, viewing their own season")
    }

    @Test("An upload shows its percentage, which is never 100 before the end", arguments: [
        (UploadProgress.State.running, Int64(47_185_920), Int64?(104_857_600), "Maya is uploading Fall highlights, 45%"),
        (.running, 104_857_600, 104_857_600, "Maya is uploading Fall highlights, 99%"),
        (.running, .max, .max, "Maya is uploading Fall highlights, 99%"),
        (.running, 0, 0, "Maya is uploading Fall highlights, 0%"),
        (.running, 10, nil, "Maya is uploading Fall highlights"),
        (.paused, 10, 20, "Maya's upload of Fall highlights waits for the connection"),
        (.finished, 20, 20, "Maya uploaded Fall highlights"),
        (.cancelled, 10, 20, "Maya gave up the upload of Fall highlights"),
    ])
    func uploads(state: UploadProgress.State, octets: Int64, total: Int64?, line: String) {
        let progress = UploadProgress(
            id: World.id(70), member: World.athlete, athlete: World.athlete, title: "Fall highlights", octets: octets, total: total,
            state: state)
        let text = ChangeText(RecordNames([World.member(World.athlete, "Maya")])) { _ in "09:14" }
        #expect(text.upload(progress) == line)
    }

    @Test("A deletion is named before the changes that came with it")
    func whole() {
        let (newest, older) = (World.event(["name": .text("Newest")], id: 61), World.event(["name": .text("Older")], id: 62))
        let text = ChangeText(RecordNames([newest, older])) { _ in "09:14" }
        let entries = [
            ChangeEntry(kind: .event, id: older.id, version: 2, effect: .update(World.patch(.event, ["city": .text("Albany")]).assignments)),
            ChangeEntry(kind: .event, id: newest.id, version: 2, effect: .delete),
        ]
        #expect(text.done(Change(sequence: 1, at: 0, member: World.parent, client: nil, mutation: nil, entries: entries)) == "Deleted Newest; 1 event stays")
    }

    /// The parts of a change, the sentence for it.
    static let sentences: [([ChangeEntry], String)] = {
        func entry(_ kind: Kind, _ number: UInt64, _ effect: ChangeEntry.Effect) -> ChangeEntry { ChangeEntry(kind: kind, id: World.id(number), version: 2, effect: effect) }
        func new(_ kind: Kind, _ number: UInt64, _ values: [String: Value] = [:]) -> ChangeEntry {
            var fields = Fields(kind)
            for (name, value) in values { fields[name] = value }
            return entry(kind, number, .create(athlete: nil, fields: fields))
        }
        func set(_ kind: Kind, _ number: UInt64, _ values: [String: Value?]) -> ChangeEntry { entry(kind, number, .update(World.patch(kind, values).assignments)) }
        let asheville = new(.trip, 80, ["name": .text("Asheville")])
        let days: [String: Value?] = ["start_date": .text("2026-12-11"), "end_date": .text("2026-12-13")]
        let attended = set(.event, 60, ["attended": .flag(true)])
        return [
            ([asheville], "Dana added trip Asheville"),
            ([asheville, new(.tripItem, 81), new(.tripItem, 82)], "Dana added trip Asheville, with 2 items"),
            ([set(.trip, 90, days)] + (91..<95).map { set(.tripItem, $0, ["start_time": .text("2026-12-11T09:00")]) }, "Dana moved Albany to Dec 11 - 13, 2026, with 4 items"),
            ([set(.tripItem, 91, ["start_time": .text("2026-12-11T09:00")])], "Dana moved a trip item to Dec 11, 2026 09:00"),
            ([set(.event, 60, days)], "Dana moved Spring Showcase to Dec 11 - 13, 2026"),
            ([set(.event, 60, ["end_date": .text("2026-12-13")])], "Dana changed Spring Showcase: end date Dec 13, 2026"),
            ([set(.event, 60, ["start_date": .text("2026-12-13"), "end_date": nil])], "Dana changed Spring Showcase: start date Dec 13, 2026, end date –"),
            ([attended, new(.metric, 83), new(.interaction, 84)], "Dana marked Spring Showcase attended, with 1 result and 1 interaction"),
            ([attended, set(.metric, 83, ["event_id": nil])], "Dana marked Spring Showcase attended, with 1 result"),
            ([entry(.trip, 90, .delete), entry(.tripItem, 91, .delete)], "Dana deleted Albany, with 1 item"),
            ([entry(.event, 60, .delete), set(.metric, 83, ["event_id": nil])], "Dana deleted Spring Showcase; 1 result stays"),
            ((200..<400).map { new(.event, $0) }, "Dana added 200 events"),
            ([new(.event, 61), new(.event, 62), new(.school, 63)], "Dana added 2 events and 1 school"),
            ([new(.school, 63, ["name": .text("Ashgrove")]), set(.event, 60, ["city": .text("Albany")]), attended], "Dana added school Ashgrove, and 2 more"),
            ([set(.document, 95, ["is_current": .flag(false)]), new(.document, 96, ["title": .text("Transcript"), "version": .integer(2), "replaces": .reference(World.id(95))])], "Dana uploaded version 2 of Transcript"),
        ]
    }()

    @Test("A change is one sentence", arguments: sentences)
    func sentence(entries: [ChangeEntry], words: String) {
        var trip = Fields(.trip)
        trip["name"] = .text("Albany")
        let albany = Record(kind: .trip, id: World.id(90), athlete: nil, version: 1, createdAt: 0, createdBy: World.parent, updatedAt: 0, updatedBy: World.parent, fields: trip)
        let text = ChangeText(RecordNames([World.member(World.parent, "Dana"), World.event(["name": .text("Spring Showcase")]), albany])) { _ in "09:14" }
        #expect(text.sentence(entries, by: "Dana")?.text == words)
        let change = Change(sequence: 1, at: 0, member: World.parent, client: nil, mutation: nil, entries: entries)
        #expect(text.told(change) == "09:14 " + words && text.what(change) == words.dropFirst(5))
    }

    @Test("Every kind has words without its record", arguments: Kind.allCases)
    func withoutRecords(kind: Kind) {
        let text = ChangeText(RecordNames([])) { _ in "09:14" }
        let effects: [ChangeEntry.Effect] = [
            .create(athlete: nil, fields: Fields(kind)), .update([.init(field: 0, value: nil)]), .delete,
            .restore(athlete: nil, fields: Fields(kind), createdAt: 0, createdBy: World.parent),
        ]
        for effect in effects {
            let entry = ChangeEntry(kind: kind, id: World.id(9), version: 2, effect: effect)
            let lines = text.lines(Change(sequence: 1, at: 0, member: World.parent, client: nil, mutation: nil, entries: [entry]))
            #expect(lines.allSatisfy { $0.contains("somebody") || $0.contains("joined") })
        }
    }

    @Test("A conflict shows yours, theirs, author and time")
    func conflict() {
        let names = RecordNames([World.member(World.athlete, "Maya")])
        let field = Conflict.Field(
            field: World.field(.event, "name"), base: nil, yours: .text("Mine"), theirs: .text("Theirs"), member: World.athlete, at: 5)
        let rejection = Rejection(.conflict, "Changed.", conflict: Conflict(record: World.event([:]), fields: [field]))
        #expect(
            ChangeText(names) { _ in "09:14" }.rejection(rejection)
                == ["Changed.", "  Event name: yours Mine, theirs Theirs (Maya, 09:14)"])
    }

    @Test("Lists: the last day decides, context and search filter, order follows the request")
    func filters() {
        let today = "2026-11-21"
        let past = World.event(["name": .text("Past"), "start_date": .text("2026-11-01"), "type": .text("camp")], id: 1)
        let running = World.event(
            ["name": .text("Running"), "start_date": .text("2026-11-20"),
                "end_date": .text("2026-11-21"), "type": .text("official_visit")], id: 2)
        let future = World.event(
            ["name": .text("Future"), "start_date": .text("2026-12-01"), "city": .text("Austin"), "type": .text("unofficial_visit")], id: 3)
        let other = World.event(["name": .text("Other"), "start_date": .text("2026-12-02")], id: 4, athlete: World.id(99))
        let all = [past, running, future, other]
        func names(_ change: (inout ListFilter) -> Void, _ context: Context = .all) -> [String] {
            var filter = ListFilter(.event)
            change(&filter)
            return filter.apply(all, today: today, context: context).map { RecordNames.name($0) }
        }
        #expect(names { _ in } == ["Other", "Future", "Running", "Past"])
        #expect(names { $0.time = .upcoming } == ["Running", "Future", "Other"])
        #expect(names { $0.time = .past } == ["Past"])
        #expect(names({ $0.time = .upcoming }, .athlete(World.athlete)) == ["Running", "Future"])
        #expect(names { $0.types = ListFilter.types("visit") } == ["Future", "Running"])
        #expect(names { $0.text = "aust" } == ["Future"])
        #expect(names { $0.text = "ÁUSTIN" } == ["Future"])
        #expect(names { $0.time = .nextMonth } == ["Other", "Future"])
        #expect(names { ($0.time, $0.sort) = (.upcoming, .name) } == ["Future", "Other", "Running"])
    }
}
