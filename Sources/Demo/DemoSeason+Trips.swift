import Bytes
import Dates
import Family

/// One trip of the demo, around an event.
struct DemoTripPlan {
    /// One item of the trip's plan.
    struct Item {
        /// Days after the trip's first.
        let day: Int
        let start: String
        var end: String? = nil
        /// The days after `day` on which it ends.
        var later = 0
        let category: String
        let title: String
        var location: String? = nil
        var description: String? = nil
        /// Positions in parents + athletes; empty: everyone on the trip.
        var people: [Int] = []
        /// The zone of its start, if not the trip's; it ends in the trip's zone, unless `endsIn` is set.
        var zone: String? = nil
        var endsIn: String? = nil
        var source: String? = nil
        /// The source data as it was found, a JSON object.
        var data: String? = nil
    }

    let name: String
    /// The trip's event: an athlete and a day, as in the event's plan.
    let athlete: Int
    let day: Int
    /// The days from its beginning to the event, and its length in days.
    let before: Int
    let length: Int
    let location: String
    let zone: String
    /// The positions in parents + athletes of its author, and of the participants; empty: the whole family.
    let author: Int
    var people: [Int] = []
    var notes: String? = nil
    let items: [Item]

    func firstDay(today: CalendarDate) -> CalendarDate {
        guard let event = DemoSeason.events.first(where: { $0.athlete == athlete && $0.day == day }) else {
            preconditionFailure("no demo event of athlete \(athlete) on day \(day)")
        }
        return event.firstDay(today: today).moved(by: -before)
    }

    func create(_ id: Identifier, today: CalendarDate, members: [Identifier]) -> Operation {
        let first = firstDay(today: today)
        let patch = FieldPatch.demo(.trip, [
            "name": .text(name), "start_date": .text(first.description), "end_date": .text(first.moved(by: length - 1).description),
            "time_zone": .text(zone), "participants": Self.set(people, members), "location": .text(location), "notes": .demo(notes),
        ])
        return Operation(kind: .trip, id: id, action: .create(athlete: nil, patch: patch))
    }

    func create(_ item: Item, _ id: Identifier, trip: Identifier, today: CalendarDate, members: [Identifier]) -> Operation {
        let first = firstDay(today: today)
        let start = first.moved(by: item.day).description + "T" + item.start
        let end = item.end.map { first.moved(by: item.day + item.later).description + "T" + $0 }
        let patch = FieldPatch.demo(.tripItem, [
            "trip_id": .reference(trip), "title": .text(item.title), "description": .demo(item.description), "location": .demo(item.location),
            "start_time": .text(start), "start_zone": .demo(item.zone), "end_time": .demo(end),
            "end_zone": end == nil ? nil : .text(item.endsIn ?? zone), "category": .text(item.category),
            "participants": Self.set(item.people, members), "source_type": .demo(item.source),
            "source_data": item.data.map { .json(Array($0.utf8)) },
        ])
        return Operation(kind: .tripItem, id: id, action: .create(athlete: nil, patch: patch))
    }

    private static func set(_ people: [Int], _ members: [Identifier]) -> Value? {
        people.isEmpty ? nil : .set(people.map { members[$0] }.sorted().map { SetElement(id: $0) })
    }
}

extension DemoSeason {
    private static let home = "America/New_York"
    private static let madison = "America/Chicago"
    private static let phoenix = "America/Phoenix"

    static let trips: [DemoTripPlan] = [
        DemoTripPlan(
            name: "Phoenix for the Sonoran Classic", athlete: 1, day: -55, before: 1, length: 5, location: "Phoenix, Arizona", zone: phoenix,
            author: 0, people: [0, 3], notes: "Arizona keeps no summer time.",
            items: [
                .init(
                    day: 0, start: "07:05", end: "09:45", category: "transportation", title: "Flight to Phoenix", location: "JFK, Terminal 5",
                    zone: home, source: "ai_extracted", data: #"{"airline":"Hudson Air","flight":"HA 413","seats":["18C","18D"],"bags":2}"#),
                .init(
                    day: 0, start: "14:00", end: "10:00", later: 4, category: "accommodation", title: "Saguaro Inn", location: "210 Palo Verde Road"),
                .init(day: 0, start: "18:00", end: "19:30", category: "food", title: "Dinner with the Hawks' families", location: "Mesa Grill"),
                .init(day: 3, start: "18:30", end: "21:00", category: "entertainment", title: "Desert Stars game", location: "Copper Field"),
                .init(
                    day: 4, start: "11:20", end: "19:25", category: "transportation", title: "Flight home", location: "PHX", endsIn: home),
            ]),
        DemoTripPlan(
            name: "Asheville for the Prospect Camp", athlete: 1, day: 8, before: 1, length: 3, location: "Asheville, North Carolina", zone: home,
            author: 0, people: [0, 3], notes: "Two rooms. Free to cancel until the week before.",
            items: [
                .init(
                    day: 0, start: "09:10", end: "11:25", category: "transportation", title: "Flight to Asheville", location: "LaGuardia, Gate B7",
                    description: "Mateo's bat bag is checked in.", source: "ai_extracted",
                    data: #"{"airline":"Blue Ridge Connect","flight":"BR 1182","seats":["9A","9B"]}"#),
                .init(day: 0, start: "12:00", end: "12:30", category: "transportation", title: "Rental car", location: "AVL"),
                .init(
                    day: 0, start: "15:00", end: "11:00", later: 2, category: "accommodation", title: "Hotel Ridgeview, two rooms",
                    location: "31 Haywood Street"),
                .init(
                    day: 0, start: "18:30", end: "20:00", category: "food", title: "Dinner", location: "The Larder", source: "places_tab",
                    data: #"{"place":"The Larder","rating":"4.6","table":"two, by the window"}"#),
                .init(day: 1, start: "07:20", end: "07:50", category: "transportation", title: "To the Ridge Ballpark"),
                .init(
                    day: 1, start: "10:00", end: "11:30", category: "activity", title: "Mom looks at the nursing school, for Elena",
                    location: "Calder Ridge, North Gate", people: [0]),
                .init(day: 1, start: "13:00", end: "15:00", category: "entertainment", title: "River walk", people: [0]),
                .init(day: 1, start: "18:00", category: "other", title: "Nobody talks about baseball"),
                .init(day: 2, start: "12:15", end: "14:20", category: "transportation", title: "Flight home", location: "AVL"),
            ]),
        DemoTripPlan(
            name: "Madison with Mateo", athlete: 1, day: 36, before: 1, length: 4, location: "Madison, Wisconsin", zone: madison, author: 1,
            people: [1, 3], notes: "Thursday's flights are cheaper.",
            items: [
                .init(day: 0, start: "16:40", end: "18:15", category: "transportation", title: "Flight to Madison", location: "LaGuardia", zone: home),
                .init(day: 0, start: "19:30", end: "11:00", later: 3, category: "accommodation", title: "Isthmus House", location: "5 Lake Street", people: [1]),
                .init(day: 1, start: "09:00", end: "11:30", category: "activity", title: "Science hall, on our own", location: "Lakemont campus"),
                .init(day: 1, start: "12:00", end: "13:00", category: "food", title: "Lunch at the lake"),
                .init(day: 3, start: "12:50", end: "16:10", category: "transportation", title: "Flight home", location: "MSN", endsIn: home),
            ]),
    ]
}
