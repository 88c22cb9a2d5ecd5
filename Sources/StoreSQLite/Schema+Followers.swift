
extension Schema {
    /// Version 11 to 12: the log of all families can be followed (`LogFollower`). A position in it is a `row` of `log`, or of an arrival.
    static let followers = """
        -- Rows of the log up to this one may be gone, and their positions are not given again.
        ALTER TABLE meta ADD COLUMN position INTEGER NOT NULL DEFAULT 0;

        -- Of a family that an import made: the position at which followers learn of it, and the sequence of its log then. Rows of its log before
        -- that position came with the import. 0 for a family that was made here, or imported before this step.
        ALTER TABLE families ADD COLUMN arrival INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE families ADD COLUMN arrived INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX arrivals ON families (arrival) WHERE arrival > 0;

        -- Who follows the log, and up to where everything is done.
        CREATE TABLE consumers (
            name TEXT PRIMARY KEY,
            position INTEGER NOT NULL,
            moved_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}
