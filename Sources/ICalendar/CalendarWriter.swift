package import Dates

/// Writes a calendar: lines of at most 75 octets without their end, folded between characters, with CRLF after each (RFC
/// 5545 §3.1).
package struct CalendarWriter: Sendable {
    /// The limit of a line in octets, without CRLF.
    package static let maxLine = 75

    /// All that was written so far.
    package private(set) var octets: [UInt8] = []
    /// Octets of the current line.
    private var column = 0

    package init(capacity: Int = 0) { octets.reserveCapacity(capacity) }

    /// Begins a component; `end` has to follow.
    package mutating func begin(_ component: String) { line("BEGIN", component) }

    package mutating func end(_ component: String) { line("END", component) }

    /// Writes a property with a text, which is escaped.
    package mutating func text(_ name: String, _ text: String, _ parameters: [CalendarParameter] = []) {
        head(name, parameters)
        put(escaped: text)
        endLine()
    }

    /// Writes a property with a list of texts.
    package mutating func list(_ name: String, _ texts: [String]) {
        head(name, [])
        for (index, text) in texts.enumerated() {
            if index > 0 { put(UInt8(ascii: ",")) }
            put(escaped: text)
        }
        endLine()
    }

    /// Writes a property with a value that has the form of its type already. Control characters are left out.
    package mutating func value(_ name: String, _ value: String, _ parameters: [CalendarParameter] = []) {
        head(name, parameters)
        put(value)
        endLine()
    }

    /// Writes a property with a date or a time, with the parameters that its form needs.
    package mutating func moment(_ name: String, _ moment: CalendarMoment) {
        switch moment {
        case .date: head(name, [CalendarParameter("VALUE", "DATE")])
        case .zoned(_, let zone): head(name, [CalendarParameter("TZID", zone)])
        case .floating, .utc: head(name, [])
        }
        put(moment.text)
        endLine()
    }

    /// Writes a property with an instant as a time of UTC, to the second.
    package mutating func instant(_ name: String, _ instant: Instant) {
        head(name, [])
        put(CalendarMoment.utc(CalendarDateTime(instant)).text)
        endLine()
    }

    /// Writes a property as it was read.
    package mutating func property(_ property: CalendarProperty) { value(property.name, property.value, property.parameters) }

    /// Writes a component as it was read, with all that is in it.
    package mutating func component(_ component: CalendarComponent) {
        begin(component.name)
        for property in component.properties { self.property(property) }
        for component in component.components { self.component(component) }
        end(component.name)
    }

    /// Appends lines that another writer has written.
    package mutating func append(_ lines: [UInt8]) { octets += lines }

    // MARK: Parts of a line

    private mutating func line(_ name: String, _ value: String) {
        put(name)
        put(UInt8(ascii: ":"))
        put(value)
        endLine()
    }

    /// The name and the parameters, with the colon.
    private mutating func head(_ name: String, _ parameters: [CalendarParameter]) {
        put(name)
        for parameter in parameters {
            put(UInt8(ascii: ";"))
            put(parameter.name)
            put(UInt8(ascii: "="))
            for (index, value) in parameter.values.enumerated() {
                if index > 0 { put(UInt8(ascii: ",")) }
                put(parameterValue: value)
            }
        }
        put(UInt8(ascii: ":"))
    }

    /// A value with RFC 6868's escapes, in quotes if it needs them.
    private mutating func put(parameterValue value: String) {
        let needsQuotes = value.utf8.contains { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") }
        if needsQuotes { put(UInt8(ascii: "\"")) }
        for octet in value.utf8 {
            switch octet {
            case UInt8(ascii: "^"): put(pair: UInt8(ascii: "^"), UInt8(ascii: "^"))
            case UInt8(ascii: "\""): put(pair: UInt8(ascii: "^"), UInt8(ascii: "'"))
            case 0x0A: put(pair: UInt8(ascii: "^"), UInt8(ascii: "n"))
            default: put(octet)
            }
        }
        if needsQuotes { put(UInt8(ascii: "\"")) }
    }

    private mutating func put(escaped text: String) {
        // A copy: two closures that write to `self` would overlap.
        var (octets, column) = (self.octets, self.column)
        self.octets = []
        CalendarText.forEachUnit(of: text) { octet in
            Self.put(octet, &octets, &column)
        } pair: { first, second in
            Self.fold(2, &octets, &column)
            octets.append(first)
            octets.append(second)
        }
        self.octets = octets
        self.column = column
    }

    private mutating func put(_ text: String) {
        for octet in text.utf8 { put(octet) }
    }

    private mutating func put(_ octet: UInt8) { Self.put(octet, &octets, &column) }

    private mutating func put(pair first: UInt8, _ second: UInt8) {
        Self.fold(2, &octets, &column)
        octets.append(first)
        octets.append(second)
    }

    private mutating func endLine() {
        octets.append(0x0D)
        octets.append(0x0A)
        column = 0
    }

    /// One octet of UTF-8; the first of a character makes room for all of it.
    @inline(__always)
    private static func put(_ octet: UInt8, _ octets: inout [UInt8], _ column: inout Int) {
        switch octet {
        case 0x09, 0x20..<0x7F: fold(1, &octets, &column)
        case 0x80..<0xC0: break
        case 0xC0..<0xE0: fold(2, &octets, &column)
        case 0xE0..<0xF0: fold(3, &octets, &column)
        case 0xF0...0xFF: fold(4, &octets, &column)
        default: return
        }
        octets.append(octet)
    }

    /// Begins a continuation line if `count` more octets do not fit.
    @inline(__always)
    private static func fold(_ count: Int, _ octets: inout [UInt8], _ column: inout Int) {
        if column + count > maxLine {
            octets.append(0x0D)
            octets.append(0x0A)
            octets.append(0x20)
            column = 1
        }
        column += count
    }
}
