import Family
import JSON

extension ServerFrame {
    struct ChecksumParts: ServerFrameParts {
        static let declaration = FrameDeclaration("checksum", "The checksum of the family at the sequence that was sent last.", [
            .init("seq", commonSchema("count"), "That sequence."),
            .init("checksum", checksumSchema, "Of all records of the family."),
        ], feature: .checksum, example: #"""
            {"type":"checksum","seq":121,"checksum":2779041}
            """#)

        private var sequence: Int64?
        private var checksum: StateChecksum?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "seq": sequence = try reader.readCount()
            case "checksum": checksum = try reader.readChecksum()
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .checksum(sequence: try need(sequence, "seq"), try need(checksum, "checksum"))
        }

        static func encode(_ sequence: Int64, _ checksum: StateChecksum, into writer: inout JSONWriter) {
            writer.word("checksum")
            writer.key("seq")
            writer.integer(sequence)
            writer.key("checksum")
            writer.integer(Int64(checksum.value))
        }
    }
}
