import Store

extension Schema {
    /// Version 5 to 6: which files the documents have, and who outside of the family may open one. 11 is Kind.document.
    static let documents = """
        -- The files that a family's documents speak of, each once, with how many records speak of it, deleted ones included until they are
        -- purged. With 0 the file itself goes a day after `unused_since`. Kept beside the records, so that how much a family stores is a
        -- walk through few rows, and a record that is purged can be followed to its file.
        CREATE TABLE blobs (
            family INTEGER NOT NULL,
            sha256 TEXT NOT NULL,
            octets INTEGER NOT NULL,
            documents INTEGER NOT NULL,
            unused_since INTEGER,
            PRIMARY KEY (family, sha256)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX unused_blobs ON blobs (unused_since) WHERE unused_since IS NOT NULL;
        INSERT INTO blobs (family, sha256, octets, documents)
            SELECT family, CAST(fields AS TEXT) ->> '$.sha256', max(CAST(fields AS TEXT) ->> '$.octets'), count(*) FROM records
            WHERE kind = 11 AND CAST(fields AS TEXT) ->> '$.sha256' IS NOT NULL AND CAST(fields AS TEXT) ->> '$.octets' IS NOT NULL GROUP BY 1, 2;

        -- Links by which somebody outside of the family opens one document. The token is nowhere, its hash is. An ended one stays for its
        -- figures until the document is purged, or for a year.
        CREATE TABLE share_links (
            key INTEGER PRIMARY KEY,
            family INTEGER NOT NULL,
            id BLOB NOT NULL,
            document BLOB NOT NULL,
            school BLOB NOT NULL,
            token_hash BLOB NOT NULL,
            created_by BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            ended_at INTEGER,
            views INTEGER NOT NULL DEFAULT 0,
            downloads INTEGER NOT NULL DEFAULT 0,
            UNIQUE (family, id)
        ) STRICT;
        CREATE INDEX share_links_by_hash ON share_links (token_hash);
        CREATE INDEX share_links_by_document ON share_links (family, document, school);

        -- When a link was opened; `what` is a word of `ShareVisit.What`.
        CREATE TABLE share_views (
            row INTEGER PRIMARY KEY,
            link INTEGER NOT NULL,
            at INTEGER NOT NULL,
            what TEXT NOT NULL
        ) STRICT;
        CREATE INDEX share_views_by_link ON share_views (link, row);

        -- With it links are signed that members of the family open themselves. Drawn by the program, not here.
        ALTER TABLE meta ADD COLUMN link_key BLOB;
        """
}
