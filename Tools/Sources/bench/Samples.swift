import Bytes
import Family
import Wire

/// The frames and ids that cases work with.
enum Samples {
    static let family = Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_0001)
    static let member = Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_0002)
    static let client = Identifier(high: 0x0191_0000_0000_7000, low: 0x8000_0000_0000_0003)

    static func record(_ number: Int) -> Identifier { Identifier(high: 0x0192_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number)) }

    /// A message whose mutate frame has 500 octets.
    static let text: String = {
        let sentence = "Practice moved to six; bring the catcher's gear, water and both gloves. Who can drive from Kraków? "
        return String(String(repeating: sentence, count: 5).prefix(350))
    }()

    static func create(_ id: Identifier) -> Operation {
        var patch = FieldPatch()
        guard let field = Kind.message.declaration.index(of: "text") else { preconditionFailure("a message has a text") }
        patch.assignments.append(.init(field: field, value: .text(text)))
        return Operation(kind: .message, id: id, action: .create(athlete: nil, patch: patch))
    }

    static let operations = [create(record(1))]
    static let mutate = ClientFrame.mutate(id: 1_000, operations: operations).encode()

    static let change: Change = {
        var fields = Fields(.message)
        fields["text"] = .text(text)
        return Change(
            sequence: 1_000, at: 1_795_262_400_000, member: member, client: client, mutation: 1_000,
            entries: [ChangeEntry(kind: .message, id: record(1), version: 1, effect: .create(athlete: nil, fields: fields))])
    }()
    static let changeFrame = ServerFrame.change(change).encode()
}

/// Memory to copy to, for floors.
final class Scratch {
    let octets: UnsafeMutableRawBufferPointer

    init(_ count: Int) { octets = .allocate(byteCount: count, alignment: 64) }
    deinit { octets.deallocate() }

    @inline(never)
    func copy(_ source: [UInt8], at offset: Int = 0) {
        source.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: octets[offset...]).copyMemory(from: $0) }
    }
}
