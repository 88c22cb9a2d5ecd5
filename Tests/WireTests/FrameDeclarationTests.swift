import Bytes
import Family
import FrameCheck
import JSON
import Testing
import Wire

/// The members of a frame as separate values, to leave out, add and change single ones.
private func members(_ octets: [UInt8]) throws(JSONError) -> [(name: String, value: String)] {
    var members: [(name: String, value: String)] = []
    try JSONReader.read(octets) { reader throws(JSONError) in
        try reader.readObject { reader, key throws(JSONError) in
            let name = key.string
            members.append((name, String(decoding: try reader.readRaw(maxOctets: .max, maxDepth: 31), as: UTF8.self)))
        }
    }
    return members
}

private func object(_ members: [(name: String, value: String)]) -> String {
    "{" + members.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}"
}

@Suite("The codec keeps to the declarations of frames")
struct FrameDeclarationTests {
    /// Frames with every optional member at one time and with none at another.
    private func examples<Frame>(_ make: (inout RandomFrames) -> Frame, _ encode: (Frame) -> [UInt8]) throws -> [String: [[(name: String, value: String)]]] {
        var frames = RandomFrames(seed: 7)
        var examples: [String: [[(name: String, value: String)]]] = [:]
        for _ in 0..<3_000 {
            let members = try members(encode(make(&frames)))
            examples[members[0].value, default: []].append(members)
        }
        return examples
    }

    @Test("Client: what is written has the declared members, and each required one is missed")
    func client() throws {
        let examples = try examples({ $0.clientFrame() }, { $0.encode() })
        #expect(examples.count == FrameDeclaration.client.count)
        for declaration in FrameDeclaration.client {
            let examples = try #require(examples["\"\(declaration.type)\""])
            check(declaration, examples)
            for example in examples.prefix(5) {
                for (position, member) in example.enumerated() {
                    var fewer = example
                    fewer.remove(at: position)
                    let isRequired = member.name == "type" || declaration.members.contains { $0.name == member.name && $0.isRequired }
                    let isOne = declaration.oneOf.contains(member.name)
                    #expect((Outcome(object(fewer)).rejection == nil) == !(isRequired || isOne), "\(declaration.type) without \(member.name)")
                    if isOne { #expect(Outcome(object(fewer)).rejection?.field == declaration.oneOf.first) }
                    if isRequired, member.name != "type" { #expect(Outcome(object(fewer)).rejection?.field == member.name) }

                    var wrong = example
                    wrong[position].value = "{\"x\":[]}"
                    #expect(Outcome(object(wrong)).rejection?.field == member.name, "\(declaration.type) with a wrong \(member.name)")
                    wrong[position].value = "null"
                    #expect(Outcome(object(wrong)).rejection != nil, "\(declaration.type) with null as \(member.name)")
                    #expect(Outcome(object(example + [member])).rejection?.code == .badFrame, "\(member.name) twice")
                }
                let more = Outcome(object(example + [(name: "undone", value: "7")]))
                #expect(more.rejection?.field == "undone")
                #expect(more.rejection?.message.contains("older than the client") == true)
                #expect((more.refusedMutation != nil) == (declaration.type == "mutate"))

                // Any order is the same frame.
                #expect(Outcome(object(example.reversed())) == Outcome(object(example)), "\(declaration.type) in another order")
            }
        }
    }

    @Test("The example of each frame is such a frame, as its schema says, and is written as it stands")
    func declaredExamples() throws {
        for declaration in FrameDeclaration.client {
            let text = octets(declaration.example)
            #expect(declaration.example.hasPrefix("{\"type\":\"\(declaration.type)\""))
            #expect(string(try ClientFrame.decode(text, limits: Limits()).encode()) == declaration.example)
            #expect(FrameCheck.problem(text, from: .client) == nil, "\(declaration.type)")
        }
        for declaration in FrameDeclaration.server {
            let text = octets(declaration.example)
            #expect(declaration.example.hasPrefix("{\"type\":\"\(declaration.type)\""))
            let frame = try ServerFrame.decode(text)
            if case .unknown = frame { Issue.record("\(declaration.type) is not read") }
            #expect(string(frame.encode()) == declaration.example)
            #expect(FrameCheck.problem(text, from: .server) == nil, "\(declaration.type)")
        }
    }

    @Test("A member of one frame is refused in another")
    func foreignMembers() throws {
        let examples = try examples({ $0.clientFrame() }, { $0.encode() })
        for declaration in FrameDeclaration.client {
            let own = try #require(examples["\"\(declaration.type)\""]?.first)
            for other in examples.values.compactMap(\.first) {
                for member in other where member.name != "type" && !declaration.members.contains(where: { $0.name == member.name }) {
                    #expect(Outcome(object(own + [member])).rejection?.field == member.name, "\(declaration.type) with \(member.name)")
                }
            }
        }
    }

    @Test("Server: what is written has the declared members, and each required one is missed")
    func server() throws {
        let examples = try examples({ $0.serverFrame() }, { $0.encode() })
        #expect(examples.count == FrameDeclaration.server.count)
        for declaration in FrameDeclaration.server {
            let examples = try #require(examples["\"\(declaration.type)\""])
            check(declaration, examples)
            for example in examples.prefix(5) {
                for (position, member) in example.enumerated() {
                    func isRead(_ members: [(name: String, value: String)]) -> Bool {
                        (try? ServerFrame.decode(octets(object(members)))) != nil
                    }
                    var fewer = example
                    fewer.remove(at: position)
                    // This code alone says by retry_after whether trying again can help.
                    let isSignInFailed = member.name == "retry_after" && example.contains { $0.value == "\"sign_in_failed\"" }
                    let isRequired = isSignInFailed || member.name == "type" || declaration.members.contains { $0.name == member.name && $0.isRequired }
                    #expect(isRead(fewer) == !isRequired, "\(declaration.type) without \(member.name)")
                    var wrong = example
                    wrong[position].value = "{\"x\":[]}"
                    #expect(!isRead(wrong), "\(declaration.type) with a wrong \(member.name)")
                    #expect(isRead(example + [(name: "undone_by_a_newer_server", value: "7")]), "a newer server may say more")
                    #expect(!isRead(example + [member]))
                    let last = example.dropFirst().reversed()
                    #expect(isRead([example[0]] + last) || last.contains { $0.name == "conflict" }, "\(declaration.type) in another order")
                }
            }
        }
    }

    /// Frames of 0.1.0 with the keys that they may leave out; never more, because servers and clients of 0.1.0 are still out there.
    private static let first: [String: [String: Set<String>]] = [
        "client": [
            "sign_in": [], "redeem": [], "join": ["context", "cursor"], "mutate": ["operations"], "context": [], "list": ["before"],
            "sign_out": [],
        ],
        "server": [
            "welcome": [], "token": [], "joined": [], "reset": [], "snapshot": [], "snapshot_end": [], "change": ["client", "mutation"],
            "live": [], "ack": ["seq"], "reject": rejection, "presence": [], "context": [], "role": [], "page": ["next"], "signed_out": [],
            "error": rejection.union(["request"]),
        ],
    ]
    /// Keys that 0.1.0 required and later servers do not.
    private static let relaxed: Set<String> = ["sign_in.token"]
    private static let rejection: Set<String> = ["operation", "kind", "id", "field", "retry_after", "conflict"]

    @Test("Every frame and optional key that 0.1.0 did not have belongs to a feature, and every feature has some", arguments: ["client", "server"])
    func features(_ direction: String) throws {
        let frames = direction == "client" ? FrameDeclaration.client : FrameDeclaration.server
        let first = try #require(Self.first[direction])
        for frame in frames {
            guard let keys = first[frame.type] else {
                #expect(frame.feature != nil, "\(frame.type)")
                continue
            }
            #expect(frame.feature == nil, "\(frame.type)")
            for member in frame.members where !member.isRequired && member.name != "features" && !Self.relaxed.contains("\(frame.type).\(member.name)") {
                #expect((member.feature == nil) == keys.contains(member.name), "\(frame.type).\(member.name)")
            }
        }
        let named = (FrameDeclaration.client + FrameDeclaration.server).flatMap { [$0.feature] + $0.members.map(\.feature) }
        for feature in Feature.allCases {
            #expect(named.contains(feature) || !feature.operations.isEmpty || !feature.kinds.isEmpty, "\(feature)")
        }
    }

    @Test("A welcome lists the features of the server; words of a later server are passed over")
    func welcome() throws {
        func features(_ words: String) throws -> [Feature]? {
            let limits = Limits.entries.map { "\"\($0.name)\":7" }.joined(separator: ",")
            let text = "{\"type\":\"welcome\",\"protocol\":1,\"server\":\"9\",\"time\":1,\"memberships\":[],\"limits\":{\(limits)}\(words)}"
            guard case .welcome(let welcome) = try ServerFrame.decode(octets(text)) else { return nil }
            return welcome.features
        }
        #expect(try features("") == [])
        #expect(try features(",\"features\":[]") == [])
        #expect(try features(",\"features\":[\"quiet\",\"undone\",\"undo\"]") == [.quiet, .undo])
        #expect(throws: Rejection.self) { try features(",\"features\":[7]") }
        #expect(throws: Rejection.self) { try features(",\"features\":\"quiet\"") }
    }

    @Test("The number of a refused frame is found where the frame can be read, for the error that answers it", arguments: [
        ("{\"type\":\"join\",\"request\":7}", 7), ("{\"request\":9007199254740991,\"type\":\"x\"}", 9_007_199_254_740_991),
        ("{\"type\":\"context\",\"context\":7,\"request\":0}", 0), ("{\"type\":\"join\"}", nil), ("{\"request\":\"7\"}", nil),
        ("{\"request\":-1}", nil), ("{\"request\":7.5}", nil), ("{\"request\":7,", nil), ("{\"request\":7,\"request\":8}", nil), ("[7]", nil),
    ] as [(String, Int64?)])
    func refusedRequest(text: String, request: Int64?) {
        #expect(octets(text).withUnsafeBytes { ClientFrame.request(ofRefused: $0, limits: Limits()) } == request)
    }

    /// Names, their order, and which may be left out.
    private func check(_ declaration: FrameDeclaration, _ examples: [[(name: String, value: String)]]) {
        let declared = ["type"] + declaration.members.map(\.name)
        var everywhere = Set(declared)
        var anywhere: Set<String> = []
        for example in examples {
            let names = example.map(\.name)
            #expect(names == declared.filter(names.contains), "\(declaration.type)")
            everywhere.formIntersection(names)
            anywhere.formUnion(names)
        }
        #expect(anywhere == Set(declared), "\(declaration.type)")
        #expect(everywhere == Set(["type"] + declaration.members.filter(\.isRequired).map(\.name)), "\(declaration.type)")
    }
}
