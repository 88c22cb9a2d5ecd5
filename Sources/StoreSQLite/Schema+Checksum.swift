
extension Schema {
    /// The checksum of a family's records after each change (`StateChecksum`). In the row that a change writes anyway, so that a commit writes no
    /// further page. NULL in rows of an earlier program and of imports: if the newest row has none, the checksum is computed from the records.
    static let checksums = "ALTER TABLE log ADD COLUMN checksum INTEGER;"
}
