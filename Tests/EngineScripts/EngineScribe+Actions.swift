import Bytes
import Family
import JSON
package import Sync
import Wire

extension EngineScriptWriter {
    /// Actions as an array.
    package static func octets(_ actions: [SyncAction]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for action in actions {
            writer.beginObject()
            write(action, to: &writer)
            writer.endObject()
        }
        writer.endArray()
        return writer.octets
    }

    private static func write(_ action: SyncAction, to writer: inout JSONWriter) {
        switch action {
        case .send(let frame):
            writer.key("send")
            writer.raw(frame.encode())
        case .connect(let wait):
            writer.key("connect")
            writer.integer(wait)
        case .disconnect(let code):
            writer.key("disconnect")
            writer.integer(Int64(code))
        case .wake(let wait):
            writer.key("wake")
            writer.integer(wait)
        case .changed(let ids):
            writer.key("changed")
            writer.beginArray()
            for id in ids { writer.identifier(id) }
            writer.endArray()
        case .replaced:
            writer.key("replaced")
            writer.boolean(true)
        case .notify(let notice): write(notice, to: &writer)
        case .stop(let reason): write(reason, to: &writer)
        }
    }

    private static func write(_ notice: SyncNotice, to writer: inout JSONWriter) {
        func head(_ word: StaticString) {
            writer.key("notify")
            writer.word(word)
        }
        func member(_ name: StaticString, _ number: Int64?) {
            guard let number else { return }
            writer.key(name)
            writer.integer(number)
        }
        func rejected(_ rejection: Rejection) {
            writer.key("rejection")
            write(rejection, to: &writer)
        }
        switch notice {
        case .welcome: head("welcome")
        case .joined(let joined):
            head("joined")
            member("seq", joined.sequence)
        case .live(let sequence):
            head("live")
            member("seq", sequence)
        case .offline(let code, let retryAfter):
            head("offline")
            member("code", code.map(Int64.init))
            member("retry_after", retryAfter)
        case .reset(let reason):
            head("reset")
            if let reason {
                writer.key("reason")
                writer.string(reason.rawValue)
            }
        case .change(let change, let isOwn):
            head("change")
            member("seq", change.sequence)
            writer.key("own")
            writer.boolean(isOwn)
        case .acknowledged(let ack):
            head("acknowledged")
            writer.key("ack")
            var frame = JSONWriter()
            ServerFrame.encode(ack, into: &frame)
            writer.raw(frame.octets)
        case .rejected(let mutation, let rejection):
            head("rejected")
            member("mutation", mutation)
            rejected(rejection)
        case .postponed(let mutation, let rejection, let retryAfter):
            head("postponed")
            member("mutation", mutation)
            rejected(rejection)
            member("retry_after", retryAfter)
        case .presence(let presence):
            head("presence")
            writer.key("member")
            writer.identifier(presence.member)
            member("connections", Int64(presence.connections))
            writer.key("context")
            writer.string(word(presence.context))
        case .upload(let upload):
            head("upload")
            writer.key("id")
            writer.identifier(upload.id)
            writer.key("state")
            writer.string(upload.state.rawValue)
            member("octets", upload.octets)
        case .activity(let one):
            head("activity")
            writer.key("member")
            writer.identifier(one.member)
            writer.key("action")
            writer.string(one.activity.action.rawValue)
            if let record = one.activity.record {
                writer.key("record")
                writer.beginObject()
                writer.key("kind")
                writer.string(record.kind.name.description)
                writer.key("id")
                writer.identifier(record.id)
                writer.endObject()
            }
        case .context(let context):
            head("context")
            writer.key("context")
            writer.string(word(context))
        case .role(let role):
            head("role")
            writer.key("role")
            writer.string(role.rawValue)
        case .recovered(let notice):
            head("recovered")
            writer.key("way")
            writer.string(notice.way.rawValue)
            member("at", notice.at)
        case .mailFailed(let notice):
            head("mail_failed")
            writer.key("kind")
            writer.string(notice.kind.rawValue)
            writer.key("address")
            writer.string(notice.address)
            writer.key("problem")
            writer.string(notice.problem.rawValue)
            if let invite = notice.invite {
                writer.key("invite")
                writer.identifier(invite)
            }
        case .reminder(let reminder):
            head("reminder")
            writer.key("frame")
            writer.raw(ServerFrame.reminder(reminder).encode())
        case .reminderSeen(let key):
            head("reminder_seen")
            writer.key("frame")
            writer.raw(ServerFrame.reminderSeen(key).encode())
        case .answer(let frame):
            head("answer")
            writer.key("frame")
            writer.raw(frame.encode())
        case .failed(let rejection, let request):
            head("failed")
            rejected(rejection)
            member("request", request)
        case .fault(let fault):
            head("fault")
            writer.key("fault")
            switch fault {
            case .gap(let expected, let got):
                writer.word("gap")
                member("expected", expected)
                member("got", got)
            case .diverged(let id):
                writer.word("diverged")
                writer.key("id")
                writer.identifier(id)
            case .differs(let sequence):
                writer.word("differs")
                member("seq", sequence)
            case .unexpectedFrame(let word):
                writer.word("unexpected_frame")
                writer.key("frame")
                writer.string(word)
            case .snapshotTooLarge: writer.word("snapshot_too_large")
            case .unanswered(let mutation):
                writer.word("unanswered")
                member("mutation", mutation)
            }
        }
    }

    private static func write(_ reason: StopReason, to writer: inout JSONWriter) {
        writer.key("stop")
        switch reason {
        case .tokenUnknown: writer.word("token_unknown")
        case .signedOut: writer.word("signed_out")
        case .closed(let code):
            writer.word("closed")
            writer.key("code")
            writer.integer(Int64(code))
        case .refused(let rejection):
            writer.word("refused")
            writer.key("rejection")
            write(rejection, to: &writer)
        case .protocolUnsupported(let version):
            writer.word("protocol_unsupported")
            writer.key("protocol")
            writer.integer(version)
        case .familyUnclear(let memberships):
            writer.word("family_unclear")
            writer.key("families")
            writer.beginArray()
            for membership in memberships { writer.identifier(membership.family) }
            writer.endArray()
        }
    }
}
