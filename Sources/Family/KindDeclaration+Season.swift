extension KindDeclaration {
    static let school = KindDeclaration(
        .school, label: "School", scope: .family,
        fields: [
            .init("name", .line(max: 255), label: "School name", required: true),
            .init("location", .line(max: 255), label: "Location"),
            .init("url", .url, label: "Website"),
            .init("notes", .text(max: 10_000), label: "Notes"),
        ])

    static let coach = KindDeclaration(
        .coach, label: "Coach", scope: .family,
        fields: [
            .init("first_name", .line(max: 100), label: "First name", required: true),
            .init("last_name", .line(max: 100), label: "Last name", required: true),
            .init("school_id", .reference(.school), label: "School", whenGone: .keep(named: "school_name")),
            .init("school_name", .line(max: 255), label: "School as it was named", serverOnly: true),
            .init("role", .line(max: 100), label: "Role"),
            .init("email", .line(max: 254), label: "E-mail"),
            .init("phone", .line(max: 50), label: "Phone"),
            .init("notes", .text(max: 10_000), label: "Notes"),
        ])

    static let event = KindDeclaration(
        .event, label: "Event", scope: .athlete,
        fields: [
            .init("type", .choice(
                ["camp", "showcase", "official_visit", "unofficial_visit", "game"],
                labels: ["Camp", "Showcase", "Official Visit", "Unofficial Visit", "Game"]), label: "Event type", required: true),
            .init("name", .line(max: 255), label: "Event name", required: true),
            .init("school_id", .reference(.school), label: "School", whenGone: .keep(named: "school_name")),
            .init("school_name", .line(max: 255), label: "School as it was named", serverOnly: true),
            .init("host", .line(max: 255), label: "Host (school not listed)"),
            .init("event_source", .choice(
                ["email", "flyer", "web_search", "recommendation", "friend", "other"],
                labels: ["Email", "Flyer", "Web Search", "Recommendation", "Friend", "Other"]), label: "Source"),
            .init("cost", .decimal(digits: 9, scale: 2, min: 0), label: "Cost"),
            .init("url", .url, label: "Event link"),
            .init("start_date", .date, label: "Start date", required: true),
            .init("end_date", .date, label: "End date", filledIn: "`start_date`, or the day after it if an `end_time` that is filled in passes midnight"),
            .init("start_time", .time, label: "Start time"),
            .init("end_time", .time, label: "End time", filledIn: "one hour after `start_time`"),
            .init("checkin_time", .time, label: "Check-in time"),
            .init("time_zone", .zone, label: "Time zone"),
            .init("location", .line(max: 255), label: "Location"),
            .init("address", .line(max: 255), label: "Street address"),
            .init("city", .line(max: 100), label: "City"),
            .init("state", .state, label: "State"),
            .init("description", .text(max: 10_000), label: "Description"),
            .init("registered", .flag, label: "Registered", default: .flag(false)),
            .init("attended", .flag, label: "Attended", default: .flag(false)),
            .init("coaches_present", .set(of: .coach, max: 100), label: "Coaches present"),
            .init("performance_notes", .text(max: 10_000), label: "Performance notes"),
            .init("stats_recorded", .json(maxOctets: 16_384, maxDepth: 8), label: "Statistics"),
        ])

    static let metric = KindDeclaration(
        .metric, label: "Metric", scope: .athlete,
        fields: [
            .init("event_id", .reference(.event), label: "Event", whenGone: .unlink),
            .init("metric_type", .choice(
                ["velocity", "exit_velo", "sixty_time", "pop_time", "batting_avg", "era", "strikeouts", "other"],
                labels: [
                    "Fastball Velocity", "Exit Velocity", "60-Yard Dash", "Pop Time", "Batting Average", "ERA", "Strikeouts", "Other",
                ]), label: "Metric type", required: true),
            .init("label", .line(max: 100), label: "Label"),
            // Below zero is a result too (over or under par), and nine digits hold every one that people write down.
            .init("value", .measure(digits: 9, scale: 4, min: -999_999_999), label: "Value", required: true),
            .init("unit", .line(max: 20), label: "Unit", required: true,
                filledIn: "`mph` for `velocity` and `exit_velo`, `sec` for `sixty_time` and `pop_time`, `avg` for `batting_avg`, `ER/9` for `era`, "
                    + "`count` for `strikeouts`; `other` needs one"),
            .init("recorded_date", .date, label: "Date", required: true,
                filledIn: "`start_date` of the event, otherwise today in the family's zone"),
            .init("notes", .text(max: 10_000), label: "Notes"),
            .init("verified", .flag, label: "Verified", default: .flag(false)),
        ])

    static let interaction = KindDeclaration(
        .interaction, label: "Interaction", scope: .athlete,
        fields: [
            .init("event_id", .reference(.event), label: "Event", whenGone: .unlink),
            .init("school_id", .reference(.school), label: "School", filledIn: "the school of the event", whenGone: .keep(named: "school_name")),
            .init("school_name", .line(max: 255), label: "School as it was named", serverOnly: true),
            .init("coach_id", .reference(.coach), label: "Coach", whenGone: .keep(named: "coach_name")),
            .init("coach_name", .line(max: 255), label: "Coach as they were named", serverOnly: true),
            .init("interaction_type", .choice(
                ["in_person_visit", "phone_call", "email", "game"], labels: ["In-Person", "Phone", "Email", "Game"]),
                label: "Interaction type", required: true),
            .init("direction", .choice(["inbound", "outbound"], labels: ["Coach contacted us", "We contacted coach"]),
                label: "Direction", required: true),
            // The longest name of an event after "Interaction at ".
            .init("subject", .line(max: 300), label: "Subject", filledIn: "`Interaction at` and the name of the event"),
            .init("content", .text(max: 10_000), label: "Content", required: true),
            .init("sentiment", .choice(
                ["very_positive", "positive", "neutral", "negative"], labels: ["Very Positive", "Positive", "Neutral", "Negative"]),
                label: "Sentiment"),
            .init("occurred_at", .localDateTime, label: "Date and time", required: true,
                filledIn: "the start of the event, otherwise now, as `time_zone` shows it"),
            .init("time_zone", .zone, label: "Time zone", required: true, filledIn: "the zone of the event, otherwise the family's"),
            .init("logged_by", .reference(.member), label: "Logged by", serverOnly: true),
        ])

    /// Comes by an upload that finished; mutations edit what people say about it.
    static let document = KindDeclaration(
        .document, label: "Document", scope: .athlete, createdByMutation: false,
        fields: [
            .init("type", .choice(
                ["highlight_video", "transcript", "resume", "rec_letter", "questionnaire", "stats_sheet"],
                labels: ["Highlight Video", "Transcript", "Resume", "Recommendation Letter", "Questionnaire", "Stats Sheet"]),
                label: "Document type", required: true),
            .init("title", .line(max: 255), label: "Title", required: true),
            .init("description", .text(max: 10_000), label: "Description"),
            .init("school_id", .reference(.school), label: "School", whenGone: .keep(named: "school_name")),
            .init("school_name", .line(max: 255), label: "School as it was named", serverOnly: true),
            .init("version", .integer(1...1_000_000), label: "Version", serverOnly: true),
            .init("is_current", .flag, label: "Current version", serverOnly: true),
            .init("replaces", .reference(.document), label: "Replaces", serverOnly: true),
            .init("file_name", .line(max: 255), label: "File name", serverOnly: true),
            .init("file_type", .line(max: 100), label: "File type", serverOnly: true),
            .init("octets", .integer(0...9_007_199_254_740_991), label: "Size", serverOnly: true),
            .init("sha256", .line(max: 64), label: "SHA-256", serverOnly: true),
            .init("shared_with_schools", .set(of: .school, max: 100), label: "Shared with"),
            .init("uploaded_by", .reference(.member), label: "Uploaded by", serverOnly: true),
        ])
}
