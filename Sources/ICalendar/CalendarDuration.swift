/// A value of the type DURATION (RFC 5545 §3.3.6): days of the calendar, and seconds of time beside them.
package struct CalendarDuration: Hashable, Sendable {
    /// Both are negative, or neither is.
    package var days: Int
    package var seconds: Int

    package init(days: Int = 0, seconds: Int = 0) {
        self.days = days
        self.seconds = seconds
    }

    /// Reads `P1W`, `-PT15M`, `P1DT2H` and the like; `nil` for other texts, and for more than nine digits of a number.
    package init?(_ value: String) {
        var octets = Array(value.utf8)[...]
        var sign = 1
        if octets.first == UInt8(ascii: "+") || octets.first == UInt8(ascii: "-") { sign = octets.removeFirst() == UInt8(ascii: "-") ? -1 : 1 }
        guard octets.popFirst() == UInt8(ascii: "P") else { return nil }
        var parts: [(unit: UInt8, number: Int)] = []
        var isTime = false
        while let first = octets.first {
            if first == UInt8(ascii: "T"), !isTime {
                isTime = true
                octets.removeFirst()
                guard !octets.isEmpty else { return nil }
                continue
            }
            var number = 0
            var count = 0
            while let digit = octets.first, digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") {
                number = number * 10 + Int(digit - UInt8(ascii: "0"))
                count += 1
                octets.removeFirst()
                guard count <= 9 else { return nil }
            }
            guard count > 0, let unit = octets.popFirst() else { return nil }
            let order: [UInt8] = Array((isTime ? "HMS" : "WD").utf8)
            guard let place = order.firstIndex(of: unit) else { return nil }
            // A unit once, and the larger ones first.
            if let last = parts.last, let before = order.firstIndex(of: last.unit) { guard before < place else { return nil } }
            parts.append((unit, number))
        }
        guard !parts.isEmpty else { return nil }
        self.init()
        for part in parts {
            switch part.unit {
            case UInt8(ascii: "W"): days += sign * part.number * 7
            case UInt8(ascii: "D"): days += sign * part.number
            case UInt8(ascii: "H"): seconds += sign * part.number * 3600
            case UInt8(ascii: "M"): seconds += sign * part.number * 60
            default: seconds += sign * part.number
            }
        }
    }

    /// The shortest form of days, hours, minutes and seconds: `-PT30M`, `P1DT2H`.
    package var text: String {
        var text = days < 0 || seconds < 0 ? "-P" : "P"
        if days != 0 { text += "\(abs(days))D" }
        let rest = abs(seconds)
        if rest > 0 || days == 0 {
            text += "T"
            let (hours, minutes, seconds) = (rest / 3600, rest / 60 % 60, rest % 60)
            if hours > 0 { text += "\(hours)H" }
            // The grammar knows no hours and seconds without minutes.
            if minutes > 0 || (hours > 0 && seconds > 0) { text += "\(minutes)M" }
            if seconds > 0 || rest == 0 { text += "\(seconds)S" }
        }
        return text
    }
}
