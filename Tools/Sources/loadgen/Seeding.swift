import Arguments
import Bytes
import Crypto
import Dates
import Family
import JSON
import Posix
import Store
import StoreSQLite
import Wire

/// The content that `loadgen seed` puts into a data folder.
struct SeedPlan {
    let dataFolder: String
    let families: Int
    /// Parents of each family.
    let members: Int
    /// Records of family 0 besides its people.
    let records: Int
    let kind: Kind
    /// Years that family 0 has behind it, and changes in them; `nil`: none.
    let years: Int?
    let changes: Int

    init(_ words: [String]) throws(UsageError) {
        let list = try ArgumentList(words, options: ["--data", "--families", "--members", "--records", "--record-kind", "--years", "--changes"])
        try list.expectNoPositional()
        dataFolder = try list.required("--data")
        families = try list.integer("--families", in: 1...SeedNames.maxFamilies) ?? 1
        members = try list.integer("--members", in: 1...SeedNames.maxMembers) ?? 1
        guard families * members <= SeedNames.maxFamilies else {
            throw UsageError("Families times members is at most \(SeedNames.maxFamilies).")
        }
        // The rest of `Limits.recordsPerFamily` is for people.
        records = try list.integer("--records", in: 0...Limits().recordsPerFamily - 2 * SeedNames.maxMembers) ?? 0
        guard let kind = Kind(name: list.value("--record-kind") ?? "event"), [.event, .message, .school].contains(kind) else {
            throw UsageError("--record-kind takes event, message or school.")
        }
        self.kind = kind
        years = try list.integer("--years", in: 1...50)
        changes = try list.integer("--changes", in: 1...1_000_000) ?? TenYears.changes
        guard years == nil || records == 0 else { throw UsageError("Take --records or --years, not both.") }
    }
}

/// Fills the data folder of a server that does not run, through the store's own code.
enum Seeding {
    static func run(_ plan: SeedPlan) throws {
        let folder = try DataFolder(path: plan.dataFolder)
        let clock = plan.years.map { TenYearsClock(years: $0) }
        let store = try FamilyStore(
            path: folder.databasePath, environment: environment { clock?.now ?? Clock.wallMilliseconds() }, mark: folder.markPath)
        var seeded: [(SeededFamily, [Identifier])] = []
        for number in 0..<plan.families {
            let family = SeededFamily(
                id: SeedNames.family(number), name: "Bench \(number)", zone: "UTC",
                parents: (0..<plan.members).map { .init(name: "Parent \($0)", token: SeedNames.token(family: number, member: $0)) })
            seeded.append((family, try store.seed(family).get()))
            try store.checkpointIfDue()
        }
        let first = seeded.first?.1.first
        if plan.records > 0, let parent = first { try addRecords(plan, parent: parent, store) }
        if let clock, let parent = first {
            try TenYears.grow(store, clock, family: SeedNames.family(0), parent: parent, changes: plan.changes)
            // The sessions of before the years have come to their end.
            for (family, members) in seeded { try store.signInAgain(family, members).get() }
        }
        guard try store.truncateLog() else { throw LoadFailure("The database is being read by another process.") }
    }

    /// Zone data is not needed: every family is in UTC.
    private static func environment(_ now: @escaping () -> Int64) -> StoreEnvironment {
        StoreEnvironment(
            now: now, random: { Random.octets($0) },
            localDate: { zone, at in zone == "UTC" ? ZoneRules.utc.localDate(at: at).description : nil },
            rules: RuleEnvironment(zoneExists: { $0 == "UTC" }))
    }

    private static func addRecords(_ plan: SeedPlan, parent: Identifier, _ store: FamilyStore) throws {
        let family = SeedNames.family(0)
        var athlete: Identifier?
        if plan.kind == .event {
            let invite = NewInvite(family: family, name: "Athlete 0", role: .athlete, born: "2008-05-05", by: parent)
            guard case .invited(let invited) = try store.perform(.invite(invite)).0.get() else {
                preconditionFailure("an invite is answered so")
            }
            athlete = invited.member
        }
        let client = identifier(-1)
        let batch = Limits().operationsPerMutation
        for (index, start) in stride(from: 0, to: plan.records, by: batch).enumerated() {
            let operations = (start..<min(start + batch, plan.records)).map { number in
                Operation(kind: plan.kind, id: identifier(number), action: .create(athlete: athlete, patch: patch(plan.kind, number)))
            }
            let proposal = Proposal(
                family: family, member: parent, context: .all,
                mutation: Mutation(client: client, id: Int64(index + 1), operations: operations), session: 0)
            let results = try store.commit([proposal])
            // A receipt alone is a refusal: an ack is followed by its change.
            if results.count == 1, case CommitResult.receipt(let receipt) = results[0] {
                throw LoadFailure("The store refused records: \(String(decoding: receipt.frame, as: UTF8.self))")
            }
            try store.checkpointIfDue()
        }
    }

    private static func identifier(_ number: Int) -> Identifier {
        .version7(milliseconds: Clock.wallMilliseconds(), random: (Random.uint64(), UInt64(bitPattern: Int64(number))))
    }

    /// Some 300 octets each, as people fill them in.
    private static func patch(_ kind: Kind, _ number: Int) -> FieldPatch {
        let day = CalendarDate(year: 2_026, month: 1, day: 1)?.adding(days: number % 700)
        let values: [(String, String)]
        switch kind {
        case .event:
            values = [
                ("type", "camp"), ("name", "Infield camp \(number)"), ("start_date", day?.description ?? "2026-01-01"),
                ("start_time", "09:00"), ("location", "Field \(number % 40), North Campus"), ("city", "Durham"), ("state", "NC"),
                ("description", "Bring the catcher's gear and water. Registration closes a week before; ask for the group rate."),
            ]
        case .school: values = [("name", "College \(number)"), ("location", "Durham, NC"), ("notes", "Coach answered in March.")]
        default: values = [("text", "Practice \(number) moved to six, bring the catcher's gear and water; who can drive?")]
        }
        var patch = FieldPatch()
        for (name, text) in values {
            guard let field = kind.declaration.index(of: name) else { preconditionFailure("\(kind.name) declares no field \(name)") }
            patch.assignments.append(.init(field: field, value: .text(text)))
        }
        patch.assignments.sort { $0.field < $1.field }
        return patch
    }
}
