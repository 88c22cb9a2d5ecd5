import Bytes
import Family
import JSON
import Testing
import Wire

@testable import loadgen

private func scan<R>(_ text: String, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    Array(text.utf8).withUnsafeBytes(body)
}

@Suite("Load token")
struct LoadTokenTests {
    static let token = LoadToken(run: 123_456, family: 19, publisher: 4, number: 1_000_001, intended: 98_765_432_109_876)

    @Test("is found anywhere in a frame, with any hint", arguments: [0, 3, 4, 5, 1_000, -1])
    func found(hint: Int) {
        var octets = Array(#"{"a":"HLG ","text":""#.utf8)
        Self.token.append(to: &octets)
        octets += Array(#"pad HLG:1:2:3:4:5;"}"#.utf8)
        var hint = hint
        #expect(octets.withUnsafeBytes { LoadToken.find(in: $0, hint: &hint) } == Self.token)
        #expect(hint == 20)
        #expect(octets.withUnsafeBytes { LoadToken.find(in: $0, hint: &hint) } == Self.token)
    }

    @Test("a frame cut anywhere is not one")
    func cut() {
        var octets: [UInt8] = []
        Self.token.append(to: &octets)
        for count in 0..<octets.count {
            var hint = 0
            #expect(Array(octets[..<count]).withUnsafeBytes { LoadToken.find(in: $0, hint: &hint) } == nil, "\(count) octets")
        }
    }

    @Test("text that only looks like a frame is not one", arguments: [
        "HLG:1:2:3:4:5", "HLG:1:2:3:4;", "HLG:1:2:3:4:x;", "HLG::2:3:4:5;", "HLG:1:2:3:4:-5;", "HLG:1:2:3:4:1234567890123456789;", "",
    ])
    func malformed(text: String) {
        var hint = 0
        #expect(scan(text) { LoadToken.find(in: $0, hint: &hint) } == nil)
    }
}

@Suite("Frames of the server, without decoding")
struct ServerFrameKindTests {
    @Test("every kind is recognised in the frames that Wire writes")
    func kinds() {
        let id = SeedNames.family(3)
        let ack = ServerFrame.ack(Ack(mutation: 77, sequence: 1_234, records: [.init(id: id, version: 1)])).encode()
        let change = ServerFrame.change(
            Change(
                sequence: 1_234, at: 5, member: id, client: id, mutation: 77,
                entries: [ChangeEntry(kind: .message, id: id, version: 1, effect: .delete)])
        ).encode()
        let reject = ServerFrame.reject(mutation: 77, Rejection(.familyFull, "The family is full.")).encode()
        let table: [(ServerFrameKind, [UInt8])] = [
            (.ack, ack), (.change, change), (.reject, reject), (.live, ServerFrame.live(sequence: 1_234).encode()),
            (.error, ServerFrame.error(Rejection(.badFrame, "No frame."), request: nil).encode()),
            (.other, ServerFrame.signedOut.encode()), (.other, []),
        ]
        for (kind, octets) in table { #expect(octets.withUnsafeBytes { ServerFrameKind($0) } == kind) }
        var hint = 9
        for octets in [ack, reject] {
            #expect(octets.withUnsafeBytes { Scan.number(after: ServerFrameKind.mutationKey, in: $0, hint: &hint) } == 77)
        }
        for octets in [ack, change, ServerFrame.live(sequence: 1_234).encode()] {
            #expect(octets.withUnsafeBytes { Scan.number(after: ServerFrameKind.sequenceKey, in: $0, hint: &hint) } == 1_234)
        }
    }
}

@Suite("Mutate frames")
struct MutateFrameTests {
    @Test("messages have the requested size, and the server accepts them", arguments: [MutateFrame.smallest, 301, 500, 4_000])
    func decodes(size: Int) throws {
        var frame = MutateFrame(size: size)
        let record = SeedNames.family(99)
        for (mutation, token) in [(Int64(1), LoadTokenTests.token), (1 << 40, LoadTokenTests.token)] {
            frame.write(mutation: mutation, record: record, token: token)
            #expect(frame.octets.count == size)
            guard case .mutation(let id, .operations(let operations), _) = try ClientFrame.decode(frame.octets, limits: Limits()) else {
                Issue.record("no mutation")
                continue
            }
            #expect(id == mutation)
            var operation = try #require(operations.first)
            #expect(operations.count == 1)
            #expect(operation.kind == .message)
            #expect(operation.id == record)
            let before = operation
            try Validation.canonicalize(&operation, index: 0, environment: RuleEnvironment(zoneExists: { _ in false }))
            // The server changes nothing about the text, so frames come back as long as they went.
            #expect(operation == before)
        }
    }
}
