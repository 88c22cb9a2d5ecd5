extension Schema {
    /// Names with passwords, second factors, recovery codes, known devices, and recoveries by a parent or the host.
    ///
    /// The tables follow the person: code that deletes a row of `people` need not know them.
    static let accounts = """
        -- `folded` is the name for comparison, `hash` a PHC string. `factor` is the secret of the one-time passwords, `step` the last that was used,
        -- `pending` a secret that was shown and is not confirmed yet.
        CREATE TABLE credentials (
            person INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            folded BLOB NOT NULL UNIQUE,
            hash TEXT NOT NULL,
            factor BLOB,
            step INTEGER,
            pending BLOB
        ) STRICT;

        -- SHA-256 of each code that was not used.
        CREATE TABLE recovery_codes (
            person INTEGER NOT NULL,
            hash BLOB NOT NULL,
            PRIMARY KEY (person, hash)
        ) STRICT, WITHOUT ROWID;

        -- SHA-256 of the secret of a device on which the person has signed in by password.
        CREATE TABLE known_devices (
            hash BLOB PRIMARY KEY,
            person INTEGER NOT NULL,
            used_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX known_devices_by_person ON known_devices (person, used_at, hash);

        CREATE TRIGGER credentials_of_person AFTER DELETE ON people BEGIN
            DELETE FROM credentials WHERE person = OLD.key;
            DELETE FROM recovery_codes WHERE person = OLD.key;
            DELETE FROM known_devices WHERE person = OLD.key;
        END;

        -- A code by which a member comes back: a word of `RecoveryWay`, and the parent who made it. NULL: the code of an invite or of another device.
        ALTER TABLE codes ADD COLUMN recovery TEXT;
        ALTER TABLE codes ADD COLUMN recovery_by BLOB;

        -- The last recovery of the person's sign-in.
        ALTER TABLE people ADD COLUMN recovered_at INTEGER;
        ALTER TABLE people ADD COLUMN recovered_by TEXT;
        """
}
