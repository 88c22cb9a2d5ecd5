package import JSON

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
        switch self {
        case .signIn(let token):
            writer.word("sign_in")
            writer.key("token")
            writer.string(token)
        case .redeem(let code, let client):
            writer.word("redeem")
            writer.key("code")
            writer.string(code)
            writer.key("client")
            writer.identifier(client)
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
        case .mutate(let id, let operations):
            writer.word("mutate")
            writer.key("mutation")
            writer.integer(id)
            writer.key("operations")
            OperationCodec.encode(operations, into: &writer)
        case .refusedMutation:
            preconditionFailure("a refused mutation is read, never written")
        case .context(let context):
            writer.word("context")
            writer.key("context")
            writer.context(context)
        case .list(let list):
            writer.word("list")
            writer.key("request")
            writer.integer(list.request)
            writer.key("kind")
            writer.string(list.kind)
            if let before = list.before {
                writer.key("before")
                writer.string(before)
            }
            writer.key("limit")
            writer.integer(list.limit)
        case .signOut:
            writer.word("sign_out")
        }
        writer.endObject()
    }
}
