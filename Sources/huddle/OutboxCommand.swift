import Arguments
import Commands
import Documents
import Family
import JSON
import Posix
import Sessions
import Sync
import Terminal
import Wire
import Words

/// `huddle outbox`: the changes that wait to be sent, and those that were refused.
struct OutboxCommand {
    private let invocation: Invocation
    private let setting: Setting

    init(_ invocation: Invocation, _ setting: Setting) {
        self.invocation = invocation
        self.setting = setting
    }

    func run(_ request: OutboxRequest) throws -> ExitStatus {
        switch request {
        case .list:
            try list()
            return .done
        case .send: return try send(nil)
        case .retry(let number):
            return try send { session in
                try session.retry(draft: try OutboxRequest.draft(number, session.engine.drafts).id)
            }
        case .drop(let number):
            let session = try LocalState.session(setting)
            defer { session.leave() }
            if let place = OutboxRequest.file(number) {
                guard let cache = session.cache, let files = try? cache.transfers(), files.indices.contains(place) else {
                    throw UsageError("No file on its way has the number \(number.printable). See: huddle outbox")
                }
                // The server deletes its part of an upload after a while; the local part of a download stays.
                try cache.forget(transfer: files[place].number)
                try tell("\(files[place].transfer.title.printable) is stopped.")
                return .done
            }
            let draft = try OutboxRequest.draft(number, session.engine.drafts)
            _ = session.drop(draft: draft.id)
            let clock = LocalClock(zone: session.engine.timeZone)
            try tell("Discarded: \(ChangeText(RecordNames(session.engine)) { clock.time($0, now: Clock.wallMilliseconds()) }.draft(draft))")
            return .done
        case .resolve(let number, let words):
            return try send { session in
                let draft = try OutboxRequest.draft(number, session.engine.drafts)
                guard let sides = session.engine.conflict(of: draft.id) else {
                    throw UsageError("Nobody changed the same: huddle outbox retry \(number.printable), or drop \(number.printable).")
                }
                let (fields, whole) = try OutboxRequest.choices(words, sides)
                return try session.resolve(sides, fields, whole: whole)
            }
        }
    }

    /// Prints the result, for people.
    private func tell(_ sentence: String) throws {
        if !invocation.isJSON { try Output.write(sentence + "\n") }
    }

    // MARK: List

    /// Lists beside any other process that has the cache open.
    private func list() throws {
        guard let place = setting.cache, let member = place.member, let kept = Cache.look(place, member, withWaiting: true) else {
            if !invocation.isJSON { try Output.write("Nothing waits, and nothing was refused.\n") }
            return
        }
        var engine = SyncEngine(setting.configuration(family: setting.familyIdentifier))
        engine.restore(kept.state)
        let files = Cache.lookTransfers(place, member)
        guard !invocation.isJSON else {
            for mutation in engine.pending { try print("waiting", mutation.id, mutation.at, mutation.body, sent: mutation.state != .unsent, nil) }
            for draft in engine.drafts {
                let body = draft.undo.map { Mutation.Body.undo(sequence: $0) } ?? .operations(draft.operations)
                try print("refused", draft.id, draft.at, body, sent: true, draft.rejection)
            }
            for (place, file) in files.enumerated() { try print(file, "f\(place + 1)") }
            return
        }
        let clock = LocalClock(zone: engine.timeZone)
        let text = ChangeText(RecordNames(engine)) { clock.time($0, now: Clock.wallMilliseconds()) }
        var lines: [String] = []
        if engine.pending.isEmpty, engine.drafts.isEmpty, files.isEmpty { lines.append("Nothing waits, and nothing was refused.") }
        if !engine.pending.isEmpty { lines.append("Waiting to be sent:") }
        for mutation in engine.pending { lines.append("   \(text.time(mutation.at)) \(text.waiting(mutation))") }
        if !engine.drafts.isEmpty { lines.append("Refused, and kept:") }
        for (index, draft) in engine.drafts.enumerated() {
            lines.append("\(index + 1). \(text.time(draft.at)) \(text.draft(draft))  #\(draft.id)")
            if let sides = engine.conflict(of: draft.id) {
                lines += text.conflict(sides).map { "   " + $0 }
            } else {
                lines += text.rejection(draft.rejection).map { "   " + $0 }
            }
        }
        if !files.isEmpty { lines.append("Files on their way:") }
        for (place, file) in files.enumerated() { lines.append("f\(place + 1). \(file.words)") }
        try Output.write(lines.joined(separator: "\n") + "\n")
    }

    private func print(_ file: StoredTransfer, _ number: String) throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("type")
        writer.string(file.transfer.isUpload ? "upload" : "download")
        writer.key("number")
        writer.string(number)
        writer.key("title")
        writer.string(file.transfer.title)
        writer.key("file")
        writer.string(file.transfer.path)
        writer.key("octets")
        writer.integer(file.octets)
        writer.key("total")
        writer.integer(file.transfer.total)
        writer.key("state")
        writer.string(file.state?.rawValue ?? "kept")
        writer.endObject()
        try Output.write(json: writer.octets)
    }

    private func print(_ type: String, _ id: Int64, _ at: Int64, _ body: Mutation.Body, sent: Bool, _ rejection: Rejection?) throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("type")
        writer.string(type)
        writer.key("mutation")
        writer.integer(id)
        writer.key("at")
        writer.integer(at)
        switch body {
        case .operations(let operations):
            writer.key("operations")
            OperationCodec.encode(operations, into: &writer)
        case .undo(let sequence):
            writer.key("undo")
            writer.integer(sequence)
        }
        if let rejection {
            writer.key("code")
            writer.string(rejection.code.rawValue)
            writer.key("message")
            writer.string(rejection.message)
        } else {
            writer.key("sent")
            writer.boolean(sent)
        }
        writer.endObject()
        try Output.write(json: writer.octets)
    }

    // MARK: Send

    /// Connects, calls `first`, and waits until the outbox is empty.
    ///
    /// - Parameter first: returns the mutation whose receipt determines the status; `nil` if there was nothing left to
    ///   send.
    private func send(_ first: ((ClientSession) throws -> Int64?)?) throws -> ExitStatus {
        // This comes first, so that the command reports immediately if another process has the cache.
        try LocalState.session(setting).leave()
        let room = try JoinedRoom(setting, timeout: invocation.timeout, keeps: true)
        defer { room.leave() }
        do {
            try room.enter(context: nil)
        } catch let failure as ProgramFailure where failure.status == .offline {
            throw ProgramFailure(.offline, "\(room.session.lastFailure ?? "\(setting.address) does not answer.") What waits still waits.")
        }
        let before = Set(room.session.engine.drafts.map(\.id))
        if let first { _ = try first(room.session) }
        while !room.session.engine.pending.isEmpty {
            let answered: Bool? = try room.wait { notice in
                switch notice {
                case .acknowledged, .rejected, .change: true
                default: nil
                }
            }
            guard answered != nil else { throw ProgramFailure(.offline, "\(setting.address) did not answer in time. Waiting changes are kept.") }
        }
        let refused = room.session.engine.drafts.filter { !before.contains($0.id) }
        for draft in refused { Standard.write(error: "huddle: \(draft.rejection.message.printable)\n") }
        if let refused = refused.first { return ExitStatus(refused.rejection) }
        return .done
    }
}
