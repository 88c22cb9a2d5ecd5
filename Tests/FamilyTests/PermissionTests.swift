import Bytes
import Family
import Testing

@Suite("Permissions to write (product.md, Who may do what)")
struct PermissionTests {
    /// The table, as letters: C create, U update, D delete, R restore. Columns: whose the record is, seen from the actor.
    /// For events "own" is the actor's own season; for messages the actor's own message; for members the actor itself.
    static let table: [(kind: Kind, role: Role, own: String, other: String)] = [
        (.family, .parent, "U", "U"), (.family, .athlete, "", ""), (.family, .guest, "", ""),
        (.member, .parent, "CUDR", "CUDR"), (.member, .athlete, "UD", ""), (.member, .guest, "UD", ""),
        (.school, .parent, "CUDR", "CUDR"), (.school, .athlete, "CUDR", "CUDR"), (.school, .guest, "", ""),
        (.coach, .parent, "CUDR", "CUDR"), (.coach, .athlete, "CUDR", "CUDR"), (.coach, .guest, "", ""),
        // A parent owns no season; "own" below is the case of a parent's id as owner, which editing rights cover alike.
        (.event, .parent, "CUDR", "CUDR"), (.event, .athlete, "CUDR", ""), (.event, .guest, "", ""),
        (.message, .parent, "CUDR", "CDR"), (.message, .athlete, "CUDR", "C"), (.message, .guest, "", ""),
        (.metric, .parent, "CUDR", "CUDR"), (.metric, .athlete, "CUDR", ""), (.metric, .guest, "", ""),
        (.interaction, .parent, "CUDR", "CUDR"), (.interaction, .athlete, "CUDR", ""), (.interaction, .guest, "", ""),
        (.document, .parent, "CUDR", "CUDR"), (.document, .athlete, "CUDR", ""), (.document, .guest, "", ""),
        (.trip, .parent, "CUDR", "CUDR"), (.trip, .athlete, "CUDR", "CUDR"), (.trip, .guest, "", ""),
        (.tripItem, .parent, "CUDR", "CUDR"), (.tripItem, .athlete, "CUDR", "CUDR"), (.tripItem, .guest, "", ""),
        (.readingPosition, .parent, "CU", ""), (.readingPosition, .athlete, "CU", ""), (.readingPosition, .guest, "CU", ""),
        (.reminderRule, .parent, "CUDR", ""), (.reminderRule, .athlete, "CUDR", ""), (.reminderRule, .guest, "CUDR", ""),
    ]

    /// The id of a member's record of a kind.
    static func subject(_ kind: Kind, _ member: Identifier) -> Identifier {
        kind == .readingPosition ? ReadingPosition.id(of: member) : kind == .reminderRule ? ReminderRule.id(of: member) : member
    }

    static let letters: [(Character, AccessAction)] = [("C", .create), ("U", .update), ("D", .delete), ("R", .restore)]

    @Test("Every role, kind, action and owner is as the table says", arguments: PermissionTests.table)
    func asTheTableSays(_ kind: Kind, _ role: Role, _ own: String, _ other: String) {
        let actor = Actor(member: id(1), role: role)
        for (letter, action) in PermissionTests.letters {
            for (whose, allowed) in [(id(1), own), (id(2), other)] {
                let access = Access(
                    actor: actor, kind: kind, action: action, owner: kind.declaration.scope == .athlete ? whose : nil, author: whose,
                    subject: PermissionTests.subject(kind, whose),
                    fields: kind == .member ? [Kind.member.field("name")] : [0])
                #expect(Permission.allows(access) == allowed.contains(letter), "\(role) \(action) \(kind.name) of \(whose == id(1) ? "own" : "other")")
            }
        }
    }

    @Test("The table names every role and kind once")
    func tableIsWhole() {
        let pairs = Set(PermissionTests.table.map { "\($0.kind) \($0.role)" })
        #expect(pairs.count == PermissionTests.table.count)
        #expect(pairs.count == Kind.allCases.count * Role.allCases.count)
    }

    @Test("Where an athlete lets parents only view, no parent writes that season", arguments: AccessAction.allCases)
    func parentsView(_ action: AccessAction) {
        let access = Access(
            actor: Actor(member: id(1), role: .parent), kind: .event, action: action, owner: id(2), ownerAllowsParents: .view)
        #expect(!Permission.allows(access))
        let athlete = Access(
            actor: Actor(member: id(2), role: .athlete), kind: .event, action: action, owner: id(2), ownerAllowsParents: .view)
        #expect(Permission.allows(athlete))
    }

    @Test("A season without an owner is nobody's to write", arguments: Role.allCases)
    func noOwner(_ role: Role) {
        for action in AccessAction.allCases {
            #expect(!Permission.allows(Access(actor: Actor(member: id(1), role: role), kind: .event, action: action, owner: nil)))
        }
    }

    @Test("Of member records parents change names and roles, everybody their own name, from 16 athletes their parents' access", arguments: Role.allCases)
    func memberFields(_ role: Role) {
        let actor = Actor(member: id(1), role: role)
        for age in [nil, 15, 16, 40] as [Int?] {
            for subject in [id(1), id(2)] {
                func allows(_ names: [String]) -> Bool {
                    Permission.allows(Access(
                        actor: actor, kind: .member, action: .update, subject: subject, fields: names.map(Kind.member.field), actorAge: age))
                }
                let isSelf = subject == id(1)
                let isParent = role == .parent
                let decides = isSelf && role == .athlete && (age ?? 0) >= 16
                #expect(allows(["name"]) == (isSelf || isParent))
                #expect(allows(["role"]) == isParent)
                #expect(allows(["parent_access"]) == decides)
                #expect(allows(["name", "role"]) == isParent)
                #expect(allows(["name", "parent_access"]) == decides)
                #expect(allows(["role", "parent_access"]) == false)
                #expect(allows([]) == (isSelf || isParent))
            }
        }
    }

    @Test("A refusal is not_allowed, names the operation and says what was kept")
    func refusal() {
        for (kind, role, own, other) in PermissionTests.table {
            for (letter, action) in PermissionTests.letters {
                for (whose, allowed) in [(id(1), own), (id(2), other)] {
                    let access = Access(
                        actor: Actor(member: id(1), role: role), kind: kind, action: action, owner: kind.declaration.scope == .athlete ? whose : nil, author: whose,
                        subject: PermissionTests.subject(kind, whose), fields: [0])
                    do {
                        try Permission.check(access, operation: 4, id: id(8))
                        #expect(allowed.contains(letter))
                    } catch {
                        #expect(error.code == .notAllowed)
                        #expect(error.operation == 4)
                        #expect(error.kind == kind)
                        #expect(error.id == id(8))
                        #expect(error.message.hasSuffix("Nothing was changed."))
                    }
                }
            }
        }
    }
}
