package import Dates
import ICalendar
internal import XML

/// A period of time, open at either end (RFC 4791 §9.9).
package struct DAVTimeRange: Hashable, Sendable {
    package var start: Instant?
    package var end: Instant?

    package init(start: Instant?, end: Instant?) {
        self.start = start
        self.end = end
    }

    /// Whether an entry overlaps it. An entry without a duration overlaps the period that begins at its start.
    package func overlaps(_ from: Instant, _ until: Instant) -> Bool {
        let isBeforeEnd = end.map { from < $0 } ?? true
        let isAfterStart = start.map { until > $0 || (from == until && from >= $0) } ?? true
        return isBeforeEnd && isAfterStart
    }
}

/// A test of one property of an entry (RFC 4791 §9.7.2).
package struct DAVPropertyTest: Hashable, Sendable {
    package enum Condition: Hashable, Sendable {
        case isDefined
        case isNotDefined
        /// A text that the value contains, or does not contain.
        case contains(String, ignoresCase: Bool, isNegated: Bool)
    }

    /// In capital letters.
    package var property: String
    package var condition: Condition

    package init(_ property: String, _ condition: Condition) {
        self.property = property
        self.condition = condition
    }

    /// - Parameter value: `nil` if the entry does not have the property.
    package func holds(for value: String?) -> Bool {
        switch condition {
        case .isDefined: return value != nil
        case .isNotDefined: return value == nil
        case .contains(let text, let ignoresCase, let isNegated):
            guard let value else { return false }
            let (whole, part) = ignoresCase ? (Self.lowered(value), Self.lowered(text)) : (Array(value.utf8), Array(text.utf8))
            return Self.contains(whole, part) != isNegated
        }
    }

    /// `i;ascii-casemap` (RFC 4790 §9.2).
    private static func lowered(_ text: String) -> [UInt8] { text.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 32 : $0 } }

    private static func contains(_ whole: [UInt8], _ part: [UInt8]) -> Bool {
        guard !part.isEmpty else { return true }
        guard whole.count >= part.count else { return false }
        return (0...whole.count - part.count).contains { whole[$0..<$0 + part.count].elementsEqual(part) }
    }
}

/// The objects that a calendar-query selects (RFC 4791 §9.7): each object here is one VEVENT without an alarm.
package struct DAVFilter: Hashable, Sendable {
    /// Whether it asks for something that no object here has, such as a to-do.
    package var selectsNothing = false
    package var range: DAVTimeRange?
    package var tests: [DAVPropertyTest] = []

    package init(range: DAVTimeRange? = nil, tests: [DAVPropertyTest] = []) {
        self.range = range
        self.tests = tests
    }

    /// The largest number of tests of one filter.
    static let mostTests = 32

    init(_ filter: XMLElement?) throws(DAVRefusal) {
        guard let filter, let calendar = filter[DAVNames.c("comp-filter")], Self.name(calendar) == "VCALENDAR" else {
            throw DAVRefusal(403, DAVNames.c("valid-filter"), "A calendar-query needs a filter with a comp-filter of VCALENDAR.")
        }
        for part in calendar.elements {
            guard part.name == DAVNames.c("comp-filter") else {
                if part.name == DAVNames.c("is-not-defined") {
                    selectsNothing = true
                    continue
                }
                throw Self.unsupported
            }
            let isAbsent = part[DAVNames.c("is-not-defined")] != nil
            guard Self.name(part) == "VEVENT" else {
                if !isAbsent { selectsNothing = true }
                continue
            }
            if isAbsent { selectsNothing = true } else { try readEvent(part) }
        }
    }

    private mutating func readEvent(_ filter: XMLElement) throws(DAVRefusal) {
        for part in filter.elements {
            switch part.name {
            case DAVNames.c("time-range"): range = try Self.range(part)
            case DAVNames.c("comp-filter"): if part[DAVNames.c("is-not-defined")] == nil { selectsNothing = true }
            case DAVNames.c("prop-filter"):
                guard tests.count < Self.mostTests else { throw Self.unsupported }
                tests.append(try Self.test(part))
            default: throw Self.unsupported
            }
        }
    }

    private static func name(_ filter: XMLElement) -> String { (filter.attributes[XMLName("name")] ?? "").uppercased() }

    private static func range(_ element: XMLElement) throws(DAVRefusal) -> DAVTimeRange {
        func instant(_ name: String) throws(DAVRefusal) -> Instant? {
            guard let text = element.attributes[XMLName(name)] else { return nil }
            guard case .utc(let moment)? = CalendarMoment(text) else {
                throw DAVRefusal(403, DAVNames.c("valid-filter"), "A time-range has times of UTC, such as 20270105T000000Z.")
            }
            return ZoneRules.utc.instant(of: moment.local) + Int64(moment.second) * 1_000
        }
        let range = DAVTimeRange(start: try instant("start"), end: try instant("end"))
        guard range.start != nil || range.end != nil else {
            throw DAVRefusal(403, DAVNames.c("valid-filter"), "A time-range has a start, an end, or both.")
        }
        return range
    }

    private static func test(_ filter: XMLElement) throws(DAVRefusal) -> DAVPropertyTest {
        var condition = DAVPropertyTest.Condition.isDefined
        for part in filter.elements {
            switch part.name {
            case DAVNames.c("is-not-defined"): condition = .isNotDefined
            case DAVNames.c("text-match"):
                let collation = part.attributes[XMLName("collation")] ?? "i;ascii-casemap"
                guard collation == "i;ascii-casemap" || collation == "i;octet" || collation == "default" else {
                    throw DAVRefusal(403, DAVNames.c("supported-collation"), "This server has the collations i;ascii-casemap and i;octet.")
                }
                condition = .contains(part.text, ignoresCase: collation != "i;octet", isNegated: part.attributes[XMLName("negate-condition")] == "yes")
            default: throw unsupported
            }
        }
        return DAVPropertyTest(name(filter), condition)
    }

    private static var unsupported: DAVRefusal {
        DAVRefusal(
            403, DAVNames.c("supported-filter"),
            "This server filters by component, by a time-range of VEVENT, and by the text of properties. Leave the other conditions out.")
    }
}
