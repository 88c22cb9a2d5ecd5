package import Family

/// How much a family may store.
package enum Quota {
    /// - Parameters:
    ///   - used: octets that the family's log and history take.
    ///   - limit: octets that they may take; the change that reaches it is the last one.
    /// - Throws: `quota_exceeded` if they do.
    package static func check(history used: Int64, limit: Int) throws(Rejection) {
        guard used >= Int64(limit) else { return }
        throw Rejection(
            .quotaExceeded,
            "The history of this family takes \(ByteCount.text(used)), and \(ByteCount.text(Int64(limit))) is its limit. Nothing was changed. "
                + "Ask the person who runs the server for more.")
    }

    /// - Parameters:
    ///   - used: octets that count already.
    ///   - wanted: octets of the new file.
    /// - Throws: `quota_exceeded` if both together are more than `limit`.
    package static func check(used: Int64, wanted: Int64, limit: Int) throws(Rejection) {
        let left = max(0, Int64(limit) - used)
        guard wanted > left else { return }
        throw Rejection(
            .quotaExceeded,
            "This file has \(ByteCount.text(wanted)), but only \(ByteCount.text(left)) of the \(ByteCount.text(Int64(limit))) that this family may store are free. "
                + "Delete documents that are no longer needed (their room is free 30 days later), or ask the person who runs the server for more.")
    }
}
