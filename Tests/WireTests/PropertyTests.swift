import Bytes
import Family
import JSON
import Testing
import Wire

@Suite("Frames of every shape")
struct PropertyTests {
    static let seeds: [UInt64] = [1, 2, 3, 2_026_1121, freshSeed]

    @Test("The frame of a client is read with its meaning, and written the same again", arguments: seeds)
    func clientRoundTrip(_ seed: UInt64) throws {
        var frames = RandomFrames(seed: seed)
        for turn in 0..<400 {
            let frame = frames.clientFrame()
            let octets = frame.encode()
            let outcome = Outcome(octets: octets)
            #expect(outcome == .frame(frame), "seed \(seed), frame \(turn): \(string(octets))")
            if case .frame(let read) = outcome { #expect(read.encode() == octets) }
        }
    }

    @Test("The frame of the server is read with its meaning, and written the same again", arguments: seeds)
    func serverRoundTrip(_ seed: UInt64) throws {
        var frames = RandomFrames(seed: seed)
        for turn in 0..<400 {
            let frame = frames.serverFrame()
            let octets = frame.encode()
            do {
                let read = try ServerFrame.decode(octets)
                #expect(read == frame, "seed \(seed), frame \(turn): \(string(octets))")
                #expect(read.encode() == octets)
            } catch {
                Issue.record("seed \(seed), frame \(turn): \(error.message): \(string(octets))")
            }
        }
    }

    @Test("The outline of a change says what the change says: whose, when, which records, whom new messages mention; cut anywhere it is none", arguments: seeds)
    func outlines(_ seed: UInt64) throws {
        var frames = RandomFrames(seed: seed)
        for _ in 0..<100 {
            let change = frames.change()
            let octets = ServerFrame.change(change).encode()
            let outline = try octets.withUnsafeBytes { raw throws(JSONError) in try ChangeOutline.decode(raw) }
            #expect(outline.sequence == change.sequence && outline.at == change.at && outline.member == change.member)
            let wanted = change.entries.map { entry in
                switch entry.effect {
                case .create(_, let fields):
                    ChangeOutline.Entry(
                        operation: .create, kind: entry.kind, id: entry.id, mentions: entry.kind == .message ? fields.set("mentions").map(\.id) : [])
                case .update: ChangeOutline.Entry(operation: .update, kind: entry.kind, id: entry.id)
                case .delete: ChangeOutline.Entry(operation: .delete, kind: entry.kind, id: entry.id)
                case .restore: ChangeOutline.Entry(operation: .restore, kind: entry.kind, id: entry.id)
                }
            }
            #expect(outline.entries == wanted, "seed \(seed): \(string(octets))")
            let cut = Int(frames.number(0...Int64(octets.count - 1)))
            #expect(throws: JSONError.self) { try Array(octets[..<cut]).withUnsafeBytes { raw throws(JSONError) in try ChangeOutline.decode(raw) } }
        }
        let other = ServerFrame.live(sequence: 5).encode()
        #expect(throws: JSONError.self) { try other.withUnsafeBytes { raw throws(JSONError) in try ChangeOutline.decode(raw) } }
    }

    @Test("R132 Fields survive storage, and a field of a newer program does no harm", arguments: seeds)
    func fieldsRoundTrip(_ seed: UInt64) throws {
        var frames = RandomFrames(seed: seed)
        for kind in Kind.allCases {
            for _ in 0..<50 {
                let fields = frames.fields(kind)
                var writer = JSONWriter()
                FieldsCodec.encode(fields, into: &writer)
                #expect(try FieldsCodec.decode(kind, writer.octets) == fields)
                let newer = octets("{\"a_newer_field\":[{\"x\":1.5}]\(writer.octets.count > 2 ? "," : "")") + writer.octets.dropFirst()
                #expect(try FieldsCodec.decode(kind, newer) == fields)
            }
        }
    }

    @Test("A batch has one spelling: order of members and of fields, objects for ids, empty edits do not change it")
    func canonicalOctets() {
        let spellings = [
            """
            {"op":"update","kind":"event","id":"\(text(1))","base":3,"fields":{"name":"A","city":null},\
            "add":{"coaches_present":["\(text(2))"]}}
            """,
            """
            { "remove" : {"coaches_present":[]}, "add":{"coaches_present":[{"name":"X","id":"\(text(2))","role":""}]},
              "fields":{"city":null,"n\\u0061me":"\\u0041"},"base":3,"id":"\(text(1))","kind":"event","op":"update"}
            """,
        ]
        let canonical = spellings.map { spelling in
            guard case .frame(.mutation(_, .operations(let operations), _)) = Outcome(mutate(spelling)) else {
                Issue.record("refused: \(String(describing: Outcome(mutate(spelling)).rejection))")
                return ""
            }
            return string(OperationCodec.canonicalOctets(operations))
        }
        #expect(canonical[0] == "[" + spellings[0] + "]")
        #expect(canonical[1] == canonical[0])
    }
}

@Suite("Hostile octets")
struct HostileTests {
    static let seeds: [UInt64] = [11, 12, freshSeed]

    @Test("No beginning of a client's frame is a frame", arguments: seeds)
    func truncatedClientFrames(_ seed: UInt64) {
        var frames = RandomFrames(seed: seed)
        for _ in 0..<40 {
            let octets = frames.clientFrame().encode()
            for count in 0..<octets.count {
                let outcome = Outcome(octets: Array(octets.prefix(count)))
                guard case .refused(let rejection) = outcome, rejection.code == .badFrame else {
                    Issue.record("seed \(seed): \(string(Array(octets.prefix(count))))")
                    return
                }
            }
        }
    }

    @Test("No beginning of a server's frame is a frame", arguments: seeds)
    func truncatedServerFrames(_ seed: UInt64) {
        var frames = RandomFrames(seed: seed)
        for _ in 0..<40 {
            let octets = frames.serverFrame().encode()
            for count in 0..<octets.count where count < 400 || count % 7 == 0 {
                #expect(throws: Rejection.self, "seed \(seed)") { try ServerFrame.decode(Array(octets.prefix(count))) }
            }
        }
    }

    @Test("Changed octets are refused or read as something that can be written, never a trap", arguments: seeds)
    func changedOctets(_ seed: UInt64) {
        var frames = RandomFrames(seed: seed)
        for _ in 0..<300 {
            var client = frames.clientFrame().encode()
            var server = frames.serverFrame().encode()
            for _ in 0..<8 {
                frames.change(&client)
                frames.change(&server)
                switch Outcome(octets: client) {
                case .frame(.refusedMutation(_, let rejection)), .frame(.refusedRequest(_, let rejection)), .refused(let rejection):
                    #expect(!rejection.message.isEmpty)
                case .frame(let frame): #expect(Outcome(octets: frame.encode()) == .frame(frame), "seed \(seed)")
                }
                if let frame = try? ServerFrame.decode(server) {
                    #expect((try? ServerFrame.decode(frame.encode())) == frame.withoutUnknown, "seed \(seed)")
                }
            }
        }
    }

    @Test("A frame glued to another is none")
    func glued() {
        let frame = ClientFrame.signOut.encode()
        #expect(Outcome(octets: frame + frame).rejection?.code == .badFrame)
        #expect(throws: Rejection.self) { try ServerFrame.decode(ServerFrame.signedOut.encode() + [0x20, 0x31]) }
    }

    @Test("Nesting and size are bounded")
    func bounds() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(Outcome(deep).rejection?.code == .badFrame)
        #expect(Outcome("{\"type\":" + deep).rejection?.code == .badFrame)
        #expect(Outcome(mutate(deep)).rejection?.code == .badFrame)
        var limits = Limits()
        let frame = "{\"type\":\"sign_out\"}"
        limits.messageOctets = frame.utf8.count
        #expect(Outcome(frame, limits: limits) == .frame(.signOut))
        limits.messageOctets -= 1
        #expect(Outcome(frame, limits: limits).rejection?.code == .badFrame)
    }
}

extension RandomFrames {
    /// One octet changed, removed, doubled, or replaced by one that means something in JSON.
    mutating func change(_ octets: inout [UInt8]) {
        guard !octets.isEmpty else { return }
        let position = Int.random(in: 0..<octets.count, using: &random)
        switch number(0...3) {
        case 0: octets[position] ^= UInt8(1) << UInt8(number(0...7))
        case 1: octets.remove(at: position)
        case 2: octets.insert(octets[position], at: position)
        default: octets[position] = pick(Array("{}[]\",:\\0-19eE.tfn u\u{1}".utf8) + [0x80, 0xFF, 0xC3])
        }
    }
}

extension ServerFrame {
    /// The frame without what the reader keeps of records whose kind it does not know: that part cannot be written again.
    fileprivate var withoutUnknown: ServerFrame {
        switch self {
        case .snapshot(let sequence, let records, _): return .snapshot(sequence: sequence, records: records)
        case .change(var change):
            change.unknown = StateChecksum()
            return .change(change)
        default: return self
        }
    }
}
