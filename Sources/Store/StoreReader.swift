package import Bytes
package import Family
import Ledger
package import Wire

/// Reads a database beside its writer, on a connection of its own.
///
/// Confined to one thread. Every call is one short snapshot of its engine, and its result is on stable storage. Open it
/// after the `FamilyStore`, which creates and migrates the file.
package final class StoreReader {
    /// The epoch of the database. Clients see the family's (`Cursor.epoch`).
    package let epoch: String

    let environment: StoreEnvironment
    let engine: any ReaderEngine
    /// The number of changes that one walk for messages reads: about ten milliseconds in a family that hardly writes
    /// any. Tests make it small.
    var walkedChanges: Int64 = 20_000
    /// The number of octets that a digest reads: about ten milliseconds. Tests make it small.
    var digestOctets = 8_388_608
    let listings = ListingCache()
    let sharedListings: SharedListingCache
    /// The records that were found damaged so far, for the log. All records whose ids cannot be read either are one
    /// entry, `nil`.
    package private(set) var damaged: Set<Identifier?> = []

    /// - Parameters:
    ///   - engine: an engine that nobody else uses.
    ///   - sharedListings: the listings that it shares with other readers of this database.
    package init(_ engine: any ReaderEngine, environment: StoreEnvironment, sharedListings: SharedListingCache = SharedListingCache()) {
        self.engine = engine
        self.environment = environment
        self.sharedListings = sharedListings
        epoch = engine.epoch
    }

    // MARK: Sessions

    /// The holder of the session of a token; `nil` for an unknown token, for a session that has ended, and for a token
    /// that only opens calendars.
    package func signIn(token: String) throws(StoreFailure) -> SignIn? {
        try reading {
            let now = environment.now()
            guard let session = try engine.people.session(hash: SessionToken.hash(token)), session.isAlive(at: now), session.scope != .calendar
            else { return nil }
            let memberships = try engine.people.memberships(ofPerson: session.person).compactMap { membership -> Membership? in
                let family = try record(family: membership.family, membership.familyID)?.fields
                let role = try record(family: membership.family, membership.member)?.fields.text("role").flatMap(Role.init) ?? .guest
                let bar = environment.ledger.bar(
                    role: role, born: membership.born, hasConsent: membership.hasConsent, lastDay: membership.lastDay,
                    zone: family?.text("time_zone") ?? "UTC", at: now)
                guard bar == nil else { return nil }
                return Membership(family: membership.familyID, name: family?.text("name") ?? "", member: membership.member, role: role)
            }
            let recovery = try engine.people.recovery(person: session.person).flatMap { notice in
                notice.at > session.createdAt && now - notice.at < RecoveryNotice.life ? notice : nil
            }
            return SignIn(
                session: session.key, person: session.person, memberships: memberships,
                isRenewalDue: session.usedAt + SessionToken.renewal <= now, isRedemptionOpen: session.isRedemptionOpen, scope: session.scope,
                recovery: recovery)
        }
    }

    /// Whether the writer would redeem a code now, judged by the code; the writer checks the name.
    ///
    /// This is the check for strangers, so that only a client with a valid code costs the writer anything. A code that
    /// is unknown, used, expired or of a removed member costs the same look-up and gets the same answer.
    ///
    /// - Returns: `nil` if it would, `code_unknown` if not.
    package func refusal(ofCode code: String, nonce: String) throws(StoreFailure) -> Rejection? {
        try reading {
            let nonceHash = RedemptionNonce.hash(nonce)
            guard let hash = InviteCode.hash(code), let code = try engine.people.code(hash: hash), environment.now() < code.expiresAt,
                code.nonceHash == nil || code.nonceHash == nonceHash, try engine.people.isMakerThere(code)
            else { return .codeUnknown }
            return nil
        }
    }

    /// Whether a person may join, and the position at which their client continues.
    ///
    /// - Parameter person: the person of `signIn`.
    package func join(person: Int64, _ join: Join) throws(StoreFailure) -> JoinAnswer {
        try reading {
            guard let found = try engine.families.find(join.family), let id = try engine.people.member(family: found.key, person: person) else {
                return .refused(.noSuchFamily)
            }
            let members = try engine.records.members(family: found.key)
            guard let member = members[id], !member.isRemoved else { return .refused(.noSuchFamily) }
            let zone = try record(family: found.key, join.family)?.fields.text("time_zone") ?? "UTC"
            let now = environment.now()
            if let bar = environment.bar(member, zone: zone, at: now) { return .refused(bar.rejection) }
            let head = try head(found.key)
            let epoch = Cursor.epoch(of: join.family, database: self.epoch)
            let resume: JoinState.Resume
            switch join.cursor {
            case nil: resume = .snapshot
            case let cursor? where cursor.epoch != epoch: resume = .reset(.epochChanged)
            case let cursor? where cursor.sequence > head:
                return .refused(
                    Rejection(.cursorAhead, ErrorCode.cursorAhead.sentence))
            case let cursor? where cursor.sequence < found.floor: resume = .reset(.logTrimmed)
            case let cursor?: resume = .changes(after: max(cursor.sequence, 0))
            }
            func age(_ member: MemberState) -> Int? { environment.age(born: member.born, zone: zone, at: now) }
            let athletes = members.filter { !$0.value.isRemoved && $0.value.role == .athlete }
                .map { Athlete(member: $0.key, parentAccess: Age.parentAccess($0.value.parentAccess, age: age($0.value))) }
                .sorted { $0.member < $1.member }
            var state = JoinState(
                family: join.family, member: id, role: member.role, epoch: epoch, head: head, floor: found.floor,
                resume: resume, athletes: athletes, age: age(member))
            state.reminders = try unseenReminders(family: found.key, member: id, zone: zone, at: now)
            return .joined(state)
        }
    }

    // MARK: Parts

    /// Runs reads that are stopped if they take too long; then they throw `StoreFailure.isStopped`.
    ///
    /// - Parameter isOver: called every few rows.
    package func stopping<Value>(when isOver: @escaping () -> Bool, _ body: () throws(StoreFailure) -> Value) throws(StoreFailure) -> Value {
        engine.stopReads(when: isOver)
        defer { engine.stopReads(when: nil) }
        return try body()
    }

    /// Runs `body` so that all its reads see one moment. If the engine reports *again*, `body` runs again, at most
    /// `FamilyStore.maxRuns` times in total.
    func reading<Value>(_ body: () throws -> Value) throws(StoreFailure) -> Value {
        var runs = 0
        while true {
            do {
                try engine.begin()
                let value = try body()
                try engine.end()
                return value
            } catch {
                // A snapshot that stays open would block the writer's upkeep.
                try? engine.end()
                runs += 1
                if case .again = engine.failure(error), runs < FamilyStore.maxRuns { continue }
                throw StoreFailure(engine.failure(error))
            }
        }
    }

    func record(family: Int64, _ id: Identifier) throws -> Record? {
        guard let found = try engine.records.find(family: family, id) else { return nil }
        return readable(found)
    }

    /// The record; `nil` for a damaged one, which is left out and affects no other (R132).
    func readable(_ stored: StoredRecord) -> Record? {
        if stored.record == nil { damaged.insert(stored.id) }
        return stored.record
    }

    func head(_ family: Int64) throws -> Int64 { try engine.log.head(family: family) }

    /// The integer that stands for a family.
    ///
    /// - Throws: if it does not exist, because the caller has joined it.
    func key(_ family: Identifier) throws -> Int64 { try keyAndFloor(family).key }

    /// As `key`, with the sequence below which the log is no longer complete.
    func keyAndFloor(_ family: Identifier) throws -> (key: Int64, floor: Int64) {
        guard let found = try engine.families.find(family) else { throw StoreFailure("a family that was joined is gone") }
        return (found.key, found.floor)
    }
}

@available(*, unavailable)
extension StoreReader: Sendable {}
