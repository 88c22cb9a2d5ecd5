extension Schema {
    /// Reminders of events and trip items.
    static let reminders = """
        -- Reminders that have not fired. `lead` in minutes; `start`, of which it reminds, and `due` in UTC milliseconds.
        CREATE TABLE reminders (
            family INTEGER NOT NULL,
            item BLOB NOT NULL,
            lead INTEGER NOT NULL,
            start INTEGER NOT NULL,
            due INTEGER NOT NULL,
            PRIMARY KEY (family, item, lead)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX reminders_by_due ON reminders (due);

        -- Reminders that have fired, each once for a member.
        CREATE TABLE fired_reminders (
            family INTEGER NOT NULL,
            member BLOB NOT NULL,
            item BLOB NOT NULL,
            lead INTEGER NOT NULL,
            start INTEGER NOT NULL,
            due INTEGER NOT NULL,
            fired_at INTEGER NOT NULL,
            seen_at INTEGER,
            PRIMARY KEY (family, member, item, lead, start)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX unseen_reminders ON fired_reminders (family, member, fired_at) WHERE seen_at IS NULL;
        CREATE INDEX fired_reminders_by_time ON fired_reminders (fired_at);

        -- The zone data by which all reminders are armed; NULL: the next start arms those of all families.
        ALTER TABLE meta ADD COLUMN reminder_zones TEXT;
        """
}
