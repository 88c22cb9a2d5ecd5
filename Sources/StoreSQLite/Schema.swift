import Bytes
import SQLite
import Store

// The tables, as numbered steps from one version of the database to the next.
//
// Keys begin with the family (a small integer that stands for its UUID), so that a family's rows lie together and no query can cross
// into another's. People, sessions and codes are the only tables that are nobody's: they are about credentials.
//
// Rows that carry octets (records, log, receipts) are tables by rowid with a narrow unique index: they are appended, so a
// commit dirties few pages. The same tables WITHOUT ROWID cost 1.7 times as much per mutation (`swift-notes.md` §5).
//
// No list, page or purge goes by a row number: another engine has none, or others. The `row` of `log` is not one: it is the position in the log of all
// families, which the writer takes and never gives twice (`LogTable.takePosition`). An engine of another database keeps it in a column, too.
// A `key` stands for a family, a client, a session, a person, an invite, a code or a link, and is never compared with another but to take the next.
//
// Ids are blobs of 16 octets, times UTC milliseconds, kinds the raw values of `Kind`, fields JSON by name.
enum Schema {
    /// "Hudl" in ASCII: a database of something else is refused instead of migrated.
    static let applicationID: Int64 = 0x4875_646C

    /// Step n brings version n to n + 1. Never edited once released; a change of mind is another step.
    static let migrations = [first, keeping, references, lists, imports, documents, redemptions, quotas, checksums, outlines, columns, followers, keys, invites, people, sessions, accounts, passkeys, familyQuotas, mail, feeds, familyDeletion, reminders]

    /// The version that this program writes.
    static var version: Int64 { Int64(migrations.count) }

    private static let first = """
        CREATE TABLE meta (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            epoch TEXT NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE families (
            key INTEGER PRIMARY KEY,
            uuid BLOB NOT NULL UNIQUE,
            floor INTEGER NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE records (
            row INTEGER PRIMARY KEY,
            family INTEGER NOT NULL,
            id BLOB NOT NULL,
            kind INTEGER NOT NULL,
            athlete BLOB,
            version INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            created_by BLOB NOT NULL,
            updated_at INTEGER NOT NULL,
            updated_by BLOB NOT NULL,
            deleted_at INTEGER,
            fields BLOB NOT NULL,
            UNIQUE (family, id)
        ) STRICT;
        -- Who is in the family, read when it is first touched; 2 is Kind.member.
        CREATE INDEX member_records ON records (family) WHERE kind = 2;

        -- `frame` is the change frame octet for octet as it was sent. `messages` is how many messages it created: pages of old messages
        -- walk the log backwards, because an index of their own would be one more page to write for each message.
        CREATE TABLE log (
            row INTEGER PRIMARY KEY,
            family INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            at INTEGER NOT NULL,
            messages INTEGER NOT NULL,
            frame BLOB NOT NULL,
            UNIQUE (family, seq)
        ) STRICT;

        -- What each version of a record replaced. A creation has no row: nothing was there before, and the record knows its author.
        -- `before` is NULL for deletions and restorations.
        CREATE TABLE history (
            row INTEGER PRIMARY KEY,
            family INTEGER NOT NULL,
            record BLOB NOT NULL,
            version INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            member BLOB NOT NULL,
            at INTEGER NOT NULL,
            before BLOB,
            UNIQUE (family, record, version)
        ) STRICT;

        -- Mutation ids at or below `floor` may have had receipts that are gone.
        CREATE TABLE clients (
            key INTEGER PRIMARY KEY,
            family INTEGER NOT NULL,
            member BLOB NOT NULL,
            client BLOB NOT NULL,
            floor INTEGER NOT NULL,
            UNIQUE (family, member, client)
        ) STRICT;

        CREATE TABLE receipts (
            row INTEGER PRIMARY KEY,
            family INTEGER NOT NULL,
            client INTEGER NOT NULL,
            mutation INTEGER NOT NULL,
            at INTEGER NOT NULL,
            hash BLOB NOT NULL,
            frame BLOB NOT NULL,
            UNIQUE (family, client, mutation)
        ) STRICT;

        CREATE TABLE people (
            key INTEGER PRIMARY KEY AUTOINCREMENT,
            created_at INTEGER NOT NULL
        ) STRICT;

        -- AUTOINCREMENT: a key names the session to open connections, so the key of an ended one must not come back.
        CREATE TABLE sessions (
            key INTEGER PRIMARY KEY AUTOINCREMENT,
            hash BLOB NOT NULL UNIQUE,
            person INTEGER NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX sessions_by_person ON sessions (person);

        CREATE TABLE memberships (
            key INTEGER PRIMARY KEY,
            family INTEGER NOT NULL,
            member BLOB NOT NULL,
            person INTEGER,
            born TEXT,
            consent_by BLOB,
            consent_at INTEGER,
            consent_terms TEXT,
            removed_at INTEGER,
            UNIQUE (family, member)
        ) STRICT;
        CREATE INDEX memberships_by_person ON memberships (person) WHERE person IS NOT NULL;
        CREATE INDEX memberships_by_member ON memberships (member);

        CREATE TABLE invites (
            key INTEGER PRIMARY KEY,
            hash BLOB NOT NULL UNIQUE,
            family INTEGER NOT NULL,
            member BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            redeemed_at INTEGER,
            redeemed_client BLOB,
            session INTEGER
        ) STRICT;
        """

    /// Imports that are going on, or were cut short: rows of their `key` are nobody's and are swept at the next start.
    private static let imports = """
        CREATE TABLE imports (
            key INTEGER PRIMARY KEY,
            uuid BLOB NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;
        """

    /// Reads the version, refuses what this program does not understand, and takes every step that is missing, each in a
    /// transaction with its number. A new database takes all of them in one transaction.
    ///
    /// - Parameters:
    ///   - epoch: name for the database if it is new.
    ///   - steps: `migrations`; others in tests only.
    /// - Throws: `StoreFailure` with a sentence for a database of a newer program or of something else; nothing was touched.
    static func migrate(
        _ database: Database, epoch: String, at: Int64, steps: [String] = migrations, progress: (_ step: Int, _ last: Int) -> Void = { _, _ in }
    ) throws {
        try check(database, newest: Int64(steps.count))
        let found = Int(try integer(database, "PRAGMA user_version"))
        if found == 0 {
            try database.execute("BEGIN IMMEDIATE")
            for (number, step) in steps.enumerated() {
                try database.execute(step)
                if number == 0 { try database.run("INSERT INTO meta (id, epoch, created_at) VALUES (1, ?, ?)", .text(epoch), .integer(at)) }
            }
            try database.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(steps.count); COMMIT")
            return
        }
        for number in found..<steps.count {
            progress(number + 1, steps.count)
            try database.execute("BEGIN IMMEDIATE")
            try database.execute(steps[number])
            try database.execute("PRAGMA user_version = \(number + 1); COMMIT")
        }
    }

    /// Refuses a database of a newer program or of something else.
    static func check(_ database: Database, newest: Int64 = version) throws {
        let found = try integer(database, "PRAGMA user_version")
        let application = try integer(database, "PRAGMA application_id")
        let isEmpty = try integer(database, "SELECT count(*) FROM sqlite_schema") == 0
        guard found == 0 ? isEmpty : application == applicationID else {
            throw StoreFailure("This file is not a database of Huddle. It was left as it is.")
        }
        guard found <= newest else {
            throw StoreFailure(
                "This database was written by a newer Huddle (version \(found), this program knows \(newest)). "
                    + "It was left as it is: install the newer program to open it.")
        }
    }

    private static func integer(_ database: Database, _ sql: String) throws(SQLiteError) -> Int64 {
        try database.prepare(sql).first { row throws(SQLiteError) in row.int64(0) } ?? 0
    }
}
