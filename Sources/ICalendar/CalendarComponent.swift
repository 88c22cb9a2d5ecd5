// iCalendar (RFC 5545, RFC 6868, RFC 7986) as values: components, properties, and the octets of both; no clock, no files.

/// A part of a calendar between `BEGIN` and `END`: `VCALENDAR`, `VEVENT`, `VTIMEZONE`, `VALARM` …
package struct CalendarComponent: Hashable, Sendable {
    /// In capital letters.
    package var name: String
    /// In the order in which they were written.
    package var properties: [CalendarProperty]
    package var components: [CalendarComponent]

    package init(_ name: String, properties: [CalendarProperty] = [], components: [CalendarComponent] = []) {
        self.name = name
        self.properties = properties
        self.components = components
    }

    /// The first property with a name, in capital letters.
    package subscript(name: String) -> CalendarProperty? {
        properties.first { $0.name == name }
    }

    /// The unescaped text of the first property with a name.
    package func text(_ name: String) -> String? { self[name].map { CalendarText.unescape($0.value) } }
}

/// One content line: a name, parameters and a value.
package struct CalendarProperty: Hashable, Sendable {
    /// In capital letters.
    package var name: String
    package var parameters: [CalendarParameter]
    /// As on the line, that is with the escapes of its type.
    package var value: String

    package init(_ name: String, _ parameters: [CalendarParameter] = [], value: String) {
        self.name = name
        self.parameters = parameters
        self.value = value
    }

    /// The first value of a parameter with a name, in capital letters.
    package subscript(parameter name: String) -> String? {
        parameters.first { $0.name == name }?.values.first
    }
}

/// A parameter of a property, such as `TZID=Europe/Warsaw`.
package struct CalendarParameter: Hashable, Sendable {
    /// In capital letters.
    package var name: String
    /// Without quotes and without the escapes of RFC 6868; at least one.
    package var values: [String]

    package init(_ name: String, _ values: String...) {
        self.name = name
        self.values = values
    }

    package init(_ name: String, values: [String]) {
        self.name = name
        self.values = values
    }
}
