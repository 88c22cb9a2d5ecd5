package import Bytes
package import Family
package import JSON
package import Sync
import Wire

/// Writes an engine's actions and state in the form of `proto/sync.md`.
///
/// Of the state it writes only the members that differ from the last time, so that equal texts mean equal states.
package struct EngineScriptWriter {
    private var members: [String: [UInt8]] = [:]
    private var shown: [Identifier: [UInt8]] = [:]
    private var confirmed: [Identifier: [UInt8]] = [:]

    /// Begins with the state of an engine that has had no input.
    package init(_ engine: SyncEngine) { _ = changes(of: engine) }

    /// The members of the state that have changed since the last call, as one object.
    ///
    /// - Parameter touched: the records to look at; `nil`: all.
    package mutating func changes(of engine: SyncEngine, touched: [Identifier]? = nil) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        func word(_ text: String?) -> (inout JSONWriter) -> Void {
            { writer in if let text { writer.string(text) } else { writer.null() } }
        }
        note("phase", &writer, word(Self.word(engine.phase)))
        note("client", &writer, word(engine.configuration.client.description))
        note("family", &writer, word(engine.family?.description))
        note("member", &writer, word(engine.member?.description))
        note("role", &writer, word(engine.role?.rawValue))
        note("context", &writer, word(engine.context.map(Self.word)))
        note("cursor", &writer) { Self.write(engine.cursor, to: &$0) }
        note("checksum", &writer) { writer in
            if let sum = engine.checksum { writer.integer(Int64(sum.value)) } else { writer.null() }
        }
        note("waiting", &writer) { $0.integer(engine.waitingCount) }
        note("faults", &writer) { $0.integer(engine.faultCount) }
        note("present", &writer) { Self.write(engine.presence.keys.sorted(), to: &$0) }
        note("uploads", &writer) { Self.write(engine.uploads.keys.sorted(), to: &$0) }
        note("pending", &writer) { writer in
            writer.beginArray()
            for mutation in engine.pending { Self.write(mutation, to: &writer) }
            writer.endArray()
        }
        note("drafts", &writer) { writer in
            writer.beginArray()
            for draft in engine.drafts { Self.write(draft, to: &writer) }
            writer.endArray()
        }
        noteRecords(engine, touched, &writer)
        writer.endObject()
        return writer.octets
    }

    private mutating func note(_ name: String, _ writer: inout JSONWriter, _ value: (inout JSONWriter) -> Void) {
        var own = JSONWriter()
        value(&own)
        guard members[name] != own.octets else { return }
        members[name] = own.octets
        writer.key(name)
        writer.raw(own.octets)
    }

    private mutating func noteRecords(_ engine: SyncEngine, _ touched: [Identifier]?, _ writer: inout JSONWriter) {
        let pending = Set(engine.pending.flatMap { $0.operations.map(\.id) })
        let looked = touched ?? Array(Set(engine.confirmedRecords.keys).union(pending).union(shown.keys)).sorted()
        var differing: [(Identifier, [UInt8]?)] = []
        for id in looked {
            let now = engine.record(id).map(Self.octets)
            guard shown[id] != now else { continue }
            shown[id] = now
            differing.append((id, now))
        }
        Self.write(differing, "records", to: &writer)
        differing = []
        confirmed = confirmed.filter { pending.contains($0.key) }
        for id in pending.sorted() {
            let now = engine.confirmedRecord(id).map(Self.octets)
            guard confirmed[id] != now else { continue }
            confirmed[id] = now
            differing.append((id, now))
        }
        Self.write(differing, "confirmed", to: &writer)
    }

    private static func write(_ records: [(Identifier, [UInt8]?)], _ name: StaticString, to writer: inout JSONWriter) {
        guard !records.isEmpty else { return }
        writer.key(name)
        writer.beginObject()
        for (id, octets) in records {
            writer.key(id.description)
            if let octets { writer.raw(octets) } else { writer.null() }
        }
        writer.endObject()
    }

    private static func octets(_ record: Record) -> [UInt8] {
        var writer = JSONWriter()
        RecordCodec.encode(record, into: &writer)
        return writer.octets
    }

    private static func write(_ ids: [Identifier], to writer: inout JSONWriter) {
        writer.beginArray()
        for id in ids { writer.identifier(id) }
        writer.endArray()
    }

    private static func write(_ cursor: Cursor?, to writer: inout JSONWriter) {
        guard let cursor else { return writer.null() }
        writer.beginObject()
        writer.key("epoch")
        writer.string(cursor.epoch)
        writer.key("seq")
        writer.integer(cursor.sequence)
        writer.endObject()
    }

    private static func write(_ operations: [Operation], undo: Int64?, _ overlap: OverlapOverride?, at: Int64, to writer: inout JSONWriter) {
        if let undo {
            writer.key("undo")
            writer.integer(undo)
        } else {
            writer.key("operations")
            OperationCodec.encode(operations, into: &writer)
        }
        if let overlap {
            writer.key("allow_overlap")
            OverlapCodec.encode(overlap, into: &writer)
        }
        writer.key("at")
        writer.integer(at)
    }

    private static func write(_ mutation: PendingMutation, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.integer(mutation.id)
        write(mutation.operations, undo: mutation.undo, mutation.overlap, at: mutation.at, to: &writer)
        writer.key("state")
        switch mutation.state {
        case .unsent: writer.string("unsent")
        case .inFlight(let since):
            writer.string("in_flight")
            writer.key("since")
            writer.integer(since)
        case .resend: writer.string("resend")
        case .acknowledged(let sequence):
            writer.string("acknowledged")
            writer.key("seq")
            writer.integer(sequence)
        }
        if mutation.complaints > 0 {
            writer.key("complaints")
            writer.integer(mutation.complaints)
        }
        writer.endObject()
    }

    private static func write(_ draft: Draft, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.integer(draft.id)
        write(draft.operations, undo: draft.undo, draft.overlap, at: draft.at, to: &writer)
        writer.key("rejection")
        write(draft.rejection, to: &writer)
        writer.endObject()
    }

    /// The members of a `reject` frame that say why.
    package static func write(_ rejection: Rejection, to writer: inout JSONWriter) {
        var frame = JSONWriter()
        ServerFrame.encode(rejection, of: 0, into: &frame)
        let head = Array(#"{"type":"reject","mutation":0,"#.utf8)
        writer.raw(Array("{".utf8) + frame.octets.dropFirst(head.count))
    }

    private static func word(_ phase: SyncEngine.Phase) -> String {
        switch phase {
        case .stopped: "stopped"
        case .offline: "offline"
        case .signingIn: "signing_in"
        case .joining: "joining"
        case .syncing: "syncing"
        case .live: "live"
        }
    }

    /// A context as frames spell it.
    package static func word(_ context: Context) -> String {
        switch context {
        case .all: "all"
        case .athlete(let id): id.description
        }
    }
}

// The whole state to store.
extension EngineScriptWriter {
    package static func write(_ saved: SavedState, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("client")
        writer.identifier(saved.client)
        writer.key("family")
        writer.identifier(saved.family)
        writer.key("member")
        writer.identifier(saved.member)
        writer.key("role")
        if let role = saved.role { writer.string(role.rawValue) } else { writer.null() }
        writer.key("context")
        if let context = saved.context { writer.string(word(context)) } else { writer.null() }
        writer.key("cursor")
        write(saved.cursor, to: &writer)
        writer.key("records")
        writer.beginArray()
        for record in saved.records.sorted(by: { $0.id < $1.id }) { RecordCodec.encode(record, into: &writer) }
        writer.endArray()
        writer.key("unsent")
        if let unsent = saved.unsent { writer.integer(Int64(unsent.value)) } else { writer.null() }
        writer.key("pending")
        writer.beginArray()
        for mutation in saved.pending { write(mutation.asSaved, to: &writer) }
        writer.endArray()
        writer.key("drafts")
        writer.beginArray()
        for draft in saved.drafts { write(draft, to: &writer) }
        writer.endArray()
        writer.key("last_mutation")
        writer.integer(saved.lastMutation)
        writer.endObject()
    }
}
