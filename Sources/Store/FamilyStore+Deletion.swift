package import Bytes
import Dates
package import Family
import Folding
import Ledger
package import Wire

/// A command that requests the deletion of a family, withdraws the request, or reads it.
package struct DeletionCommand: Hashable, Sendable {
    package enum Author: Hashable, Sendable {
        /// A member, and the session in which they ask (`SignIn.session`).
        case member(Identifier, session: Int64)
        /// The person who runs the server.
        case host
    }

    package var act: DeletionRequest.Act
    package var family: Identifier
    package var author: Author

    package init(_ act: DeletionRequest.Act, family: Identifier, by author: Author) {
        self.act = act
        self.family = family
        self.author = author
    }
}

/// A round of scrubbing after erasures: the erasures it covers, and its progress.
struct ScrubbingRound {
    /// Erasures whose rows were all gone when the round began.
    var keys: Set<Int64>
    var page = 0
    /// The number of consecutive portions that a reader has blocked.
    var failures = 0
}

// The end of a family.
//
//     (living) --request--> requested --14 days--> rows --> pages --> files --> done
//         ^----withdrawal------|
//
// A request is two columns of the family for the server and a field of its record for the members. When it is due, one
// transaction detaches the family, so that nobody can find it. Then portions remove its rows, then their remainders in
// the database's free space, and last its files (`ErasedFiles`). Each portion leaves a state from which the next start
// continues.
extension FamilyStore {
    /// The number of rows of one table, and of octets of their content, that one portion removes: some milliseconds.
    private static let rowsInErasure = 256
    private static let octetsInErasure = 131_072
    /// The number of consecutive portions of scrubbing that a reader may block before scrubbing waits for the next
    /// round.
    private static let maxScrubbingFailures = 64

    // MARK: Requests

    /// Requests the deletion of a family or withdraws the request, in one transaction. An act that is already done
    /// changes nothing.
    ///
    /// A parent needs a check of password or passkey for the request (`requireCheck`), and none for the withdrawal.
    ///
    /// - Returns: the current request, or the reason why nothing was done; and the change for the live rooms.
    package func perform(_ command: DeletionCommand) throws(StoreFailure) -> (Result<FamilyDeletion?, Rejection>, [CommitResult]) {
        let outcome = try transaction(isDone: { _, change in try change.map { try self.isDone($0) } ?? false }) { _ -> (FamilyDeletion?, CommittedChange?) in
            let at = environment.now()
            guard let family = try family(command.family) else { throw Rejection.noSuchFamily }
            let author = try author(of: command, family, at: at)
            let former = try families.deletion(family: family.key)
            switch command.act {
            case .show: return (former, nil)
            case .request(let name):
                try check(name, of: family)
                if case .member(_, let session) = command.author { try requireCheck(session: session, at: at) }
                if let former { return (former, nil) }
                let deletion = FamilyDeletion(requestedAt: at, by: author.member, dueAt: at + Int64(FamilyDeletion.days) * 86_400_000)
                guard let day = environment.localDate(family.state.zone, deletion.dueAt) ?? environment.localDate("UTC", deletion.dueAt) else {
                    throw StoreFailure("there is no date for a time")
                }
                let change = try setDeletion(deletion, day: day, family, by: author, at: at)
                try audit(.deletionRequested, family: family.key, by: author, detail: day, at: at)
                return (deletion, change)
            case .withdraw:
                guard former != nil else { return (nil, nil) }
                let change = try setDeletion(nil, day: nil, family, by: author, at: at)
                try audit(.deletionWithdrawn, family: family.key, by: author, at: at)
                return (nil, change)
            }
        }
        switch outcome {
        case .done((let deletion, let change)): return (.success(deletion), change.map { [.change($0)] } ?? [])
        case .refused(let rejection): return (.failure(rejection), [])
        }
    }

    private func author(of command: DeletionCommand, _ family: StoredFamily, at: Int64) throws -> Audit.Author {
        guard case .member(let member, let session) = command.author else { return .host }
        guard let role = try entered(member, family.state, at: at)?.role else { throw Rejection.noSuchFamily }
        if command.act == .show { return .member(member) }
        // A token for a program never counts, even a parent's.
        let row = try own(session, at: at)
        guard try people.membership(member)?.person == row.person else { throw Rejection.noSuchFamily }
        guard role == .parent else {
            throw Rejection(.notAllowed, "Only parents can request or withdraw the deletion of their family. Nothing was changed")
        }
        return .member(member)
    }

    private func check(_ name: String, of family: StoredFamily) throws {
        func folded(_ text: String) -> FoldedText { FoldedText(text.split(whereSeparator: \.isWhitespace).joined(separator: " ")) }
        let stored = try record(family: family.key, family.state.id)?.fields.text("name") ?? ""
        guard folded(name) == folded(stored) else {
            throw Rejection(.invalid, "This is not the name of the family. Type the family's name to ask for its deletion. Nothing was changed", field: "name")
        }
    }

    /// - Parameter author: the author of the change that the members see. For the host this is the id of the family
    ///   itself, which belongs to no member.
    private func setDeletion(
        _ deletion: FamilyDeletion?, day: String?, _ family: StoredFamily, by author: Audit.Author, at: Int64
    ) throws -> CommittedChange? {
        let actor = Actor(member: author.member ?? family.state.id, role: .parent)
        let (_, change) = try decide(family, actor: actor, at: at) { try $0.setDeletion(day: day) }
        try families.setDeletion(deletion, family: family.key)
        return change
    }

    // MARK: Imports

    /// Withdraws the request for deletion that an imported family had when its archive was made: the archive may be the
    /// copy that its members kept.
    ///
    /// Runs in the transaction that makes the family.
    func withdrawImportedDeletion(_ family: StoredFamily) throws {
        guard try record(family: family.key, family.state.id)?.fields[FamilyDeletion.field] != nil else { return }
        _ = try setDeletion(nil, day: nil, family, by: .host, at: environment.now())
    }

    /// The files and rows of a family that is being erased must not mix with those of a new family with the same id.
    func refuseErasing(_ family: Identifier) throws {
        guard try families.isErasing(family) else { return }
        throw Rejection(
            .busy, "The family is still being erased. Try again in an hour. Nothing was changed", id: family, retryAfter: 60_000)
    }

    // MARK: Erasures

    /// Carries out one portion of the due erasures, in the caller's transaction.
    ///
    /// - Returns: whether there may be more to do now.
    func eraseFamilies(at now: Int64) throws -> Bool {
        if let erasure = try families.erasures(all: false).first(where: { $0.state == .rows }) {
            let portion = try people.erase(family: erasure.key, limit: Self.rowsInErasure)
            endingSessions += portion.sessions
            guard portion.isFinished, try !families.erase(family: erasure.key, rows: Self.rowsInErasure, octets: Self.octetsInErasure) else { return true }
            try families.set(.pages, ofErasure: erasure.key, at: now)
            return true
        }
        guard let due = try families.dueDeletion(at: now), let deletion = try families.deletion(family: due.key) else { return false }
        try families.beginErasure(of: due.family, key: due.key, deletion, at: now)
        forgetFamily(key: due.key)
        pendingNotices.append(.erased(due.family))
        return true
    }

    /// Whether rows of erased families may have left octets in free space. Runs in the caller's transaction.
    func hasToScrub() throws -> Bool {
        let keys = Set(try families.erasures(all: false).filter { $0.state == .pages }.map(\.key))
        if keys.isEmpty {
            scrubbing = nil
        } else if scrubbing?.keys != keys {
            // The parts that were scrubbed before the last family's rows were removed may contain octets of them now.
            scrubbing = ScrubbingRound(keys: keys)
        }
        return scrubbing != nil
    }

    /// Carries out one portion of scrubbing.
    ///
    /// - Returns: whether it ends the round of `maintain`.
    func scrub(at now: Int64) throws(StoreFailure) -> Bool {
        guard var round = scrubbing else {
            purgeStep = .first
            return true
        }
        let page = round.page
        switch try upkeep({ try engine.scrub(from: page) }) {
        case .next(let next):
            round.page = next
            round.failures = 0
            scrubbing = round
            return false
        case .busy:
            round.failures += 1
            let isGivenUp = round.failures >= Self.maxScrubbingFailures
            if isGivenUp {
                round.failures = 0
                purgeStep = .first
            }
            scrubbing = round
            return isGivenUp
        case .finished:
            purgeStep = .first
            let outcome = try transaction { _ in for key in round.keys { try families.set(.files, ofErasure: key, at: now) } }
            if case .done = outcome { scrubbing = nil }
            return true
        }
    }

    /// Notes that the files of an erased family were removed, so that nothing of it remains.
    ///
    /// - Returns: false if the disk is full; call again later.
    package func didEraseFiles(_ erasure: Erasure) throws(StoreFailure) -> Bool {
        let outcome = try transaction { _ in try families.set(.done, ofErasure: erasure.key, at: environment.now()) }
        if case .done = outcome { return true }
        return false
    }
}

extension Audit.Author {
    fileprivate var member: Identifier? {
        if case .member(let member) = self { return member }
        return nil
    }
}
