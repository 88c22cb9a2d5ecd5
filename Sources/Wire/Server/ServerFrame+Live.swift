import Family
import JSON

extension ServerFrame {
    struct LiveParts: ServerFrameParts {
        static let declaration = FrameDeclaration("live", "Everything up to here has been sent; later changes follow as they happen.", [
            .init("seq", commonSchema("count"), "The last sequence sent."),
            .init("checksum", checksumSchema, "Of all records of the family at this sequence.", required: false, feature: .checksum),
        ], example: #"""
            {"type":"live","seq":121,"checksum":2779041}
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
            .live(sequence: try need(sequence, "seq"), checksum: checksum)
        }

        static func encode(_ sequence: Int64, _ checksum: StateChecksum?, into writer: inout JSONWriter) {
            writer.word("live")
            writer.key("seq")
            writer.integer(sequence)
            guard let checksum else { return }
            writer.key("checksum")
            writer.integer(Int64(checksum.value))
        }
    }
}
