import Bytes
import Dates
import EngineScripts
@testable import Family
import JSON

/// The answers of the rules about values and whole records, for `proto/views/rules.json`, and their sentences for JavaScript.
enum RuleVectors {
    static let id = Identifier(high: 0x7000, low: 0x8000_0000_0000_0009)
    static let member = Identifier(high: 0x7000, low: 0x8000_0000_0000_0001)

    /// The rules of zones by name, each read once.
    final class Zones {
        private var known: [String: ZoneRules?] = [:]
        var environment: RuleEnvironment {
            RuleEnvironment { [self] name in
                let rules = known[name] ?? ZoneVectors.rules(name)
                known[name] = rules
                return rules
            }
        }
    }

    // MARK: Sentences

    /// The sentences that forms need, under the names that the module gives them.
    static let named: [(name: String, code: ErrorCode, template: String)] = [
        ("required", .required, "{field} is required"), ("form", .invalid, "{field} must be {form}."),
        ("wrongType", .invalid, "{field} has a value of the wrong type."),
        ("control", .invalid, "{field} contains a control character that cannot be shown."),
        ("invisible", .invalid, "{field} contains an invisible character. Type it again without copying it."),
        ("noURL", .invalid, "Please enter a valid URL (e.g., https://...)"), ("noNumber", .invalid, "Please enter a valid number"),
        ("state", .invalid, "{field} is at most two letters."), ("tooDeep", .invalid, "{field}: objects and lists can be nested at most {limit} deep."),
        ("tooLong", .tooLong, "{field} is at most {limit} characters long."), ("jsonTooLong", .tooLong, "{field}: at most {limit} octets of JSON."),
        ("tooMany", .tooMany, "{field}: at most {limit} entries."), ("below", .outOfRange, "{field} must not be below {bound}."),
        ("range", .outOfRange, "{field} must be from {lowest} to {highest}."), ("decimals", .outOfRange, "{field} has at most {limit} decimals."),
        ("digits", .outOfRange, "{field} has at most {limit} digits before the point."),
        ("endDate", .endBeforeStart, "End date must be after start date"), ("endTime", .endBeforeStart, "End time must be after start time"),
    ]

    /// The module `family/sentences.js`.
    static var sentencesModule: String {
        func text(_ text: String) -> String { JSONValue.text(text).description }
        var module = """
            // Written from the catalogue in Swift (HUDDLE_WRITE_PROTO=1); not edited by hand.

            /**
             * The sentences of forms; words in braces stand for the values of the case.
             * @type {{[name: string]: {code: string, template: string}}}
             */
            export const SENTENCES = {

            """
        for (name, code, template) in named { module += "  \(name): { code: \(text(code.rawValue)), template: \(text(template)) },\n" }
        return module + "};\n"
    }

    // MARK: Values

    @Sendable static func page() -> String {
        let zones = Zones()
        var values: [JSONValue] = []
        for kind in Kind.allCases {
            for (place, field) in kind.declaration.fields.enumerated() where !field.isServerOnly {
                for value in self.values(field) { values.append(row(kind, place, field, value, zones.environment)) }
            }
        }
        return ViewVectors.lines([
            ("values", .array(values)), ("records", .array(records(zones.environment))), ("completed", .array(completions(zones.environment))),
            ("spaces", ranges { TextRules.isSpace($0) }), ("invisible", ranges { TextRules.visible("a\($0)b").unicodeScalars.count != 3 }),
        ])
    }

    private static func row(_ kind: Kind, _ place: Int, _ field: FieldDeclaration, _ value: (value: Value, written: JSONValue), _ environment: RuleEnvironment) -> JSONValue {
        var members: [String: JSONValue] = ["kind": .text("\(kind.name)"), "field": .text("\(field.name)"), "value": value.written]
        var operation = Operation(
            kind: kind, id: id, action: .update(base: 1, merge: .none, patch: FieldPatch(assignments: [.init(field: place, value: value.value)])))
        do throws(Rejection) {
            // An update that clears a required field is refused; a form finds that in the whole record.
            var patch: FieldPatch?
            try Validation.canonicalize(&operation, index: 0, environment: environment)
            if case .update(_, _, let made) = operation.action { patch = made }
            let canonical = patch?.assignments.first?.value
            members["canonical"] = canonical == value.value ? .text("same") : canonical.map(Self.written) ?? .null
        } catch {
            if error.code == .required { members["canonical"] = .null } else { members["mistake"] = mistake(error) }
        }
        return .object(members)
    }

    static func mistake(_ rejection: Rejection) -> JSONValue {
        .object(["code": .text(rejection.code.rawValue), "message": .text(rejection.message), "field": .text(rejection.field ?? "")])
    }

    /// A value as an operation has it.
    static func written(_ value: Value) -> JSONValue {
        switch value {
        case .text(let text): .text(text)
        case .integer(let number): .integer(number)
        case .flag(let flag): .flag(flag)
        case .reference(let id): .text(id.description)
        case .link(let kind, let id): .object(["kind": .text("\(kind.name)"), "id": .text(id.description)])
        case .set(let elements): .array(elements.map { .text($0.id.description) })
        case .json(let octets): (try? JSONValue(octets)) ?? .null
        }
    }

    /// Values to try in a field: right ones, those at the bounds, and wrong ones. Long texts are written as a part with a number of times.
    private static func values(_ field: FieldDeclaration) -> [(value: Value, written: JSONValue)] {
        func texts(_ texts: [String]) -> [(Value, JSONValue)] { texts.map { (.text($0), .text($0)) } }
        func long(_ part: String, _ times: Int) -> (Value, JSONValue) {
            (.text(String(repeating: part, count: times)), .object(["part": .text(part), "times": .integer(Int64(times))]))
        }
        let wrong: [(Value, JSONValue)] = [(.flag(true), .flag(true)), (.integer(7), .integer(7))]
        let strange = ["", " ", "\u{200B}\u{FEFF}", "a\u{0}b", "a\u{7F}b", "a\u{85}b"]
        switch field.type {
        case .line(let max):
            return texts(strange + ["  Zoë \u{3000}", "a\nb", "a\tb", "a\u{2028}b", "a\u{200B}b", "a\u{200D}b", "❤\u{FE0F}", "a\u{FE0F}", "1\u{FE0F}\u{20E3}", "葛\u{E0100}", "a\u{E0100}", "\u{202E}evil"])
                + [long("ż", max), long("ż", max + 1), long("𝔘", max), long("𝔘", max + 1)] + wrong
        case .text(let max):
            return texts(strange + ["  a\r\nb\rc\n\n", "a\tb\u{2028}c\u{2029}", "a\u{B}b", "a\u{200B}b"]) + [long("ż", max), long("𝔘a", max / 2), long("𝔘a", max / 2 + 1)] + wrong
        case .choice(let words, let labels): return texts(["", " ", words[0], words[words.count - 1], " \(words[0])", labels[0].uppercased(), "nothing"]) + wrong
        case .flag: return [(.flag(true), .flag(true)), (.flag(false), .flag(false)), (.text("true"), .text("true")), (.integer(1), .integer(1))]
        case .integer(let range):
            return [range.lowerBound - 1, range.lowerBound, range.upperBound].map { (.integer($0), .integer($0)) } + [(.text("1"), .text("1"))]
        case .decimal(let digits, let scale, let min), .measure(let digits, let scale, let min):
            let most = String(repeating: "9", count: digits), fine = String(repeating: "9", count: scale)
            return texts([
                "", " 150 ", "0", "-0", "-0.0", "00.5", "007", "92.50", ".5", "5.", "-", "1e3", "1,5", "٣", "+1", "1.2.3", "0x1F", "\(most).\(fine)", "\(most)9", "0\(most)", "1.\(fine)9", "\(min)", "\(min - 1)",
                "\(min).\(String(repeating: "0", count: scale))", "\(min == 0 ? "-0" : "\(min)").\(fine)", String(repeating: "0", count: 64), String(repeating: "0", count: 65),
            ]) + wrong
        case .date: return texts(["", " 2026-04-15 ", "2024-02-29", "2026-02-29", "0000-01-01", "0001-01-01", "9999-12-31", "2026-4-15", "2026-04-15T09:00", "15.04.2026", "２026-04-15"]) + wrong
        case .time: return texts(["", " 09:30 ", "00:00", "23:59", "24:00", "9:30", "09:60", "09:30:00", "09.30"]) + wrong
        case .localDateTime: return texts(["", " 2026-04-15T09:30 ", "2026-04-15 09:30", "2026-02-29T09:30", "2026-04-15T24:00", "2026-04-15T09:30Z", "2026-04-15"]) + wrong
        case .zone: return texts(["", " UTC ", "Europe/Warsaw", "America/New_York", "Mars/Base", "+02:00", "../etc/passwd", "/Europe/Warsaw", "Europe/", "europe/warsaw", "utc", "Europe/Warsaw/", "posix/UTC"]) + [long("a", 65)] + wrong
        case .url:
            return texts([
                "", " https://example.org ", "HTTP://example.org/A?b#c", "https://example.org:443/", "https://example.org:65536/", "https://example.org:/", "https://example.org:x/", "ftp://example.org",
                "javascript:alert(1)", "https:/example.org", "https://", "https:///a", "https://ana@example.org/", "https://exa mple.org", "https://example.org/a b", "https://example.org/\u{3000}", "https://ł.example/ó",
                "https://.example.org", "https://a..b", "https://a.b.", "https://[::1]:8080/x", "https://[]", "https://[::1", "https://[::1]x", "https://[g::]", "https://e_x-a/`", "https://e.org/\\", "https://e.org/{a}", "http:e.org",
                "https://e.org?q=1", "https://e.org#f", "https://e.org/\u{202E}x", "httpx://e.org", "example.org", "https://e.org/\u{85}", "https://e%41.org", "https://e.org:123456",
            ]) + [(.text("https://e.org/" + String(repeating: "a", count: 2_034)), .object(["part": .text("a"), "times": .integer(2_034), "after": .text("https://e.org/")])),
                (.text("https://e.org/" + String(repeating: "ż", count: 1_018)), .object(["part": .text("ż"), "times": .integer(1_018), "after": .text("https://e.org/")]))] + wrong
        case .state: return texts(["", " oh ", "O", "Ohio", "O1", "Ł", "ß"]) + wrong
        case .reference: return [(.reference(member), .text(member.description))]
        case .link: return [(.link(.event, member), .object(["kind": .text("event"), "id": .text(member.description)])), (.text("event"), .text("event"))]
        case .set(_, let max):
            func set(_ numbers: [Int]) -> (Value, JSONValue) {
                let ids = numbers.map { Identifier(high: 0x7000, low: 0x8000_0000_0000_0000 | UInt64($0)) }
                return (.set(ids.map { SetElement(id: $0) }), .array(ids.map { .text($0.description) }))
            }
            return [set([]), set([3, 1, 2, 1]), set(Array(1...max)), set(Array(1...(max + 1))), set(Array(repeating: 1, count: 2 * max)), set(Array(repeating: 1, count: 2 * max + 1)), (.text("x"), .text("x"))]
        case .json(let octets, let depth):
            func json(_ text: String) -> (Value, JSONValue) { (.json(Array(text.utf8)), (try? JSONValue(Array(text.utf8))) ?? .null) }
            func nested(_ levels: Int) -> String { String(repeating: "{\"a\":", count: levels) + "1" + String(repeating: "}", count: levels) }
            let frame = "{\"a\":\"\"}".utf8.count
            return [
                json("{}"), json("[]"), json(nested(depth)), json(nested(depth + 1)), json("{\"a\":[[[1]]]}"),
                json("{\"a\":\"\(String(repeating: "x", count: octets - frame))\"}"), json("{\"a\":\"\(String(repeating: "x", count: octets - frame + 1))\"}"), (.text("{}"), .text("{}")),
            ]
        }
    }

    // MARK: Records

    private static func check(_ fields: Fields, _ environment: RuleEnvironment) -> JSONValue {
        var members: [String: JSONValue] = ["kind": .text("\(fields.kind.name)"), "fields": written(fields)]
        do throws(Rejection) {
            try Validation.check(fields, operation: 0, id: id, environment: environment)
            members["mistake"] = .null
        } catch {
            members["mistake"] = mistake(error)
        }
        return .object(members)
    }

    private static func written(_ fields: Fields) -> JSONValue {
        var members: [String: JSONValue] = [:]
        for (place, field) in fields.kind.declaration.fields.enumerated() { if let value = fields[place] { members["\(field.name)"] = written(value) } }
        return .object(members)
    }

    /// A record with a value in every required field.
    private static func full(_ kind: Kind) -> Fields {
        var fields = Fields(kind)
        for (place, field) in kind.declaration.fields.enumerated() where field.isRequired {
            fields[place] =
                switch field.type {
                case .choice(let words, _): .text(words[0])
                case .date: .text("2026-04-15")
                case .localDateTime: .text("2026-04-15T09:30")
                case .zone: .text("Europe/Warsaw")
                case .reference: .reference(member)
                case .integer: .integer(1)
                case .measure, .decimal: .text("7")
                default: .text("Name")
                }
        }
        return fields
    }

    private static func records(_ environment: RuleEnvironment) -> [JSONValue] {
        var rows: [JSONValue] = []
        for kind in Kind.allCases {
            let full = full(kind)
            rows += [check(Fields(kind), environment), check(full, environment)]
            for (place, field) in kind.declaration.fields.enumerated() {
                if field.isRequired {
                    var fields = full
                    fields[place] = nil
                    rows.append(check(fields, environment))
                }
                if case .set(_, let max) = field.type {
                    var fields = full
                    fields[place] = .set((1...(max + 1)).map { SetElement(id: Identifier(high: 0x7000, low: 0x8000_0000_0000_0000 | UInt64($0))) })
                    rows.append(check(fields, environment))
                }
            }
        }
        for end in [nil, "2026-04-14", "2026-04-15", "2026-04-16"] {
            for (start, last) in [(nil, nil), ("09:30", nil), ("09:30", "09:30"), ("09:30", "09:29"), (nil, "08:00"), ("00:00", "23:59")] as [(String?, String?)] {
                var event = full(.event)
                event["end_date"] = end.map(Value.text)
                event["start_time"] = start.map(Value.text)
                event["end_time"] = last.map(Value.text)
                rows.append(check(event, environment))
            }
            var trip = full(.trip)
            trip["end_date"] = end.map(Value.text)
            rows.append(check(trip, environment))
        }
        for (type, label) in [("other", nil), ("other", "Grip"), ("era", nil)] {
            var metric = full(.metric)
            metric["metric_type"] = .text(type)
            metric["label"] = label.map(Value.text)
            rows.append(check(metric, environment))
        }
        for leads in [
            #"{}"#, #"{"event":[0,30,1440,40320,60]}"#, #"{"event":[1,2,3,4,5,6]}"#, #"{"event":[30,30]}"#, #"{"event":[-1]}"#, #"{"all_day":[40321]}"#, #"{"all_day":[1.5]}"#, #"{"all_day":["1"]}"#,
            #"{"trip_item":30}"#, #"{"trip":[30]}"#, #"{"athletes":[]}"#, #"{"athletes":{"x":{}}}"#, #"{"athletes":{"00000000-0000-7000-8000-000000000001":{"event":[],"all_day":[360]}}}"#,
            #"{"athletes":{"00000000-0000-7000-8000-000000000001":{"trip_item":[1]}}}"#, #"{"athletes":{"00000000-0000-7000-8000-000000000001":[1]}}"#,
        ] {
            var rule = Fields(.reminderRule)
            rule["leads"] = .json(Array(leads.utf8))
            rows.append(check(rule, environment))
        }
        for (from, until) in [("22:00", "07:00"), ("22:00", nil), (nil, "07:00"), ("07:00", "07:00")] as [(String?, String?)] {
            var rule = Fields(.reminderRule)
            rule["quiet_from"] = from.map(Value.text)
            rule["quiet_until"] = until.map(Value.text)
            rows.append(check(rule, environment))
        }
        // By the clock a flight to the west lands before it took off; the night of the changed clocks has an hour twice.
        for (end, zone) in [("2026-04-15T09:30", nil), ("2026-04-15T09:31", nil), ("2026-04-15T09:29", nil), ("2026-04-15T08:00", "America/New_York"), ("2026-04-15T10:00", "Asia/Tokyo"), ("2026-04-15T08:00", "Mars/Base")]
            as [(String, String?)]
        {
            var item = full(.tripItem)
            item["end_time"] = .text(end)
            item["end_zone"] = zone.map(Value.text)
            rows.append(check(item, environment))
        }
        return rows
    }

    // MARK: Defaults

    private static func completions(_ environment: RuleEnvironment) -> [JSONValue] {
        var rows: [JSONValue] = []
        let now: Int64 = 1_776_290_399_000
        func complete(_ fields: Fields, zone: String = "Europe/Warsaw", targets: [Record] = []) {
            var whole = fields
            Validation.applyDefaults(&whole, environment: environment) {
                RuleContext(member: member, now: now, zone: zone, targets: Dictionary(targets.map { ($0.id, $0) }) { first, _ in first })
            }
            rows.append(.object([
                "kind": .text("\(fields.kind.name)"), "fields": written(fields), "zone": .text(zone), "now": .integer(now), "member": .text(member.description),
                "targets": .array(targets.map { .object(["id": .text($0.id.description), "fields": written($0.fields)]) }), "whole": written(whole),
            ]))
        }
        func fields(_ kind: Kind, _ texts: [String: String], _ references: [String: Identifier] = [:]) -> Fields {
            var fields = Fields(kind)
            for (name, text) in texts { fields[name] = .text(text) }
            for (name, id) in references { fields[name] = .reference(id) }
            return fields
        }
        func record(_ fields: Fields) -> Record {
            Record(kind: fields.kind, id: id, athlete: nil, version: 1, createdAt: 1, createdBy: member, updatedAt: 1, updatedBy: member, fields: fields)
        }
        for kind in Kind.allCases { complete(Fields(kind)) }
        for texts in [
            ["start_date": "2026-04-15"], ["start_date": "2026-04-15", "start_time": "09:30"], ["start_date": "2026-04-15", "start_time": "23:30"],
            ["start_date": "2026-04-15", "start_time": "23:30", "end_date": "2026-04-18"], ["start_date": "2026-04-15", "start_time": "09:30", "end_time": "12:00"],
            ["start_date": "9999-12-31", "start_time": "23:30"], ["start_time": "09:30"],
        ] { complete(fields(.event, texts)) }
        let events = [
            fields(.event, ["name": "Camp", "start_date": "2026-03-29", "start_time": "02:30", "school_name": "Ohio"], ["school_id": member]),
            fields(.event, ["name": "Camp", "start_date": "2026-03-29", "checkin_time": "08:00", "time_zone": "America/New_York"]), fields(.event, [:]),
        ]
        for event in events {
            complete(fields(.metric, ["metric_type": "era"], ["event_id": id]), targets: [record(event)])
            for zone in ["Europe/Warsaw", "Asia/Tokyo", "Mars/Base"] {
                complete(fields(.interaction, [:], ["event_id": id]), zone: zone, targets: [record(event)])
                complete(fields(.interaction, ["time_zone": "Asia/Kolkata", "subject": "Call"], ["event_id": id]), zone: zone, targets: [record(event)])
            }
        }
        for type in ["velocity", "exit_velo", "sixty_time", "pop_time", "batting_avg", "era", "strikeouts", "other"] { complete(fields(.metric, ["metric_type": type]), zone: "Asia/Tokyo") }
        complete(fields(.interaction, ["occurred_at": "2026-01-01T09:00"]))
        for trip in [fields(.trip, ["time_zone": "America/Chicago"]), fields(.trip, [:])] {
            complete(fields(.tripItem, ["start_time": "2026-04-15T09:30"], ["trip_id": id]), targets: [record(trip)])
            complete(fields(.tripItem, ["start_time": "2026-04-15T09:30", "end_time": "2026-04-15T10:30", "start_zone": "UTC"], ["trip_id": id]), targets: [record(trip)])
        }
        return rows
    }

    /// The code points of which something is true, as first and last ones of runs.
    private static func ranges(_ isIn: (Unicode.Scalar) -> Bool) -> JSONValue {
        var runs: [(UInt32, UInt32)] = []
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), isIn(scalar) else { continue }
            if let last = runs.last, last.1 + 1 == value { runs[runs.count - 1].1 = value } else { runs.append((value, value)) }
        }
        return .array(runs.map { .array([.integer(Int64($0.0)), .integer(Int64($0.1))]) })
    }
}
