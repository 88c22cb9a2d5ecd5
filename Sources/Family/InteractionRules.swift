import Dates

/// The defaults of a new interaction from its event, or otherwise from the clock (R092).
enum InteractionRules {
    static func applyDefaults(_ fields: inout Fields, _ environment: RuleEnvironment, _ context: RuleContext) {
        fields["logged_by"] = .reference(context.member)
        let event = fields.reference("event_id").flatMap { context.targets[$0]?.fields }
        if let event {
            if fields["school_id"] == nil, let school = event.reference("school_id") {
                fields["school_id"] = .reference(school)
                fields["school_name"] = event["school_name"]
            }
            if fields["subject"] == nil, let name = event.text("name") { fields["subject"] = .text("Interaction at \(name)") }
        }
        let eventZone = event?.text("time_zone") ?? context.zone
        let zone = fields.text("time_zone") ?? eventZone
        fields["time_zone"] = .text(zone)
        guard fields["occurred_at"] == nil else { return }
        let rules = environment.rules(zone)
        var local = rules.local(at: context.now)
        if let start = event.flatMap(start) {
            local = zone == eventZone ? start : rules.local(at: environment.rules(eventZone).instant(of: start))
        }
        fields["occurred_at"] = .text(local.description)
    }

    /// The event's local start: midnight of its day when it has no time.
    private static func start(_ event: Fields) -> LocalDateTime? {
        guard let date = event.text("start_date").flatMap({ CalendarDate($0) }) else { return nil }
        let time = event.text("start_time") ?? event.text("checkin_time")
        return LocalDateTime(date: date, time: time.flatMap { LocalTime($0) } ?? .midnight)
    }
}
