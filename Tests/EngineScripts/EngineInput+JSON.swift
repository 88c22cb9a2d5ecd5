import Bytes
package import Family
package import JSON
import Sync
package import Wire

/// A script that cannot be read: the place and the reason.
package struct ScriptError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

extension EngineInput {
    /// Reads the members of a step; symbols have been replaced by numbers.
    package init(_ step: JSONValue) throws {
        func number(_ name: String) throws -> Int64 {
            guard let number = step[name]?.integer else { throw ScriptError("\(name) is missing in \(step)") }
            return number
        }
        func overlap() throws -> OverlapOverride? { try step["allow_overlap"].map(Self.overlap) }
        switch step["do"]?.text {
        case "start": self = .start
        case "connected": self = .connected
        case "disconnected": self = .disconnected(step["code"]?.integer.flatMap { UInt16(exactly: $0) })
        case "timer": self = .timer
        case "receive":
            guard let frame = step["frame"] else { throw ScriptError("frame is missing in \(step)") }
            self = .receive(frame.octets(first: "type"))
        case "perform": self = .perform(try Self.operations(step["operations"]), try overlap())
        case "undo": self = .undo(try number("seq"), try overlap())
        case "retry": self = .retry(try number("draft"), try overlap())
        case "split": self = .split(try number("draft"))
        case "drop": self = .drop(try number("draft"))
        case "look": self = .look(try number("draft"))
        case "resolve":
            guard let kind = step["kind"]?.text.flatMap(Kind.init(name:)) else { throw ScriptError("kind is missing in \(step)") }
            var choices: [String: ConflictChoice] = [:]
            for (name, choice) in step["choices"]?.members ?? [:] { choices[name] = try Self.choice(choice, kind, name) }
            self = .resolve(try number("draft"), kind, choices, whole: try step["whole"].map { try Self.choice($0, kind, "") })
        case "context": self = .context(try Self.context(step["context"]))
        case "ask":
            guard let frame = step["frame"] else { throw ScriptError("frame is missing in \(step)") }
            self = .ask(frame.octets(first: "type"))
        case "choose": self = .choose(try Self.identifier(step["family"]))
        case "sign_out": self = .signOut
        case "rejoin": self = .rejoin
        case "restore": self = .restore(try Self.saved(step["saved"]))
        case "adopt": self = .adopt(try Self.saved(step["saved"]))
        case "take_over": self = .takeOver(try Self.saved(step["saved"]))
        case "save": self = .save
        case "read": self = .read(try number("seq"))
        default: throw ScriptError("the input of \(step) is unknown")
        }
    }

    private static func choice(_ value: JSONValue, _ kind: Kind, _ field: String) throws -> ConflictChoice {
        switch value {
        case .text("yours"): return .yours
        case .text("theirs"): return .theirs
        case .text("both"): return .both
        default:
            guard let wanted = value["value"] else { throw ScriptError("\(value) is not a choice") }
            let operation = JSONValue.object([
                "op": .text("update"), "kind": .text(kind.name.description), "id": .text(Identifier(high: 0, low: 1).description), "base": .integer(1),
                "fields": .object([field: wanted]),
            ])
            return .value(try operations(.array([operation])).first?.patch?.assignments.first?.value)
        }
    }

    private static func identifier(_ value: JSONValue?) throws -> Identifier {
        guard let id = value?.text.flatMap({ Identifier($0) }) else { throw ScriptError("\(value ?? .null) is not an id") }
        return id
    }

    package static func context(_ value: JSONValue?) throws -> Context { value?.text == "all" ? .all : .athlete(try identifier(value)) }

    /// Operations as frames have them, except that `base` may be 0: the author saw a record that no server has yet.
    private static func operations(_ value: JSONValue?) throws -> [Operation] {
        var bases: [Int64?] = []
        let raised = (value?.elements ?? []).map { operation -> JSONValue in
            var members = operation.members ?? [:]
            bases.append(members["base"]?.integer)
            if members["base"] == .integer(0) { members["base"] = .integer(1) }
            return .object(members)
        }
        guard !raised.isEmpty else { return [] }
        guard case .mutation(_, .operations(var operations), _) = try mutation(["operations": .array(raised)]) else { return [] }
        for (index, base) in bases.enumerated() where base == 0 { operations[index].base = 0 }
        return operations
    }

    private static func overlap(_ value: JSONValue) throws -> OverlapOverride {
        guard case .mutation(_, _, let overlap?) = try mutation(["undo": .integer(1), "allow_overlap": value]) else {
            throw ScriptError("\(value) accepts no overlaps")
        }
        return overlap
    }

    private static func mutation(_ members: [String: JSONValue]) throws -> ClientFrame {
        let frame = JSONValue.object(["type": .text("mutate"), "mutation": .integer(1)].merging(members) { first, _ in first })
        var limits = Limits()
        (limits.operationsPerMutation, limits.messageOctets) = (10_000, 1 << 24)
        let read = try ClientFrame.decode(frame.octets(first: "type"), limits: limits)
        if case .refusedMutation(_, let rejection) = read { throw ScriptError("\(rejection.message) in \(frame)") }
        return read
    }

    // MARK: Stored state

    private static func saved(_ value: JSONValue?) throws -> SavedState {
        guard let value else { throw ScriptError("saved is missing") }
        var saved = SavedState(
            client: try identifier(value["client"]), family: try identifier(value["family"]), member: try identifier(value["member"]))
        saved.role = value["role"]?.text.flatMap(Role.init(rawValue:))
        if let context = value["context"], context != .null { saved.context = try Self.context(context) }
        saved.cursor = cursor(value["cursor"])
        saved.records = try records(value["records"])
        saved.unsent = value["unsent"]?.integer.map { StateChecksum(UInt32($0)) }
        for mutation in value["pending"]?.elements ?? [] { saved.pending.append(try pending(mutation)) }
        for draft in value["drafts"]?.elements ?? [] { saved.drafts.append(try Self.draft(draft)) }
        saved.lastMutation = value["last_mutation"]?.integer ?? 0
        return saved
    }

    package static func cursor(_ value: JSONValue?) -> Cursor? {
        guard let epoch = value?["epoch"]?.text, let sequence = value?["seq"]?.integer else { return nil }
        return Cursor(epoch: epoch, sequence: sequence)
    }

    private static func records(_ value: JSONValue?) throws -> [Record] {
        let frame = JSONValue.object(["type": .text("snapshot"), "seq": .integer(0), "records": value ?? .array([])])
        guard case .snapshot(_, let records, _) = try ServerFrame.decode(frame.octets(first: "type")) else { return [] }
        return records
    }

    private static func pending(_ value: JSONValue) throws -> PendingMutation {
        let body: Mutation.Body = try value["undo"]?.integer.map { .undo(sequence: $0) } ?? .operations(operations(value["operations"]))
        let state = value["state"]?.text
        return .saved(
            id: value["id"]?.integer ?? 0, body: body, overlap: try value["allow_overlap"].map(overlap), at: value["at"]?.integer ?? 0,
            wasSent: state == "resend", sequence: state == "acknowledged" ? value["seq"]?.integer : nil, complaints: Int(value["complaints"]?.integer ?? 0))
    }

    private static func draft(_ value: JSONValue) throws -> Draft {
        var members = value["rejection"]?.members ?? [:]
        members["type"] = .text("reject")
        members["mutation"] = .integer(1)
        guard case .reject(_, let rejection) = try ServerFrame.decode(JSONValue.object(members).octets(first: "type")) else {
            throw ScriptError("\(value) is not a draft")
        }
        return Draft(
            id: value["id"]?.integer ?? 0, operations: try operations(value["operations"]), undo: value["undo"]?.integer,
            overlap: try value["allow_overlap"].map(overlap), at: value["at"]?.integer ?? 0, rejection: rejection)
    }
}

// The other direction, for recordings and pipes.
extension EngineInput {
    /// Appends the members of a step to an object that is open.
    package func write(to writer: inout JSONWriter) {
        writer.key("do")
        func draft(_ word: StaticString, _ id: Int64) {
            writer.word(word)
            writer.key("draft")
            writer.integer(id)
        }
        func accepted(_ overlap: OverlapOverride?) {
            guard let overlap else { return }
            writer.key("allow_overlap")
            OverlapCodec.encode(overlap, into: &writer)
        }
        func saved(_ word: StaticString, _ state: SavedState) {
            writer.word(word)
            writer.key("saved")
            EngineScriptWriter.write(state, to: &writer)
        }
        switch self {
        case .start: writer.word("start")
        case .connected: writer.word("connected")
        case .disconnected(let code):
            writer.word("disconnected")
            if let code {
                writer.key("code")
                writer.integer(Int64(code))
            }
        case .timer: writer.word("timer")
        case .receive(let frame):
            writer.word("receive")
            writer.key("frame")
            writer.raw(frame)
        case .perform(let operations, let overlap):
            writer.word("perform")
            writer.key("operations")
            OperationCodec.encode(operations, into: &writer)
            accepted(overlap)
        case .undo(let sequence, let overlap):
            writer.word("undo")
            writer.key("seq")
            writer.integer(sequence)
            accepted(overlap)
        case .retry(let id, let overlap):
            draft("retry", id)
            accepted(overlap)
        case .split(let id): draft("split", id)
        case .drop(let id): draft("drop", id)
        case .look(let id): draft("look", id)
        case .resolve(let id, let kind, let choices, let whole):
            draft("resolve", id)
            writer.key("kind")
            writer.word(kind.name)
            writer.key("choices")
            writer.beginObject()
            for (name, choice) in choices.sorted(by: { $0.key < $1.key }) {
                writer.key(name)
                Self.write(choice, to: &writer)
            }
            writer.endObject()
            if let whole {
                writer.key("whole")
                Self.write(whole, to: &writer)
            }
        case .context(let context):
            writer.word("context")
            writer.key("context")
            writer.string(EngineScriptWriter.word(context))
        case .ask(let frame):
            writer.word("ask")
            writer.key("frame")
            writer.raw(frame)
        case .choose(let family):
            writer.word("choose")
            writer.key("family")
            writer.identifier(family)
        case .signOut: writer.word("sign_out")
        case .rejoin: writer.word("rejoin")
        case .restore(let state): saved("restore", state)
        case .adopt(let state): saved("adopt", state)
        case .takeOver(let state): saved("take_over", state)
        case .save: writer.word("save")
        case .read(let sequence):
            writer.word("read")
            writer.key("seq")
            writer.integer(sequence)
        }
    }

    private static func write(_ choice: ConflictChoice, to writer: inout JSONWriter) {
        switch choice {
        case .yours: writer.word("yours")
        case .theirs: writer.word("theirs")
        case .both: writer.word("both")
        case .value(let value):
            writer.beginObject()
            writer.key("value")
            if case .text(let text)? = value { writer.string(text) } else { writer.null() }
            writer.endObject()
        }
    }
}
