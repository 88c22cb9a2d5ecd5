import Store

extension Schema {
    /// Version 7 to 8: what the log, the history and the receipts of a family take, and how far old values are compacted.
    static let quotas = """
        -- Octets that the family's log and history took after this change, if nothing had ever been taken away (`FamilyUsage`). NULL in rows of
        -- an older program: then the sum is computed.
        ALTER TABLE log ADD COLUMN written INTEGER;
        -- Octets of it that were taken away since.
        ALTER TABLE families ADD COLUMN freed INTEGER NOT NULL DEFAULT 0;
        -- The last row of the log whose superseded values are gone (`Store+Compaction`).
        ALTER TABLE meta ADD COLUMN compacted INTEGER NOT NULL DEFAULT 0;

        -- Octets of a receipt that belongs to no change; 0 for one that does. Refusals of an older program count by their age alone.
        ALTER TABLE receipts ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX kept_receipts ON receipts (family, client, row) WHERE kept > 0;
        """
}
