internal import Dates
internal import ICalendar

/// The IANA zone of a TZID, which every program writes in its own way.
enum CalendarZoneName {
    /// - Parameters:
    ///   - zones: the VTIMEZONEs of the object.
    ///   - year: of the time; the clocks of this year are compared.
    /// - Returns: `nil` if no known zone has the name or shows the same times.
    static func resolve(_ name: String, _ zones: [CalendarComponent], year: Int, family: String, rules: (String) -> ZoneRules?) -> String? {
        if let known = known(name, rules) { return known }
        guard let zone = zones.first(where: { $0.text("TZID") == name }) else { return nil }
        // The zone that the program took it from, as libical and Mozilla write it.
        if let location = zone.text("X-LIC-LOCATION"), let known = known(location, rules) { return known }
        guard let offsets = offsets(of: zone) else { return nil }
        return ([family] + candidates).first { candidate in
            guard let rules = rules(candidate) else { return false }
            func offset(_ month: Int) -> Int? { CalendarDate(year: year, month: month, day: 10).map { rules.offset(at: Int64($0.days) * 86_400_000) } }
            return Set([offset(1), offset(7)].compactMap { $0 }) == offsets
        }
    }

    /// A name of a zone, a name with a prefix of its program (`/mozilla.org/20050126_1/Europe/Berlin`), or one of Windows.
    private static func known(_ name: String, _ rules: (String) -> ZoneRules?) -> String? {
        var rest = name[...]
        while true {
            if !rest.isEmpty, rest.utf8.count <= ZoneName.maxOctets, rules(String(rest)) != nil { return String(rest) }
            guard let slash = rest.firstIndex(of: "/") else { break }
            rest = rest[rest.index(after: slash)...]
        }
        guard let zone = windows[name], rules(zone) != nil else { return nil }
        return zone
    }

    /// The differences from UTC of the newest rules of a zone, in seconds; `nil` if they cannot be read.
    private static func offsets(of zone: CalendarComponent) -> Set<Int>? {
        func newest(_ kind: String) -> Int?? {
            let all = zone.components.filter { $0.name == kind }
            guard let last = all.max(by: { ($0["DTSTART"]?.value ?? "") < ($1["DTSTART"]?.value ?? "") }) else { return .some(nil) }
            return last["TZOFFSETTO"].flatMap { offset($0.value) }.map { .some($0) }
        }
        guard let standard = newest("STANDARD"), let daylight = newest("DAYLIGHT") else { return nil }
        let offsets = Set([standard, daylight].compactMap { $0 })
        return offsets.isEmpty ? nil : offsets
    }

    /// Reads `+0100` and `-043000`.
    private static func offset(_ text: String) -> Int? {
        let octets = Array(text.utf8)
        guard octets.count == 5 || octets.count == 7, let sign = octets.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            octets.dropFirst().allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
        else { return nil }
        let digits = octets.dropFirst().map { Int($0 - UInt8(ascii: "0")) }
        let seconds = (digits[0] * 10 + digits[1]) * 3_600 + (digits[2] * 10 + digits[3]) * 60 + (digits.count > 4 ? digits[4] * 10 + digits[5] : 0)
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }

    /// Zones by which a private one is known, the more common first.
    private static let candidates = [
        "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Phoenix", "America/Anchorage", "Pacific/Honolulu",
        "America/Halifax", "America/St_Johns", "America/Puerto_Rico", "America/Sao_Paulo", "Europe/London", "Europe/Paris", "Europe/Athens", "Europe/Moscow", "UTC",
        "Asia/Dubai", "Asia/Karachi", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Bangkok", "Asia/Shanghai", "Asia/Tokyo", "Australia/Sydney", "Australia/Brisbane",
        "Australia/Adelaide", "Australia/Darwin", "Pacific/Auckland",
    ]

    /// Names of Windows, which Outlook writes, with the zone that CLDR gives for the whole of each (windowsZones.xml, territory 001).
    private static let windows = [
        "Dateline Standard Time": "Etc/GMT+12", "UTC-11": "Etc/GMT+11", "Aleutian Standard Time": "America/Adak", "Hawaiian Standard Time": "Pacific/Honolulu",
        "Alaskan Standard Time": "America/Anchorage", "Pacific Standard Time (Mexico)": "America/Tijuana", "Pacific Standard Time": "America/Los_Angeles",
        "US Mountain Standard Time": "America/Phoenix", "Mountain Standard Time (Mexico)": "America/Mazatlan", "Mountain Standard Time": "America/Denver",
        "Central America Standard Time": "America/Guatemala", "Central Standard Time": "America/Chicago", "Central Standard Time (Mexico)": "America/Mexico_City",
        "Canada Central Standard Time": "America/Regina", "SA Pacific Standard Time": "America/Bogota", "Eastern Standard Time (Mexico)": "America/Cancun",
        "Eastern Standard Time": "America/New_York", "Haiti Standard Time": "America/Port-au-Prince", "Cuba Standard Time": "America/Havana",
        "US Eastern Standard Time": "America/Indianapolis", "Paraguay Standard Time": "America/Asuncion", "Atlantic Standard Time": "America/Halifax",
        "Venezuela Standard Time": "America/Caracas", "Central Brazilian Standard Time": "America/Cuiaba", "SA Western Standard Time": "America/La_Paz",
        "Pacific SA Standard Time": "America/Santiago", "Newfoundland Standard Time": "America/St_Johns", "E. South America Standard Time": "America/Sao_Paulo",
        "SA Eastern Standard Time": "America/Cayenne", "Argentina Standard Time": "America/Buenos_Aires", "Montevideo Standard Time": "America/Montevideo",
        "UTC-02": "Etc/GMT+2", "Azores Standard Time": "Atlantic/Azores", "Cape Verde Standard Time": "Atlantic/Cape_Verde", "UTC": "Etc/UTC",
        "GMT Standard Time": "Europe/London", "Greenwich Standard Time": "Atlantic/Reykjavik", "Morocco Standard Time": "Africa/Casablanca",
        "W. Europe Standard Time": "Europe/Berlin", "Central Europe Standard Time": "Europe/Budapest", "Romance Standard Time": "Europe/Paris",
        "Central European Standard Time": "Europe/Warsaw", "W. Central Africa Standard Time": "Africa/Lagos", "Jordan Standard Time": "Asia/Amman",
        "GTB Standard Time": "Europe/Bucharest", "Middle East Standard Time": "Asia/Beirut", "Egypt Standard Time": "Africa/Cairo",
        "E. Europe Standard Time": "Europe/Chisinau", "South Africa Standard Time": "Africa/Johannesburg", "FLE Standard Time": "Europe/Kiev",
        "Israel Standard Time": "Asia/Jerusalem", "Kaliningrad Standard Time": "Europe/Kaliningrad", "Arabic Standard Time": "Asia/Baghdad",
        "Turkey Standard Time": "Europe/Istanbul", "Arab Standard Time": "Asia/Riyadh", "Belarus Standard Time": "Europe/Minsk",
        "Russian Standard Time": "Europe/Moscow", "E. Africa Standard Time": "Africa/Nairobi", "Iran Standard Time": "Asia/Tehran",
        "Arabian Standard Time": "Asia/Dubai", "Azerbaijan Standard Time": "Asia/Baku", "Georgian Standard Time": "Asia/Tbilisi",
        "Caucasus Standard Time": "Asia/Yerevan", "Afghanistan Standard Time": "Asia/Kabul", "West Asia Standard Time": "Asia/Tashkent",
        "Pakistan Standard Time": "Asia/Karachi", "India Standard Time": "Asia/Calcutta", "Sri Lanka Standard Time": "Asia/Colombo",
        "Nepal Standard Time": "Asia/Katmandu", "Central Asia Standard Time": "Asia/Bishkek", "Bangladesh Standard Time": "Asia/Dhaka",
        "Myanmar Standard Time": "Asia/Rangoon", "SE Asia Standard Time": "Asia/Bangkok", "China Standard Time": "Asia/Shanghai",
        "Singapore Standard Time": "Asia/Singapore", "W. Australia Standard Time": "Australia/Perth", "Taipei Standard Time": "Asia/Taipei",
        "Tokyo Standard Time": "Asia/Tokyo", "Korea Standard Time": "Asia/Seoul", "Cen. Australia Standard Time": "Australia/Adelaide",
        "AUS Central Standard Time": "Australia/Darwin", "E. Australia Standard Time": "Australia/Brisbane", "AUS Eastern Standard Time": "Australia/Sydney",
        "Tasmania Standard Time": "Australia/Hobart", "Lord Howe Standard Time": "Australia/Lord_Howe", "Central Pacific Standard Time": "Pacific/Guadalcanal",
        "New Zealand Standard Time": "Pacific/Auckland", "UTC+12": "Etc/GMT-12", "Fiji Standard Time": "Pacific/Fiji", "Tonga Standard Time": "Pacific/Tongatapu",
        "Samoa Standard Time": "Pacific/Apia",
    ]
}
