import Bytes
package import Family
import JSON
import Wire

/// Changes in the form of the log and of archives: one JSON object.
///
/// The octets are the store's own. They equal a `change` frame of `huddle.v1`, which a test compares, so the server
/// sends them without encoding them again.
package enum LogCodec {
    /// - Complexity: one pass over the values; usually one allocation.
    package static func encode(_ change: borrowing Change) -> [UInt8] {
        var writer = JSONWriter()
        writer.reserve(160 + 640 * change.entries.count)
        writer.beginObject()
        writer.key("type")
        writer.word("change")
        writer.key("seq")
        writer.integer(change.sequence)
        writer.key("at")
        writer.integer(change.at)
        writer.key("member")
        writer.identifier(change.member)
        if let client = change.client {
            writer.key("client")
            writer.identifier(client)
        }
        if let mutation = change.mutation {
            writer.key("mutation")
            writer.integer(mutation)
        }
        if let overlap = change.overlap {
            writer.key("overlap")
            OverlapCodec.encode(overlap, into: &writer)
        }
        if let undoes = change.undoes {
            writer.key("undoes")
            writer.integer(undoes)
        }
        writer.key("changes")
        writer.beginArray()
        for entry in change.entries { ChangeCodec.encode(entry, into: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.octets
    }

    /// The change of a row of the log; `nil` if the row is damaged. Members that this program does not know are
    /// dropped.
    package static func decode(_ octets: [UInt8]) -> Change? {
        guard case .change(let change)? = try? ServerFrame.decode(octets) else { return nil }
        return change
    }
}

/// Answers to mutations in the form of receipts: one JSON object, an `ack` or a `reject` frame of `huddle.v1`.
enum ReceiptCodec {
    enum Answer {
        case ack(Ack)
        case reject(Rejection)
    }

    static func encode(_ ack: Ack) -> [UInt8] { ServerFrame.ack(ack).encode() }

    static func encode(_ rejection: Rejection, of mutation: Int64) -> [UInt8] { ServerFrame.reject(mutation: mutation, rejection).encode() }

    /// `nil` for a damaged receipt, and for one that holds only a code.
    static func decode(_ octets: [UInt8]) -> Answer? {
        switch try? ServerFrame.decode(octets) {
        case .ack(let ack): .ack(ack)
        case .reject(_, let rejection): .reject(rejection)
        default: nil
        }
    }
}
