import Dates

@testable import ICalendar

/// Calendars: the result does not depend on the cuts, and a component that was accepted is unchanged after writing and reading it.
extension FuzzTarget {
    static let calendars: [FuzzTarget] = [
        FuzzTarget("icalendar", dictionary: "icalendar") { octets in try checkCalendar(octets) }
    ]
}

private func outcome(_ octets: [UInt8], cuts: [Int], _ limits: CalendarLimits) -> Result<[CalendarComponent], CalendarSyntaxError> {
    do throws(CalendarSyntaxError) {
        var decoder = CalendarDecoder(limits)
        var start = 0
        for cut in cuts + [octets.count] {
            try decoder.receive(octets[start..<cut])
            start = cut
        }
        return .success(try decoder.end())
    } catch { return .failure(error) }
}

func checkCalendar(_ octets: [UInt8]) throws {
    let limits = CalendarLimits(octets: 3_000, line: 400, properties: 60, components: 20, parameters: 6, depth: 4)
    let whole = outcome(octets, cuts: [], limits)
    try hold(outcome(octets, cuts: Array(octets.indices), limits) == whole, "the cuts change the outcome")
    guard case .success(let components) = whole else { return }
    try hold(!components.isEmpty, "nothing was accepted")
    var writer = CalendarWriter()
    for component in components { writer.component(component) }
    var column = 0
    for octet in writer.octets {
        column = octet == 0x0A ? 0 : octet == 0x0D ? column : column + 1
        try hold(column <= CalendarWriter.maxLine, "a line of more than 75 octets")
    }
    try hold(outcome(writer.octets, cuts: [], CalendarLimits()) == .success(components), "writing and reading changes a component")
    for component in components { try checkValues(component) }
}

private func checkValues(_ component: CalendarComponent) throws {
    for property in component.properties {
        let text = CalendarText.unescape(property.value)
        try hold(CalendarText.unescape(CalendarText.escape(text)) == text, "escaping changes a text")
        _ = CalendarText.list(property.value)
        if let moment = CalendarMoment(property) {
            try hold(CalendarMoment(moment.text, zone: property[parameter: "TZID"]) == moment, "writing and reading changes a moment")
        }
        if let duration = CalendarDuration(property.value) {
            try hold(CalendarDuration(duration.text) == duration, "writing and reading changes a duration")
        }
    }
    for component in component.components { try checkValues(component) }
}
