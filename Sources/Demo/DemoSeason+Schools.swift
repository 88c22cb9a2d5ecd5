import Bytes
import Family

/// One school of the demo.
struct SchoolPlan {
    let name: String
    let location: String
    /// The part before `.example`.
    let domain: String
    let notes: String?

    init(_ name: String, _ location: String, domain: String, notes: String? = nil) {
        self.name = name
        self.location = location
        self.domain = domain
        self.notes = notes
    }

    func create(_ id: Identifier) -> Operation {
        let patch = FieldPatch.demo(.school, [
            "name": .text(name), "location": .text(location), "url": .text("https://www.\(domain).example/"), "notes": .demo(notes),
        ])
        return Operation(kind: .school, id: id, action: .create(athlete: nil, patch: patch))
    }
}

/// One coach of the demo.
struct CoachPlan {
    let first: String
    let last: String
    let role: String
    /// Position in `DemoSeason.schools`; `nil` for a coach of a travel team.
    let school: Int?
    let phone: String?
    let notes: String?

    init(_ first: String, _ last: String, _ role: String, school: Int?, phone: String? = nil, notes: String? = nil) {
        self.first = first
        self.last = last
        self.role = role
        self.school = school
        self.phone = phone
        self.notes = notes
    }

    func create(_ id: Identifier, schools: [Identifier]) -> Operation {
        let domain = school.map { DemoSeason.schools[$0].domain } ?? "hudsonhawks"
        let patch = FieldPatch.demo(.coach, [
            "first_name": .text(first), "last_name": .text(last), "school_id": school.map { .reference(schools[$0]) },
            "role": .text(role), "email": .text("\(first.lowercased()).\(last.lowercased())@\(domain).example"),
            "phone": .demo(phone), "notes": .demo(notes),
        ])
        return Operation(kind: .coach, id: id, action: .create(athlete: nil, patch: patch))
    }
}

extension DemoSeason {
    static let schools: [SchoolPlan] = [
        .init("Calder Ridge University", "Asheville, North Carolina", domain: "calderridge",
            notes: "Elena's first choice. Strong nursing school."),
        .init("Port Lindell University", "Norfolk, Virginia", domain: "portlindell"),
        .init("Wexmoor State University", "Columbus, Ohio", domain: "wexmoorstate", notes: "Both programs saw us at the regional."),
        .init("Harrow Creek College", "Lancaster, Pennsylvania", domain: "harrowcreek",
            notes: "Small classes, Division III, no athletic aid."),
        .init("Blue Mesa State University", "Phoenix, Arizona", domain: "bluemesastate"),
        .init("Marlow Bay University", "San Diego, California", domain: "marlowbay",
            notes: "Long flight; only combine it with another visit."),
        .init("Kestrel Valley College", "Burlington, Vermont", domain: "kestrelvalley"),
        .init("Lakemont Institute of Technology", "Madison, Wisconsin", domain: "lakemont",
            notes: "Mateo likes the mechanical engineering labs."),
        .init("Tolliver College", "Nashville, Tennessee", domain: "tolliver"),
        .init("Pinyon State University", "Denver, Colorado", domain: "pinyonstate"),
        .init("Ashgrove University", "Albany, New York", domain: "ashgrove", notes: "Two hours by car: day trips are fine."),
        .init("Thornbury University", "Providence, Rhode Island", domain: "thornbury"),
    ]

    static let coaches: [CoachPlan] = [
        .init("Dana", "Whitlock", "Head Coach, Softball", school: 0, phone: "+1 828 555 0101", notes: "Calls on Sunday evenings."),
        .init("Priya", "Anand", "Assistant Coach, Softball (catchers)", school: 0, phone: "+1 828 555 0102"),
        .init("Luis", "Ferrante", "Recruiting Coordinator, Baseball", school: 0),
        .init("Renee", "Okafor", "Head Coach, Softball", school: 1, phone: "+1 757 555 0110"),
        .init("Tom", "Bergstrand", "Head Coach, Baseball", school: 1),
        .init("Alicia", "Moreau", "Head Coach, Softball", school: 2, phone: "+1 614 555 0121"),
        .init("Grant", "Hollis", "Assistant Coach, Baseball (infield)", school: 2, phone: "+1 614 555 0122"),
        .init("Jo", "Lindqvist", "Head Coach, Softball", school: 3),
        .init("Peter", "Sandoval", "Head Coach, Baseball", school: 3, phone: "+1 717 555 0131"),
        .init("Marisol", "Vega", "Assistant Coach, Softball (pitching)", school: 4, phone: "+1 602 555 0141"),
        .init("Ray", "Tsosie", "Head Coach, Baseball", school: 4),
        .init("Kim", "Nakamura", "Head Coach, Softball", school: 5, phone: "+1 619 555 0151"),
        .init("Elliot", "Brandt", "Recruiting Coordinator, Baseball", school: 5),
        .init("Heather", "Quigley", "Head Coach, Softball", school: 6),
        .init("Ben", "Castellan", "Head Coach, Baseball", school: 7, phone: "+1 608 555 0171",
            notes: "Wants video from the side, no music."),
        .init("Ana", "Petrov", "Assistant Coach, Baseball (hitting)", school: 7),
        .init("Corinne", "Dubois", "Head Coach, Softball", school: 8, phone: "+1 615 555 0181"),
        .init("Walt", "Emmerich", "Head Coach, Baseball", school: 8),
        .init("Sierra", "Lonetree", "Head Coach, Softball", school: 9),
        .init("Marcus", "Boyd", "Assistant Coach, Baseball (pitching)", school: 9, phone: "+1 303 555 0191"),
        .init("Nadia", "Rahimi", "Head Coach, Softball", school: 10, phone: "+1 518 555 0103"),
        .init("Owen", "Carmichael", "Head Coach, Baseball", school: 10, phone: "+1 518 555 0104",
            notes: "Asked for the transcript after the junior year."),
        .init("Faith", "Delacroix", "Head Coach, Softball", school: 11),
        .init("Henry", "Ashby", "Recruiting Coordinator, Baseball", school: 11, phone: "+1 401 555 0113"),
        .init("Gina", "Marchetti", "Head Coach, Hudson Hawks 18U", school: nil, phone: "+1 914 555 0177",
            notes: "Travel team. Sends the week's plan on Mondays."),
    ]
}
