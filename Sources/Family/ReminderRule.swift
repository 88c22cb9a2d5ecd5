package import Bytes
package import Dates
import JSON

/// When one member wants to be reminded, as their record of the kind `reminder_rule` says it: one record per member.
///
/// A member without a record is reminded by the usual leads (`standard`).
package struct ReminderRule: Hashable, Sendable {
    /// The items that have leads of their own; the raw value is the key in the field `leads`.
    package enum Item: String, CaseIterable, Sendable {
        /// An event with a time.
        case event
        /// A trip item with a time.
        case tripItem = "trip_item"
        /// An event or trip item without a time. Its leads count from the first midnight.
        case allDay = "all_day"

        /// The leads of a member who has not chosen any, minutes: half an hour; 18:00 of the evening before.
        package var usual: [Int64] { self == .allDay ? [360] : [30] }
    }

    /// Minutes before the start, ascending; for items that are not in it, the next more general leads hold.
    package typealias Leads = [Item: [Int64]]

    /// The hours in which nothing reaches the member outside of Huddle, on the clocks of a zone.
    package struct Quiet: Hashable, Sendable {
        package var from: LocalTime
        /// The first minute after them; before `from`: on the next day.
        package var until: LocalTime
        /// An IANA name; `nil`: the family's zone.
        package var zone: String?

        package init(from: LocalTime, until: LocalTime, zone: String? = nil) {
            self.from = from
            self.until = until
            self.zone = zone
        }
    }

    /// Leads of one list at most.
    package static let mostLeads = 5
    /// The largest lead, minutes: 28 days.
    package static let mostLead: Int64 = 28 * 1440
    /// Athletes with leads of their own at most.
    package static let mostAthletes = 50

    /// Whether the member gets no reminders.
    package var isMuted = false
    /// Whether the alarms in the member's calendar feeds remind, and Huddle does not.
    package var calendarReminds = false
    package var leads: Leads = [:]
    /// Leads for the events of single athletes, with and without a time.
    package var athletes: [Identifier: Leads] = [:]
    package var quiet: Quiet?

    package init() {}

    /// The rule of a member who has none.
    package static let standard = ReminderRule()

    /// The id of a member's rule, so that every device of theirs writes the same record without a search.
    ///
    /// As `ReadingPosition.id(of:)`, and with the last twelve digits turned around as well.
    package static func id(of member: Identifier) -> Identifier {
        Identifier(high: member.high ^ 0xF000, low: member.low ^ 0xFFFF_FFFF_FFFF)
    }

    /// The rule that a record says. A value that is not valid, as of a newer program, counts as absent.
    package init(_ fields: Fields) {
        isMuted = fields.flag("muted")
        calendarReminds = fields.flag("calendar_reminds")
        if case .json(let octets)? = fields["leads"], let read = Self.read(octets) { (leads, athletes) = read }
        if let from = fields.text("quiet_from").flatMap({ LocalTime($0) }), let until = fields.text("quiet_until").flatMap({ LocalTime($0) }) {
            quiet = Quiet(from: from, until: until, zone: fields.text("time_zone"))
        }
    }

    /// The rule of a record; the usual one if there is none, or if it is deleted.
    package init(_ record: Record?) {
        self = record.map { $0.isDeleted ? .standard : ReminderRule($0.fields) } ?? .standard
    }

    /// The leads for an item, minutes, ascending.
    ///
    /// - Parameter athlete: whose event it is; `nil` for a trip item.
    package func leads(_ item: Item, athlete: Identifier? = nil) -> [Int64] {
        athlete.flatMap { athletes[$0]?[item] } ?? leads[item] ?? item.usual
    }

    /// Whether reminders on the member's devices follow from it.
    package var reminds: Bool { !isMuted && !calendarReminds }

    /// A lead in the largest unit that has no rest: "30 minutes", "2 hours", "1 day".
    package static func words(_ lead: Int64) -> String {
        let (number, unit) = lead > 0 && lead % 1440 == 0 ? (lead / 1440, "day") : lead > 0 && lead % 60 == 0 ? (lead / 60, "hour") : (lead, "minute")
        return "\(number) \(unit)\(number == 1 ? "" : "s")"
    }

    /// The fields of a record that says this rule. `muted` is always in it, so that a rule which changes nothing else can
    /// be written: it is a guest's request to be reminded.
    package var fields: Fields {
        var fields = Fields(.reminderRule)
        fields["muted"] = .flag(isMuted)
        if calendarReminds { fields["calendar_reminds"] = .flag(true) }
        fields["leads"] = leadsField
        if let quiet {
            fields["quiet_from"] = .text(quiet.from.description)
            fields["quiet_until"] = .text(quiet.until.description)
            fields["time_zone"] = quiet.zone.map { .text($0) }
        }
        return fields
    }

    // MARK: The field `leads`

    /// The value of the field `leads`; `nil` if there is nothing to say.
    private var leadsField: Value? {
        guard !leads.isEmpty || !athletes.isEmpty else { return nil }
        var json = JSONWriter()
        json.beginObject()
        Self.write(leads, into: &json)
        if !athletes.isEmpty {
            json.key("athletes")
            json.beginObject()
            for (athlete, leads) in athletes.sorted(by: { $0.key < $1.key }) {
                json.key(athlete.description)
                json.beginObject()
                Self.write(leads, into: &json)
                json.endObject()
            }
            json.endObject()
        }
        json.endObject()
        return .json(json.octets)
    }

    private static func write(_ leads: Leads, into json: inout JSONWriter) {
        for item in Item.allCases {
            guard let list = leads[item] else { continue }
            json.key(item.rawValue)
            json.beginArray()
            for lead in list { json.integer(lead) }
            json.endArray()
        }
    }

    /// - Returns: `nil` for octets that break a rule.
    private static func read(_ octets: [UInt8]) -> (Leads, [Identifier: Leads])? {
        guard let tree = try? JSONReader.read(octets, maxDepth: 4, { reader throws(JSONError) in try JSONTree(&reader) }), case .object(let members) = tree else {
            return nil
        }
        var leads: Leads = [:]
        var athletes: [Identifier: Leads] = [:]
        for member in members {
            if let item = Item(rawValue: member.key) {
                guard let list = list(member.value) else { return nil }
                leads[item] = list
            } else if member.key == "athletes", case .object(let entries) = member.value, entries.count <= mostAthletes {
                for entry in entries {
                    guard let athlete = Identifier(entry.key), case .object(let items) = entry.value else { return nil }
                    var own: Leads = [:]
                    for member in items {
                        guard let item = Item(rawValue: member.key), item != .tripItem, let list = list(member.value) else { return nil }
                        own[item] = list
                    }
                    athletes[athlete] = own
                }
            } else {
                return nil
            }
        }
        return (leads, athletes)
    }

    private static func list(_ value: JSONTree) -> [Int64]? {
        guard case .list(let elements) = value, elements.count <= mostLeads else { return nil }
        let leads = Set(elements.compactMap(\.integer).filter { (0...mostLead).contains($0) })
        return leads.count == elements.count ? leads.sorted() : nil
    }

    /// The rules of a rule's record beyond its single fields.
    static func check(_ fields: Fields, place: RuleSite) throws(Rejection) {
        if case .json(let octets)? = fields["leads"], read(octets) == nil {
            throw place.rejection(
                .invalid,
                "Lead times must be an object: event, trip_item and all_day, each a list of at most \(mostLeads) different whole minutes from 0 to \(mostLead), "
                    + "and athletes, with event and all_day for each of at most \(mostAthletes) ids", field: "leads")
        }
        let (from, until) = (fields.text("quiet_from"), fields.text("quiet_until"))
        if (from == nil) != (until == nil) {
            let missing = from == nil ? "quiet_from" : "quiet_until"
            throw place.rejection(.required, "\(from == nil ? "Quiet from" : "Quiet until") is required", field: missing)
        }
        if let from, from == until { throw place.rejection(.invalid, "Quiet until must be another time than Quiet from", field: "quiet_until") }
    }
}
