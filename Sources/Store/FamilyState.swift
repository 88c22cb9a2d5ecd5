import Bytes
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
    /// `YYYY-MM-DD`; never leaves the server.
    var born: String?
    var isRemoved: Bool

    init(_ record: Record, born: String?, isRemoved: Bool) {
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

    /// Whole years from a birth date to a day, both `YYYY-MM-DD`; `nil` when either is no date. Who was born on 29 February has
    /// their birthday on 1 March of other years.
    static func years(born: String, today: String) -> Int? {
        guard let birth = parts(born), let now = parts(today) else { return nil }
        return now.year - birth.year - (now.day < birth.day ? 1 : 0)
    }

    /// Year, and month and day as one number that grows within the year.
    private static func parts(_ date: String) -> (year: Int, day: Int)? {
        let parts = date.split(separator: "-", omittingEmptySubsequences: false)
        guard date.utf8.count == 10, parts.count == 3, let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]) else { return nil }
        return (year, month * 100 + day)
    }
}

extension Age {
    /// What an athlete's setting comes to: below 16, or at an unknown age, parents edit.
    static func parentAccess(_ setting: ParentAccess, age: Int?) -> ParentAccess {
        guard let age, age >= ownAccess else { return .edit }
        return setting
    }
}
