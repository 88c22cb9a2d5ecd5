import Dates

/// The rules of every trip beyond its single fields.
enum TripRules {
    static func applyDefaults(_ fields: inout Fields, _ context: RuleContext) {
        if fields["time_zone"] == nil { fields["time_zone"] = .text(context.zone) }
    }

    /// Canonical dates have one width, so that their order is the order of their texts.
    static func check(_ fields: Fields, place: RuleSite) throws(Rejection) {
        guard let start = fields.text("start_date"), let end = fields.text("end_date"), end < start else { return }
        throw place.rejection(.endBeforeStart, "End date must be after start date", field: "end_date")
    }
}

/// The rules of every trip item beyond its single fields.
enum TripItemRules {
    static func applyDefaults(_ fields: inout Fields, _ context: RuleContext) {
        if fields["start_zone"] == nil {
            let trip = fields.reference("trip_id").flatMap { context.targets[$0]?.fields }
            fields["start_zone"] = .text(trip?.text("time_zone") ?? context.zone)
        }
        if fields["end_time"] != nil, fields["end_zone"] == nil { fields["end_zone"] = fields["start_zone"] }
    }

    /// As instants: a flight that lands by the clock before it took off is not one that ends before it starts.
    static func check(_ fields: Fields, environment: RuleEnvironment, place: RuleSite) throws(Rejection) {
        guard let span = TripItemSpan(fields, environment), let end = span.end, end <= span.start else { return }
        throw place.rejection(.endBeforeStart, "End time must be after start time", field: "end_time")
    }
}

/// When a trip item is, as instants.
package struct TripItemSpan: Hashable, Sendable {
    /// UTC milliseconds.
    package var start: Int64
    /// UTC milliseconds, the first moment that no longer belongs to it; `nil`: all day.
    package var end: Int64?

    /// `nil` when the start is missing.
    package init?(_ fields: Fields, _ environment: RuleEnvironment) {
        guard let local = fields.text(Self.startTime).flatMap({ LocalDateTime($0) }) else { return nil }
        let zone = fields.text(Self.startZone)
        start = environment.rules(zone).instant(of: local)
        end = fields.text(Self.endTime).flatMap { LocalDateTime($0) }.map {
            environment.rules(fields.text(Self.endZone) ?? zone).instant(of: $0)
        }
    }

    /// The span of an item that has an end, for those who ask for no other.
    ///
    /// - Returns: `nil` for an item that lasts all day, and for one without a start.
    static func timed(_ fields: Fields, _ environment: RuleEnvironment) -> (start: Int64, end: Int64)? {
        guard fields[endTime] != nil, let span = TripItemSpan(fields, environment), let end = span.end, end > span.start else { return nil }
        return (span.start, end)
    }

    // A change of a whole trip asks each item, and a look-up by name costs more than the rest.
    private static let startTime = Fields.index(of: "start_time", in: .tripItem)
    private static let startZone = Fields.index(of: "start_zone", in: .tripItem)
    private static let endTime = Fields.index(of: "end_time", in: .tripItem)
    private static let endZone = Fields.index(of: "end_zone", in: .tripItem)

    /// "2h 0m", "45m", "All day" without an end (R152).
    package var duration: String {
        guard let end else { return "All day" }
        let minutes = max(0, (end - start) / 60_000)
        return minutes >= 60 ? "\(minutes / 60)h \(minutes % 60)m" : "\(minutes)m"
    }
}
