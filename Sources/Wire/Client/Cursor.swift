package import Bytes
import Crypto
import Family
import JSON

/// A position in one family's log of one database.
package struct Cursor: Hashable, Sendable {
    /// Names the family's log: other for each family and each database, and other again after a backup was restored.
    package var epoch: String
    /// The last sequence that was applied; 0 before the first.
    package var sequence: Int64

    package init(epoch: String, sequence: Int64) {
        self.epoch = epoch
        self.sequence = sequence
    }
}

extension Cursor {
    /// The epoch of one family's log, so that no other family of the same database takes the cursor for its own.
    ///
    /// - Parameter database: the epoch of the database. Servers of 0.1.0 sent it as it is.
    /// - Returns: 32 hexadecimal digits.
    package static func epoch(of family: Identifier, database: String) -> String {
        var digest = SHA256()
        digest.update(Array("\(database) \(family)".utf8))
        return Hex.encode(Array(digest.finish().prefix(16)))
    }
}

extension Cursor {
    init(_ reader: inout JSONReader) throws(JSONError) {
        var epoch: String?
        var sequence: Int64?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "epoch": epoch = try reader.readWord()
            case "seq": sequence = try reader.readCount()
            default: throw .unexpected("a cursor: epoch, seq", at: reader.offset)
            }
        }
        guard let epoch, let sequence else { throw .unexpected("a cursor with epoch and seq", at: reader.offset) }
        self.init(epoch: epoch, sequence: sequence)
    }

    func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("epoch")
        writer.string(epoch)
        writer.key("seq")
        writer.integer(sequence)
        writer.endObject()
    }
}
