import Bytes
import Dates
import Family
import Posix
import Sessions
import Sync
import Terminal
import Views
import Words

/// The session's records as views need them: names, athletes, times of the family. Computed again when records have
/// changed.
///
/// Confined to the session's thread.
final class ShownRecords {
    private let session: ClientSession
    private(set) var names = RecordNames([])
    /// The records that have changed since `names` was made; `nil`: all of them.
    private var changed: [Identifier]?
    private var membersRevision: Int?
    private(set) var memberNames: [Identifier: String] = [:]
    /// Athletes, in the order of the menu of seasons.
    private(set) var athletes: [Identifier] = []
    /// The records to which the switcher goes, and the revisions from which they were made.
    private(set) var places: (revisions: [Int], index: LabelIndex<SwitchTarget>) = ([], LabelIndex([]))

    init(_ session: ClientSession) { self.session = session }

    /// All records may have changed.
    func forget() { changed = nil }

    /// Notes the records that an event of the session changed.
    func note(_ event: SessionEvent) {
        switch event {
        case .changed(let ids): changed?.append(contentsOf: ids)
        case .replaced: changed = nil
        case .notice, .stopped: break
        }
    }

    /// Updates the names from the records.
    func follow() {
        if let changed { names.update(changed, session.engine) } else { names = RecordNames(session.engine, after: names) }
        changed = []
    }

    /// Updates everything that each page shows from the records.
    func refresh() {
        follow()
        guard membersRevision != names.revision(of: .member) else { return }
        membersRevision = names.revision(of: .member)
        memberNames = Dictionary(names.records(of: .member).map { ($0.id, RecordNames.name($0)) }, uniquingKeysWith: { first, _ in first })
        athletes = names.records(of: .member).filter { $0.fields.text("role") == Role.athlete.rawValue }.map(\.id)
    }

    /// Prepares the places that the switcher offers.
    @discardableResult
    func prepareSwitcher() -> Bool {
        let revisions = SwitchTarget.revisions(names)
        guard places.revisions != revisions else { return false }
        places = (revisions, SwitchTarget.records(names))
        return true
    }

    /// The menu of seasons.
    var seasons: [Season] { [Season(.all, "Everybody")] + athletes.map { Season(.athlete($0), names.member($0)) } }

    var clock: LocalClock { LocalClock(zone: session.engine.timeZone) }

    var today: CalendarDate { CalendarDate(clock.today(Clock.wallMilliseconds())) ?? .first }

    var text: ChangeText {
        let clock = clock
        let now = Clock.wallMilliseconds()
        return ChangeText(names) { clock.time($0, now: now) }
    }

    /// A record that exists and is not deleted.
    func living(_ id: Identifier) -> Record? { session.engine.record(id).flatMap { $0.isDeleted ? nil : $0 } }

    /// The records that a form can refer to.
    func formOptions(_ kinds: Set<Kind>) -> [Kind: [FormOption]] {
        var options: [Kind: [FormOption]] = [:]
        for kind in kinds {
            options[kind] = names.records(of: kind).map { record in
                let detail: String =
                    switch kind {
                    case .coach: (record.fields.reference("school_id").map { names.name($0) } ?? "") + (record.fields.text("role").map { ", " + $0.printable } ?? "")
                    case .event, .trip: EventText.dates(record.fields)
                    case .school: (record.fields.text("location") ?? "").printable
                    default: record.fields.text("role") ?? ""
                    }
                return FormOption(record.id, RecordNames.name(record), detail, group: kind == .coach ? record.fields.reference("school_id") : nil)
            }.sorted { kind == .event || kind == .trip ? $0.id > $1.id : $0.label < $1.label }
        }
        return options
    }

    /// A record in full, in lines.
    func lines(of record: Record, _ theme: Theme) -> [DetailLine] {
        guard record.kind == .event else { return RecordTables.details(record, text).map { DetailLine(StyledText($0)) } }
        let metrics = names.records(of: .metric).filter { $0.fields.reference("event_id") == record.id }
        let interactions = names.records(of: .interaction).filter { $0.fields.reference("event_id") == record.id }
        return EventDetail.lines(record, metrics: metrics, interactions: interactions, names, theme)
    }
}

@available(*, unavailable) extension ShownRecords: Sendable {}
