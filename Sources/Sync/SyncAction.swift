package import Bytes
package import Family
package import Wire

/// What the sync engine asks of whoever drives it, in the order given.
package enum SyncAction: Hashable, Sendable {
    /// Send this frame on the connection that is open.
    case send(ClientFrame)
    /// Open a connection after so many milliseconds, then call `connected`; when it cannot be opened, `disconnected(closeCode: nil)`.
    /// A later `connect` or `stop` replaces it.
    case connect(afterMilliseconds: Int64)
    /// Close the connection that is open; the engine knows it is gone, so `disconnected` is not called for it.
    case disconnect(closeCode: UInt16)
    /// Call `timerFired` after so many milliseconds. There is one timer: a later `wake` replaces an earlier one.
    case wake(afterMilliseconds: Int64)
    /// These records look different now (`record(_:)` says how), each once, in the order of their ids.
    case changed([Identifier])
    /// All records were replaced: a snapshot has been applied.
    case replaced
    /// Something that a person or a script may want to hear of.
    case notify(SyncNotice)
    /// Trying again by itself cannot help. Pending mutations and drafts are kept; `start` tries again.
    case stop(StopReason)
}

/// What happened, for people and scripts.
package enum SyncNotice: Hashable, Sendable {
    /// Signed in; the limits and memberships are known.
    case welcome(Welcome)
    /// Sits in the room; records may still be arriving.
    case joined(Joined)
    /// Everything up to the head has been applied: what follows is as it happens.
    case live(sequence: Int64)
    /// The connection ended, or could not be opened. `retryAfter`: milliseconds until the next attempt.
    case offline(closeCode: UInt16?, retryAfter: Int64)
    /// The server cannot continue from where this client stopped; a snapshot follows. `nil`: the position was ahead of the server's.
    case reset(ResetReason?)
    /// A change has been applied. `isOwn`: it is one of this engine's mutations.
    case change(Change, isOwn: Bool)
    /// A mutation is done, for good. Said once, whether the ack or the change arrived first.
    case acknowledged(Ack)
    /// A mutation was refused for good and has become a draft of the same number; but for an undo that means nothing any more, of which nothing stays.
    case rejected(mutation: Int64, Rejection)
    /// A mutation was refused for now and is sent again, unchanged, after so many milliseconds.
    case postponed(mutation: Int64, Rejection, retryAfter: Int64)
    case presence(Presence)
    /// Somebody's file is on its way, or there, or given up.
    case upload(UploadProgress)
    case context(Context)
    case role(Role)
    /// What a request was answered with: a `page`, `statistics`, `history`, `digest` or `access_log` frame, which carries its number.
    case answer(ServerFrame)
    /// A request, or a change of context, was refused.
    case failed(Rejection, request: Int64?)
    /// The server broke the protocol; the engine recovers by connecting again.
    case fault(SyncFault)
}

/// Why the engine stopped trying.
package enum StopReason: Hashable, Sendable {
    /// The token is not, or no longer, one.
    case tokenUnknown
    /// This session was ended, here or elsewhere.
    case signedOut
    /// The server ended the connection with a code that says not to come back.
    case closed(UInt16)
    /// Signing in or joining was refused for good.
    case refused(Rejection)
    /// The server speaks another version of the protocol.
    case protocolUnsupported(Int)
    /// The person belongs to several families and none was named, or to none of that name; the list is all there are.
    case familyUnclear([Membership])
}

/// How the server broke the protocol. Counted; each ends the connection and the next one resumes.
package enum SyncFault: Error, Hashable, Sendable {
    /// A change that does not follow the cursor.
    case gap(expected: Int64, got: Int64)
    /// A change of a record that is not held, or at another version: the records held are not those of the server.
    case diverged(Identifier)
    /// The records held have another checksum than the server's at this sequence, or had it in the snapshot that was just loaded.
    case differs(sequence: Int64)
    /// A frame that has no place in this phase.
    case unexpectedFrame(String)
    /// A snapshot with more records than a family may have.
    case snapshotTooLarge
    /// A sent mutation stayed unanswered for `SyncEngine.answerTime`.
    case unanswered(mutation: Int64)
}
