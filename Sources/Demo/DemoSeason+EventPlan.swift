import Bytes
import Dates
import Family

/// One event of the demo, with dates that count from the day on which the demo is made.
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

    /// Who enters the event.
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

    /// Who hosts it: a school of the list, or a name that is not in the list.
    enum Host {
        case school(Int)
        case named(String)
    }

    struct Place {
        let location: String
        var address: String? = nil
        let city: String
        let state: String
        /// Only where it is not the family's.
        var zone: String? = nil
    }

    /// By which a message names it.
    var key: String? = nil
    /// Position in `DemoSeason.athleteNames`.
    let athlete: Int
    let author: Author
    /// Days from today to the first day, before it moves to `weekday`.
    let day: Int
    /// The first day moves there, away from today, so that past stays past; `nil` stays where it is.
    var weekday: Weekday? = nil
    /// Days after the first that it goes on.
    var moreDays = 0
    let kind: Kind
    /// `{season}` becomes the word for its time of year.
    let name: String
    let host: Host
    let source: Source
    var cost: String? = nil
    /// Path of the page at the host's domain.
    var page: String? = nil
    var start: String? = nil
    /// `nil` with a start leaves the default to the server: an hour later, on the next day when that is past midnight.
    var end: String? = nil
    var checkin: String? = nil
    let place: Place
    var description: String? = nil
    var registered = true
    var attended = false
    /// Positions in `DemoSeason.coaches` of those who were there; only when attended.
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

    /// What is written down after the event: that one was there, who was seen, how it went. Based on the version that
    /// `create` made.
    func attend(_ id: Identifier, coaches ids: [Identifier]) -> Operation {
        let patch = FieldPatch.demo(
            .event,
            ["attended": .flag(true), "performance_notes": .demo(notes), "stats_recorded": stats.map { .json(Array($0.utf8)) }],
            add: ("coaches_present", coaches.map { ids[$0] }))
        return Operation(kind: .event, id: id, action: .update(base: 1, merge: .disjoint, patch: patch))
    }
}
