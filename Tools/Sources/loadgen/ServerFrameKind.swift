/// The type of a frame of the server, by its first octets (`Wire` writes the type first).
enum ServerFrameKind: CaseIterable {
    case welcome, joined, live, ack, change, reject, error, other

    private static let prefixes: [(ServerFrameKind, [UInt8])] = [
        // By how often they come.
        (.change, Array(#"{"type":"change""#.utf8)),
        (.ack, Array(#"{"type":"ack""#.utf8)),
        (.reject, Array(#"{"type":"reject""#.utf8)),
        (.error, Array(#"{"type":"error""#.utf8)),
        (.live, Array(#"{"type":"live""#.utf8)),
        (.joined, Array(#"{"type":"joined""#.utf8)),
        (.welcome, Array(#"{"type":"welcome""#.utf8)),
    ]

    init(_ frame: UnsafeRawBufferPointer) {
        self = ServerFrameKind.prefixes.first { Scan.begins(frame, with: $0.1) }?.0 ?? .other
    }

    static let mutationKey = Array(#""mutation":"#.utf8)
    static let sequenceKey = Array(#""seq":"#.utf8)
}
