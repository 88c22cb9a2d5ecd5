extension Schema {
    /// Version 13 to 14: an invite is a value with a state, and its code is a row of its own, which is there as long as it can be redeemed.
    ///
    /// Until now an invite was its code: once that was used, expired or lost nothing was left of it. Every code that is open becomes the code of an
    /// invite whose id is that of the member, because a member had one code at most. The name of these invites was never asked for at the redemption
    /// and is not from now on (`bound`).
    static let invites = """
        ALTER TABLE invites RENAME TO codes;
        -- The id of the invite; NULL for codes that were redeemed before this version.
        ALTER TABLE codes ADD COLUMN invite BLOB;
        DROP INDEX invites_by_session;
        CREATE INDEX codes_by_session ON codes (session) WHERE session IS NOT NULL;
        CREATE INDEX codes_by_member ON codes (family, member);

        -- `state` is pending, accepted or withdrawn. `inviter` is NULL if the person who runs the server invites. `payload` is a hash of the request.
        CREATE TABLE invites (
            key INTEGER PRIMARY KEY,
            family INTEGER NOT NULL,
            id BLOB NOT NULL,
            member BLOB NOT NULL,
            role TEXT NOT NULL,
            name TEXT NOT NULL,
            email TEXT,
            inviter BLOB,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            state TEXT NOT NULL,
            payload BLOB NOT NULL,
            bound INTEGER NOT NULL,
            UNIQUE (family, id)
        ) STRICT;
        CREATE UNIQUE INDEX pending_invites_by_member ON invites (member) WHERE state = 'pending';
        CREATE INDEX pending_invites ON invites (family, created_at, id) WHERE state = 'pending';
        CREATE INDEX invites_by_time ON invites (family, created_at);
        CREATE INDEX invites_by_end ON invites (expires_at);

        INSERT OR IGNORE INTO invites (family, id, member, role, name, created_at, expires_at, state, payload, bound)
            SELECT c.family, c.member, c.member,
                coalesce(CASE WHEN json_valid(CAST(r.fields AS TEXT)) THEN CAST(r.fields AS TEXT) ->> '$.role' END, 'guest'),
                coalesce(CASE WHEN json_valid(CAST(r.fields AS TEXT)) THEN CAST(r.fields AS TEXT) ->> '$.name' END, ''),
                c.created_at, c.expires_at, 'pending', x'', 0
            FROM codes c LEFT JOIN records r ON r.family = c.family AND r.id = c.member
            WHERE c.nonce_hash IS NULL ORDER BY c.key;
        UPDATE codes SET invite = member WHERE nonce_hash IS NULL;
        """
}
