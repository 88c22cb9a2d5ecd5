extension Schema {
    /// Version 12 to 13: every list, page and purge walks keys that any engine has, where row numbers stood before. Each key begins with the family.
    static let keys = """
        -- Lists of a kind go by ids, and are counted without reading a record, as before.
        DROP INDEX records_by_kind;
        CREATE INDEX records_by_kind ON records (family, kind, id, deleted_at, athlete) WHERE kind <> 6;

        -- Purges take deleted records by their time, and then by their id.
        DROP INDEX deleted_records;
        CREATE INDEX deleted_records ON records (family, deleted_at, id) WHERE deleted_at IS NOT NULL;

        -- Of the receipts that count, those of the largest mutation ids are the newest.
        DROP INDEX kept_receipts;
        CREATE INDEX kept_receipts ON receipts (family, client, mutation, kept) WHERE kept > 0;

        -- Entries of one moment stand in the order of their content.
        DROP INDEX accesses_by_athlete;
        CREATE INDEX accesses_by_athlete ON access_log (family, athlete, at, member, what, record);

        -- A person's memberships by the ids of the members, which begin with the time of the invitation.
        DROP INDEX memberships_by_person;
        CREATE INDEX memberships_by_person ON memberships (person, member) WHERE person IS NOT NULL;

        DROP INDEX share_links_by_document;
        CREATE INDEX share_links_by_document ON share_links (family, document, created_at, id);
        CREATE INDEX share_links_by_time ON share_links (family, created_at, id);

        -- When a link was opened. `number` counts the openings of the link, as `views` and `downloads` together do; those without a row are left out.
        CREATE TABLE share_visits (
            family INTEGER NOT NULL,
            link BLOB NOT NULL,
            number INTEGER NOT NULL,
            at INTEGER NOT NULL,
            what TEXT NOT NULL,
            PRIMARY KEY (family, link, number)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO share_visits (family, link, number, at, what)
            SELECT l.family, l.id, l.views + l.downloads + 1 - row_number() OVER (PARTITION BY v.link ORDER BY v.row DESC), v.at, v.what
            FROM share_views v JOIN share_links l ON l.key = v.link;
        DROP TABLE share_views;
        """
}
