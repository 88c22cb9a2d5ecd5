package import Family
import Wire

extension Proposal {
    /// The receipt of a refusal.
    func receipt(_ rejection: Rejection) -> Receipt {
        receipt(ReceiptCodec.encode(rejection, of: mutation.id))
    }

    /// - Parameter frame: the encoded `ack` or `reject`.
    func receipt(_ frame: [UInt8]) -> Receipt {
        Receipt(session: session, family: family, member: member, mutation: mutation.id, frame: frame, owed: -reserved)
    }
}

extension Rejection {
    /// Not recorded, so that the same mutation may be sent again. Five seconds are enough for somebody to free space,
    /// and short enough to continue soon afterwards.
    package static let storageFull = Rejection(.storageFull, ErrorCode.storageFull.sentence, retryAfter: 5_000)

    /// Not recorded: the database asked to run the transaction again, and each run ended so.
    static let busy = Rejection(.busy, "The server is busy. This change was not made; try again in a moment.", retryAfter: 1_000)

    /// The same answer to every person who is not in a family, whether the family exists or not.
    static let noSuchFamily = Rejection(.notFound, "There is no family with this id, or you are not a member of it. Check the id.")
}
