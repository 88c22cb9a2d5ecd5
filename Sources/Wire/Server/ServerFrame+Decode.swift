package import Family
import JSON

extension ServerFrame {
    /// Reads one text message of the server. Additions of a newer server (members, kinds, limits, codes, types of frames) are left aside, so
    /// that an older client continues; everything known has to be right. `type` stands first, a record's `kind` before its
    /// `fields`; other members may come in any order.
    ///
    /// - Parameter octets: one whole message; not kept.
    /// - Throws: `bad_frame` for a text that is not a frame.
    package static func decode(_ octets: UnsafeRawBufferPointer) throws(Rejection) -> ServerFrame {
        // Far above any frame of ours (a snapshot comes in chunks of less than 1 MiB), and below what the reader can count.
        guard octets.count < 1 << 31 else { throw Rejection(.badFrame, "A message of the server is too long") }
        do throws(JSONError) {
            let word = try type(of: octets)
            guard let known = byType[word] else { return try unknown(word, octets) }
            return try read(known, octets)
        } catch {
            throw Rejection(.badFrame, "This is not a frame of the protocol: \(error)")
        }
    }

    package static func decode(_ octets: [UInt8]) throws(Rejection) -> ServerFrame {
        try octets.withUnsafeBufferPointer { buffer throws(Rejection) in try decode(UnsafeRawBufferPointer(buffer)) }
    }

    private static let byType = Dictionary(uniqueKeysWithValues: parts.map { ($0.declaration.type, $0) })

    private static func type(of octets: UnsafeRawBufferPointer) throws(JSONError) -> String {
        var word: String?
        do throws(JSONError) {
            try JSONReader.read(octets, maxDepth: WireBounds.serverDepth) { reader throws(JSONError) in
                try reader.readObject { reader, key throws(JSONError) in
                    guard key == "type" else { throw .unexpected("the type first", at: reader.offset) }
                    word = try reader.readString()
                    // Only the reader of the type knows the members that follow.
                    throw JSONError.invalid("type")
                }
            }
        } catch {
            guard word != nil else { throw error }
        }
        guard let word else { throw .invalid("the frame needs a type") }
        return word
    }

    private static func read<Parts: ServerFrameParts>(_: Parts.Type, _ octets: UnsafeRawBufferPointer) throws(JSONError) -> ServerFrame {
        var parts = Parts()
        var request: Int64?
        try JSONReader.read(octets, maxDepth: WireBounds.serverDepth) { reader throws(JSONError) in
            try reader.readObject { reader, key throws(JSONError) in
                if key == "type" { return try reader.skipValue() }
                if key == "request" { return request = try reader.readCount() }
                // A newer server may say more than this program understands.
                if !(try parts.read(key, &reader)) { try reader.skipValue() }
            }
        }
        return try parts.frame(request: request)
    }

    /// A frame that a newer server added, if it is JSON.
    private static func unknown(_ type: String, _ octets: UnsafeRawBufferPointer) throws(JSONError) -> ServerFrame {
        try JSONReader.read(octets, maxDepth: WireBounds.serverDepth) { reader throws(JSONError) in try reader.skipValue() }
        return .unknown(type: type)
    }
}
