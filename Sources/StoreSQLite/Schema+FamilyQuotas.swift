extension Schema {
    /// Limits that the host has set for one family, and a way to the acts of the host in the audit logs of all families.
    static let familyQuotas = """
        -- `name` is a word of `FamilyQuota`. A limit without a row is that of all families.
        CREATE TABLE quotas (
            family INTEGER NOT NULL,
            name TEXT NOT NULL,
            value INTEGER NOT NULL,
            PRIMARY KEY (family, name)
        ) STRICT, WITHOUT ROWID;

        CREATE INDEX audit_by_host ON audit (at, family, number) WHERE origin = 'host';
        """
}
