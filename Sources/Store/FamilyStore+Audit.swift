import Bytes
import Family
import Ledger

// The audit log: the transaction of an act adds its entry, so that there is no act without an entry and no entry
// without an act.
extension FamilyStore {
    /// Adds an act to the audit log of one family. Call it within the transaction of the act.
    ///
    /// - Parameters:
    ///   - family: the integer that stands for the family.
    ///   - author: the member who acts, the host, or the server by itself.
    ///   - member: the member whom the act concerns; `nil`: the family.
    ///   - count: the number of repetitions; for failures and ended sessions.
    ///   - detail: a role, a version or a name that a person chose for a thing; never a secret, an address or a birth
    ///     date.
    func audit(
        _ act: Audit.Act, family: Int64, by author: Audit.Author, about member: Identifier? = nil, count: Int = 1, detail: String? = nil, at: Int64
    ) throws {
        if act == .signInFailed, let member,
            try audits.addFailures(Int64(count), family: family, about: member, after: at - Audit.failureWindow)
        { return }
        if act == .passkeyRefused, let member, let detail,
            try audits.addRefusals(Int64(count), family: family, about: member, detail: detail, after: at - Audit.failureWindow)
        { return }
        let detail = detail.map { String(String.UnicodeScalarView($0.unicodeScalars.prefix(Audit.detailLength))) }
        let entry = Audit.Entry(at: at, act: act.rawValue, author: author, about: member, count: Int64(count), detail: detail)
        try audits.append(family: family, entry, limit: Audit.maxEntries)
    }

    /// Adds an act about a person, such as a sign-in, to the audit log of each current family of the person. Call it
    /// within the transaction of the act. This is the function for everything about sessions, factors, devices and
    /// tokens:
    ///
    ///     try audit(.passwordSet, person: session.person, at: at)
    ///     try audit(.signInFailed, person: person, by: .server, count: 3, at: at)
    ///
    /// - Parameters:
    ///   - person: the integer that stands for the person.
    ///   - author: `nil`: the person.
    ///   - count: the number of repetitions; failures within an hour become one entry.
    ///   - detail: as above.
    func audit(
        _ act: Audit.Act, person: Int64, by author: Audit.Author? = nil, count: Int = 1, detail: String? = nil, at: Int64
    ) throws {
        for membership in try people.memberships(ofPerson: person) {
            try audit(
                act, family: membership.family, by: author ?? .member(membership.member), about: membership.member, count: count, detail: detail, at: at)
        }
    }

    /// Adds the changes of rights in a decision: roles, removals, leaving, restorations, and the rights that an athlete
    /// gives parents.
    func auditRights(_ decision: Decision, family: Int64) throws {
        guard !decision.rights.isEmpty, let change = decision.entry?.change else { return }
        let author = Audit.Author.member(change.member)
        for entry in change.entries where entry.kind == .member {
            switch entry.effect {
            case .create: break
            case .update(let assignments):
                for assignment in assignments {
                    let act: Audit.Act
                    switch assignment.field {
                    case Self.roleField: act = .roleChanged
                    case Self.parentAccessField: act = .parentAccessChanged
                    default: continue
                    }
                    var word: String?
                    if case .text(let text)? = assignment.value { word = text }
                    try audit(act, family: family, by: author, about: entry.id, detail: word, at: change.at)
                }
            case .delete: try audit(entry.id == change.member ? .memberLeft : .memberRemoved, family: family, by: author, about: entry.id, at: change.at)
            case .restore: try audit(.memberRestored, family: family, by: author, about: entry.id, at: change.at)
            }
        }
    }

    private static let roleField = Kind.member.declaration.index(of: "role")
    private static let parentAccessField = Kind.member.declaration.index(of: "parent_access")
}
