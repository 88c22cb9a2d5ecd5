extension Schema {
    /// E-mail addresses of people, and the mail that waits to be sent.
    static let mail = """
        -- `folded` is the confirmed address for comparison. Codes are stored as SHA-256.
        CREATE TABLE mail_addresses (
            person INTEGER PRIMARY KEY,
            address TEXT,
            folded TEXT,
            pending TEXT,
            code_hash BLOB,
            code_expires_at INTEGER,
            problem TEXT,
            recovery_hash BLOB UNIQUE,
            recovery_expires_at INTEGER
        ) STRICT;
        CREATE INDEX mail_addresses_by_address ON mail_addresses (folded, person) WHERE folded IS NOT NULL;

        -- `claimed_at`: a try is under way. A row goes when its mail was accepted or given up, so that the codes in it stay no longer than needed.
        CREATE TABLE outbox (
            key INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE,
            kind TEXT NOT NULL,
            person INTEGER,
            family INTEGER,
            about BLOB,
            address TEXT NOT NULL,
            subject TEXT NOT NULL,
            body TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            due_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            tries INTEGER NOT NULL,
            claimed_at INTEGER
        ) STRICT;
        CREATE INDEX outbox_by_due ON outbox (due_at, key) WHERE claimed_at IS NULL;
        CREATE INDEX outbox_by_person ON outbox (person, kind);
        CREATE INDEX outbox_by_subject ON outbox (family, about) WHERE family IS NOT NULL;

        CREATE TRIGGER mail_of_person AFTER DELETE ON people BEGIN
            DELETE FROM mail_addresses WHERE person = OLD.key;
            DELETE FROM outbox WHERE person = OLD.key;
        END;

        CREATE TRIGGER mail_of_family AFTER DELETE ON families BEGIN
            DELETE FROM outbox WHERE family = OLD.key;
        END;

        -- What became of the mail with the code: a word of `InviteMail`. NULL: none was sent.
        ALTER TABLE invites ADD COLUMN mail TEXT;
        """
}
