
extension Schema {
    /// Version 3 to 4: lists. The keys by which they are filtered and sorted are not stored: readers derive them from the records that they hold in memory
    /// (`ListingCache`), so that no key on disk can be older than the table that folds letters, and writing costs nothing more.
    static let lists = """
        -- A family's records of one kind. Messages, of which there are most, are paged from the log; 6 is Kind.message.
        -- All that figures of the family count by is in it, so that counting reads no record.
        CREATE INDEX records_by_kind ON records (family, kind, deleted_at, athlete) WHERE kind <> 6;

        -- Comments: the id of the record that a message is about, as in its fields.
        ALTER TABLE records ADD COLUMN about TEXT;
        UPDATE records SET about = CAST(fields AS TEXT) ->> '$.about.id' WHERE kind = 6;
        CREATE INDEX comments ON records (family, about, created_seq, id) WHERE about IS NOT NULL;
        """
}
