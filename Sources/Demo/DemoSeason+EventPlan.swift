import Bytes
import Dates
import Family

/// One event of the demo, with dates relative to the day on which the demo is created.
struct EventPlan {
    enum Kind: String {
        case camp, showcase
        case officialVisit = "official_visit"
        case unofficialVisit = "unofficial_visit"
        case game
    }

    enum Source: String {
        case email, flyer
        case webSearch = "web_search"
        case recommendation, friend, other
    }

    /// The author of the event.
    enum Author {
        case mother, father, athlete

        func member(parents: [Identifier], athlete: Identifier) -> Identifier {
            switch self {
            case .mother: parents[0]
            case .father: parents[1]
            case .athlete: athlete
            }
        }
    }

    /// The host: a school of the list, or a name that is not in the list.
    enum Host {
        case school(Int)
        case named(String)
    }

    struct Place {
        let location: String
        var address: String? = nil
        let city: String
        let state: String
        /// The zone, if it is not the family's.
        var zone: String? = nil
    }

    /// The key by which a message names it.
    var key: String? = nil
    /// Position in `DemoSeason.athleteNames`.
    let athlete: Int
    let author: Author
    /// The days from today to the first day, before it moves to `weekday`.
    let day: Int
    /// The weekday to which the first day moves, away from today, so that a past event stays past; `nil` leaves it.
    var weekday: Weekday? = nil
    /// The days after the first on which it continues.
    var moreDays = 0
    let kind: Kind
    /// `{season}` is replaced by the name of its season.
    let name: String
    let host: Host
    let source: Source
    var cost: String? = nil
    /// The path of the page at the host's domain.
    var page: String? = nil
    var start: String? = nil
    /// `nil` with a start leaves the default to the server: an hour later, on the next day if that is past midnight.
    var end: String? = nil
    var checkin: String? = nil
    let place: Place
    var description: String? = nil
    var registered = true
    var attended = false
    /// The positions in `DemoSeason.coaches` of the coaches present; only if attended.
    var coaches: [Int] = []
    var notes: String? = nil
    var stats: String? = nil

    func firstDay(today: CalendarDate) -> CalendarDate {
        let planned = today.moved(by: day)
        guard let weekday else { return planned }
        let forward = (weekday.rawValue - planned.weekday.rawValue + 7) % 7
        return planned.moved(by: day < 0 && forward > 0 ? forward - 7 : forward)
    }

    func create(_ id: Identifier, owner: Identifier, today: CalendarDate, schools: [Identifier]) -> Operation {
        let first = firstDay(today: today)
        var school: Value?
        var hostName: Value?
        var domain = "hudsonhawks"
        switch host {
        case .school(let index):
            school = .reference(schools[index])
            domain = DemoSeason.schools[index].domain
        case .named(let name):
            hostName = .text(name)
        }
        let parts = name.split(separator: "{season}", omittingEmptySubsequences: false)
        let patch = FieldPatch.demo(.event, [
            "type": .text(kind.rawValue), "name": .text(parts.joined(separator: first.season)), "school_id": school, "host": hostName,
            "event_source": .text(source.rawValue), "cost": .demo(cost), "url": .demo(page.map { "https://www.\(domain).example/\($0)" }),
            "start_date": .text(first.description), "end_date": moreDays > 0 ? .text(first.moved(by: moreDays).description) : nil,
            "start_time": .demo(start), "end_time": .demo(end), "checkin_time": .demo(checkin), "time_zone": .demo(place.zone),
            "location": .text(place.location), "address": .demo(place.address), "city": .text(place.city), "state": .text(place.state),
            "description": .demo(description), "registered": .flag(registered),
        ])
        return Operation(kind: .event, id: id, action: .create(athlete: owner, patch: patch))
    }

    /// The record of the attended event: the attendance, the coaches present, the results. Based on the version that
    /// `create` made.
    func attend(_ id: Identifier, coaches ids: [Identifier]) -> Operation {
        let patch = FieldPatch.demo(
            .event,
            ["attended": .flag(true), "performance_notes": .demo(notes), "stats_recorded": stats.map { .json(Array($0.utf8)) }],
            add: ("coaches_present", coaches.map { ids[$0] }))
        return Operation(kind: .event, id: id, action: .update(base: 1, merge: .disjoint, patch: patch))
    }
}
