package import Bytes
package import Family
import JSON
package import Sync
import Wire

/// One input of an engine: in a script, on a pipe, or at random.
package enum EngineInput: Sendable {
    case start
    case connected
    case disconnected(UInt16?)
    case timer
    /// A frame of the server.
    case receive([UInt8])
    case perform([Operation], OverlapOverride?)
    case undo(Int64, OverlapOverride?)
    case retry(Int64, OverlapOverride?)
    case split(Int64)
    case drop(Int64)
    /// Shows the two sides of a draft; `resolve` decides what the last look at the draft has shown.
    case look(Int64)
    case resolve(Int64, Kind, [String: ConflictChoice], whole: ConflictChoice?)
    case context(Context)
    /// A frame that asks; the engine gives it a number.
    case ask([UInt8])
    case choose(Identifier)
    case signOut
    case rejoin
    case restore(SavedState)
    case adopt(SavedState)
    case takeOver(SavedState)
    case save
    /// The operation that moves the reading position.
    case read(Int64)
}

/// An engine, with all that a script can see of it.
package struct ScriptedEngine: Sendable {
    package private(set) var engine: SyncEngine
    private var scribe: EngineScriptWriter
    private var shown: [Int64: ConflictSides] = [:]

    /// The result of one input.
    package struct Outcome: Sendable {
        package var actions: [SyncAction] = []
        /// A JSON object; `nil` for inputs that return actions only.
        package var result: [UInt8]?
        /// The id of the requested mutation.
        package var mutation: Int64?
        /// The rejection by the engine itself.
        package var refusal: Rejection?

        package init(actions: [SyncAction] = []) { self.actions = actions }
    }

    package init(_ configuration: SyncEngine.Configuration) {
        engine = SyncEngine(configuration)
        scribe = EngineScriptWriter(engine)
    }

    /// The changed members of the state, as one object.
    package mutating func changes(touched: [Identifier]? = nil) -> [UInt8] { scribe.changes(of: engine, touched: touched) }

    /// Gives the engine one input.
    ///
    /// - Parameters:
    ///   - at: UTC milliseconds, for requests.
    ///   - now: the engine's clock.
    /// - Throws: for a frame that is none.
    package mutating func take(_ input: EngineInput, at: Int64, now: Int64) throws -> Outcome {
        var outcome = Outcome()
        func result(_ write: (inout JSONWriter) -> Void) {
            var writer = JSONWriter()
            writer.beginObject()
            write(&writer)
            writer.endObject()
            outcome.result = writer.octets
        }
        func number(_ name: StaticString, _ mutation: Int64) {
            outcome.mutation = mutation
            result { writer in
                writer.key(name)
                writer.integer(mutation)
            }
        }
        func nothing() { result { _ in } }
        do throws(Rejection) {
            switch input {
            case .start: outcome.actions = engine.start(now: now)
            case .connected: outcome.actions = engine.connected(now: now)
            case .disconnected(let code): outcome.actions = engine.disconnected(closeCode: code, now: now)
            case .timer: outcome.actions = engine.timerFired(now: now)
            case .receive(let octets): outcome.actions = engine.receive(try ServerFrame.decode(octets), now: now)
            case .perform(let operations, let overlap):
                let (mutation, actions) = try engine.perform(operations, accepting: overlap, at: at, now: now)
                outcome.actions = actions
                number("mutation", mutation)
            case .undo(let sequence, let overlap):
                let (mutation, actions) = try engine.undo(sequence, accepting: overlap, at: at, now: now)
                outcome.actions = actions
                number("mutation", mutation)
            case .retry(let draft, let overlap):
                nothing()
                guard let (mutation, actions) = try engine.retry(draft: draft, accepting: overlap, at: at, now: now) else { break }
                outcome.actions = actions
                number("mutation", mutation)
            case .split(let draft):
                nothing()
                guard let (mutations, actions) = try engine.split(draft: draft, at: at, now: now) else { break }
                outcome.actions = actions
                result { writer in
                    writer.key("mutations")
                    writer.beginArray()
                    for mutation in mutations { writer.integer(mutation) }
                    writer.endArray()
                }
            case .drop(let draft):
                nothing()
                if let dropped = engine.drop(draft: draft) { number("draft", dropped.id) }
            case .look(let draft):
                shown[draft] = engine.conflict(of: draft)
                nothing()
                guard let sides = shown[draft] else { break }
                result { writer in
                    writer.key("sides")
                    Self.write(sides, to: &writer)
                }
            case .resolve(let draft, _, let choices, let whole):
                guard let sides = shown[draft] else { throw Rejection(.invalid, "The script has not looked at this draft.") }
                let declaration = sides.record.kind.declaration
                let named = Dictionary(uniqueKeysWithValues: choices.compactMap { name, choice in declaration.index(of: name).map { ($0, choice) } })
                nothing()
                let (mutation, actions) = try engine.resolve(sides, named, whole: whole, at: at, now: now)
                outcome.actions = actions
                if let mutation { number("mutation", mutation) }
            case .context(let context): outcome.actions = engine.setContext(context, now: now)
            case .ask(let octets):
                var numbered: ClientFrame?
                let frame = try? JSONValue(octets)
                nothing()
                let asked = engine.ask(now: now) { request in
                    var members = frame?.members ?? [:]
                    members["request"] = .integer(request)
                    numbered = try? ClientFrame.decode(JSONValue.object(members).octets(first: "type"), limits: Limits())
                    return numbered ?? .signOut
                }
                guard let asked else { break }
                outcome.actions = asked.actions
                number("request", asked.request)
            case .choose(let family): engine.choose(family)
            case .signOut: outcome.actions = engine.signOut(now: now)
            case .rejoin: outcome.actions = engine.rejoin(now: now)
            case .restore(let saved): engine.restore(saved)
            case .adopt(let saved):
                let isOwn = engine.adopt(saved)
                result { writer in
                    writer.key("own")
                    writer.boolean(isOwn)
                }
            case .takeOver(let saved):
                let isOwn = engine.takeOver(saved)
                result { writer in
                    writer.key("own")
                    if let isOwn { writer.boolean(isOwn) } else { writer.null() }
                }
            case .save:
                var saved = engine.savedState
                saved?.records = Array(engine.confirmedRecords.values)
                result { writer in
                    writer.key("saved")
                    if let saved { EngineScriptWriter.write(saved, to: &writer) } else { writer.null() }
                }
            case .read(let sequence):
                let operation = engine.readOperation(upTo: sequence)
                result { writer in
                    writer.key("operations")
                    OperationCodec.encode(operation.map { [$0] } ?? [], into: &writer)
                }
            }
        } catch {
            if case .receive = input { throw error }
            outcome.actions = []
            outcome.refusal = error
            result { writer in
                writer.key("refused")
                EngineScriptWriter.write(error, to: &writer)
            }
        }
        return outcome
    }

    /// The sides of a conflict: fields by name.
    private static func write(_ sides: ConflictSides, to writer: inout JSONWriter) {
        let declared = sides.record.kind.declaration.fields
        func value(_ name: StaticString, _ field: Int, _ value: Value?, _ writer: inout JSONWriter) {
            writer.key(name)
            guard let value else { return writer.null() }
            var fields = JSONWriter()
            FieldsCodec.encode(filled: [.init(field: field, value: value)], of: sides.record.kind, into: &fields)
            // `{"name":` and `}` surround it.
            writer.raw(Array(fields.octets.dropFirst(declared[field].name.utf8.count + 4).dropLast()))
        }
        writer.beginObject()
        writer.key("operation")
        writer.integer(sides.operation)
        writer.key("matter")
        switch sides.matter {
        case .fields: writer.word("fields")
        case .deleted: writer.word("deleted")
        case .whole: writer.word("whole")
        }
        writer.key("record")
        RecordCodec.encode(sides.record, into: &writer)
        writer.key("fields")
        writer.beginArray()
        for field in sides.fields {
            writer.beginObject()
            writer.key("field")
            writer.string(declared[field.field].name)
            value("base", field.field, field.base, &writer)
            value("yours", field.field, field.yours, &writer)
            value("theirs", field.field, field.theirs, &writer)
            writer.key("contested")
            writer.boolean(field.isContested)
            if let member = field.member {
                writer.key("member")
                writer.identifier(member)
            }
            if let at = field.at {
                writer.key("at")
                writer.integer(at)
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
