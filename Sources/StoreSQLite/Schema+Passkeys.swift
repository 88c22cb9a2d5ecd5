extension Schema {
    /// Passkeys, and the octets by which authenticators know a person.
    static let passkeys = """
        -- `credential` is the identifier that the authenticator chose, `id` the one that the person sees; `algorithm` is a number of COSE, `public_key` a
        -- SubjectPublicKeyInfo in DER, and `counter` the signature counter at the last use.
        CREATE TABLE passkeys (
            credential BLOB NOT NULL UNIQUE,
            id BLOB NOT NULL UNIQUE,
            person INTEGER NOT NULL,
            algorithm INTEGER NOT NULL,
            public_key BLOB NOT NULL,
            counter INTEGER NOT NULL,
            name TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            used_at INTEGER
        ) STRICT;
        CREATE INDEX passkeys_by_person ON passkeys (person, created_at, id);

        CREATE TRIGGER passkeys_of_person AFTER DELETE ON people BEGIN
            DELETE FROM passkeys WHERE person = OLD.key;
        END;

        -- Random octets; NULL before the person asks for the first passkey.
        ALTER TABLE people ADD COLUMN handle BLOB;

        CREATE INDEX audit_refusals ON audit (family, about, detail, at) WHERE act = 'passkey_refused';
        """
}
