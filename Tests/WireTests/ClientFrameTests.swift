import Bytes
import Family
import JSON
import Testing
import Wire

@Suite("Operations of a mutation")
struct OperationTests {
    private let eventHead = "\"kind\":\"event\",\"id\":\"\(text(1))\""

    @Test("A refusal names operation, kind, record and field", arguments: [
        ("{\"op\":\"create\",KE,\"fields\":{\"registered\":\"yes\"}}", ErrorCode.invalid, "registered", "Registered must be true or false."),
        ("{\"op\":\"create\",KE,\"fields\":{\"name\":5}}", .invalid, "name", "Event name must be text."),
        ("{\"op\":\"create\",KE,\"fields\":{\"cost\":150}}", .invalid, "cost", "Cost must be a number written as text, such as \"150.00\"."),
        ("{\"op\":\"create\",KE,\"fields\":{\"school_id\":\"x\"}}", .invalid, "school_id", "School must be the id of a record."),
        ("{\"op\":\"create\",KE,\"fields\":{\"coaches_present\":[5]}}", .invalid, "coaches_present", "Coaches present must be a list of ids."),
        ("{\"op\":\"create\",KE,\"fields\":{\"coaches_present\":[{\"name\":\"x\"}]}}", .invalid, "coaches_present", "Coaches present must be a list of ids."),
        ("{\"op\":\"create\",KE,\"fields\":{\"stats_recorded\":[]}}", .invalid, "stats_recorded", "Statistics must be an object."),
        ("{\"op\":\"create\",KE,\"fields\":{\"weather\":\"x\"}}", .unknownField, "weather",
            "Event has no field \"weather\". This server may be older than the client that asks. Nothing was changed."),
        ("{\"op\":\"undo\",KE}", .unknownOperation, "op",
            "Unknown operation: \"undo\". This server may be older than the client that asks. Nothing was changed."),
        ("{\"op\":\"create\",KE,\"if\":5}", .unknownField, "if",
            "\"if\" is not part of an operation. This server may be older than the client that asks. Nothing was changed."),
        ("{\"op\":\"update\",KE,\"fields\":{}}", .required, "base", "An operation needs base. Nothing was changed."),
        ("{KE}", .required, "op", "An operation needs op. Nothing was changed."),
        ("{\"op\":\"update\",KE,\"base\":0}", .invalid, "base", nil),
        ("{\"op\":\"update\",KE,\"base\":9007199254740992}", .invalid, "base", nil),
        ("{\"op\":\"update\",KE,\"base\":1.5}", .invalid, "base", nil),
        ("{\"op\":\"update\",KE,\"base\":1,\"merge\":\"ours\"}", .invalid, "merge", nil),
        ("{\"op\":\"update\",KE,\"base\":1,\"athlete\":\"\(text(2))\"}", .invalid, "athlete", "athlete is not allowed in an update. Nothing was changed."),
        ("{\"op\":\"create\",KE,\"base\":1}", .invalid, "base", nil),
        ("{\"op\":\"create\",KE,\"add\":{\"coaches_present\":[]}}", .invalid, "add", nil),
        ("{\"op\":\"delete\",KE,\"base\":1,\"fields\":{}}", .invalid, "fields", nil),
        ("{\"op\":\"update\",KE,\"base\":1,\"add\":{\"name\":[]}}", .invalid, "name", "Event name: add and remove are for sets only."),
        ("{\"op\":\"update\",KE,\"base\":1,\"add\":{\"coaches_present\":\"x\"}}", .invalid, "coaches_present", "Coaches present must be a list of ids."),
        ("{\"op\":\"update\",KE,\"base\":1,\"fields\":{\"coaches_present\":null},\"remove\":{\"coaches_present\":[\"\(text(3))\"]}}", .invalid,
            "coaches_present", "Coaches present: set it as a whole, or use add and remove, not both."),
    ] as [(String, ErrorCode, String, String?)])
    func refusal(_ operation: String, _ code: ErrorCode, _ field: String, _ sentence: String?) throws {
        let good = "{\"op\":\"delete\",\(eventHead),\"base\":1},"
        let outcome = Outcome(mutate(good + operation.replacing("KE", with: eventHead)))
        #expect(outcome.refusedMutation == 7)
        let rejection = try #require(outcome.rejection)
        #expect(rejection.code == code)
        #expect(rejection.field == field)
        #expect(rejection.operation == 1)
        #expect(rejection.kind == .event)
        #expect(rejection.id == id(1))
        if let sentence { #expect(rejection.message == sentence) }
    }

    @Test("Without a kind that is known no record is named")
    func unknownKind() {
        let rejection = Outcome(mutate("{\"op\":\"create\",\"kind\":\"budget\",\"id\":\"\(text(1))\"}")).rejection
        #expect(rejection == Rejection(
            .unknownKind, "Unknown kind: \"budget\". This server may be older than the client that asks. Nothing was changed", operation: 0, field: "kind"))
        #expect(Outcome(mutate("{\"op\":\"create\",\"id\":\"\(text(1))\"}")).rejection?.field == "kind")
        #expect(Outcome(mutate("{\"op\":\"create\",\"kind\":\"event\"}")).rejection?.field == "id")
        #expect(Outcome(mutate("{\"op\":\"create\",\"kind\":\"event\",\"id\":\"\(text(0xABC).uppercased())\"}")).rejection?.field == "id")
        #expect(Outcome(mutate("5")).rejection?.operation == 0)
        let link = "{\"op\":\"create\",\"kind\":\"message\",\"id\":\"\(text(1))\",\"fields\":{\"about\":{\"kind\":\"budget\",\"id\":\"\(text(2))\"}}}"
        #expect(Outcome(mutate(link)).rejection?.code == .unknownKind)
        #expect(Outcome(mutate(link)).rejection?.field == "about")
    }

    @Test("Free JSON has its own bounds and comes back octet for octet")
    func freeJSON() {
        func outcome(_ json: String) -> Outcome { Outcome(mutate("{\"op\":\"create\",\(eventHead),\"fields\":{\"stats_recorded\":\(json)}}")) }
        let kept = "{ \"a\" : [1.50, 1e3, {\"\\u00e9\":null}] }"
        let patch = FieldPatch(assignments: [.init(field: Kind.event.field("stats_recorded"), value: .json(octets(kept)))])
        #expect(outcome(kept) == .frame(.mutate(id: 7, operations: [.init(kind: .event, id: id(1), action: .create(athlete: nil, patch: patch))])))
        func nested(_ depth: Int) -> String { String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth) }
        #expect(outcome(nested(8)).rejection == nil)
        #expect(outcome(nested(9)).refusedMutation == 7)
        #expect(outcome(nested(9)).rejection?.field == "stats_recorded")
        #expect(outcome(nested(9)).rejection?.code == .invalid)
        let long = "{\"a\":\"" + String(repeating: "x", count: 16_384) + "\"}"
        #expect(outcome(long).rejection?.code == .tooLong)
        #expect(outcome(long).rejection?.field == "stats_recorded")
    }

    @Test("A mutation has at least one operation and at most as many as the limit says")
    func count() {
        let one = "{\"op\":\"delete\",\(eventHead),\"base\":1}"
        #expect(Outcome(mutate("")).rejection == Rejection(.required, "The frame needs operations", field: "operations"))
        #expect(Outcome(mutate("")).refusedMutation == 7)
        #expect(Outcome(mutate(Array(repeating: one, count: 100).joined(separator: ","))).rejection == nil)
        let tooMany = Outcome(mutate(Array(repeating: one, count: 101).joined(separator: ",")))
        #expect(tooMany.refusedMutation == 7)
        #expect(tooMany.rejection?.code == .tooMany)
    }

    @Test("The number is read wherever it stands, and a frame without a readable one is a bad frame", arguments: [
        ("{\"operations\":[{\"op\":\"x\"}],\"mutation\":7,\"type\":\"mutate\"}", 7),
        ("{\"mutation\":7,\"operations\":5,\"type\":\"mutate\"}", 7),
        ("{\"type\":\"mutate\",\"mutation\":9007199254740991,\"operations\":{}}", 9_007_199_254_740_991),
        ("{\"type\":\"mutate\",\"operations\":[{\"op\":\"x\"}]}", nil),
        ("{\"type\":\"mutate\",\"mutation\":0,\"operations\":[{\"op\":\"x\"}]}", nil),
        ("{\"type\":\"mutate\",\"mutation\":9007199254740992,\"operations\":[{\"op\":\"x\"}]}", nil),
        ("{\"type\":\"mutate\",\"mutation\":\"7\",\"operations\":[{\"op\":\"x\"}]}", nil),
        ("{\"type\":\"mutate\",\"mutation\":7,\"operations\":[{\"op\":\"x\"}]", nil),
        ("{\"type\":\"mutate\",\"mutation\":7,\"operations\":[{\"op\":\"x\",\"op\":\"x\"}]} x", nil),
        ("{\"type\":\"list\",\"mutation\":7,\"operations\":[{\"op\":\"x\"}]}", nil),
    ] as [(String, Int64?)])
    func number(_ frame: String, _ number: Int64?) {
        let outcome = Outcome(frame)
        #expect(outcome.refusedMutation == number)
        if number == nil { #expect(outcome.rejection?.code == .badFrame) }
    }

    @Test("Broken JSON is a bad frame, also inside a mutation", arguments: [
        "{\"op\":\"create\",KE,\"fields\":{\"name\":\"a\",\"name\":\"b\"}}", "{\"op\":\"create\",KE,\"fields\":{\"name\":\"\\ud800\"}}",
        "{\"op\":\"create\",KE,\"fields\":{\"name\":\"a\"},}", "{\"op\":\"create\",KE,\"fields\":{\"name\":01}}",
        "{\"op\":\"undo\",KE,\"fields\":{\"x\":1,\"x\":2}}",
    ])
    func brokenJSON(_ operation: String) {
        let outcome = Outcome(mutate(operation.replacing("KE", with: eventHead)))
        #expect(outcome.rejection?.code == .badFrame)
        #expect(outcome.refusedMutation == nil)
    }

    @Test("A text from outside is short and clean in a sentence")
    func quoting() throws {
        let name = String(repeating: "ż", count: 5_000) + "\u{1B}"
        let rejection = try #require(Outcome(mutate("{\"op\":\"create\",\(eventHead),\"fields\":{\"\(String(repeating: "x", count: 5_000))\":1}}")).rejection)
        #expect(rejection.message.utf8.count < 200)
        #expect((rejection.field ?? "").utf8.count < 200)
        let kind = try #require(Outcome("{\"type\":\"list\",\"request\":1,\"limit\":1,\"kind\":\"\\u001b[2J\(name.dropLast())\"}").rejection)
        #expect(kind.message.utf8.count < 200)
        #expect(!kind.message.unicodeScalars.contains("\u{1B}"))
    }
}

@Suite("Frames of clients")
struct ClientFrameTests {
    @Test("Bounds of a list's limit, at and past them", arguments: [(0, false), (1, true), (200, true), (201, false)])
    func listLimit(_ limit: Int, _ isAccepted: Bool) {
        let outcome = Outcome("{\"type\":\"list\",\"request\":1,\"kind\":\"message\",\"limit\":\(limit)}")
        #expect((outcome.rejection == nil) == isAccepted)
        if !isAccepted { #expect(outcome.rejection?.field == "limit") }
    }

    @Test("A question about an unknown kind is refused by its request; without a request, or in another frame, it is a bad frame", arguments: [
        ("\"list\",\"request\":1,\"kind\":\"budget\",\"limit\":1", true), ("\"statistics\",\"kind\":\"budget\",\"request\":1", true),
        ("\"history\",\"request\":1,\"record\":{\"kind\":\"budget\",\"id\":\"01910000-0000-7000-8000-000000000001\"},\"limit\":1", true),
        ("\"list\",\"kind\":\"budget\",\"limit\":1", false), ("\"digest\",\"request\":1,\"kind\":\"budget\"", false),
        ("\"history\",\"request\":1,\"kind\":\"budget\",\"limit\":1", false),
    ])
    func questionOfUnknownKind(_ frame: String, _ isAnswered: Bool) {
        switch Outcome("{\"type\":\(frame)}") {
        case .frame(.refusedRequest(let request, let rejection)):
            #expect(isAnswered && request == 1 && rejection.code == .unknownKind && rejection.field == "kind")
        case .refused(let rejection): #expect(!isAnswered && rejection.code == .badFrame)
        case .frame(let frame): Issue.record("accepted \(frame)")
        }
    }

    @Test("Secrets and marks are bounded, at and past the bound")
    func words() {
        func outcome(_ octets: Int) -> Outcome { Outcome("{\"type\":\"sign_in\",\"token\":\"\(String(repeating: "x", count: octets))\"}") }
        #expect(outcome(0).rejection != nil)
        #expect(outcome(1) == .frame(.signIn(token: "x")))
        #expect(outcome(256).rejection == nil)
        #expect(outcome(257).rejection?.field == "token")
    }

    @Test("Anything but an object with a known type is a bad frame", arguments: [
        "", " ", "null", "[]", "\"sign_out\"", "{}", "{\"type\":\"sing_out\"}", "{\"type\":5}", "{\"Type\":\"sign_out\"}", "{\"type\":\"sign_out\"} {}",
        "\u{FEFF}{\"type\":\"sign_out\"}", "{\"type\":\"sign_out\",\"type\":\"sign_out\"}", "{type:\"sign_out\"}", "{\"type\":\"sign_out\",}",
    ])
    func badFrames(_ text: String) {
        guard case .refused(let rejection) = Outcome(text) else { Issue.record("accepted \(text)"); return }
        #expect(rejection.code == .badFrame)
    }

    @Test("White space and escapes in names do not matter")
    func spelling() {
        #expect(Outcome(" {\n\"\\u0074ype\" :\t\"sign\\u005fout\" } \r\n") == .frame(.signOut))
    }
}
