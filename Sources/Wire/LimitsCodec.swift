import Family
import JSON

/// The limits as a flat object of integers.
enum LimitsCodec {
    static func encode(_ limits: Limits, into writer: inout JSONWriter) {
        writer.beginObject()
        for entry in Limits.entries {
            writer.key(entry.name)
            writer.integer(limits[keyPath: entry.value])
        }
        writer.endObject()
    }

    /// The default limits of a server, as JSON.
    static var text: String {
        var writer = JSONWriter()
        encode(Limits(), into: &writer)
        return String(decoding: writer.octets, as: UTF8.self)
    }

    /// All of the first version must be there: a client that assumed one would break it unknowingly. Later ones bound what an older server
    /// does not do.
    static func read(_ reader: inout JSONReader) throws(JSONError) -> Limits {
        let start = reader.offset
        var limits = Limits()
        var count = 0
        try reader.readObject { reader, key throws(JSONError) in
            guard let entry = Limits.entries.first(where: { key == $0.name }) else { return try reader.skipValue() }
            limits[keyPath: entry.value] = Int(try reader.readCount())
            if !entry.isLater { count += 1 }
        }
        guard count == Limits.entries.count(where: { !$0.isLater }) else { throw .unexpected("all limits", at: start) }
        return limits
    }
}
