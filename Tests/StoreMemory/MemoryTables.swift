import Bytes
import Dates
import Family
import Ledger
import Store

/// All rows of a database in memory. A value: a copy of it is a snapshot.
package struct MemoryTables {
    struct RecordRow {
        var record: Record
        var octets: Int
        var created: Int64
    }

    struct ReceiptRow {
        var receipt: RecordedReceipt
        var at: Int64
    }

    struct ClientRow {
        var name: ClientName
        var floor: Int64
        var receipts: [Int64: ReceiptRow] = [:]
    }

    struct BlobCount {
        var octets: Int64
        var documents: Int64
        var unusedSince: Int64?
    }

    struct LinkRow {
        var link: StoredShareLink
        var hash: [UInt8]
        var visits: [(at: Int64, what: ShareVisit.What)] = []
    }

    /// Everything that belongs to one family, or to an import.
    struct FamilyTables {
        var row: FamilyRow?
        /// Of a family that an import made: its position in the log of all families, and the sequence of its log then.
        var arrival: (position: Int64, sequence: Int64)?
        var freed: Int64 = 0
        var quotas = FamilyQuotas()
        var deletion: FamilyDeletion?
        var records: [Identifier: RecordRow] = [:]
        var purged: [Identifier: PurgedRow] = [:]
        /// By record and version.
        var history: [Identifier: [Int64: HistoryRow]] = [:]
        /// The log, and the place of each row in the log of all families.
        var log: [Int64: (row: LogRow, position: Int64)] = [:]
        var clients: [Int64: ClientRow] = [:]
        var accesses: [AccessRow] = []
        var audits: [AuditRow] = []
        var blobs: [String: BlobCount] = [:]
        var links: [Identifier: LinkRow] = [:]
        var feeds: [Identifier: (row: FeedRow, hash: [UInt8])] = [:]
        /// By item and lead.
        var armed: [Identifier: [Int64: ArmedReminder]] = [:]
        var fired: [FiredName: (reminder: FiredReminder, seenAt: Int64?)] = [:]
    }

    struct MemberRow {
        var family: Int64
        var person: Int64?
        var born: String?
        var consent: Consent?
        var removedAt: Int64?
        var lastDay: CalendarDate?
    }

    struct CodeEntry {
        var code: CodeRow
        var hash: [UInt8]
    }

    struct InviteName: Hashable {
        var family: Int64
        var id: Identifier
    }

    struct DeviceEntry {
        var person: Int64
        var usedAt: Int64
    }

    struct SessionEntry {
        var hash: [UInt8]
        /// Without `isRedemptionOpen`.
        var row: SessionRow
    }

    var families: [Int64: FamilyTables] = [:]
    var keys: [Identifier: Int64] = [:]
    var clientNames: [ClientName: Int64] = [:]
    var imports: Set<Int64> = []
    var erasures: [Int64: Erasure] = [:]
    var members: [Identifier: MemberRow] = [:]
    var sessions: [Int64: SessionEntry] = [:]
    /// People with a passkey.
    var credentials: Set<Int64> = []
    /// Names and passwords by person.
    var accounts: [Int64: CredentialRow] = [:]
    var recoveryCodes: [Int64: [[UInt8]]] = [:]
    var devices: [[UInt8]: DeviceEntry] = [:]
    var recoveries: [Int64: RecoveryNotice] = [:]
    var passkeys: [Identifier: PasskeyRow] = [:]
    var mails: [Int64: MailRow] = [:]
    var outbox: [Int64: OutgoingMail] = [:]
    /// The octets by which authenticators know a person.
    var handles: [Int64: [UInt8]] = [:]
    var codes: [Int64: CodeEntry] = [:]
    var invites: [InviteName: InviteRow] = [:]
    var compacted: Int64 = 0
    var reminderZones: String?
    var consumers: [String: ConsumerRow] = [:]
    /// The last position in the log of all families that was given.
    private(set) var newestPosition: Int64 = 0
    private var counter: Int64 = 0

    /// A number that was never given before.
    mutating func next() -> Int64 {
        counter += 1
        return counter
    }

    /// A position in the log of all families that was never given before.
    mutating func takePosition() -> Int64 {
        newestPosition += 1
        return newestPosition
    }

    func family(_ key: Int64) -> FamilyTables { families[key] ?? FamilyTables() }

    /// How many rows a table of the schema would have.
    package func count(_ table: String) -> Int {
        func sum(_ count: (FamilyTables) -> Int) -> Int { families.values.reduce(0) { $0 + count($1) } }
        switch table {
        case "families": return families.values.count { $0.row != nil }
        case "imports": return imports.count
        case "erasures": return erasures.count
        case "records": return sum { $0.records.count }
        case "purged": return sum { $0.purged.count }
        case "history": return sum { $0.history.values.reduce(0) { $0 + $1.count } }
        case "log": return sum { $0.log.count }
        case "outlines": return sum { $0.log.values.count { $0.row.outline != nil } }
        case "clients": return sum { $0.clients.count }
        case "receipts": return sum { $0.clients.values.reduce(0) { $0 + $1.receipts.count } }
        case "access_log": return sum { $0.accesses.count }
        case "audit": return sum { $0.audits.count }
        case "blobs": return sum { $0.blobs.count }
        case "share_links": return sum { $0.links.count }
        case "share_visits": return sum { $0.links.values.reduce(0) { $0 + $1.visits.count } }
        case "memberships": return members.count
        case "sessions": return sessions.count
        case "codes": return codes.count
        case "invites": return invites.count
        case "credentials": return accounts.count
        case "recovery_codes": return recoveryCodes.values.reduce(0) { $0 + $1.count }
        case "known_devices": return devices.count
        case "passkeys": return passkeys.count
        case "mail_addresses": return mails.count
        case "outbox": return outbox.count
        case "calendar_feeds": return sum { $0.feeds.count }
        case "reminders": return sum { $0.armed.values.reduce(0) { $0 + $1.count } }
        case "fired_reminders": return sum { $0.fired.count }
        case "quotas": return sum { tables in FamilyQuota.allCases.count { tables.quotas[$0] != nil } }
        case "consumers": return consumers.count
        default: preconditionFailure("no table \(table)")
        }
    }
}
