import Bytes
import Dates
import Family

/// What the writer keeps in memory of a family that it touched: a cache of what the database holds, dropped whenever a transaction
/// is rolled back.
struct FamilyState {
    /// The integer that stands for the family in every key.
    let key: Int64
    let id: Identifier
    /// The newest sequence; 0 before the first.
    var head: Int64
    /// IANA name.
    var zone: String
    /// Records, deleted ones included.
    var records: Int
    /// Everybody who is or was in it.
    var members: [Identifier: MemberState]

    /// The member, if they are in the family now.
    func member(_ id: Identifier) -> MemberState? {
        guard let member = members[id], !member.isRemoved else { return nil }
        return member
    }

    /// How many parents are in the family now; never 0.
    var parents: Int { members.values.count { !$0.isRemoved && $0.role == .parent } }
}

/// What decides a member's rights.
struct MemberState {
    var name: String
    var role: Role
    /// As the athlete set it; whether it counts is for `Age` to say.
    var parentAccess: ParentAccess
    /// Never leaves the server.
    var born: CalendarDate?
    var isRemoved: Bool

    init(_ record: Record, born: CalendarDate?, isRemoved: Bool) {
        name = record.fields.text("name") ?? ""
        role = record.fields.text("role").flatMap(Role.init) ?? .guest
        parentAccess = record.fields.text("parent_access").flatMap(ParentAccess.init) ?? .edit
        self.born = born
        self.isRemoved = isRemoved
    }
}

/// The ages at which rules change (`product.md`, "People under age"; `semantics.md`, "People, members, sessions").
enum Age {
    /// Below it an athlete has no login.
    static let login = 13
    /// Below it parents edit, whatever the athlete's setting.
    static let ownAccess = Permission.ownAccessAge
    /// From it on no parent's consent is needed.
    static let adult = 18
    /// Beyond it a birth date is a mistake.
    static let oldest = 120

    /// Whole years. Who was born on 29 February has their birthday on 1 March of other years.
    static func years(from born: CalendarDate, to today: CalendarDate) -> Int {
        let isBefore = (today.month, today.day) < (born.month, born.day)
        return today.year - born.year - (isBefore ? 1 : 0)
    }

    /// What an athlete's setting comes to: below 16, or at an unknown age, parents edit.
    static func parentAccess(_ setting: ParentAccess, age: Int?) -> ParentAccess {
        guard let age, age >= ownAccess else { return .edit }
        return setting
    }
}
