
extension Schema {
    /// Outlines of long changes (`ChangeOutline`), so that a digest or a list does not read megabytes to learn which records changed. In a table of
    /// their own: SQLite finds a column behind a long frame only by walking all pages of the frame, and a short change, which is as quickly
    /// read itself, costs nothing more to write. Changes from before this step have none; they are read whole.
    static let outlines = """
        CREATE TABLE outlines (
            row INTEGER PRIMARY KEY,
            family INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            outline BLOB NOT NULL,
            UNIQUE (family, seq)
        ) STRICT;
        """
}
