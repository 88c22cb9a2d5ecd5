extension Schema {
    /// Sessions that their person can tell apart, tokens for programs, codes for another device, and checks of a password or passkey.
    ///
    /// Sessions of before get an id, no name, the kind `terminal` and an end 400 days after their beginning.
    static let sessions = """
        -- The name of the session to its person; `key` never leaves the server. Those of before get half of the hash, which gives nothing away.
        ALTER TABLE sessions ADD COLUMN id BLOB NOT NULL DEFAULT x'';
        UPDATE sessions SET id = substr(hash, 1, 16);
        CREATE UNIQUE INDEX sessions_by_id ON sessions (id);
        -- `kind` is a word of `SessionKind`, `name` the person's own.
        ALTER TABLE sessions ADD COLUMN kind TEXT NOT NULL DEFAULT 'terminal';
        ALTER TABLE sessions ADD COLUMN name TEXT NOT NULL DEFAULT '';
        -- The end however often the session is used.
        ALTER TABLE sessions ADD COLUMN ends_at INTEGER NOT NULL DEFAULT 0;
        UPDATE sessions SET ends_at = created_at + 34560000000;
        CREATE INDEX sessions_by_end ON sessions (ends_at);
        -- When the session last showed the person's password or passkey; NULL: never.
        ALTER TABLE sessions ADD COLUMN checked_at INTEGER;
        -- A word of `TokenScope`; NULL: whatever the person may do. `athletes`: of the scope calendar, ids of 16 octets one behind the other.
        ALTER TABLE sessions ADD COLUMN scope TEXT;
        ALTER TABLE sessions ADD COLUMN athletes BLOB NOT NULL DEFAULT x'';

        -- The session that made the code for another device; NULL: the code of an invite. The code opens nothing once that session has ended.
        ALTER TABLE codes ADD COLUMN maker INTEGER;
        CREATE INDEX codes_by_maker ON codes (maker) WHERE maker IS NOT NULL;

        -- Whether the person has a password or passkey that can be checked.
        ALTER TABLE people ADD COLUMN has_credential INTEGER NOT NULL DEFAULT 0;
        """
}
