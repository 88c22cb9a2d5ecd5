import Dates

extension DemoSeason {
    static let events = elenasEvents + mateosEvents

    private static let albany = "America/New_York"
    private static let chicago = "America/Chicago"
    private static let denver = "America/Denver"
    private static let phoenix = "America/Phoenix"
    private static let losAngeles = "America/Los_Angeles"

    private static let elenasEvents: [EventPlan] = [
        EventPlan(
            key: "calder-showcase", athlete: 0, author: .mother, day: -152, weekday: .saturday, moreDays: 1, kind: .showcase,
            name: "Blue Ridge {season} Showcase", host: .school(0), source: .email, cost: "295.00", page: "showcase",
            start: "09:00", end: "16:30", checkin: "08:15",
            place: .init(location: "Calder Ridge Softball Complex", address: "410 Ridge Road", city: "Asheville", state: "NC"),
            description: "Two days: skills on the first, two games on the second.", attended: true, coaches: [0, 1, 3],
            notes: "Threw out two of three runners. Coach Anand liked the transfer.",
            stats: #"{"pop_time_s":"1.89","exit_velo_mph":"66.5","games":2,"at_bats":6,"hits":3}"#),
        EventPlan(
            athlete: 0, author: .athlete, day: -140, weekday: .sunday, kind: .game, name: "Hudson Hawks vs. Lowland Storm",
            host: .named("Hudson Hawks"),
            source: .other, start: "13:00", end: "15:15",
            place: .init(location: "Riverfront Park, Field 3", city: "Poughkeepsie", state: "NY"), attended: true, coaches: [24],
            stats: #"{"at_bats":4,"hits":2,"rbi":3,"result":"W 7-4"}"#),
        EventPlan(
            athlete: 0, author: .mother, day: -121, weekday: .friday,
            kind: .unofficialVisit, name: "Ashgrove campus walk", host: .school(10),
            source: .webSearch, cost: "0", start: "10:00",
            place: .init(location: "Admissions House", address: "1 College Green", city: "Albany", state: "NY"), attended: true,
            coaches: [20],
            notes: "Friendly team. The catching coach is new."),
        EventPlan(
            athlete: 0, author: .father, day: -108, weekday: .saturday,
            kind: .camp, name: "Wexmoor {season} Catching Camp", host: .school(2),
            source: .recommendation, cost: "150.00", page: "camps/catching", start: "09:00", end: "15:00", checkin: "08:30",
            place: .init(location: "Wexmoor State Field House", address: "2200 Lane Street", city: "Columbus", state: "OH"),
            description: "Bring full gear and two bats.", attended: true, coaches: [5],
            notes: "Blocking improved. Framing drills to repeat at home.",
            stats: #"{"pop_time_s":"1.86"}"#),
        EventPlan(
            athlete: 0, author: .mother, day: -90, weekday: .saturday, moreDays: 2, kind: .showcase, name: "Desert {season} Exposure Week",
            host: .school(4), source: .flyer, cost: "475.50", page: "exposure", start: "08:00", end: "17:00", checkin: "07:15",
            place: .init(location: "Blue Mesa Sports Park", address: "77 Saguaro Way", city: "Phoenix", state: "AZ", zone: phoenix),
            description: "Arizona keeps no summer time: check the flight twice.", attended: true, coaches: [9, 11, 18],
            notes: "Six games in three days, tired arm on the last one.",
            stats: #"{"games":6,"at_bats":17,"hits":7,"by_day":[{"day":1,"hits":3},{"day":2,"hits":3},{"day":3,"hits":1}]}"#),
        EventPlan(
            athlete: 0, author: .athlete, day: -76, kind: .game, name: "Hudson Hawks at Millrace United", host: .named("Millrace United"),
            source: .other, start: "18:00", end: "20:00", place: .init(location: "Millrace Memorial Field", city: "Danbury", state: "CT"),
            registered: false, attended: true, stats: #"{"at_bats":3,"hits":1,"result":"L 2-3"}"#),
        EventPlan(
            athlete: 0, author: .mother, day: -62, weekday: .monday,
            kind: .officialVisit, name: "Official visit, Calder Ridge", host: .school(0),
            source: .email, start: "09:30", end: "18:00",
            place: .init(location: "Athletics Office", address: "400 Ridge Road", city: "Asheville", state: "NC"),
            description: "Tour, lunch with the team, nursing school at 14:00.", attended: true, coaches: [0, 1],
            notes: "They asked about the next tournament. Ask for the aid letter."),
        EventPlan(
            athlete: 0, author: .father, day: -48, weekday: .saturday, kind: .camp, name: "Port Lindell Hitting Clinic", host: .school(1),
            source: .email,
            cost: "95.00", start: "10:00", end: "13:00", checkin: "09:40",
            place: .init(location: "Lindell Indoor Center", city: "Norfolk", state: "VA"), attended: true, coaches: [3],
            stats: #"{"exit_velo_mph":"68.0"}"#),
        EventPlan(
            key: "missed-clinic", athlete: 0, author: .mother, day: -33, weekday: .sunday, kind: .camp, name: "Harrow Creek One-Day Clinic",
            host: .school(3), source: .flyer, cost: "80.00", start: "09:00", end: "14:00",
            place: .init(location: "Creekside Diamond", city: "Lancaster", state: "PA"),
            description: "Rained out; the fee counts for the next date."),
        EventPlan(
            athlete: 0, author: .athlete, day: -19, weekday: .saturday, kind: .game, name: "Hudson Hawks vs. Seacoast Sparks",
            host: .named("Hudson Hawks"),
            source: .other, start: "11:00", place: .init(location: "Riverfront Park, Field 1", city: "Poughkeepsie", state: "NY"),
            attended: true, coaches: [24, 20, 22], notes: "Two college coaches behind the backstop for five innings.",
            stats: #"{"at_bats":4,"hits":3,"home_runs":1,"result":"W 9-1"}"#),
        EventPlan(
            key: "hawks-tournament", athlete: 0, author: .athlete, day: -1, moreDays: 2, kind: .game,
            name: "Twin Rivers {season} Tournament",
            host: .named("Twin Rivers Softball League"), source: .email, cost: "60.00", start: "08:30", end: "19:00", checkin: "07:45",
            place: .init(location: "Twin Rivers Complex", address: "12 Ferry Lane", city: "Binghamton", state: "NY"),
            description: "Pool games on both days, bracket on the last. Snacks: Riveras."),
        EventPlan(
            athlete: 0, author: .mother, day: 9, weekday: .saturday, kind: .camp, name: "Thornbury {season} Elite Camp", host: .school(11),
            source: .email,
            cost: "210.00", page: "softball/elite", start: "09:00", end: "16:00", checkin: "08:20",
            place: .init(location: "Thornbury Stadium", address: "55 Harbor Street", city: "Providence", state: "RI")),
        EventPlan(
            key: "ashgrove-visit", athlete: 0, author: .mother, day: 16, weekday: .friday,
            kind: .officialVisit, name: "Official visit, Ashgrove",
            host: .school(10), source: .email, start: "11:00", end: "17:30",
            place: .init(location: "Ashgrove Athletics", address: "9 College Green", city: "Albany", state: "NY"),
            description: "Coach Rahimi meets us at the gate. Bring the transcript."),
        EventPlan(
            athlete: 0, author: .father, day: 23, weekday: .saturday, moreDays: 1, kind: .showcase, name: "Heartland Catchers' Showcase",
            host: .school(7),
            source: .webSearch, cost: "320.00", start: "08:30", end: "15:30", checkin: "07:50",
            place: .init(location: "Lakemont Fieldhouse", city: "Madison", state: "WI", zone: chicago), registered: false),
        EventPlan(
            key: "late-scrimmage", athlete: 0, author: .athlete, day: 30, weekday: .friday, kind: .game, name: "Lights-Out Scrimmage",
            host: .named("Hudson Hawks"), source: .friend, start: "23:15",
            place: .init(location: "Riverfront Park, Field 1", city: "Poughkeepsie", state: "NY"),
            description: "After the last league game, under the lights. Ends past midnight."),
        EventPlan(
            athlete: 0, author: .mother, day: 44, weekday: .saturday, kind: .camp, name: "Kestrel Valley Prospect Day", host: .school(6),
            source: .flyer,
            cost: "125.00", start: "10:00", end: "15:00", place: .init(location: "Valley Dome", city: "Burlington", state: "VT"),
            registered: false),
        EventPlan(
            athlete: 0, author: .mother, day: 58, weekday: .monday, moreDays: 1, kind: .unofficialVisit, name: "Tolliver and the city",
            host: .school(8),
            source: .recommendation, start: "13:00", end: "12:00",
            place: .init(location: "Visitors' Center", address: "300 Demonbreun Row", city: "Nashville", state: "TN", zone: chicago),
            description: "Fly in the day before; stay with aunt Rosa.", registered: false),
        EventPlan(
            athlete: 0, author: .father, day: 79, weekday: .saturday, moreDays: 3, kind: .showcase, name: "Pacific {season} Invitational",
            host: .school(5),
            source: .email, cost: "540.00", page: "invitational", start: "08:00", end: "18:00", checkin: "07:00",
            place: .init(location: "Marlow Bay Diamonds", address: "1 Ocean Loop", city: "San Diego", state: "CA", zone: losAngeles),
            description: "Combine with the Marlow Bay visit. Coach Nakamura answers e-mail quickly."),
        EventPlan(
            athlete: 0, author: .mother, day: 83, weekday: .wednesday,
            kind: .unofficialVisit, name: "Marlow Bay campus visit", host: .school(5),
            source: .email, start: "09:00", place: .init(location: "Bay Hall", city: "San Diego", state: "CA", zone: losAngeles),
            registered: false),
        EventPlan(
            athlete: 0, author: .athlete, day: 120, weekday: .saturday, kind: .camp, name: "Pinyon State {season} Camp", host: .school(9),
            source: .webSearch,
            cost: "185.00", place: .init(location: "Pinyon Field", city: "Denver", state: "CO", zone: denver),
            description: "Times come a month before.", registered: false),
    ]

    private static let mateosEvents: [EventPlan] = [
        EventPlan(
            athlete: 1, author: .father, day: -147, weekday: .saturday, kind: .camp, name: "Lakemont Infield School", host: .school(7),
            source: .webSearch,
            cost: "140.00", page: "baseball/infield", start: "09:30", end: "14:30", checkin: "09:00",
            place: .init(location: "Lakemont Fieldhouse", city: "Madison", state: "WI", zone: chicago), attended: true, coaches: [14, 15],
            notes: "Soft hands, slow first step to the left.", stats: #"{"sixty_time_s":"7.21","infield_velo_mph":"78.0"}"#),
        EventPlan(
            athlete: 1, author: .athlete, day: -133, kind: .game, name: "Eastgate High vs. Orchard Hill",
            host: .named("Eastgate High School"),
            source: .other, start: "16:30", end: "18:45", place: .init(location: "Eastgate Varsity Field", city: "Yonkers", state: "NY"),
            attended: true, stats: #"{"at_bats":4,"hits":2,"errors":0,"result":"W 5-3"}"#),
        EventPlan(
            athlete: 1, author: .mother, day: -115, weekday: .friday, kind: .unofficialVisit, name: "Thornbury on the way home",
            host: .school(11),
            source: .friend, cost: "0", start: "15:00", place: .init(location: "Welcome Desk", city: "Providence", state: "RI"),
            attended: true,
            coaches: [23], notes: "Ten minutes with the recruiting coordinator. Wants a schedule."),
        EventPlan(
            key: "wexmoor-showcase", athlete: 1, author: .father, day: -97, weekday: .saturday, moreDays: 1, kind: .showcase,
            name: "Midwest {season} Prospect Games", host: .school(2), source: .email, cost: "350.00", page: "prospect-games",
            start: "08:00", end: "17:00", checkin: "07:10",
            place: .init(location: "Wexmoor State Ballpark", address: "2400 Lane Street", city: "Columbus", state: "OH"),
            description: "Sixty, infield, batting practice, one game a day.", attended: true, coaches: [6, 17, 14],
            notes: "Best sixty so far. Coach Hollis took the video link.",
            stats: #"{"sixty_time_s":"6.98","exit_velo_mph":"92.5","infield_velo_mph":"83.0","at_bats":7,"hits":3}"#),
        EventPlan(
            athlete: 1, author: .athlete, day: -84, kind: .game, name: "Eastgate High at Saint Bride's",
            host: .named("Saint Bride's Academy"),
            source: .other, start: "17:00", end: "19:30", place: .init(location: "Academy Field", city: "Stamford", state: "CT"),
            attended: true,
            stats: #"{"at_bats":3,"hits":0,"walks":1,"result":"L 1-2"}"#),
        EventPlan(
            athlete: 1, author: .father, day: -70, weekday: .sunday, kind: .camp, name: "Harrow Creek Hitters' Day", host: .school(3),
            source: .flyer,
            cost: "85.00", start: "10:00", end: "15:00", checkin: "09:30",
            place: .init(location: "Creek Cages", city: "Lancaster", state: "PA"),
            attended: true, coaches: [8], notes: "Stay back on off-speed."),
        EventPlan(
            athlete: 1, author: .mother, day: -55, weekday: .saturday, moreDays: 2, kind: .showcase, name: "Sonoran {season} Classic",
            host: .school(4),
            source: .recommendation, cost: "499.99", start: "07:30", end: "16:00", checkin: "06:45",
            place: .init(location: "Blue Mesa Ballpark", address: "90 Saguaro Way", city: "Phoenix", state: "AZ", zone: phoenix),
            attended: true, coaches: [10, 12, 19], notes: "Hot. Two doubles off left-handers.",
            stats: #"{"games":4,"at_bats":13,"hits":5,"doubles":2,"exit_velo_mph":"93.1"}"#),
        EventPlan(
            athlete: 1, author: .father, day: -41, weekday: .monday, kind: .unofficialVisit, name: "Ashgrove with the counselor",
            host: .school(10),
            source: .recommendation, start: "10:30", end: "13:00",
            place: .init(location: "Admissions House", address: "1 College Green", city: "Albany", state: "NY"), attended: true,
            coaches: [21],
            notes: "Transcript after the junior year, then they talk about numbers."),
        EventPlan(
            athlete: 1, author: .mother, day: -27, weekday: .saturday, kind: .camp, name: "Port Lindell {season} ID Camp", host: .school(1),
            source: .email,
            cost: "160.00", start: "09:00", end: "15:00", place: .init(location: "Lindell Park", city: "Norfolk", state: "VA"),
            description: "Could not go: final exams.", registered: false),
        EventPlan(
            key: "eastgate-sound", athlete: 1, author: .athlete, day: -12, kind: .game, name: "Eastgate High vs. Sound Shore",
            host: .named("Eastgate High School"), source: .other, start: "19:00", end: "21:15",
            place: .init(location: "Eastgate Varsity Field", city: "Yonkers", state: "NY"), attended: true, coaches: [21, 23],
            notes: "Played short for nine innings, one diving stop.", stats: #"{"at_bats":5,"hits":3,"stolen_bases":2,"result":"W 8-6"}"#),
        EventPlan(
            athlete: 1, author: .father, day: -6, kind: .camp, name: "Velocity evening", host: .named("Northside Training Barn"),
            source: .friend,
            cost: "45.00", start: "18:30",
            place: .init(location: "Northside Training Barn", address: "8 Mill Road", city: "White Plains", state: "NY")),
        EventPlan(
            key: "tonight", athlete: 1, author: .athlete, day: 0, kind: .game, name: "Eastgate High vs. Kingsbridge",
            host: .named("Eastgate High School"),
            source: .other, start: "19:00", end: "21:30", checkin: "17:45",
            place: .init(location: "Eastgate Varsity Field", city: "Yonkers", state: "NY"), description: "White uniform. Dad drives."),
        EventPlan(
            key: "calder-camp", athlete: 1, author: .mother, day: 8, weekday: .saturday,
            kind: .camp, name: "Calder Ridge {season} Prospect Camp",
            host: .school(0), source: .email, cost: "175.00", page: "baseball/prospects", start: "09:00", end: "16:00", checkin: "08:00",
            place: .init(location: "Ridge Ballpark", address: "420 Ridge Road", city: "Asheville", state: "NC"),
            description: "Coach Ferrante runs the middle infield station."),
        EventPlan(
            athlete: 1, author: .father, day: 15, weekday: .sunday, moreDays: 1, kind: .showcase, name: "Empire Underclass Showcase",
            host: .named("Empire Scouting Days"), source: .webSearch, cost: "275.00", start: "08:00", end: "17:30", checkin: "07:00",
            place: .init(location: "Hillview Sports Park", city: "Syracuse", state: "NY", zone: albany),
            description: "Two turfs. Wood bats only."),
        EventPlan(
            athlete: 1, author: .athlete, day: 22, kind: .game, name: "Eastgate High at Orchard Hill",
            host: .named("Orchard Hill High School"),
            source: .other, start: "16:30", place: .init(location: "Orchard Hill Field", city: "New Rochelle", state: "NY")),
        EventPlan(
            key: "lakemont-visit", athlete: 1, author: .father, day: 36, weekday: .friday, moreDays: 1, kind: .officialVisit,
            name: "Official visit, Lakemont", host: .school(7), source: .email, start: "14:00", end: "11:00",
            place: .init(location: "Lakemont Athletics", address: "1 Observatory Hill", city: "Madison", state: "WI", zone: chicago),
            description: "One night in the dormitory. Engineering tour in the morning."),
        EventPlan(
            athlete: 1, author: .mother, day: 51, weekday: .saturday, kind: .camp, name: "Tolliver Shortstop Academy", host: .school(8),
            source: .email,
            cost: "130.00", page: "academy", start: "09:00", end: "14:00", checkin: "08:30",
            place: .init(location: "Tolliver Yard", city: "Nashville", state: "TN", zone: chicago), registered: false),
        EventPlan(
            athlete: 1, author: .father, day: 66, weekday: .saturday, moreDays: 2, kind: .showcase, name: "Front Range {season} Combine",
            host: .school(9),
            source: .flyer, cost: "410.00", start: "09:00", end: "17:00",
            place: .init(location: "Pinyon State Ballpark", address: "5 Juniper Avenue", city: "Denver", state: "CO", zone: denver),
            description: "A mile high: balls carry, times at the sixty do not.", registered: false),
        EventPlan(
            athlete: 1, author: .athlete, day: 88, weekday: .friday, kind: .game, name: "All-County Night Game",
            host: .named("County Coaches' Association"),
            source: .recommendation, start: "20:00", end: "22:30",
            place: .init(location: "County Stadium", city: "White Plains", state: "NY"),
            registered: false),
        EventPlan(
            athlete: 1, author: .mother, day: 133, weekday: .saturday, moreDays: 4, kind: .camp, name: "Marlow Bay Residential Camp",
            host: .school(5),
            source: .webSearch, cost: "890.00", page: "residential", checkin: "12:00",
            place: .init(location: "Marlow Bay Residence Halls", address: "1 Ocean Loop", city: "San Diego", state: "CA", zone: losAngeles),
            description: "Five days with meals. Early price until the month before.", registered: false),
    ]
}
