import Bytes
import Family
import JSON

/// One type of frame that the server sends: its declaration, and what has been read of such a frame so far. The type's file also holds the value
/// that the frame carries and how the frame is written.
///
/// To add a frame, write such a file and name it in `ServerFrame`.
protocol ServerFrameParts: SendableMetatype {
    static var declaration: FrameDeclaration { get }

    /// Nothing has been read.
    init()

    /// Reads the value of one member; `type` and `request` are never asked for.
    ///
    /// - Returns: false if this frame has no such member. Nothing was read then, and the value is passed over.
    mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool

    /// Puts the members together.
    ///
    /// - Parameter request: the number in the frame that it answers.
    func frame(request: Int64?) throws(JSONError) -> ServerFrame
}

/// - Throws: what is said of a frame that lacks the member.
func need<Value>(_ value: Value?, _ name: String) throws(JSONError) -> Value {
    guard let value else { throw .invalid("the frame needs \(name)") }
    return value
}

extension JSONReader {
    /// Reads an array; an element about a kind that a newer server added is passed over. Whatever else is wrong stays wrong.
    mutating func readList<Element>(_ element: (inout JSONReader) throws(JSONError) -> Element) throws(JSONError) -> [Element] {
        try readList(passed: { reader throws(JSONError) in try reader.skipValue() }, element)
    }

    /// Reads an array of records, or of entries about records.
    ///
    /// - Parameter unknown: how those that are passed over move the checksum of the family is added to it.
    mutating func readList<Element>(
        unknown: inout StateChecksum, _ element: (inout JSONReader) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        try readList(passed: { reader throws(JSONError) in unknown = unknown + (try reader.readUnknown()) }, element)
    }

    private mutating func readList<Element>(
        passed: (inout JSONReader) throws(JSONError) -> Void, _ element: (inout JSONReader) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        var elements: [Element] = []
        try readArray { reader throws(JSONError) in
            var attempt = reader
            do throws(JSONError) {
                elements.append(try element(&attempt))
                reader = attempt
            } catch {
                guard case .unknownKey = error else { throw error }
                try passed(&reader)
            }
        }
        return elements
    }

    /// How a record of an unknown kind, or an entry about one, moves the checksum of the family.
    private mutating func readUnknown() throws(JSONError) -> StateChecksum {
        var op: String?
        var id: Identifier?
        var version: Int64?
        var isDeleted = false
        try readObject { reader, key throws(JSONError) in
            switch key {
            case "op": op = try reader.readString()
            case "id": id = try reader.readIdentifier()
            case "version": version = try reader.readCount(from: 1)
            case "deleted_at":
                isDeleted = try reader.peekKind() != .null
                try reader.skipValue()
            default: try reader.skipValue()
            }
        }
        var checksum = StateChecksum()
        guard let id, let version else { return checksum }
        if op == "update" || op == "delete" { checksum.subtract(id, version: version - 1) }
        if op != "delete", !isDeleted { checksum.add(id, version: version) }
        return checksum
    }

    mutating func readChecksum() throws(JSONError) -> StateChecksum {
        let start = offset
        guard let value = UInt32(exactly: try readCount()) else { throw .unexpected("a number below 2^32", at: start) }
        return StateChecksum(value)
    }
}
