import Bytes
import Family
import JSON
import Wire

@testable import Dates

/// Texts of one value: an accepted one is unchanged after writing and reading it, and a refused one does not trap.
extension FuzzTarget {
    static let grammars: [FuzzTarget] = [
        FuzzTarget("json", dictionary: "json") { octets in try checkJSON(octets) },
        FuzzTarget("base64-hex") { octets in try checkBase64AndHex(octets) },
        FuzzTarget("dates", dictionary: "dates") { octets in try checkDates(octets) },
        FuzzTarget("zone-footer", dictionary: "dates") { octets in try checkZoneFooter(octets) },
        FuzzTarget("tzif") { octets in try checkTZif(octets) },
    ]
}

/// A document, so that results can be compared. Numbers stay as written: the reader supports only integers.
private indirect enum Tree: Equatable {
    case object([String: Tree])
    case array([Tree])
    case string(String)
    case number([UInt8])
    case boolean(Bool)
    case null

    static func read(_ reader: inout JSONReader) throws(JSONError) -> Tree {
        switch try reader.peekKind() {
        case .object:
            var members: [String: Tree] = [:]
            try reader.readObject { reader, key throws(JSONError) in
                let name = key.string
                guard members[name] == nil else { throw .invalid("the reader let a key pass twice") }
                members[name] = try Tree.read(&reader)
            }
            return .object(members)
        case .array:
            var elements: [Tree] = []
            try reader.readArray { reader throws(JSONError) in elements.append(try Tree.read(&reader)) }
            return .array(elements)
        case .string: return .string(try reader.readString())
        case .integer: return .number(Array(try reader.readRaw(maxOctets: .max, maxDepth: 0)))
        case .boolean: return .boolean(try reader.readBool())
        case .null:
            try reader.readNull()
            return .null
        }
    }

    func write(_ writer: inout JSONWriter) {
        switch self {
        case .object(let members):
            writer.beginObject()
            for (name, value) in members {
                writer.key(name)
                value.write(&writer)
            }
            writer.endObject()
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(&writer) }
            writer.endArray()
        case .string(let text): writer.string(text)
        case .number(let text):
            let integer = try? JSONReader.read(text) { reader throws(JSONError) in try reader.readInteger() }
            if let integer { writer.integer(integer) } else { writer.raw(text) }
        case .boolean(let value): writer.boolean(value)
        case .null: writer.null()
        }
    }
}

func checkJSON(_ octets: [UInt8]) throws {
    let skipped: JSONError?
    do throws(JSONError) {
        try JSONReader.read(octets) { reader throws(JSONError) in try reader.skipValue() }
        skipped = nil
    } catch { skipped = error }
    let tree: Tree
    do throws(JSONError) {
        tree = try JSONReader.read(octets) { reader throws(JSONError) in try Tree.read(&reader) }
    } catch {
        try hold(error != .invalid("the reader let a key pass twice"), "\(error)")
        try hold(skipped != nil, "skipping took what reading refused: \(error)")
        return
    }
    try hold(skipped == nil, "skipping refused what reading took: \(skipped.map { "\($0)" } ?? "")")
    try hold(String(validating: octets, as: UTF8.self) != nil, "a text that is not UTF-8 was accepted")
    var writer = JSONWriter()
    tree.write(&writer)
    let again = try JSONReader.read(writer.octets) { reader throws(JSONError) in try Tree.read(&reader) }
    // Only "-0" is an integer that is written differently, as 0.
    var canonical = JSONWriter()
    again.write(&canonical)
    let third = try JSONReader.read(canonical.octets) { reader throws(JSONError) in try Tree.read(&reader) }
    try hold(third == again, "what was written reads otherwise")
}

func checkBase64AndHex(_ octets: [UInt8]) throws {
    for alphabet in [Base64.Alphabet.standard, .urlSafe] {
        if let decoded = Base64.decode(octets.span, alphabet) {
            try hold(Array(Base64.encode(decoded, alphabet).utf8) == octets, "base64 that is not canonical was taken")
        }
        let text = Base64.encode(octets, alphabet)
        try hold(Base64.decode(text, alphabet) == octets, "base64 does not come back")
    }
    if let decoded = Hex.decode(octets.span) {
        try hold(Hex.encode(decoded) == String(decoding: octets, as: UTF8.self).lowercased(), "hex does not come back")
    }
    try hold(Hex.decode(Hex.encode(octets)) == octets, "hex does not come back")
    if let id = Identifier(octets.span) {
        try hold(id.description == String(decoding: octets, as: UTF8.self).lowercased(), "an identifier does not come back")
        try hold(Identifier(id.description) == id, "an identifier does not come back")
    }
}

func checkDates(_ octets: [UInt8]) throws {
    let text = String(decoding: octets, as: UTF8.self)
    if let date = CalendarDate(octets.span) {
        try hold(date.description == text, "a date does not come back")
        try hold(CalendarDate(days: date.days) == date, "a date's day number does not come back")
        try hold(date.adding(days: 1).map { $0 > date } ?? (date == .last), "the next day is not later")
        for months in [-13, -1, 1, 12, 25] {
            guard let moved = date.adding(months: months) else { continue }
            try hold((moved > date) == (months > 0), "\(months) months lead the wrong way")
            try hold(moved.day <= date.day, "a month's end is overrun")
        }
    }
    if let time = LocalTime(octets.span) { try hold(time.description == text, "a time does not come back") }
    if let local = LocalDateTime(octets.span) {
        try hold(local.description == text, "a date with time does not come back")
        try hold(LocalDateTime(minutes: local.minutes) == local, "the minutes of a date with time do not come back")
    }
    if let instant = RFC3339.instant(octets.span) {
        let written = RFC3339.text(instant)
        try hold(RFC3339.instant(written) == instant, "\(written) is another instant")
    }
    if let name = ZoneName(text) {
        try hold(name.text == text && !text.hasPrefix("/") && !text.contains(".."), "a zone's name could leave its folder")
    }
}

func checkZoneFooter(_ octets: [UInt8]) throws {
    guard let footer = ZoneFooter(octets) else { return }
    let rules = ZoneRules(
        transitions: [], typeIndices: [], types: [footer.standard], footer: footer)
    // Every month of a few years, and far ends.
    try checkZone(rules, seconds: stride(from: 1_600_000_000, to: 1_800_000_000, by: 2_000_003).map { $0 })
}

func checkTZif(_ octets: [UInt8]) throws {
    let rules: ZoneRules
    do { rules = try ZoneRules(tzif: octets) } catch { return }
    var seconds: [Int] = []
    for transition in rules.transitions.prefix(40) + rules.transitions.suffix(40) {
        for step in [-1, 0, 1] { seconds.append(transition.addingReportingOverflow(step).partialValue) }
    }
    try checkZone(rules, seconds: seconds + stride(from: 1_600_000_000, to: 1_800_000_000, by: 9_000_003))
}

private func checkZone(_ rules: ZoneRules, seconds: [Int]) throws {
    let years =
        LocalDateTime(date: .first, time: .midnight).minutes * 60 + 200_000..<LocalDateTime(date: .last, time: .midnight).minutes * 60
    for second in seconds where years.contains(second) {
        let instant = Instant(second * 1000)
        let offset = rules.offset(at: instant)
        try hold((-25 * 3600...26 * 3600).contains(offset), "an offset of \(offset) s")
        let local = rules.local(at: instant)
        let back = rules.instant(of: local)
        // Local times have no seconds: if clocks changed within the minute, or differ from UTC by seconds, the minute
        // may have been skipped.
        let minute = Instant((local.minutes * 60 - offset) * 1000)
        guard rules.offset(at: minute) == offset else { continue }
        // In a repeated hour the first is used; otherwise it is the same minute.
        try hold(back <= instant, "\(local) is later than the moment at which clocks show it")
        try hold(instant - back < 2 * 26 * 3_600_000, "\(local) is far from the moment at which clocks show it")
    }
    for far in [Instant.min, .max, 0] { _ = rules.local(at: far) }
    for local in [CalendarDate.first, .last] { _ = rules.instant(of: LocalDateTime(date: local, time: .midnight)) }
}
