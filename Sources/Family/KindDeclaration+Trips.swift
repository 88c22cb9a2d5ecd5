extension KindDeclaration {
    static let trip = KindDeclaration(
        .trip, label: "Trip", scope: .family,
        fields: [
            .init("name", .line(max: 255), label: "Trip name", required: true),
            .init("start_date", .date, label: "Start date", required: true),
            .init("end_date", .date, label: "End date"),
            .init("time_zone", .zone, label: "Time zone", required: true, filledIn: "the family's zone"),
            .init("participants", .set(of: .member, max: 50), label: "Participants"),
            .init("location", .line(max: 255), label: "Location"),
            .init("notes", .text(max: 10_000), label: "Notes"),
        ])

    static let tripItem = KindDeclaration(
        .tripItem, label: "Trip item", scope: .family,
        fields: [
            .init("trip_id", .reference(.trip), label: "Trip", required: true, whenGone: .cascade),
            .init("title", .line(max: 255), label: "Title", required: true),
            .init("description", .text(max: 10_000), label: "Description"),
            .init("location", .line(max: 255), label: "Location"),
            .init("start_time", .localDateTime, label: "Start time", required: true),
            .init("start_zone", .zone, label: "Time zone of the start", required: true, filledIn: "the zone of the trip"),
            // Without it the item lasts all day.
            .init("end_time", .localDateTime, label: "End time"),
            .init("end_zone", .zone, label: "Time zone of the end", filledIn: "`start_zone`, if there is an `end_time`"),
            .init("category", .choice(
                ["accommodation", "food", "transportation", "activity", "entertainment", "other"],
                labels: ["Accommodation", "Food", "Transportation", "Activity", "Entertainment", "Other"]),
                label: "Category", required: true, default: .text("activity")),
            // None named: everybody on the trip.
            .init("participants", .set(of: .member, max: 50), label: "Participants"),
            .init("include_in_itinerary", .flag, label: "In the itinerary", default: .flag(true)),
            .init("source_type", .choice(
                ["manual", "ai_extracted", "places_tab"], labels: ["Manual", "Read from a text", "From a place"]),
                label: "Source", required: true, default: .text("manual")),
            .init("source_data", .json(maxOctets: 16_384, maxDepth: 8), label: "Source data"),
        ])
}
