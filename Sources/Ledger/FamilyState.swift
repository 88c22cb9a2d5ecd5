package import Bytes
package import Dates
package import Family

/// The facts that decide rights and sequence numbers in one family: its zone, its head and its members.
package struct FamilyState {
    package let id: Identifier
    /// The newest sequence; 0 before the first.
    package var head: Int64
    /// IANA name.
    package var zone: String
    /// Records, deleted ones included.
    package var records: Int
    /// Of the records at `head`.
    package var checksum: StateChecksum
    /// Everybody who is or was in the family.
    package var members: [Identifier: MemberState]
    /// The limits that the host has set for this family.
    package var quotas: FamilyQuotas

    package init(
        id: Identifier, head: Int64, zone: String, records: Int, checksum: StateChecksum, members: [Identifier: MemberState],
        quotas: FamilyQuotas = FamilyQuotas()
    ) {
        self.id = id
        self.head = head
        self.zone = zone
        self.records = records
        self.checksum = checksum
        self.members = members
        self.quotas = quotas
    }

    /// Counts a new record.
    mutating func count(_ id: Identifier, version: Int64) {
        records += 1
        checksum.add(id, version: version)
    }

    /// The member, if they are in the family now.
    package func member(_ id: Identifier) -> MemberState? {
        guard let member = members[id], !member.isRemoved else { return nil }
        return member
    }

    /// How many parents are in the family now; never 0.
    package var parents: Int { members.values.count { !$0.isRemoved && $0.role == .parent } }
}

/// The facts that decide a member's rights.
package struct MemberState {
    package var name: String
    package var role: Role
    /// The athlete's own setting. `Age` decides whether it counts.
    package var parentAccess: ParentAccess
    /// Never leaves the server.
    package var born: CalendarDate?
    package var isRemoved: Bool
    /// A parent consents to the sign-in of an athlete below 18.
    package var hasConsent: Bool
    /// The last day of a guest; on the day after it they may not enter any more.
    package var lastDay: CalendarDate?

    package init(_ record: Record, born: CalendarDate?, isRemoved: Bool, hasConsent: Bool = false, lastDay: CalendarDate? = nil) {
        name = record.fields.text("name") ?? ""
        role = record.fields.text("role").flatMap(Role.init) ?? .guest
        parentAccess = record.fields.text("parent_access").flatMap(ParentAccess.init) ?? .edit
        self.born = born
        self.isRemoved = isRemoved
        self.hasConsent = hasConsent
        self.lastDay = lastDay
    }
}
