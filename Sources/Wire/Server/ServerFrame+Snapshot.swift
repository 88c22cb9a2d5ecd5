import Family
import JSON

extension ServerFrame {
    struct SnapshotParts: ServerFrameParts {
        static let declaration = FrameDeclaration("snapshot", "Some of the family's records; any number of these frames, applied together at snapshot_end.", [
            .init("seq", commonSchema("count"), "The sequence at which all of them are true."),
            .init("records", listSchema("record"), "Deleted ones included while they can be restored."),
        ], example: #"""
            {"type":"snapshot","seq":120,"records":[{"kind":"family","id":"01910000-0000-7000-8000-000000000001","version":1,"created_at":1776211200000,"created_by":"01910000-0000-7000-8000-000000000010","updated_at":1776211200000,"updated_by":"01910000-0000-7000-8000-000000000010","fields":{"name":"The Stones","time_zone":"Europe/Warsaw"}}]}
            """#)

        private var sequence: Int64?
        private var records: [Record]?
        private var unknown = StateChecksum()

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "seq": sequence = try reader.readCount()
            case "records": records = try reader.readList(unknown: &unknown) { reader throws(JSONError) in try RecordCodec.read(&reader) }
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            .snapshot(sequence: try need(sequence, "seq"), records: try need(records, "records"), unknown: unknown)
        }

        static func encode(_ sequence: Int64, _ records: [Record], into writer: inout JSONWriter) {
            writer.word("snapshot")
            writer.key("seq")
            writer.integer(sequence)
            RecordCodec.encode(records, into: &writer)
        }
    }
}
