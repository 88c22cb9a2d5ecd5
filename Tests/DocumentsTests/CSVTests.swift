import Bytes
import ClientWorld
import Documents
import Family
import PDF
import Sync
import TestSupport
import Testing
import Words

@Suite("Comma-separated values, RFC 4180 §2")
struct CSVTests {
    private func line(_ cells: [CSV.Cell]) -> String {
        String(decoding: CSV.octets([cells]).dropFirst(3), as: UTF8.self)
    }

    @Test("A cell with commas, quotes, line breaks or blanks at an end is quoted, other cells are not", arguments: [
        ("plain", "plain"), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""), ("two\nlines", "\"two\nlines\""), (" x", "\" x\""),
        ("", ""), ("Łódź 🥎", "Łódź 🥎"), ("a;b", "\"a;b\""),
    ])
    func quoting(_ text: String, _ wanted: String) { #expect(line([.text(text)]) == wanted + "\r\n") }

    @Test("R112 P28 No cell is a formula: a text that begins like one gets an apostrophe", arguments: [
        "=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\n=x", " =1+1", "=cmd|' /C calc'!A0", "＝1", "\u{FEFF}=1",
    ])
    func formulas(_ text: String) {
        let cell = line([.text(text)])
        #expect(cell.drop { $0 == "\"" }.first == "'", "\(cell)")
    }

    @Test("Characters that could steer a terminal become a visible substitute, line ends and tabs stay")
    func steering() {
        #expect(line([.text("a\u{9B}31m\u{202E}b\u{E0041}")]) == "a\u{FFFD}31m\u{FFFD}b\u{FFFD}\r\n")
        #expect(line([.text("a\n\tb\u{2029}")]) == "\"a\n\tb\u{FFFD}\"\r\n")
    }

    @Test("Numbers stay numbers, negative ones too")
    func numbers() { #expect(line([.number("-3.50"), .number("92"), .empty, .text("-3.50")]) == "-3.50,92,,'-3.50\r\n") }

    @Test("The file begins with a byte order mark and each line ends with CR LF")
    func file() {
        #expect(CSV.octets([[.text("a")], [.text("b")]]) == [0xEF, 0xBB, 0xBF] + Array("a\r\nb\r\n".utf8))
        #expect(CSV.octets([]) == [0xEF, 0xBB, 0xBF])
    }

    @Test("Any written text reads back", arguments: 1...20 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let letters = Array("ab,\"\n\r ;=+-@\té🥎'")
        let rows = (0..<5).map { _ in
            (0..<4).map { _ in CSV.Cell.text(String((0..<Int(random.next() % 6)).map { _ in letters[Int(random.next() % UInt64(letters.count))] })) }
        }
        let back = read(String(decoding: CSV.octets(rows).dropFirst(3), as: UTF8.self))
        #expect(back.count == rows.count, "seed \(seed)")
        for (row, cells) in zip(rows, back) {
            for (cell, text) in zip(row, cells) {
                guard case .text(let original) = cell else { continue }
                #expect(text == original || text == "'" + original, "seed \(seed)")
            }
        }
    }

    /// A reader of RFC 4180, written by hand.
    private func read(_ file: String) -> [[String]] {
        var rows: [[String]] = [[]]
        var cell = ""
        var isQuoted = false
        var scalars = Array(file.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "\"" where isQuoted && scalars.first == "\"":
                scalars.removeFirst()
                cell.unicodeScalars.append("\"")
            case "\"": isQuoted.toggle()
            case "," where !isQuoted:
                rows[rows.count - 1].append(cell)
                cell = ""
            case "\r" where !isQuoted && scalars.first == "\n":
                scalars.removeFirst()
                rows[rows.count - 1].append(cell)
                cell = ""
                rows.append([])
            default: cell.unicodeScalars.append(scalar)
            }
        }
        return rows.dropLast()
    }
}

@Suite("Records as a table of cells")
struct RecordSheetTests {
    private func record(_ kind: Kind, _ number: UInt64, athlete: UInt64? = nil, _ values: [String: Value]) -> Record {
        var fields = Fields(kind)
        for (name, value) in values { fields[name] = value }
        return Record(
            kind: kind, id: World.id(number), athlete: athlete.map(World.id), version: 1, createdAt: 1, createdBy: World.parent, updatedAt: 1,
            updatedBy: World.parent, fields: fields)
    }

    @Test("R112 Metrics have labels for types, names for events, numbers as numbers")
    func metrics() throws {
        let event = record(.event, 20, athlete: 3, ["name": .text("=Fall Camp"), "start_date": .text("2026-12-01"), "type": .text("camp")])
        let maya = record(.member, 3, ["name": .text("Maya"), "role": .text("athlete")])
        let metric = record(
            .metric, 21, athlete: 3,
            [
                "event_id": .reference(event.id), "metric_type": .text("exit_velo"), "value": .text("92.50"), "unit": .text("mph"),
                "recorded_date": .text("2026-12-01"), "notes": .text("+2 on last year"), "verified": .flag(true),
            ])
        let rows = RecordSheet.rows(.metric, [metric], RecordNames([event, maya, metric]))
        let head = rows[0].map { if case .text(let name) = $0 { name } else { "" } }
        #expect(head.prefix(3) == ["id", "athlete", "event_id"])
        func cell(_ name: String) throws -> CSV.Cell { rows[1][try #require(head.firstIndex(of: name))] }
        #expect(try cell("athlete") == .text("Maya"))
        #expect(try cell("event_id") == .text("=Fall Camp"))
        #expect(try cell("metric_type") == .text("Exit Velocity"))
        #expect(try cell("value") == .number("92.50"))
        #expect(try cell("verified") == .text("yes"))
        #expect(try cell("label") == .empty)
        let text = String(decoding: CSV.octets(rows), as: UTF8.self)
        #expect(text.contains(",'=Fall Camp,Exit Velocity,,92.50,mph,2026-12-01,'+2 on last year,yes\r\n"), "\(text)")
    }

    @Test("A deleted school keeps its name")
    func keptName() throws {
        let event = record(
            .event, 20, athlete: 3,
            ["name": .text("Camp"), "start_date": .text("2026-12-01"), "school_id": .reference(World.id(9)), "school_name": .text("Old Tech")])
        let rows = RecordSheet.rows(.event, [event], RecordNames([event]))
        #expect(rows[0].count == rows[1].count)
        #expect(rows[1].contains(.text("Old Tech")))
        #expect(!rows[0].contains(.text("school_name")))
    }

    @Test("Every kind makes a table whose rows are as wide as its head", arguments: Kind.allCases)
    func everyKind(_ kind: Kind) {
        let rows = RecordSheet.rows(kind, [record(kind, 20, [:])], RecordNames([]))
        #expect(rows.count == 2 && rows[0].count == rows[1].count)
    }

    @Test("R112 Pages have the list's columns without its id, nothing cut, and each longer text; an empty list says so")
    func pages() {
        let long = String(repeating: "long ", count: 40) + "name"
        let event = record(
            .event, 20, athlete: 3,
            ["name": .text(long), "start_date": .text("2026-12-01"), "city": .text(long), "type": .text("camp"), "description": .text("one\ntwo\u{7}"), "cost": .text("5.00")])
        let maya = record(.member, 3, ["name": .text("Maya"), "role": .text("athlete")])
        func report(_ records: [Record]) -> PDFReport {
            RecordPages.report(.event, records, RecordNames([event, maya]), title: "Events\u{1B}", notes: ["The Riveras"], footer: "", clock: LocalClock(zone: nil))
        }
        let pages = report([event])
        #expect(pages.headings == ["Date", "Time", "Name", "Type", "Status", "Where", "Athlete"])
        #expect(pages.rows == [.init(["Dec 1, 2026", "", long, "Camp", "Not Registered", long, "Maya"], details: ["Description: one\ntwo\u{FFFD}"])])
        #expect(pages.title == "Events\u{FFFD}" && pages.notes == ["The Riveras"])
        #expect(report([]).notes == ["No events.", "The Riveras"] && report([]).rows.isEmpty)
        for kind in Kind.allCases {
            let pages = RecordPages.report(kind, [record(kind, 20, [:])], RecordNames([]), title: "", notes: [], footer: "", clock: LocalClock(zone: nil))
            #expect(pages.rows.count == 1 && pages.rows[0].cells.count == pages.headings.count, "\(kind)")
        }
    }
}
