package import Family
import Wire

extension Proposal {
    /// The answer that refuses it.
    func receipt(_ rejection: Rejection) -> Receipt {
        receipt(ReceiptCodec.encode(rejection, of: mutation.id))
    }

    /// - Parameter frame: the encoded `ack` or `reject`.
    func receipt(_ frame: [UInt8]) -> Receipt {
        Receipt(session: session, family: family, member: member, mutation: mutation.id, frame: frame, owed: -reserved)
    }
}

extension Rejection {
    /// Not recorded, so that the same mutation may be sent again: five seconds are enough for somebody to make room, and short
    /// enough to go on soon afterwards.
    package static let storageFull = Rejection(.storageFull, ErrorCode.storageFull.sentence, retryAfter: 5_000)

    /// Not recorded: the database asked to run the transaction again, and each run ended so.
    static let busy = Rejection(.busy, "The server is busy. This change was not made; it can be made in a moment.", retryAfter: 1_000)

    /// The one answer to whoever is not in a family, whether it exists or not.
    static let noSuchFamily = Rejection(.notFound, "There is no family with this id, or you are not a member of it. Check the id.")
}
