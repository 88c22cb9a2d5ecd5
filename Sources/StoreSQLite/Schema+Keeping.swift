
extension Schema {
    /// Version 1 to 2: what lets things come to an end (sessions, deleted records), and who looked at whose season.
    static let keeping = """
        -- When the session was last used, to the day.
        ALTER TABLE sessions ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0;
        UPDATE sessions SET used_at = created_at;
        CREATE INDEX sessions_by_use ON sessions (used_at);

        -- The sequence that created the record: a purge finds its first values there, and history begins there. 0: not known.
        ALTER TABLE records ADD COLUMN created_seq INTEGER NOT NULL DEFAULT 0;
        CREATE TEMP TABLE creations (family INTEGER, id TEXT, seq INTEGER, PRIMARY KEY (family, id)) WITHOUT ROWID;
        INSERT OR REPLACE INTO creations
            SELECT l.family, upper(replace(e.value ->> 'id', '-', '')), l.seq
            FROM log l, json_each(CAST(l.frame AS TEXT), '$.changes') e WHERE e.value ->> 'op' = 'create';
        UPDATE records SET created_seq =
            coalesce((SELECT seq FROM creations c WHERE c.family = records.family AND c.id = hex(records.id)), 0);
        DROP TABLE creations;
        CREATE INDEX deleted_records ON records (family, deleted_at) WHERE deleted_at IS NOT NULL;

        -- Records whose 30 days are over: their rows and their history are gone, their values in the log are blank.
        CREATE TABLE purged (
            family INTEGER NOT NULL,
            id BLOB NOT NULL,
            kind INTEGER NOT NULL,
            deleted_at INTEGER NOT NULL,
            PRIMARY KEY (family, id)
        ) STRICT, WITHOUT ROWID;

        -- Who looked at an athlete's season, documents or export; `what` is a word of `AccessNote.Subject`. Never a record, never broadcast.
        CREATE TABLE access_log (
            row INTEGER PRIMARY KEY,
            family INTEGER NOT NULL,
            athlete BLOB NOT NULL,
            member BLOB NOT NULL,
            at INTEGER NOT NULL,
            what TEXT NOT NULL,
            record BLOB
        ) STRICT;
        CREATE INDEX accesses_by_athlete ON access_log (family, athlete, at);
        CREATE INDEX accesses_by_visit ON access_log (family, athlete, member, record, what, at);
        """
}
