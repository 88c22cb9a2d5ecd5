import Family
import Store

extension Schema {
    /// Version 14 to 15: the audit log, the text to which a parent consented, and the last day of a guest.
    static let people = """
        -- One row for each act, in the order of `number`. `origin` is member, host or server; `member` acted and `about` is concerned.
        CREATE TABLE audit (
            family INTEGER NOT NULL,
            number INTEGER NOT NULL,
            at INTEGER NOT NULL,
            act TEXT NOT NULL,
            origin TEXT NOT NULL,
            member BLOB,
            about BLOB,
            count INTEGER NOT NULL,
            detail TEXT,
            PRIMARY KEY (family, number)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX audit_by_author ON audit (family, member, number) WHERE member IS NOT NULL;
        CREATE INDEX audit_by_subject ON audit (family, about, number) WHERE about IS NOT NULL;
        CREATE INDEX audit_failures ON audit (family, about, at) WHERE act = 'sign_in_failed';

        -- SHA-256 of the text that was shown, and the person who consented. NULL for consents that a host entered before this version.
        ALTER TABLE memberships ADD COLUMN consent_digest BLOB;
        ALTER TABLE memberships ADD COLUMN consent_person INTEGER;
        -- The last day of a guest, YYYY-MM-DD in the family's zone.
        ALTER TABLE memberships ADD COLUMN ends_on TEXT;
        ALTER TABLE invites ADD COLUMN ends_on TEXT;
        CREATE INDEX memberships_with_end ON memberships (family, ends_on) WHERE ends_on IS NOT NULL;
        """
}
