extension Schema {
    /// Requests to delete a family, and erasures.
    static let familyDeletion = """
        -- `deletion_by` is NULL if the person who runs the server asked.
        ALTER TABLE families ADD COLUMN deletion_due INTEGER;
        ALTER TABLE families ADD COLUMN deletion_at INTEGER;
        ALTER TABLE families ADD COLUMN deletion_by BLOB;
        CREATE INDEX families_by_deletion ON families (deletion_due, key) WHERE deletion_due IS NOT NULL;

        -- Families that are being erased or were. `state` is a word of `Erasure.State`. A row stays for good: it is the trace for the host, and its key
        -- is never given to another family.
        CREATE TABLE erasures (
            key INTEGER PRIMARY KEY,
            uuid BLOB NOT NULL,
            requested_at INTEGER NOT NULL,
            begun_at INTEGER NOT NULL,
            state TEXT NOT NULL,
            ended_at INTEGER
        ) STRICT;
        CREATE INDEX open_erasures ON erasures (key) WHERE state <> 'done';
        """
}
