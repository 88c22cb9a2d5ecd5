package import Bytes
package import Family
package import Wire

/// The actions that the sync engine requests from its driver, in the given order.
package enum SyncAction: Hashable, Sendable {
    /// Send this frame on the open connection.
    case send(ClientFrame)
    /// Open a connection after this many milliseconds, then call `connected`; if it cannot be opened,
    /// `disconnected(closeCode: nil)`. A later `connect` or `stop` replaces it.
    case connect(afterMilliseconds: Int64)
    /// Close the open connection; the engine treats it as gone, so `disconnected` is not called for it.
    case disconnect(closeCode: UInt16)
    /// Call `timerFired` after this many milliseconds. There is one timer: a later `wake` replaces an earlier one.
    case wake(afterMilliseconds: Int64)
    /// These records have changed (`record(_:)` returns them), each once, in the order of their ids.
    case changed([Identifier])
    /// All records were replaced: a snapshot has been applied.
    case replaced
    /// An event that may interest a user or a script.
    case notify(SyncNotice)
    /// Trying again automatically cannot help. Pending mutations and drafts are kept; `start` tries again.
    case stop(StopReason)
}

/// An event for users and scripts.
package enum SyncNotice: Hashable, Sendable {
    /// Signed in; the limits and memberships are known.
    case welcome(Welcome)
    /// Joined the room; records may still be arriving.
    case joined(Joined)
    /// Everything up to the head has been applied: later changes arrive as they happen.
    case live(sequence: Int64)
    /// The connection ended, or could not be opened. `retryAfter`: milliseconds until the next attempt.
    case offline(closeCode: UInt16?, retryAfter: Int64)
    /// The server cannot continue from this client's position; a snapshot follows. `nil`: the position was ahead of the
    /// server's.
    case reset(ResetReason?)
    /// A change has been applied. `isOwn`: it is one of this engine's mutations.
    case change(Change, isOwn: Bool)
    /// A mutation is finally done. Reported once, regardless of whether the ack or the change arrived first.
    case acknowledged(Ack)
    /// A mutation was finally refused and has become a draft of the same number, except for an undo without meaning, of
    /// which nothing remains. Of a refused reading position nothing remains either, and nothing is reported.
    case rejected(mutation: Int64, Rejection)
    /// A mutation was refused for now and is sent again, unchanged, after this many milliseconds.
    case postponed(mutation: Int64, Rejection, retryAfter: Int64)
    case presence(Presence)
    /// Another member's upload is in progress, complete, or cancelled.
    case upload(UploadProgress)
    /// Another member's occupation at this moment. The engine keeps none; a client forgets it after `Activity.life`.
    case activity(MemberActivity)
    case context(Context)
    case role(Role)
    /// The person's sign-in was recovered on another device.
    case recovered(RecoveryNotice)
    /// A mail that the person asked for was given up.
    case mailFailed(MailNotice)
    /// An item begins soon. The engine keeps it until a device of the member has seen it (`SyncEngine.reminders`).
    case reminder(Reminder)
    /// A device of the member has seen a reminder.
    case reminderSeen(Reminder.Key)
    /// The response to a request: a `page`, `statistics`, `history`, `digest`, `access_log`, `invite`, `invites`, `audit`, `standing`, `standings`, `sessions` or
    /// `pong` frame, which carries the request's number.
    case answer(ServerFrame)
    /// A request, or a change of context, was refused.
    case failed(Rejection, request: Int64?)
    /// The server broke the protocol; the engine recovers with a new connection.
    case fault(SyncFault)
}

/// The reason why the engine stopped trying.
package enum StopReason: Hashable, Sendable {
    /// The token is not, or is no longer, valid.
    case tokenUnknown
    /// This session was ended, here or elsewhere.
    case signedOut
    /// The server ended the connection with a code that forbids reconnecting.
    case closed(UInt16)
    /// Signing in or joining was finally refused.
    case refused(Rejection)
    /// The server speaks another version of the protocol.
    case protocolUnsupported(Int)
    /// The person belongs to several families and none was named, or to none with that name; the list has all families.
    case familyUnclear([Membership])
}

/// A violation of the protocol by the server. Violations are counted; each ends the connection, and the next one
/// resumes.
package enum SyncFault: Error, Hashable, Sendable {
    /// A change that does not follow the cursor.
    case gap(expected: Int64, got: Int64)
    /// A change of a record that is not held, or is held at another version: the held records are not those of the
    /// server.
    case diverged(Identifier)
    /// The held records have another checksum than the server's at this sequence, or had it in the snapshot that was
    /// just loaded.
    case differs(sequence: Int64)
    /// A frame that is not allowed in this phase.
    case unexpectedFrame(String)
    /// A snapshot with more records than a family may have.
    case snapshotTooLarge
    /// A sent mutation was unanswered for `SyncEngine.answerTime`.
    case unanswered(mutation: Int64)
}
