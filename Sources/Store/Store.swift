// SQLite: migrations, the change log, group commit, receipts, snapshots.
