import Bytes
package import Family
import JSON

extension ServerFrame {
    /// Reads one text message of the server, as strictly as the server reads its clients. `type` stands first, a record's `kind` before its
    /// `fields`; other members may come in any order.
    ///
    /// - Parameter octets: one whole message; not kept.
    /// - Throws: `bad_frame` for anything else. (Its sentence names what was not understood: a newer server, most likely.)
    package static func decode(_ octets: UnsafeRawBufferPointer) throws(Rejection) -> ServerFrame {
        // Far above any frame of ours (a snapshot comes in chunks of less than 1 MiB), and below what the reader can count.
        guard octets.count < 1 << 31 else { throw Rejection(.badFrame, "A message of the server is too long") }
        var reader = ServerFrameReader()
        do throws(JSONError) {
            try JSONReader.read(octets, maxDepth: WireBounds.serverDepth) { reader_ throws(JSONError) in try reader.read(&reader_) }
            return try reader.frame()
        } catch {
            throw Rejection(.badFrame, "No frame of this protocol: \(error)", field: reader.unknown)
        }
    }

    package static func decode(_ octets: [UInt8]) throws(Rejection) -> ServerFrame {
        try octets.withUnsafeBufferPointer { buffer throws(Rejection) in try decode(UnsafeRawBufferPointer(buffer)) }
    }
}

/// The words of the server's `"type"`.
enum ServerFrameType: String, CaseIterable {
    case change, ack, reject, presence, snapshot, live, welcome, token, joined, reset
    case snapshotEnd = "snapshot_end"
    case context, role, page
    case signedOut = "signed_out"
    case error
}

/// Reads all members that any frame has, then looks whether they make the frame that the type names.
private struct ServerFrameReader {
    /// A member that the frame has no place for.
    var unknown: String?
    private var type: ServerFrameType?
    private var mutation: Int64?
    private var sequence: Int64?
    private var at: Int64?
    private var time: Int64?
    private var member: Identifier?
    private var client: Identifier?
    private var family: Identifier?
    private var entries: [ChangeEntry]?
    private var versions: [Ack.Version]?
    private var records: [Record]?
    private var code: ErrorCode?
    private var message: String?
    private var operation: Int?
    private var kind: Kind?
    private var id: Identifier?
    private var field: String?
    private var retry: Bool?
    private var retryAfter: Int64?
    private var conflict: Conflict?
    private var request: Int64?
    private var next: String?
    private var context: Context?
    private var role: Role?
    private var connections: Int?
    private var presence: [Presence]?
    private var resume: String?
    private var reason: ResetReason?
    private var epoch: String?
    private var token: String?
    private var `protocol`: Int?
    private var server: String?
    private var memberships: [Membership]?
    private var limits: Limits?
    /// How many members came, the type not counted, to find one that has no place.
    private var count = 0

    init() {}

    mutating func read(_ reader: inout JSONReader) throws(JSONError) {
        try reader.readObject { reader, key throws(JSONError) in
            guard let type else {
                guard key == "type" else { throw .unexpected("the type first", at: reader.offset) }
                let word = try reader.readString()
                guard let known = ServerFrameType(rawValue: word) else {
                    unknown = "type"
                    throw .invalid("no frame is called \(Words.quoted(word))")
                }
                self.type = known
                return
            }
            count += 1
            switch key {
            case "mutation": mutation = try reader.readCount(from: 1)
            case "seq": sequence = try reader.readCount()
            case "at": at = try reader.readInteger()
            case "member": member = try reader.readIdentifier()
            case "client": client = try reader.readIdentifier()
            case "changes": entries = try list(&reader) { reader throws(JSONError) in try ChangeCodec.read(&reader) }
            case "records" where type == .ack: versions = try list(&reader) { reader throws(JSONError) in try readVersion(&reader) }
            case "records": records = try list(&reader) { reader throws(JSONError) in try RecordCodec.read(&reader) }
            case "code":
                let start = reader.offset
                guard let known = ErrorCode(rawValue: try reader.readString()) else { throw .unexpected("a code of errors.json", at: start) }
                code = known
            case "message": message = try reader.readString()
            case "operation": operation = Int(try reader.readCount())
            case "kind": kind = try reader.readKind()
            case "id": id = try reader.readIdentifier()
            case "field": field = try reader.readString()
            case "retry": retry = try reader.readBool()
            case "retry_after": retryAfter = try reader.readCount()
            case "conflict": conflict = try RejectionCodec.readConflict(&reader)
            case "request": request = try reader.readCount()
            case "next": next = try reader.readWord()
            case "context": context = try reader.readContext()
            case "role": role = try reader.readRole()
            case "connections": connections = Int(try reader.readCount())
            case "presence": presence = try list(&reader) { reader throws(JSONError) in try readPresence(&reader) }
            case "resume": resume = try reader.readString()
            case "reason":
                let start = reader.offset
                guard let known = ResetReason(rawValue: try reader.readString()) else { throw .unexpected("a reason", at: start) }
                reason = known
            case "epoch": epoch = try reader.readWord()
            case "family": family = try reader.readIdentifier()
            case "token": token = try reader.readWord()
            case "protocol": `protocol` = Int(try reader.readCount(from: 1))
            case "server": server = try reader.readString()
            case "time": time = try reader.readInteger()
            case "memberships": memberships = try list(&reader) { reader throws(JSONError) in try readMembership(&reader) }
            case "limits": limits = try LimitsCodec.read(&reader)
            default:
                unknown = key.string
                throw .unknownKey(key.string)
            }
        }
    }

    /// Puts the members together. Every branch takes what it needs; whatever else came makes the count wrong.
    mutating func frame() throws(JSONError) -> ServerFrame {
        guard let type else { throw .invalid("the frame needs a type") }
        let (frame, taken) = try frame(type)
        guard taken == count else { throw .invalid("a frame called \(type.rawValue) has a member that is no part of it") }
        return frame
    }

    private func frame(_ type: ServerFrameType) throws(JSONError) -> (ServerFrame, Int) {
        switch type {
        case .change:
            let change = Change(
                sequence: try need(sequence, "seq"), at: try need(at, "at"), member: try need(member, "member"), client: client,
                mutation: mutation, entries: try need(entries, "changes"))
            return (.change(change), 4 + number(client, mutation))
        case .ack:
            let ack = Ack(mutation: try need(mutation, "mutation"), sequence: sequence, records: try need(versions, "records"))
            return (.ack(ack), 2 + number(sequence))
        case .reject:
            let (rejection, taken) = try rejection()
            return (.reject(mutation: try need(mutation, "mutation"), rejection), taken + 1)
        case .error:
            let (rejection, taken) = try rejection()
            return (.error(rejection, request: request), taken + number(request))
        case .presence:
            let presence = Presence(
                member: try need(member, "member"), connections: try need(connections, "connections"), context: try need(context, "context"))
            return (.presence(presence), 3)
        case .snapshot: return (.snapshot(sequence: try need(sequence, "seq"), records: try need(records, "records")), 2)
        case .snapshotEnd: return (.snapshotEnd(sequence: try need(sequence, "seq")), 1)
        case .live: return (.live(sequence: try need(sequence, "seq")), 1)
        case .welcome:
            let welcome = Welcome(
                protocol: try need(`protocol`, "protocol"), server: try need(server, "server"), time: try need(time, "time"),
                memberships: try need(memberships, "memberships"), limits: try need(limits, "limits"))
            return (.welcome(welcome), 5)
        case .token:
            return (.token(token: try need(token, "token"), family: try need(family, "family"), member: try need(member, "member")), 3)
        case .joined:
            let resume = try need(resume, "resume")
            guard resume == "changes" || resume == "snapshot" else { throw .invalid("resume is neither changes nor snapshot") }
            let joined = Joined(
                epoch: try need(epoch, "epoch"), sequence: try need(sequence, "seq"), family: try need(family, "family"),
                member: try need(member, "member"), role: try need(role, "role"), context: try need(context, "context"),
                resumesByChanges: resume == "changes", presence: try need(presence, "presence"))
            return (.joined(joined), 8)
        case .reset: return (.reset(try need(reason, "reason")), 1)
        case .context: return (.context(try need(context, "context")), 1)
        case .role: return (.role(try need(role, "role")), 1)
        case .page:
            return (.page(request: try need(request, "request"), records: try need(records, "records"), next: next), 2 + number(next))
        case .signedOut: return (.signedOut, 0)
        }
    }

    private func rejection() throws(JSONError) -> (Rejection, Int) {
        let code = try need(code, "code")
        guard try need(retry, "retry") == code.isRetryable else { throw .invalid("retry is not what \(code.rawValue) says") }
        let rejection = Rejection(
            code, try need(message, "message"), operation: operation, kind: kind, id: id, field: field, retryAfter: retryAfter,
            conflict: conflict)
        return (rejection, 3 + number(operation, kind, id, field, retryAfter, conflict))
    }

    private func need<Value>(_ value: Value?, _ name: String) throws(JSONError) -> Value {
        guard let value else { throw .invalid("the frame needs \(name)") }
        return value
    }

    /// How many of the optional members came.
    private func number<each Member>(_ members: repeat (each Member)?) -> Int {
        var number = 0
        for member in repeat each members {
            if member != nil { number += 1 }
        }
        return number
    }

    private func list<Element>(
        _ reader: inout JSONReader, _ element: (inout JSONReader) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        var elements: [Element] = []
        try reader.readArray { reader throws(JSONError) in elements.append(try element(&reader)) }
        return elements
    }

    private func readVersion(_ reader: inout JSONReader) throws(JSONError) -> Ack.Version {
        var id: Identifier?
        var version: Int64?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "id": id = try reader.readIdentifier()
            case "version": version = try reader.readCount(from: 1)
            default: throw .unknownKey(key.string)
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
            default: throw .unknownKey(key.string)
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
            default: throw .unknownKey(key.string)
            }
        }
        return Membership(
            family: try need(family, "memberships.family"), name: try need(name, "memberships.name"),
            member: try need(member, "memberships.member"), role: try need(role, "memberships.role"))
    }
}
