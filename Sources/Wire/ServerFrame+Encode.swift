import Bytes
package import Family
package import JSON
import Queries

extension ServerFrame {
    /// The frame as one text message.
    package func encode() -> [UInt8] {
        var writer = JSONWriter()
        encode(into: &writer)
        return writer.octets
    }

    /// Appends the frame.
    package func encode(into writer: inout JSONWriter) {
        switch self {
        case .change(let change): return ServerFrame.encode(change, into: &writer)
        case .ack(let ack): return ServerFrame.encode(ack, into: &writer)
        case .reject(let mutation, let rejection): return ServerFrame.encode(rejection, of: mutation, into: &writer)
        default: break
        }
        writer.beginObject()
        writer.key("type")
        encodeRest(into: &writer)
        writer.endObject()
    }

    /// `encode` of a `change`, without making a frame first.
    package static func encode(_ change: borrowing Change, into writer: inout JSONWriter) {
        writer.reserve(160 + 640 * change.entries.count)
        writer.beginObject()
        writer.key("type")
        writer.word("change")
        writer.key("seq")
        writer.integer(change.sequence)
        writer.key("at")
        writer.integer(change.at)
        writer.key("member")
        writer.identifier(change.member)
        if let client = change.client {
            writer.key("client")
            writer.identifier(client)
        }
        if let mutation = change.mutation {
            writer.key("mutation")
            writer.integer(mutation)
        }
        if let overlap = change.overlap {
            writer.key("overlap")
            OverlapCodec.encode(overlap, into: &writer)
        }
        if let undoes = change.undoes {
            writer.key("undoes")
            writer.integer(undoes)
        }
        writer.key("changes")
        writer.beginArray()
        for entry in change.entries { ChangeCodec.encode(entry, into: &writer) }
        writer.endArray()
        writer.endObject()
    }

    /// `encode` of an `ack`, without making a frame first.
    package static func encode(_ ack: borrowing Ack, into writer: inout JSONWriter) {
        writer.reserve(64 + 64 * ack.records.count)
        writer.beginObject()
        writer.key("type")
        writer.word("ack")
        writer.key("mutation")
        writer.integer(ack.mutation)
        if let sequence = ack.sequence {
            writer.key("seq")
            writer.integer(sequence)
        }
        writer.key("records")
        writer.beginArray()
        for record in ack.records {
            writer.beginObject()
            writer.key("id")
            writer.identifier(record.id)
            writer.key("version")
            writer.integer(record.version)
            writer.endObject()
        }
        writer.endArray()
        if !ack.warnings.isEmpty {
            writer.key("warnings")
            writer.beginArray()
            for warning in ack.warnings { OverlapCodec.encode(warning, into: &writer) }
            writer.endArray()
        }
        writer.endObject()
    }

    /// `encode` of a `reject`, without making a frame first.
    package static func encode(_ rejection: borrowing Rejection, of mutation: Int64, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("type")
        writer.word("reject")
        writer.key("mutation")
        writer.integer(mutation)
        RejectionCodec.encode(rejection, into: &writer)
        writer.endObject()
    }

    /// The frames that come once a session or once a second: everything after `"type":`.
    private func encodeRest(into writer: inout JSONWriter) {
        switch self {
        case .change, .ack, .reject: break
        case .welcome(let welcome):
            writer.word("welcome")
            ServerFrame.encode(welcome, into: &writer)
        case .token(let token, let family, let member):
            writer.word("token")
            writer.key("token")
            writer.string(token)
            writer.key("family")
            writer.identifier(family)
            writer.key("member")
            writer.identifier(member)
        case .joined(let joined):
            writer.word("joined")
            ServerFrame.encode(joined, into: &writer)
        case .reset(let reason):
            writer.word("reset")
            writer.key("reason")
            writer.string(reason.rawValue)
        case .snapshot(let sequence, let records, _):
            writer.word("snapshot")
            writer.key("seq")
            writer.integer(sequence)
            ServerFrame.encode(records, into: &writer)
        case .snapshotEnd(let sequence, let verification):
            writer.word("snapshot_end")
            writer.key("seq")
            writer.integer(sequence)
            if let verification {
                writer.key("checksum")
                writer.integer(Int64(verification.checksum.value))
                writer.key("unsent")
                writer.integer(Int64(verification.unsent.value))
            }
        case .live(let sequence, let checksum):
            writer.word("live")
            writer.key("seq")
            writer.integer(sequence)
            if let checksum {
                writer.key("checksum")
                writer.integer(Int64(checksum.value))
            }
        case .checksum(let sequence, let checksum):
            writer.word("checksum")
            writer.key("seq")
            writer.integer(sequence)
            writer.key("checksum")
            writer.integer(Int64(checksum.value))
        case .presence(let presence):
            writer.word("presence")
            ServerFrame.encodeMembers(presence, into: &writer)
        case .upload(let upload):
            writer.word("upload")
            writer.key("id")
            writer.identifier(upload.id)
            writer.key("member")
            writer.identifier(upload.member)
            writer.key("athlete")
            writer.identifier(upload.athlete)
            writer.key("title")
            writer.string(upload.title)
            writer.key("octets")
            writer.integer(upload.octets)
            if let total = upload.total {
                writer.key("total")
                writer.integer(total)
            }
            writer.key("state")
            writer.string(upload.state.rawValue)
        case .context(let context):
            writer.word("context")
            writer.key("context")
            writer.context(context)
        case .role(let role):
            writer.word("role")
            writer.key("role")
            writer.string(role.rawValue)
        case .page(let page):
            writer.word("page")
            writer.key("request")
            writer.integer(page.request)
            writer.key("seq")
            writer.integer(page.sequence)
            ServerFrame.encode(page.records, into: &writer)
            if let next = page.next {
                writer.key("next")
                writer.string(next)
            }
            if let total = page.total {
                writer.key("total")
                writer.integer(total)
            }
        case .statistics(let answer):
            writer.word("statistics")
            writer.key("request")
            writer.integer(answer.request)
            writer.key("seq")
            writer.integer(answer.sequence)
            writer.key("kind")
            writer.string(answer.statistics.kind)
            writer.key("statistics")
            StatisticsCodec.encode(answer.statistics, into: &writer)
        case .history(let page):
            writer.word("history")
            writer.key("request")
            writer.integer(page.request)
            writer.key("entries")
            writer.beginArray()
            for entry in page.entries { HistoryCodec.encode(entry, into: &writer) }
            writer.endArray()
            if let next = page.next {
                writer.key("next")
                writer.integer(next)
            }
        case .digest(let digest):
            writer.word("digest")
            writer.key("request")
            writer.integer(digest.request)
            writer.key("digest")
            DigestCodec.encode(digest, into: &writer)
        case .accessLog(let page):
            writer.word("access_log")
            writer.key("request")
            writer.integer(page.request)
            writer.key("entries")
            writer.beginArray()
            for entry in page.entries { HistoryCodec.encode(entry, into: &writer) }
            writer.endArray()
            if let next = page.next {
                writer.key("next")
                writer.string(next)
            }
        case .unknown(let type):
            writer.string(type)
        case .signedOut:
            writer.word("signed_out")
        case .drain(let retryAfter):
            writer.word("drain")
            writer.key("retry_after")
            writer.integer(retryAfter)
        case .tagged(let frame, let request):
            frame.encodeRest(into: &writer)
            writer.key("request")
            writer.integer(request)
        case .error(let rejection, let request):
            writer.word("error")
            RejectionCodec.encode(rejection, into: &writer)
            if let request {
                writer.key("request")
                writer.integer(request)
            }
        }
    }

    private static func encode(_ welcome: Welcome, into writer: inout JSONWriter) {
        writer.key("protocol")
        writer.integer(welcome.protocol)
        writer.key("server")
        writer.string(welcome.server)
        writer.key("time")
        writer.integer(welcome.time)
        writer.key("memberships")
        writer.beginArray()
        for membership in welcome.memberships {
            writer.beginObject()
            writer.key("family")
            writer.identifier(membership.family)
            writer.key("name")
            writer.string(membership.name)
            writer.key("member")
            writer.identifier(membership.member)
            writer.key("role")
            writer.string(membership.role.rawValue)
            writer.endObject()
        }
        writer.endArray()
        writer.key("limits")
        LimitsCodec.encode(welcome.limits, into: &writer)
        guard !welcome.features.isEmpty else { return }
        writer.key("features")
        writer.beginArray()
        for feature in welcome.features { writer.string(feature.rawValue) }
        writer.endArray()
    }

    private static func encode(_ joined: Joined, into writer: inout JSONWriter) {
        writer.key("epoch")
        writer.string(joined.epoch)
        writer.key("seq")
        writer.integer(joined.sequence)
        writer.key("family")
        writer.identifier(joined.family)
        writer.key("member")
        writer.identifier(joined.member)
        writer.key("role")
        writer.string(joined.role.rawValue)
        writer.key("context")
        writer.context(joined.context)
        writer.key("resume")
        writer.word(joined.resumesByChanges ? "changes" : "snapshot")
        writer.key("presence")
        writer.beginArray()
        for presence in joined.presence {
            writer.beginObject()
            encodeMembers(presence, into: &writer)
            writer.endObject()
        }
        writer.endArray()
    }

    private static func encodeMembers(_ presence: Presence, into writer: inout JSONWriter) {
        writer.key("member")
        writer.identifier(presence.member)
        writer.key("connections")
        writer.integer(presence.connections)
        writer.key("context")
        writer.context(presence.context)
    }

    private static func encode(_ records: [Record], into writer: inout JSONWriter) {
        writer.key("records")
        writer.beginArray()
        for record in records { RecordCodec.encode(record, into: &writer) }
        writer.endArray()
    }
}
