import Bytes
package import Family
import JSON

extension ServerFrame {
    /// Reads one text message of the server. What a newer server adds (members, kinds, limits, codes, types of frames) is left aside, so
    /// that an older client goes on; what is there and known has to be right. `type` stands first, a record's `kind` before its
    /// `fields`; other members may come in any order.
    ///
    /// - Parameter octets: one whole message; not kept.
    /// - Throws: `bad_frame` for what is no frame.
    package static func decode(_ octets: UnsafeRawBufferPointer) throws(Rejection) -> ServerFrame {
        // Far above any frame of ours (a snapshot comes in chunks of less than 1 MiB), and below what the reader can count.
        guard octets.count < 1 << 31 else { throw Rejection(.badFrame, "A message of the server is too long") }
        var reader = ServerFrameReader()
        do throws(JSONError) {
            try JSONReader.read(octets, maxDepth: WireBounds.serverDepth) { reader_ throws(JSONError) in try reader.read(&reader_) }
            return try reader.frame()
        } catch {
            throw Rejection(.badFrame, "No frame of this protocol: \(error)")
        }
    }

    package static func decode(_ octets: [UInt8]) throws(Rejection) -> ServerFrame {
        try octets.withUnsafeBufferPointer { buffer throws(Rejection) in try decode(UnsafeRawBufferPointer(buffer)) }
    }
}

/// The words of the server's `"type"`.
enum ServerFrameType: String, CaseIterable {
    case change, ack, reject, presence, upload, snapshot, live, welcome, token, joined, reset
    case snapshotEnd = "snapshot_end"
    case context, role, page, statistics, history, digest, checksum
    case accessLog = "access_log"
    case signedOut = "signed_out"
    case drain
    case error
}

/// Reads all members that any frame has, then looks whether they make the frame that the type names.
private struct ServerFrameReader {
    /// The type, when no frame known here has it.
    private var typeOfTomorrow: String?
    private var type: ServerFrameType?
    private var mutation: Int64?
    private var sequence: Int64?
    private var checksum: StateChecksum?
    private var unsent: StateChecksum?
    private var unknown = StateChecksum()
    private var at: Int64?
    private var time: Int64?
    private var member: Identifier?
    private var client: Identifier?
    private var family: Identifier?
    private var entries: [ChangeEntry]?
    private var versions: [Ack.Version]?
    private var records: [Record]?
    private var code: String?
    private var message: String?
    private var operation: Int?
    private var kind: Kind?
    private var id: Identifier?
    private var field: String?
    private var retry: Bool?
    private var retryAfter: Int64?
    private var conflict: Conflict?
    private var overlaps: [Overlap] = []
    private var overlap: OverlapOverride?
    private var undoes: Int64?
    private var warnings: [MutationWarning] = []
    private var request: Int64?
    private var next: String?
    private var nextSequence: Int64?
    private var total: Int?
    private var statistics: StatisticsCodec.Parts?
    private var history: [HistoryItem]?
    private var digest: DigestAnswer?
    private var accesses: [AccessPage.Entry]?
    private var context: Context?
    private var role: Role?
    private var connections: Int?
    private var presence: [Presence]?
    private var athlete: Identifier?
    private var title: String?
    private var octets: Int64?
    private var uploadState: String?
    private var resume: String?
    private var reason: ResetReason?
    private var epoch: String?
    private var token: String?
    private var `protocol`: Int?
    private var server: String?
    private var memberships: [Membership]?
    private var limits: Limits?
    private var features: [Feature] = []

    init() {}

    mutating func read(_ reader: inout JSONReader) throws(JSONError) {
        try reader.readObject { reader, key throws(JSONError) in
            guard typeOfTomorrow == nil else { return try reader.skipValue() }
            guard let type else {
                guard key == "type" else { throw .unexpected("the type first", at: reader.offset) }
                let word = try reader.readString()
                type = ServerFrameType(rawValue: word)
                if type == nil { typeOfTomorrow = word }
                return
            }
            switch key {
            case "mutation": mutation = try reader.readCount(from: 1)
            case "seq": sequence = try reader.readCount()
            case "checksum": checksum = try readChecksum(&reader)
            case "unsent": unsent = try readChecksum(&reader)
            case "at": at = try reader.readInteger()
            case "member": member = try reader.readIdentifier()
            case "client": client = try reader.readIdentifier()
            case "changes":
                entries = try Self.list(&reader, skipped: { reader throws(JSONError) in unknown = unknown + (try Self.unknown(&reader)) }) {
                    reader throws(JSONError) in try ChangeCodec.read(&reader)
                }
            case "records" where type == .ack: versions = try list(&reader) { reader throws(JSONError) in try readVersion(&reader) }
            case "records":
                records = try Self.list(&reader, skipped: { reader throws(JSONError) in unknown = unknown + (try Self.unknown(&reader)) }) {
                    reader throws(JSONError) in try RecordCodec.read(&reader)
                }
            case "code": code = try reader.readString()
            case "message": message = try reader.readString()
            case "operation": operation = Int(try reader.readCount())
            case "kind": kind = try reader.readKind()
            case "id": id = try reader.readIdentifier()
            case "field": field = try reader.readString()
            case "retry": retry = try reader.readBool()
            case "retry_after": retryAfter = try reader.readCount()
            case "conflict": conflict = try RejectionCodec.readConflict(&reader)
            case "overlaps": overlaps = try list(&reader) { reader throws(JSONError) in try OverlapCodec.read(&reader) }
            case "overlap": overlap = try OverlapCodec.readOverride(&reader, isStrict: false)
            case "undoes": undoes = try reader.readCount(from: 1)
            case "warnings": warnings = try list(&reader) { reader throws(JSONError) in try OverlapCodec.readWarning(&reader) }
            case "request": request = try reader.readCount()
            case "next" where type == .history: nextSequence = try reader.readCount(from: 1)
            case "next": next = try reader.readWord()
            case "athlete": athlete = try reader.readIdentifier()
            case "title": title = try reader.readString()
            case "octets": octets = try reader.readCount()
            case "state": uploadState = try reader.readString()
            case "total": total = Int(try reader.readCount())
            case "statistics": statistics = try StatisticsCodec.read(&reader)
            case "entries" where type == .history: history = try list(&reader) { reader throws(JSONError) in try HistoryCodec.read(&reader) }
            case "entries": accesses = try list(&reader) { reader throws(JSONError) in try HistoryCodec.readAccess(&reader) }
            case "digest": digest = try DigestCodec.read(&reader)
            case "context": context = try reader.readContext()
            case "role": role = try reader.readRole()
            case "connections": connections = Int(try reader.readCount())
            case "presence": presence = try list(&reader) { reader throws(JSONError) in try readPresence(&reader) }
            case "resume": resume = try reader.readString()
            case "reason":
                // A reason that a newer server added asks for the same: load everything again.
                reason = ResetReason(rawValue: try reader.readString()) ?? .logTrimmed
            case "epoch": epoch = try reader.readWord()
            case "family": family = try reader.readIdentifier()
            case "token": token = try reader.readWord()
            case "protocol": `protocol` = Int(try reader.readCount(from: 1))
            case "server": server = try reader.readString()
            case "time": time = try reader.readInteger()
            case "memberships": memberships = try list(&reader) { reader throws(JSONError) in try readMembership(&reader) }
            case "limits": limits = try LimitsCodec.read(&reader)
            case "features":
                try reader.readArray { reader throws(JSONError) in
                    if let known = Feature(rawValue: try reader.readString()) { features.append(known) }
                }
            // A newer server may say more than this program understands.
            default: try reader.skipValue()
            }
        }
    }

    /// Puts the members together. Every branch takes what it needs; whatever else came is left aside.
    func frame() throws(JSONError) -> ServerFrame {
        let frame = try untagged()
        guard let request else { return frame }
        switch type {
        case .welcome, .token, .joined, .context, .signedOut: return .tagged(frame, request: request)
        default: return frame
        }
    }

    private func untagged() throws(JSONError) -> ServerFrame {
        if let typeOfTomorrow { return .unknown(type: typeOfTomorrow) }
        guard let type else { throw .invalid("the frame needs a type") }
        switch type {
        case .change:
            var change = Change(
                sequence: try need(sequence, "seq"), at: try need(at, "at"), member: try need(member, "member"), client: client,
                mutation: mutation, overlap: overlap, undoes: undoes, entries: try need(entries, "changes"))
            change.unknown = unknown
            return .change(change)
        case .ack:
            let ack = Ack(
                mutation: try need(mutation, "mutation"), sequence: sequence, records: try need(versions, "records"), warnings: warnings)
            return .ack(ack)
        case .reject:
            return .reject(mutation: try need(mutation, "mutation"), try rejection())
        case .error:
            return .error(try rejection(), request: request)
        case .presence:
            let presence = Presence(
                member: try need(member, "member"), connections: try need(connections, "connections"), context: try need(context, "context"))
            return .presence(presence)
        case .upload:
            // A state that a newer server added says only that there is something.
            let state = UploadProgress.State(rawValue: try need(uploadState, "state")) ?? .running
            return .upload(
                UploadProgress(
                    id: try need(id, "id"), member: try need(member, "member"), athlete: try need(athlete, "athlete"),
                    title: try need(title, "title"), octets: try need(octets, "octets"), total: total.map(Int64.init), state: state))
        case .snapshot: return .snapshot(sequence: try need(sequence, "seq"), records: try need(records, "records"), unknown: unknown)
        case .snapshotEnd:
            var verification: SnapshotVerification?
            if let checksum, let unsent { verification = SnapshotVerification(checksum: checksum, unsent: unsent) }
            return .snapshotEnd(sequence: try need(sequence, "seq"), verification: verification)
        case .live: return .live(sequence: try need(sequence, "seq"), checksum: checksum)
        case .checksum: return .checksum(sequence: try need(sequence, "seq"), try need(checksum, "checksum"))
        case .welcome:
            let welcome = Welcome(
                protocol: try need(`protocol`, "protocol"), server: try need(server, "server"), time: try need(time, "time"),
                memberships: try need(memberships, "memberships"), limits: try need(limits, "limits"), features: features)
            return .welcome(welcome)
        case .token:
            return .token(token: try need(token, "token"), family: try need(family, "family"), member: try need(member, "member"))
        case .joined:
            let resume = try need(resume, "resume")
            guard resume == "changes" || resume == "snapshot" else { throw .invalid("resume is neither changes nor snapshot") }
            let joined = Joined(
                epoch: try need(epoch, "epoch"), sequence: try need(sequence, "seq"), family: try need(family, "family"),
                member: try need(member, "member"), role: try need(role, "role"), context: try need(context, "context"),
                resumesByChanges: resume == "changes", presence: try need(presence, "presence"))
            return .joined(joined)
        case .reset: return .reset(try need(reason, "reason"))
        case .context: return .context(try need(context, "context"))
        case .role: return .role(try need(role, "role"))
        case .page:
            return .page(
                Page(
                    request: try need(request, "request"), sequence: try need(sequence, "seq"), records: try need(records, "records"),
                    next: next, total: total))
        case .statistics:
            return .statistics(
                StatisticsAnswer(
                    request: try need(request, "request"), sequence: try need(sequence, "seq"),
                    statistics: try need(statistics, "statistics").statistics(try need(kind, "kind"))))
        case .history:
            return .history(HistoryPage(request: try need(request, "request"), entries: try need(history, "entries"), next: nextSequence))
        case .digest:
            var digest = try need(digest, "digest")
            digest.request = try need(request, "request")
            return .digest(digest)
        case .accessLog:
            return .accessLog(AccessPage(request: try need(request, "request"), entries: try need(accesses, "entries"), next: next))
        case .signedOut: return .signedOut
        case .drain: return .drain(retryAfter: try need(retryAfter, "retry_after"))
        }
    }

    /// A code that a newer server added is read as the plainest one that means the same to a program; the sentence stays.
    private func rejection() throws(JSONError) -> Rejection {
        let retry = try need(retry, "retry")
        let known = ErrorCode(rawValue: try need(code, "code"))
        if let known, known.isRetryable != retry { throw .invalid("retry is not what \(known.rawValue) says") }
        let message = try need(message, "message")
        var rejection = Rejection(
            known ?? (retry ? .busy : .invalid), message, operation: operation, kind: kind, id: id, field: field, retryAfter: retryAfter,
            conflict: conflict, overlaps: overlaps, sequence: sequence)
        // As the server wrote it.
        rejection.message = message
        return rejection
    }

    private func need<Value>(_ value: Value?, _ name: String) throws(JSONError) -> Value {
        guard let value else { throw .invalid("the frame needs \(name)") }
        return value
    }

    private func list<Element>(
        _ reader: inout JSONReader, _ element: (inout JSONReader) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        try Self.list(&reader, skipped: { reader throws(JSONError) in try reader.skipValue() }, element)
    }

    /// - Parameter skipped: reads an element of a kind that is not known here.
    private static func list<Element>(
        _ reader: inout JSONReader, skipped: (inout JSONReader) throws(JSONError) -> Void,
        _ element: (inout JSONReader) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        var elements: [Element] = []
        try reader.readArray { reader throws(JSONError) in
            var attempt = reader
            do throws(JSONError) {
                elements.append(try element(&attempt))
                reader = attempt
            } catch {
                // A record of a kind that a newer server added: not for this program. Whatever else is wrong stays wrong.
                guard case .unknownKey = error else { throw error }
                try skipped(&reader)
            }
        }
        return elements
    }

    /// How a record of an unknown kind, or an entry about one, moves the checksum of the family.
    private static func unknown(_ reader: inout JSONReader) throws(JSONError) -> StateChecksum {
        var op: String?
        var id: Identifier?
        var version: Int64?
        var isDeleted = false
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "op": op = try reader.readString()
            case "id": id = try reader.readIdentifier()
            case "version": version = try reader.readCount(from: 1)
            case "deleted_at":
                isDeleted = try reader.peekKind() != .null
                try reader.skipValue()
            default: try reader.skipValue()
            }
        }
        var checksum = StateChecksum()
        guard let id, let version else { return checksum }
        if op == "update" || op == "delete" { checksum.subtract(id, version: version - 1) }
        if op != "delete", !isDeleted { checksum.add(id, version: version) }
        return checksum
    }

    private func readChecksum(_ reader: inout JSONReader) throws(JSONError) -> StateChecksum {
        let start = reader.offset
        guard let value = UInt32(exactly: try reader.readCount()) else { throw .unexpected("a number below 2^32", at: start) }
        return StateChecksum(value)
    }

    private func readVersion(_ reader: inout JSONReader) throws(JSONError) -> Ack.Version {
        var id: Identifier?
        var version: Int64?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "id": id = try reader.readIdentifier()
            case "version": version = try reader.readCount(from: 1)
            default: try reader.skipValue()
            }
        }
        return Ack.Version(id: try need(id, "records.id"), version: try need(version, "records.version"))
    }

    private func readPresence(_ reader: inout JSONReader) throws(JSONError) -> Presence {
        var member: Identifier?
        var connections: Int?
        var context: Context?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "member": member = try reader.readIdentifier()
            case "connections": connections = Int(try reader.readCount())
            case "context": context = try reader.readContext()
            default: try reader.skipValue()
            }
        }
        return Presence(
            member: try need(member, "presence.member"), connections: try need(connections, "presence.connections"),
            context: try need(context, "presence.context"))
    }

    private func readMembership(_ reader: inout JSONReader) throws(JSONError) -> Membership {
        var family: Identifier?
        var name: String?
        var member: Identifier?
        var role: Role?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "family": family = try reader.readIdentifier()
            case "name": name = try reader.readString()
            case "member": member = try reader.readIdentifier()
            case "role": role = try reader.readRole()
            default: try reader.skipValue()
            }
        }
        return Membership(
            family: try need(family, "memberships.family"), name: try need(name, "memberships.name"),
            member: try need(member, "memberships.member"), role: try need(role, "memberships.role"))
    }
}
