
extension Schema {
    /// Version 6 to 7: a code is dead once its token was used. An invite's row is there as long as its code can be redeemed, for the first time
    /// or again.
    static let redemptions = """
        -- Until now a code could be redeemed again for 7 days by a client id, which is no secret.
        DELETE FROM invites WHERE redeemed_at IS NOT NULL;
        ALTER TABLE invites DROP COLUMN redeemed_at;
        ALTER TABLE invites DROP COLUMN redeemed_client;
        -- Of the secret of the client that redeemed it; NULL before.
        ALTER TABLE invites ADD COLUMN nonce_hash BLOB;
        CREATE INDEX invites_by_session ON invites (session) WHERE session IS NOT NULL;
        """
}
