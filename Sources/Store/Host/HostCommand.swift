package import Bytes
package import Family
package import JSON

/// An act of the person who runs the server on one family or one person. Each act is in the audit logs of the families
/// that it concerns.
package enum HostAct: Hashable, Sendable {
    /// Sets limits of a family to other values; `cleared` ones return to the limits of all families.
    case setQuotas(family: String, own: FamilyQuotas, cleared: Set<FamilyQuota>)
    /// Withdraws an invite.
    case withdrawInvite(Identifier, family: String)
    /// Ends a session or token of a member's person; `nil`: all of them.
    case endSessions(member: Identifier, session: Identifier?)
}

/// A question of the person who runs the server. Answers never contain a secret, a birth date or a network address.
package enum HostQuestion: Hashable, Sendable {
    /// The families in the order of their creation, at most `HostQuestion.rows`. `after` is the `next` of the previous
    /// answer.
    case families(after: Int64?, withPeople: Bool)
    case family(String)
    /// The members of one family, or of all families.
    case people(family: String?, after: String?)
    /// The person of a member.
    case person(member: Identifier)
    case invites(family: String)
    case sessions(member: Identifier)
    case quotas(family: String)
    /// The audit log of one family, or the host's acts in all of them; newest first.
    case audit(family: String?, after: String?)
    /// The reminders of a member that are due from one time on and before another (UTC milliseconds), in the order of their times. `after` is the
    /// `next` of the previous answer.
    case reminders(member: Identifier, from: Int64, to: Int64, after: Int64?)
    case status

    /// The largest number of rows in one answer: they fit into the buffer of a socket.
    package static let rows = 64
}

// Acts and questions in the form of the admin socket: one JSON object per line, with these members.
//
//     {"act":"set_quotas","family":"Rivera","own":{"connections":300},"clear":["rows"]}
//     {"act":"withdraw_invite","family":"Rivera","invite":"…"}        {"act":"end_sessions","member":"…","session":"…"}
//
//     {"question":"families","after":64,"people":true}    {"question":"family","family":"Rivera"}
//     {"question":"people","family":"Rivera","after":"…"} {"question":"person","member":"…"}
//     {"question":"invites","family":"…"}    {"question":"sessions","member":"…"} {"question":"quotas","family":"…"}
//     {"question":"audit","family":"…","after":"…"}    {"question":"status"}
//     {"question":"reminders","member":"…","from":1795262400000,"to":1795867200000,"after":64}

extension HostAct {
    /// The line, without its line feed.
    package func encode() -> [UInt8] {
        switch self {
        case .setQuotas(let family, let own, let cleared):
            let values = FamilyQuota.allCases.compactMap { quota in own[quota].map { JSONTree.Member(key: quota.rawValue, value: .integer(Int64($0))) } }
            let names = FamilyQuota.allCases.filter(cleared.contains).map { JSONTree.text($0.rawValue) }
            return JSONTree.object(of: ["act": .text("set_quotas"), "family": .text(family), "own": .object(values), "clear": .list(names)]).octets
        case .withdrawInvite(let invite, let family):
            return JSONTree.object(of: ["act": .text("withdraw_invite"), "family": .text(family), "invite": .text(invite.description)]).octets
        case .endSessions(let member, let session):
            return JSONTree.object(
                of: ["act": .text("end_sessions"), "member": .text(member.description), "session": session.map { .text($0.description) }]
            ).octets
        }
    }

    /// Reads a line, without its line feed.
    ///
    /// - Throws: also for members that are missing or of another type.
    package static func decode(_ octets: [UInt8]) throws(JSONError) -> HostAct {
        let line = try HostLine(octets)
        switch try line.text("act") {
        case "set_quotas":
            var own = FamilyQuotas()
            for member in line.tree["own"]?.members ?? [] {
                guard let quota = FamilyQuota(rawValue: member.key), let value = member.value.integer, let exact = Int(exactly: value) else {
                    throw .invalid("own is of limits and integers")
                }
                own[quota] = exact
            }
            var cleared: Set<FamilyQuota> = []
            for name in line.tree["clear"]?.elements ?? [] {
                guard let quota = name.text.flatMap(FamilyQuota.init) else { throw .invalid("clear is a list of limits") }
                cleared.insert(quota)
            }
            return .setQuotas(family: try line.text("family"), own: own, cleared: cleared)
        case "withdraw_invite": return .withdrawInvite(try line.id("invite"), family: try line.text("family"))
        case "end_sessions":
            return .endSessions(member: try line.id("member"), session: line.tree["session"] == nil ? nil : try line.id("session"))
        default: throw .invalid("this is not an act of this server")
        }
    }
}

extension HostQuestion {
    /// The line, without its line feed.
    package func encode() -> [UInt8] {
        let tree: JSONTree =
            switch self {
            case .families(let after, let withPeople):
                .object(of: ["question": .text("families"), "after": after.map { .integer($0) }, "people": .flag(withPeople)])
            case .family(let family): .object(of: ["question": .text("family"), "family": .text(family)])
            case .people(let family, let after):
                .object(of: ["question": .text("people"), "family": family.map { .text($0) }, "after": after.map { .text($0) }])
            case .person(let member): .object(of: ["question": .text("person"), "member": .text(member.description)])
            case .invites(let family): .object(of: ["question": .text("invites"), "family": .text(family)])
            case .sessions(let member): .object(of: ["question": .text("sessions"), "member": .text(member.description)])
            case .quotas(let family): .object(of: ["question": .text("quotas"), "family": .text(family)])
            case .audit(let family, let after):
                .object(of: ["question": .text("audit"), "family": family.map { .text($0) }, "after": after.map { .text($0) }])
            case .reminders(let member, let from, let to, let after):
                .object(of: [
                    "question": .text("reminders"), "member": .text(member.description), "from": .integer(from), "to": .integer(to),
                    "after": after.map { .integer($0) },
                ])
            case .status: .object(of: ["question": .text("status")])
            }
        return tree.octets
    }

    /// Reads a line, without its line feed.
    ///
    /// - Throws: also for members that are missing or of another type.
    package static func decode(_ octets: [UInt8]) throws(JSONError) -> HostQuestion {
        let line = try HostLine(octets)
        switch try line.text("question") {
        case "families": return .families(after: line.tree["after"]?.integer, withPeople: line.tree["people"]?.flag ?? false)
        case "family": return .family(try line.text("family"))
        case "people": return .people(family: line.tree["family"]?.text, after: line.tree["after"]?.text)
        case "person": return .person(member: try line.id("member"))
        case "invites": return .invites(family: try line.text("family"))
        case "sessions": return .sessions(member: try line.id("member"))
        case "quotas": return .quotas(family: try line.text("family"))
        case "audit": return .audit(family: line.tree["family"]?.text, after: line.tree["after"]?.text)
        case "reminders":
            guard let from = line.tree["from"]?.integer, let to = line.tree["to"]?.integer else { throw .invalid("from and to are times") }
            return .reminders(member: try line.id("member"), from: from, to: to, after: line.tree["after"]?.integer)
        case "status": return .status
        default: throw .invalid("this is not a question of this server")
        }
    }
}

/// A line of the admin socket, by its members.
private struct HostLine {
    let tree: JSONTree

    init(_ octets: [UInt8]) throws(JSONError) { tree = try JSONTree(octets) }

    func text(_ key: String) throws(JSONError) -> String {
        guard let text = tree[key]?.text else { throw .invalid("\(key) is missing") }
        return text
    }

    func id(_ key: String) throws(JSONError) -> Identifier {
        guard let id = Identifier(try text(key)) else { throw .invalid("\(key) is not an id") }
        return id
    }
}
