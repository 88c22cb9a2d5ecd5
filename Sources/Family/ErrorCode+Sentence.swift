extension ErrorCode {
    /// What a person is told, as a template: words in braces stand for what the case at hand puts there.
    /// Rejections carry the finished sentence; clients show it as it is, or their own words by the code. Those without a full stop are
    /// words of the requirements (R057).
    package var sentence: String {
        switch self {
        case .required: "{label} is required"
        case .invalid: "{label} is not what it must be: {what it must be}."
        case .tooLong: "{label} is at most {limit} characters long."
        case .tooMany: "{label}: at most {limit} entries."
        case .outOfRange: "{label} must not be below {bound}."
        case .endBeforeStart: "End date must be after start date"
        case .unknownKind: "No kind is called \"{kind}\". " + older
        case .unknownField: "{kind} has no field \"{field}\". " + older
        case .unknownOperation: "No operation is called \"{op}\". " + older
        case .unknownReference: "{label}: what it names does not exist, or was deleted. Nothing was changed."
        case .notAllowed: "{who may do it}. Nothing was changed."
        case .notFound: "There is no such record. Nothing was changed."
        case .alreadyExists: "There is a record with this id already. Nothing was changed."
        case .conflict: "{name} changed this a moment ago. Your text is kept as a draft: open it to compare."
        case .lastParent: "A family keeps at least one parent. Nothing was changed."
        case .overlap: "{title} is at the same time as {title}. Nothing was changed; send it again with a reason if both are meant."
        case .contradicted: "This was changed again since ({field}). Nothing was undone; undo the later change first."
        case .purged: "What this change was about is deleted for good after 30 days. Nothing was undone."
        case .notUndoable: "Roles, invitations and consent are not undone. Change them anew if that is meant."
        case .mutationReused: "This mutation's number was used for something else before. Nothing was changed; send it under a new number."
        case .mutationExpired: "This mutation is too old to tell whether it was done. Look at the record, and make the change anew."
        case .rateLimited: "Too many changes at once. Nothing is lost: they are sent again in a moment."
        case .tooManyPending: "Too many changes wait for their answer. Nothing is lost: they are sent again in a moment."
        case .storageFull: "The server's disk is full. Everything can be read; changes are kept here and sent again."
        case .familyFull: "This family holds as many records as it may. Delete what is no longer needed."
        case .quotaExceeded: "This file has {size}, and of the {quota} that this family may store {room} are free. {what to do}."
        case .busy: "The server is busy. Nothing is lost: this is sent again in a moment."
        case .badFrame: "No frame of this protocol: {what is wrong}."
        case .notSignedIn: "Sign in first."
        case .alreadySignedIn: "This connection is signed in already."
        case .notJoined: "Join a family first."
        case .alreadyJoined: "This connection joined a family already."
        case .tokenUnknown: "This sign-in is no longer valid. Sign in again; drafts are kept."
        case .codeUnknown: "This code is not valid: it was used, has expired, or was mistyped."
        case .cursorAhead: "This client is ahead of the server. Join without a cursor; drafts are kept."
        }
    }

    private var older: String { "This server may be older than the client that asks. Nothing was changed." }

    /// What it is about, and so where it can come up.
    package var subject: String {
        switch self {
        case .required, .invalid, .tooLong, .tooMany, .outOfRange, .endBeforeStart, .unknownKind, .unknownField, .unknownOperation,
            .unknownReference: "content"
        case .notAllowed, .notFound, .alreadyExists, .conflict, .lastParent, .overlap, .contradicted, .purged, .notUndoable: "state"
        case .mutationReused, .mutationExpired, .rateLimited, .tooManyPending, .storageFull, .familyFull, .quotaExceeded, .busy: "mutation"
        case .badFrame, .notSignedIn, .alreadySignedIn, .notJoined, .alreadyJoined, .tokenUnknown, .codeUnknown, .cursorAhead: "session"
        }
    }
}
