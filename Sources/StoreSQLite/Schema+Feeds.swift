extension Schema {
    /// Calendar feeds of members.
    static let feeds = """
        -- The token is nowhere, its hash is. `scope` is a word of `FeedScope`; `subjects` the athletes or the trip, 16 octets each; `kinds` a sum of
        -- 2^(raw value of the kind); `detail` a word of `FeedDetail`.
        CREATE TABLE calendar_feeds (
            key INTEGER PRIMARY KEY,
            family INTEGER NOT NULL,
            id BLOB NOT NULL,
            member BLOB NOT NULL,
            token_hash BLOB NOT NULL UNIQUE,
            name TEXT NOT NULL,
            scope TEXT NOT NULL,
            subjects BLOB NOT NULL,
            kinds INTEGER NOT NULL,
            detail TEXT NOT NULL,
            alarms INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER,
            fetches INTEGER NOT NULL DEFAULT 0,
            fetched_at INTEGER,
            program TEXT NOT NULL DEFAULT '',
            UNIQUE (family, id)
        ) STRICT;
        CREATE INDEX calendar_feeds_by_member ON calendar_feeds (family, member, created_at, id);
        """
}
