import Bytes
import Family
import JSON
import SQLite

@testable import Store
@testable import Wire

/// Texts on the wire, on the admin socket and in the database: an accepted one can be written, and then reads the same.
extension FuzzTarget {
    static let frames: [FuzzTarget] = [
        FuzzTarget("client-frame", dictionary: "frames") { octets in try checkClientFrame(octets) },
        FuzzTarget("server-frame", dictionary: "frames") { octets in try checkServerFrame(octets) },
        FuzzTarget("operations", dictionary: "frames") { octets in try checkOperations(octets) },
        FuzzTarget("fields", dictionary: "frames") { octets in try checkFields(octets) },
        FuzzTarget("admin", dictionary: "frames") { octets in try checkAdmin(octets) },
    ]
}

func checkClientFrame(_ octets: [UInt8]) throws {
    var limits = Limits()
    limits.operationsPerMutation = 5
    let frame: ClientFrame
    do { frame = try ClientFrame.decode(octets, limits: limits) } catch {
        try hold(!error.message.isEmpty, "a refusal without a sentence")
        return
    }
    switch frame {
    case .refusedMutation(_, let rejection), .refusedRequest(_, let rejection):
        try hold(!rejection.message.isEmpty, "a refusal without a sentence")
        return
    default: break
    }
    let again = try ClientFrame.decode(frame.encode(), limits: limits)
    try hold(again == frame, "a client's frame reads otherwise when written: \(frame)")
}

func checkServerFrame(_ octets: [UInt8]) throws {
    let frame: ServerFrame
    do { frame = try ServerFrame.decode(octets) } catch { return }
    if case .unknown = frame { return }
    let again = try ServerFrame.decode(frame.encode())
    try hold(again == frame.asWritten, "a server's frame reads otherwise when written: \(frame)")
}

func checkOperations(_ octets: [UInt8]) throws {
    var limits = Limits()
    limits.operationsPerMutation = 5
    func read(_ octets: [UInt8]) throws(JSONError) -> (operations: [Operation], refusal: Rejection?) {
        var operations = OperationReader(limits: limits)
        do throws(JSONError) {
            try JSONReader.read(octets, maxDepth: limits.jsonDepth) { reader throws(JSONError) in try operations.read(&reader) }
        } catch {
            guard operations.refusal != nil else { throw error }
        }
        return (operations.operations, operations.refusal)
    }
    guard let (operations, refusal) = try? read(octets) else { return }
    if let refusal {
        try hold(!refusal.message.isEmpty, "a refusal without a sentence")
        return
    }
    try hold(operations.count <= limits.operationsPerMutation, "\(operations.count) operations")
    let canonical = OperationCodec.canonicalOctets(operations)
    let again = try read(canonical)
    try hold(again.refusal == nil && again.operations == operations, "operations read otherwise when written")
    try hold(OperationCodec.canonicalOctets(again.operations) == canonical, "the canonical form is not one")
}

/// The first octet chooses the kind.
func checkFields(_ octets: [UInt8]) throws {
    guard let first = octets.first else { return }
    let kind = Kind.allCases[Int(first) % Kind.allCases.count]
    let text = Array(octets.dropFirst())
    if let fields = try? FieldsCodec.decode(kind, text) {
        try hold(try FieldsCodec.decode(kind, StoredFields.encode(fields)) == fields, "fields read otherwise when written")
    }
    if let before = try? FormerValues.decode(kind, text) {
        // Fields that are in both lists, or twice in the second, come from none of our versions.
        guard Set(before.map(\.field)).count == before.count else { return }
        let again = try FormerValues.decode(kind, FormerValues.encode(kind, before))
        try hold(Set(again) == Set(before), "former values read otherwise when written")
    }
}

func checkAdmin(_ octets: [UInt8]) throws {
    if let command = try? AdminCommand.decode(octets) {
        try hold(try AdminCommand.decode(command.encode()) == command, "a command reads otherwise when written")
    }
    if let answer = try? AdminAnswer.decode(octets) {
        try hold(try AdminAnswer.decode(AdminAnswer.encode(answer)) == answer, "an answer reads otherwise when written")
    }
}

extension ServerFrame {
    /// Without the checksum of unknown kinds, which is read and never written.
    fileprivate var asWritten: ServerFrame {
        switch self {
        case .change(var change):
            change.unknown = StateChecksum()
            return .change(change)
        case .snapshot(let sequence, let records, _): return .snapshot(sequence: sequence, records: records)
        default: return self
        }
    }
}
