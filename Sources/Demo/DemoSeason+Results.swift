import Bytes
import Dates
import Family

/// One result of the demo, at an event or on a day.
struct ResultPlan {
    /// Position in `DemoSeason.athleteNames`.
    let athlete: Int
    /// The days from today as in the event's plan; if `event` is false, the day itself.
    let day: Int
    var event = true
    let type: String
    let value: String
    /// For the type `other`, which has no default for either.
    var label: String? = nil
    var unit: String? = nil
    var verified = true
    var notes: String? = nil

    func create(_ id: Identifier, owner: Identifier, event eventID: Identifier?, today: CalendarDate) -> Operation {
        let patch = FieldPatch.demo(.metric, [
            "event_id": eventID.map { .reference($0) }, "metric_type": .text(type), "label": .demo(label), "value": .text(value),
            "unit": .demo(unit), "recorded_date": event ? nil : .text(today.moved(by: day).description), "notes": .demo(notes),
            "verified": verified ? .flag(true) : nil,
        ])
        return Operation(kind: .metric, id: id, action: .create(athlete: owner, patch: patch))
    }
}

/// One contact with a coach, at an event or by itself.
struct ContactPlan {
    let athlete: Int
    /// As in `ResultPlan`.
    let day: Int
    /// The local time; `nil`: it was at the event of that day.
    var time: String? = nil
    let type: String
    let isInbound: Bool
    /// Position in `DemoSeason.coaches`.
    let coach: Int
    /// At an event the server writes "Interaction at …".
    var subject: String? = nil
    let content: String
    var sentiment: String? = nil

    func create(
        _ id: Identifier, owner: Identifier, event eventID: Identifier?, today: CalendarDate, coaches: [Identifier], schools: [Identifier]
    ) -> Operation {
        let school = DemoSeason.coaches[coach].school.map { schools[$0] }
        let patch = FieldPatch.demo(.interaction, [
            "event_id": eventID.map { .reference($0) }, "school_id": school.map { .reference($0) }, "coach_id": .reference(coaches[coach]),
            "interaction_type": .text(type), "direction": .text(isInbound ? "inbound" : "outbound"), "subject": .demo(subject),
            "content": .text(content), "sentiment": .demo(sentiment),
            "occurred_at": time.map { .text("\(today.moved(by: day).description)T\($0)") },
        ])
        return Operation(kind: .interaction, id: id, action: .create(athlete: owner, patch: patch))
    }
}

extension DemoSeason {
    static let results: [ResultPlan] = [
        .init(athlete: 0, day: -152, type: "pop_time", value: "1.89"),
        .init(athlete: 0, day: -152, type: "exit_velo", value: "66.5"),
        .init(athlete: 0, day: -108, type: "pop_time", value: "1.86", notes: "Best of five."),
        .init(athlete: 0, day: -90, type: "exit_velo", value: "68"),
        .init(athlete: 0, day: -90, type: "other", value: "2.92", label: "Home to first", unit: "sec"),
        .init(athlete: 0, day: -48, type: "exit_velo", value: "69.5"),
        .init(athlete: 0, day: -19, type: "batting_avg", value: "0.412", verified: false, notes: "The season so far, by our own count."),
        .init(athlete: 0, day: -10, event: false, type: "velocity", value: "61", verified: false, notes: "Overhand, with the pocket radar."),
        .init(athlete: 1, day: -147, type: "sixty_time", value: "7.12"),
        .init(athlete: 1, day: -97, type: "sixty_time", value: "6.98", notes: "Laser."),
        .init(athlete: 1, day: -97, type: "velocity", value: "84", notes: "Across the infield."),
        .init(athlete: 1, day: -70, type: "exit_velo", value: "88"),
        .init(athlete: 1, day: -55, type: "exit_velo", value: "93.1"),
        .init(athlete: 1, day: -55, type: "velocity", value: "85.5"),
        .init(athlete: 1, day: -12, type: "batting_avg", value: "0.347", verified: false),
        .init(athlete: 1, day: -20, event: false, type: "other", value: "52", label: "Grip strength", unit: "kg", verified: false),
    ]

    static let contacts: [ContactPlan] = [
        .init(
            athlete: 0, day: -152, type: "in_person_visit", isInbound: true, coach: 0,
            content: "Coach Whitlock came over after the second game, liked the transfer and asked for the fall schedule.", sentiment: "positive"),
        .init(
            athlete: 0, day: -121, type: "in_person_visit", isInbound: false, coach: 20,
            content: "Ten minutes in the office. They take two catchers a year.", sentiment: "neutral"),
        .init(
            athlete: 0, day: -62, type: "in_person_visit", isInbound: true, coach: 1,
            content: "Lunch with the team, then the bullpen with Coach Anand. They want Elena.", sentiment: "very_positive"),
        .init(
            athlete: 0, day: -58, time: "19:40", type: "phone_call", isInbound: true, coach: 0, subject: "After the official visit",
            content: "Thanked us for coming. The letter comes from the office, not from her.", sentiment: "very_positive"),
        .init(
            athlete: 0, day: -48, type: "in_person_visit", isInbound: false, coach: 3, content: "Gave her the transcript and the video link.",
            sentiment: "positive"),
        .init(
            athlete: 0, day: -30, time: "16:05", type: "email", isInbound: false, coach: 22, subject: "Video from October",
            content: "Sent three minutes of blocking and two games."),
        .init(
            athlete: 1, day: -97, type: "in_person_visit", isInbound: true, coach: 6,
            content: "Coach Hollis stood behind the cage and asked for side video of the swing.", sentiment: "positive"),
        .init(
            athlete: 1, day: -95, time: "20:15", type: "email", isInbound: false, coach: 6, subject: "Side video, as you asked",
            content: "Two swings from the side, one infield round. He opened it the same evening."),
        .init(
            athlete: 1, day: -60, time: "11:30", type: "email", isInbound: true, coach: 17, subject: "Our roster",
            content: "Full at shortstop for two years; they keep Mateo's file.", sentiment: "negative"),
        .init(
            athlete: 1, day: -41, type: "in_person_visit", isInbound: false, coach: 21,
            content: "Transcript after the junior year, then they talk about numbers.", sentiment: "neutral"),
        .init(
            athlete: 1, day: -12, type: "game", isInbound: true, coach: 23, content: "Coach Ashby watched six innings and waved.",
            sentiment: "positive"),
        .init(
            athlete: 1, day: -6, time: "17:20", type: "email", isInbound: true, coach: 2, subject: "Prospect camp",
            content: "Bring both gloves; he runs the middle infield station himself.", sentiment: "positive"),
        .init(
            athlete: 1, day: -3, time: "18:10", type: "phone_call", isInbound: true, coach: 14, subject: "The visit to Lakemont",
            content: "Picks Mateo up at the airport. The engineering tour is on Saturday at nine.", sentiment: "very_positive"),
    ]
}
