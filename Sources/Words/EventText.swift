package import Family
internal import Terminal

/// Events in words, as the requirements define them.
package enum EventText {
    /// "Apr 15, 2026", "Apr 15 - 16, 2026", "Apr 30 - May 2, 2026", "Dec 31, 2026 - Jan 2, 2027" (R019, R053, R086).
    package static func dates(_ fields: Fields) -> String {
        guard let start = fields.text("start_date") else { return "Unknown" }
        return dates(start, fields.text("end_date"))
    }

    /// "Apr 15, 2026" of `YYYY-MM-DD`.
    package static func date(_ date: String) -> String { dates(date, nil) }

    /// A range of days: "Apr 15 - 16, 2026"; a text that is not a date stays as it is.
    package static func dates(_ start: String, _ end: String?, _ order: DateOrder = .current) -> String {
        guard let first = split(start) else { return start.printable }
        let last = end.flatMap { $0 == start ? nil : split($0) }
        switch order {
        case .yearFirst: return last == nil ? start : "\(start) - \(end ?? start)"
        case .dayFirst:
            guard let last else { return "\(first.day) \(first.month) \(first.year)" }
            if first.year != last.year { return "\(first.day) \(first.month) \(first.year) - \(last.day) \(last.month) \(last.year)" }
            if first.month != last.month { return "\(first.day) \(first.month) - \(last.day) \(last.month) \(last.year)" }
            return "\(first.day) - \(last.day) \(last.month) \(last.year)"
        case .monthFirst: break
        }
        guard let last else { return "\(first.month) \(first.day), \(first.year)" }
        if first.year != last.year { return "\(first.month) \(first.day), \(first.year) - \(last.month) \(last.day), \(last.year)" }
        if first.month != last.month { return "\(first.month) \(first.day) - \(last.month) \(last.day), \(last.year)" }
        return "\(first.month) \(first.day) - \(last.day), \(last.year)"
    }

    /// "09:00", "09:00 - 17:00", or an empty text.
    package static func times(_ fields: Fields) -> String {
        [fields.text("start_time"), fields.text("end_time")].compactMap(\.self).joined(separator: " - ")
    }

    /// "Attended", otherwise "Registered", otherwise "Not Registered" (R018).
    package static func status(_ fields: Fields) -> String {
        if fields.flag("attended") { return "Attended" }
        return fields.flag("registered") ? "Registered" : "Not Registered"
    }

    /// The label of the type (R016).
    package static func type(_ fields: Fields) -> String { label(fields, "type") ?? "Unknown" }

    /// The name, "Unknown event" without one (R049), cut after 60 characters (R051).
    package static func name(_ fields: Fields, columns: Int = 60) -> String {
        TextWidth.cut((fields.text("name") ?? "Unknown event").printable, to: columns)
    }

    /// The label of a choice.
    package static func label(_ fields: Fields, _ name: String) -> String? {
        guard let word = fields.text(name), let index = fields.kind.declaration.index(of: name) else { return nil }
        guard case .choice(let words, let labels) = fields.kind.declaration.fields[index].type,
            let place = words.firstIndex(of: word), labels.indices.contains(place)
        else { return word.printable }
        return labels[place]
    }

    /// City and state, or the location.
    package static func place(_ fields: Fields) -> String {
        let town = [fields.text("city"), fields.text("state")].compactMap(\.self).joined(separator: ", ")
        return (town.isEmpty ? fields.text("location") ?? "" : town).printable
    }

    /// The last day of the event.
    package static func lastDay(_ fields: Fields) -> String? { fields.text("end_date") ?? fields.text("start_date") }

    /// "Apr 15" of `YYYY-MM-DD`.
    package static func dayAndMonth(_ date: String, _ order: DateOrder = .current) -> String {
        guard let parts = split(date) else { return date.printable }
        return order == .monthFirst ? "\(parts.month) \(parts.day)" : "\(parts.day) \(parts.month)"
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func split(_ date: String) -> (year: Int, month: String, day: Int)? {
        let parts = date.split(separator: "-")
        guard parts.count == 3, let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
            months.indices.contains(month - 1)
        else { return nil }
        return (year, months[month - 1], day)
    }
}
