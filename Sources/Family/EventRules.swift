import Dates

/// The rules of every event beyond its single fields.
enum EventRules {
    static func applyDefaults(_ fields: inout Fields) {
        guard let start = fields.text("start_date") else { return }
        let end = fields.text("end_date") ?? start
        fields["end_date"] = .text(end)
        guard fields["end_time"] == nil, let startDate = CalendarDate(start),
            let startTime = fields.text("start_time").flatMap({ LocalTime($0) }),
            // The last hour of the last year has no hour after it: such an event keeps an open end.
            let later = LocalDateTime(date: startDate, time: startTime).adding(minutes: 60)
        else { return }
        if end == start { fields["end_date"] = .text(later.date.description) }
        fields["end_time"] = .text(later.time.description)
    }

    /// Canonical dates and times have one width, so that their order is the order of their texts.
    static func check(_ fields: Fields, place: RuleSite) throws(Rejection) {
        guard let start = fields.text("start_date") else { return }
        let end = fields.text("end_date") ?? start
        guard end >= start else {
            throw place.rejection(.endBeforeStart, "End date must be after start date", field: "end_date")
        }
        guard end == start, let startTime = fields.text("start_time"), let endTime = fields.text("end_time") else { return }
        guard endTime >= startTime else {
            throw place.rejection(.endBeforeStart, "End time must be after start time", field: "end_time")
        }
    }
}
