package import Family
import JSON

/// By what a client checks a snapshot, and every change after it.
package struct SnapshotVerification: Hashable, Sendable {
    /// Of all records of the family.
    package var checksum: StateChecksum
    /// Of those that the snapshot leaves out: old messages.
    package var unsent: StateChecksum

    package init(checksum: StateChecksum, unsent: StateChecksum) {
        self.checksum = checksum
        self.unsent = unsent
    }
}

extension ServerFrame {
    struct SnapshotEndParts: ServerFrameParts {
        static let declaration = FrameDeclaration("snapshot_end", "The snapshot is complete.", [
            .init("seq", commonSchema("count"), "The cursor from now on."),
            .init("checksum", checksumSchema, "Of all records of the family at this sequence.", required: false, feature: .checksum),
            .init("unsent", checksumSchema, "Of those that the snapshot leaves out; always beside checksum.", required: false, feature: .checksum),
        ], example: #"""
            {"type":"snapshot_end","seq":120,"checksum":2779041,"unsent":0}
            """#)

        private var sequence: Int64?
        private var checksum: StateChecksum?
        private var unsent: StateChecksum?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "seq": sequence = try reader.readCount()
            case "checksum": checksum = try reader.readChecksum()
            case "unsent": unsent = try reader.readChecksum()
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            var verification: SnapshotVerification?
            if let checksum, let unsent { verification = SnapshotVerification(checksum: checksum, unsent: unsent) }
            return .snapshotEnd(sequence: try need(sequence, "seq"), verification: verification)
        }

        static func encode(_ sequence: Int64, _ verification: SnapshotVerification?, into writer: inout JSONWriter) {
            writer.word("snapshot_end")
            writer.key("seq")
            writer.integer(sequence)
            guard let verification else { return }
            writer.key("checksum")
            writer.integer(Int64(verification.checksum.value))
            writer.key("unsent")
            writer.integer(Int64(verification.unsent.value))
        }
    }
}
