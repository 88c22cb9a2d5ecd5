import Family
package import JSON
import Queries

extension ClientFrame {
    /// The frame as one text message.
    package func encode() -> [UInt8] {
        var writer = JSONWriter()
        encode(into: &writer)
        return writer.octets
    }

    /// Appends the frame. A `refusedMutation` is something read, never written: writing one is our own mistake and traps.
    package func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("type")
        encodeRest(into: &writer)
        writer.endObject()
    }

    /// Everything after `"type":`.
    private func encodeRest(into writer: inout JSONWriter) {
        switch self {
        case .tagged(let frame, let request):
            frame.encodeRest(into: &writer)
            writer.key("request")
            writer.integer(request)
        case .signIn(let token):
            writer.word("sign_in")
            writer.key("token")
            writer.string(token)
        case .redeem(let code, let nonce):
            writer.word("redeem")
            writer.key("code")
            writer.string(code)
            writer.key("nonce")
            writer.string(nonce)
        case .join(let join):
            writer.word("join")
            writer.key("family")
            writer.identifier(join.family)
            writer.key("client")
            writer.identifier(join.client)
            if let context = join.context {
                writer.key("context")
                writer.context(context)
            }
            if let cursor = join.cursor {
                writer.key("cursor")
                writer.beginObject()
                writer.key("epoch")
                writer.string(cursor.epoch)
                writer.key("seq")
                writer.integer(cursor.sequence)
                writer.endObject()
            }
            if join.isQuiet {
                writer.key("quiet")
                writer.boolean(true)
            }
            if let differed = join.differed {
                writer.key("differed")
                writer.integer(differed)
            }
        case .mutation(let id, let body, let overlap):
            writer.word("mutate")
            writer.key("mutation")
            writer.integer(id)
            switch body {
            case .operations(let operations):
                writer.key("operations")
                OperationCodec.encode(operations, into: &writer)
            case .undo(let sequence):
                writer.key("undo")
                writer.integer(sequence)
            }
            if let overlap {
                writer.key("allow_overlap")
                OverlapCodec.encode(overlap, into: &writer)
            }
        case .refusedMutation:
            preconditionFailure("a refused mutation is read, never written")
        case .context(let context):
            writer.word("context")
            writer.key("context")
            writer.context(context)
        case .list(let list):
            ClientFrame.encode(list, into: &writer)
        case .statistics(let request):
            writer.word("statistics")
            writer.key("request")
            writer.integer(request.request)
            writer.key("kind")
            writer.string(request.kind)
            if let athlete = request.athlete {
                writer.key("athlete")
                writer.context(athlete)
            }
        case .history(let request):
            writer.word("history")
            writer.key("request")
            writer.integer(request.request)
            if let record = request.record {
                writer.key("record")
                writer.beginObject()
                writer.key("kind")
                writer.string(record.kind)
                writer.key("id")
                writer.identifier(record.id)
                writer.endObject()
            }
            if let before = request.before {
                writer.key("before")
                writer.integer(before)
            }
            writer.key("limit")
            writer.integer(request.limit)
        case .digest(let request):
            writer.word("digest")
            writer.key("request")
            writer.integer(request.request)
            if let after = request.after {
                writer.key("after")
                writer.integer(after)
            }
        case .accessLog(let request):
            writer.word("access_log")
            writer.key("request")
            writer.integer(request.request)
            if let before = request.before {
                writer.key("before")
                writer.string(before)
            }
            writer.key("limit")
            writer.integer(request.limit)
        case .refusedRequest:
            preconditionFailure("a refused request is read, never written")
        case .signOut:
            writer.word("sign_out")
        }
    }

    private static func encode(_ list: ListRequest, into writer: inout JSONWriter) {
        writer.word("list")
        writer.key("request")
        writer.integer(list.request)
        writer.key("kind")
        writer.string(list.kind)
        if let athlete = list.athlete {
            writer.key("athlete")
            writer.context(athlete)
        }
        if list.filter != Query.Filter() {
            writer.key("filter")
            FilterCodec.encode(list.filter, into: &writer)
        }
        if !list.search.isEmpty {
            writer.key("search")
            writer.string(list.search)
        }
        if let sort = list.sort {
            writer.key("sort")
            writer.string(sort.rawValue)
        }
        if let before = list.before {
            writer.key("before")
            writer.string(before)
        }
        writer.key("limit")
        writer.integer(list.limit)
        if list.counts {
            writer.key("count")
            writer.boolean(true)
        }
        if list.deleted {
            writer.key("deleted")
            writer.boolean(true)
        }
    }
}
