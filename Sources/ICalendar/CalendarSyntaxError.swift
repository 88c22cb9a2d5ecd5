/// The reason why octets are not accepted as a calendar.
package struct CalendarSyntaxError: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// More octets than `CalendarLimits.octets`.
        case tooLarge
        /// A line with more octets than `CalendarLimits.line`.
        case lineTooLong
        /// More properties than `CalendarLimits.properties`.
        case tooManyProperties
        /// More components than `CalendarLimits.components`.
        case tooManyComponents
        /// More parameters on one line than `CalendarLimits.parameters`.
        case tooManyParameters
        /// Components inside each other deeper than `CalendarLimits.depth`.
        case tooDeep
        /// A control character other than a tab.
        case controlCharacter
        /// CR without LF.
        case loneReturn
        /// Octets that are not UTF-8.
        case notUTF8
        /// A line without a name, or without a colon after name and parameters.
        case notAContentLine
        /// A parameter without a value, or a quote that does not end.
        case badParameter
        /// A property outside of all components.
        case outsideOfComponents
        /// `END` of another component than the one that began last.
        case wrongEnd
        /// A component that does not end.
        case unfinished
        /// No component at all.
        case empty
    }

    package var reason: Reason
    /// The first line is 1; the lines of a folded line count.
    package var line: Int

    package init(reason: Reason, line: Int) {
        self.reason = reason
        self.line = line
    }

    /// For people, without the number of the line.
    package var sentence: String {
        switch reason {
        case .tooLarge: "The calendar is too large"
        case .lineTooLong: "A line is too long"
        case .tooManyProperties: "The calendar has too many properties"
        case .tooManyComponents: "The calendar has too many entries"
        case .tooManyParameters: "A line has too many parameters"
        case .tooDeep: "The entries are nested too deeply"
        case .controlCharacter: "A line has a control character"
        case .loneReturn: "A line ends with CR alone; lines end with CRLF"
        case .notUTF8: "A line is not UTF-8"
        case .notAContentLine: "A line is not of the form NAME:VALUE"
        case .badParameter: "A parameter of a line is not of the form NAME=VALUE"
        case .outsideOfComponents: "A line is outside of BEGIN and END"
        case .wrongEnd: "END does not name the entry that began last"
        case .unfinished: "An entry does not end"
        case .empty: "The file has no calendar"
        }
    }
}

/// The limits of a calendar that is read.
package struct CalendarLimits: Sendable {
    package var octets: Int
    /// Octets of one unfolded line.
    package var line: Int
    package var properties: Int
    package var components: Int
    /// Parameters of one property, and values of one parameter.
    package var parameters: Int
    package var depth: Int

    package init(
        octets: Int = 2_097_152, line: Int = 65_536, properties: Int = 100_000, components: Int = 10_000, parameters: Int = 64, depth: Int = 5
    ) {
        self.octets = octets
        self.line = line
        self.properties = properties
        self.components = components
        self.parameters = parameters
        self.depth = depth
    }

    /// One object: an entry with its alarms and zones.
    package static let object = CalendarLimits(octets: 65_536, properties: 2_000, components: 200)
}
