import Dates

/// The rules of every metric beyond its single fields.
enum MetricRules {
    /// The unit of results of a type; `nil` for `other`, for which the author gives the unit.
    private static func unit(_ type: String?) -> String? {
        switch type {
        case "velocity", "exit_velo": "mph"
        case "sixty_time", "pop_time": "sec"
        case "batting_avg": "avg"
        case "era": "ER/9"
        case "strikeouts": "count"
        default: nil
        }
    }

    static func applyDefaults(_ fields: inout Fields, _ environment: RuleEnvironment, _ context: RuleContext) {
        if fields["unit"] == nil { fields["unit"] = unit(fields.text("metric_type")).map(Value.text) }
        guard fields["recorded_date"] == nil else { return }
        let event = fields.reference("event_id").flatMap { context.targets[$0] }
        let today = environment.rules(context.zone).localDate(at: context.now).description
        fields["recorded_date"] = .text(event?.fields.text("start_date") ?? today)
    }

    static func check(_ fields: Fields, place: RuleSite) throws(Rejection) {
        guard fields.text("metric_type") == "other", fields["label"] == nil else { return }
        throw place.rejection(.required, "Label is required", field: "label")
    }
}
