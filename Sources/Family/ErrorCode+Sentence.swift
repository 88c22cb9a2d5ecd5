/// One sentence that a refusal can carry, and the case that it is for.
package struct ErrorSentence: Hashable, Sendable {
    /// Words in braces stand for the values of the case. Sentences without a full stop are words of the requirements (R057, R060, R108).
    package let template: String
    package let when: String

    package init(template: String, when: String) {
        self.template = template
        self.when = when
    }

    /// Whether a finished sentence is made of the template; each pair of braces stands for at least one character.
    package func matches(_ sentence: String) -> Bool {
        var rest = Array(sentence.utf8)[...]
        let parts = template.split(separator: "{", omittingEmptySubsequences: false)
        guard let head = parts.first, rest.starts(with: head.utf8) else { return false }
        rest = rest.dropFirst(head.utf8.count)
        for (index, part) in parts.enumerated().dropFirst() {
            let text = Array(part.drop { $0 != "}" }.dropFirst().utf8)
            let isLast = index == parts.count - 1
            guard !isLast else { return rest.count > text.count && rest.suffix(text.count).elementsEqual(text) }
            guard var start = rest.indices.dropFirst().first else { return false }
            while !rest[start...].starts(with: text) {
                start += 1
                guard start < rest.endIndex else { return false }
            }
            rest = rest[(start + text.count)...]
        }
        return rest.isEmpty
    }
}

extension ErrorCode {
    /// The sentence of most cases; for codes whose sentence has no words in braces, the finished one.
    package var sentence: String { sentences[0].template }

    /// Every sentence that a client can receive with the code, in frames and where the family's rules answer over HTTP. A test proves that
    /// the sources write no other. `HTTPRefusal` has those that only HTTP has.
    package var sentences: [ErrorSentence] {
        switch self {
        case .required, .invalid, .tooLong, .tooMany, .outOfRange, .endBeforeStart, .unknownKind, .unknownField, .unknownOperation,
            .unknownReference:
            contentSentences
        case .notAllowed, .notFound, .alreadyExists, .conflict, .lastParent, .overlap, .contradicted, .purged, .notUndoable: stateSentences
        case .mutationReused, .mutationExpired, .rateLimited, .tooManyPending, .storageFull, .familyFull, .quotaExceeded, .busy:
            mutationSentences
        case .badFrame, .notSignedIn, .alreadySignedIn, .notJoined, .alreadyJoined, .tokenUnknown, .codeUnknown, .confirmFirst, .signInFailed, .factorRequired, .passkeyRefused, .cursorAhead:
            sessionSentences
        }
    }

    private func list(_ sentences: KeyValuePairs<String, String>) -> [ErrorSentence] {
        sentences.map { ErrorSentence(template: $0.key, when: $0.value) }
    }

    private static let older = "This server may be older than the client that asks. Nothing was changed."

    private var contentSentences: [ErrorSentence] {
        switch self {
        case .required:
            list([
                "{field} is required": "A required field is empty or missing.",
                "A calendar needs a name by which you recognize it. Nothing was changed.": "add_calendar and change_calendar.",
                "A calendar needs at least one kind of record. Nothing was changed.": "add_calendar and change_calendar: kinds.",
                "{kind}: choose an athlete. Nothing was changed.": "A record of an athlete without an athlete, under context all.",
                "An operation needs {key}. Nothing was changed.": "A key of an operation is missing.",
                "The frame needs {key}.": "A key of a mutate frame is missing.",
                "A reason is required to let trip items overlap. Nothing was changed.": "allow_overlap with an empty reason.",
                "allow_overlap must name the pairs that it accepts.": "allow_overlap without pairs.",
                "Name the link to revoke: ?share=<id>.": "The end of a share link, without its id.",
                "A code needs client: 32 hexadecimal digits that your program chooses at random and keeps.": "POST /session with code.",
                "Send a token, a code with client, or a name with a password or recovery_code.": "POST /session.",
                "A sign-in by name needs a password or a recovery_code, not both.": "sign_in_by_name, confirm and POST /session.",
                "Send the sign-in name, or the e-mail address, as name.": "POST /account/recovery.",
                "A token for calendars needs athletes: those whose calendars it opens. Nothing was changed.": "create_token with scope calendar, without athletes.",
                "A passkey needs a name by which you recognize it. Nothing was changed.": "name of a passkey.",
                "A session or token needs a name by which you recognize it. Nothing was changed.": "name of a session or token.",
                "A share link needs a school: send its id.": "POST /documents/ID/shares without school.",
                "Type the name or the e-mail address that the invite is for.": "redeem without name.",
                "An athlete below {age} needs a parent's consent ({version}) before the invite. Give the consent first.": "invite of an athlete of 13 to 17 to whose sign-in no parent consents.",
                "An invite of a new person needs a role: athlete, parent or guest.": "invite without member and role.",
                "An athlete needs a birth date: below 13 there is no sign-in, below 18 a parent consents.": "invite of a new athlete without born.",
            ])
        case .invalid:
            list([
                "{field} must be {form}.": "A value of another form.",
                "This is not the name of the family. Type the family's name to ask for its deletion. Nothing was changed.": "delete_family with another name.",
                "private must be yes or no.": "GET /families/ID/export.",
                "The name of a calendar contains an invisible character. Type it again without copying it.": "add_calendar and change_calendar.",
                "A calendar needs exactly one of mine, athlete, trip and all.": "add_calendar and change_calendar.",
                "kinds: a calendar can only show event, trip and trip_item.": "add_calendar and change_calendar.",
                "This one-time password is wrong or has expired. Check the clock of your device, then type the next one.": "confirm_factor.",
                "The password contains the sign-in name. Nothing was changed; choose another password.": "set_password.",
                "The password is on the lists that guessers try first. Nothing was changed; choose another password.": "set_password.",
                "A sign-in name must begin and end with a visible character and contain no control characters. Nothing was changed.": "set_password.",
                "The invite is for another name or e-mail address. Type it as the person who invites you wrote it, or ask them for a new code.": "redeem with the name of somebody else.",
                "An invite of a member takes name and role from the family. Leave out {field}.": "invite with member, and with name, role or born.",
                "The birth date of a parent or guest is not kept. Leave it out.": "invite of somebody who is not an athlete, with born.",
                "The birth date of a parent or guest is not kept. Nothing was changed.": "birth_date of somebody who is not an athlete.",
                "The birth date must be a day in the past, written YYYY-MM-DD.": "born of an invite and of birth_date.",
                "Only an athlete's sign-in needs a consent ({version}). Nothing was changed.": "consent for a parent or guest.",
                "The text in force is {version}. Read it, then consent to it. Nothing was changed.": "consent to another text than the one in force.",
                "Only a guest has a last day. Nothing was changed.": "last_day of somebody who is not a guest.",
                "Only a guest has a last day. Leave it out.": "invite of somebody who is not a guest, with last_day.",
                "The last day of a guest must be today or later, within ten years, written YYYY-MM-DD.": "last_day.",
                "An e-mail address is written like ana@example.org. Correct it, or leave it out.": "email of an invite.",
                "An e-mail address is written like ana@example.org, in plain letters. Correct it.": "set_mail.",
                "Please enter a valid URL (e.g., https://...)": "A link that is not an http or https URL.",
                "This {kind} is created earlier in the same change. Put its values into the creation, and leave out this operation.":
                    "An operation on a record that its own batch creates, with a base that never was.",
                "This {kind} is restored earlier in the same change. Leave out the second restore.": "restore, twice in one batch.",
                "This {kind} is deleted earlier in the same change. Leave out the deletion, or the operations that follow it.":
                    "An operation on a record that its own batch deletes.",
                "Please enter a valid number": "The value of a metric that is not a number.",
                "id must be an identifier that your program chooses at random.": "POST /tokens.",
                "nonce must be 32 hexadecimal digits in lower case that your program chooses at random and keeps.": "POST /tokens.",
                "scope must be read, write or calendar.": "POST /tokens.",
                "athletes must be a list of identifiers.": "POST /tokens.",
                "{field} must be at most {limit} octets in base64url without padding.": "/passkeys: content.",
                "client must be 32 hexadecimal digits in lower case that your program chooses at random and keeps.": "POST /session with code.",
                "Only a token for calendars names athletes. Leave out athletes.": "create_token with another scope, with athletes.",
                "The name of a passkey contains an invisible character. Type it again without copying it.": "name of a passkey.",
                "The name of a session or token contains an invisible character. Type it again without copying it.": "name of a session or token.",
                "{field} is at most two letters.": "A state.",
                "{field} has a value of the wrong type.": "A value of another JSON type.",
                "{field} contains an invisible character. Type it again without copying it.": "A name or title with a character that is not shown.",
                "{field} contains a control character that cannot be shown.": "Text with control characters.",
                "{field}: objects and lists can be nested at most {limit} deep.": "Free JSON with too many levels.",
                "{field}: add and remove are for sets only.": "add or remove of another field.",
                "{field}: the same entry is both added and removed.": "add and remove name the same id.",
                "{field}: set it as a whole, or use add and remove, not both.": "fields and add or remove name the same set.",
                "{kind}: belongs to the whole family, not to one athlete.": "athlete in a create of a family's kind.",
                "{kind}: only trips, their items and events can be moved by days.": "shift of another kind.",
                "{kind}: only trips and events can be copied.": "copy of another kind.",
                "{key} is not valid: {problem}.": "A key of a frame with another type of value.",
                "{key} is not valid: {problem}. Nothing was changed.": "A key of an operation with another type of value.",
                "{key} is not allowed in {operation}. Nothing was changed.": "A key of another operation.",
                "An operation must be an object. Nothing was changed.": "Another value in operations.",
                "Unknown way to merge: {word}. \(Self.older)": "merge.",
                "A mutation has either operations or undo, not both.": "A mutate frame with both.",
                "An athlete's birth date is needed to give this role: invite them as an athlete.": "role athlete for a member without a birth date.",
                "Lists cannot be filtered by {key}. \(Self.older)": "filter with a key that no list has.",
                "Lists cannot be sorted by {word}. Choose one of {words}.": "sort.",
                "{key} must be one of {words}.": "filter: a word that is not in the list.",
                "{key} must be a date that exists, written YYYY-MM-DD.": "filter: from, to, day.",
                "Ask for type or for types, not for both.": "filter.",
                "Lists of this kind cannot be sorted by {word}: choose one of {words}.": "sort of another kind.",
                "Records of this kind have no list: all of them are in the snapshot.": "list of family, reading_position and reminder_rule.",
                "Lists of this kind can be filtered {how}, not by {key}.": "filter of another kind.",
                "There is no type {word} of this kind: choose one of {words}.": "filter: type or types.",
                "This page mark does not belong to this list: begin at its first page.": "before: the mark of another list.",
                "Only events, documents, metrics and the family have figures: choose one of these.": "statistics of another kind.",
                "before must be the next of an earlier page.": "before: a number.",
                "before must be a sequence.": "before of history: not a number.",
            ])
        case .tooLong:
            list([
                "{field} is at most {limit} characters long.": "Text.",
                "The name of a calendar is at most {limit} characters long. Nothing was changed.": "add_calendar and change_calendar.",
                "{field}: at most {limit} octets of JSON.": "Free JSON.",
                "An e-mail address is at most {limit} characters long. Correct it, or leave it out.": "email of an invite.",
                "The name of a passkey is at most {limit} characters long. Nothing was changed.": "name of a passkey.",
                "The name of a session or token is at most {limit} characters long. Nothing was changed.": "name of a session or token.",
                "A search is at most {limit} characters long: search for less.": "search.",
            ])
        case .tooMany:
            list([
                "{field}: at most {limit} entries.": "A set.",
                "At most {limit} operations in one mutation. Nothing was changed.": "operations_per_mutation.",
                "A mutation is at most {limit} operations.": "operations_per_mutation.",
                "You have {count} tokens, and {limit} is the limit. Revoke one first.": "create_token.",
                "You have {count} calendars, and {limit} is the limit. Remove one first.": "add_calendar.",
                "You have {count} passkeys, and {limit} is the limit. Remove one first.": "POST /passkeys and /passkeys/options.",
                "{count} invites of this family wait to be accepted, and {limit} is the limit. Withdraw one first.": "invites_pending.",
                "You are in {limit} families, and that is the limit. Leave one first.": "redeem of a person who is signed in.",
                "allow_overlap names at most {limit} pairs.": "overlap_pairs.",
                "This change is too large. Make several smaller ones.": "change_octets.",
                "This trip has more items than one change can move: move some of them first. Nothing was changed.": "related_records, shift or copy.",
                "This {kind} has too many related records to delete in one change: delete some of them first. Nothing was changed.": "related_records, delete.",
                "The texts in this {kind} have more than {size} in total, the limit of one change. Shorten or delete some of them first.":
                    "related_octets.",
                "This change replaced more than one undo can restore. Change the records by hand.": "related_octets, undo.",
                "A trip can have at most {limit} items: make another trip for the rest. Nothing was changed.": "related_records, items of a trip.",
            ])
        case .outOfRange:
            list([
                "{field} must not be below {bound}.": "A number that is too small.",
                "The limit {limit} must be from {lowest} to {highest}, not {value}. Nothing was changed.": "huddled quota set.",
                "expires_at must be in the future, at most {days} days from now. Nothing was changed.": "add_calendar and change_calendar.",
                "A password must have 10 to 256 octets. Nothing was changed; choose another password.": "set_password.",
                "A sign-in name must have 3 to 64 characters. Nothing was changed; choose another name.": "set_password.",
                "{field} must be from {lowest} to {highest}.": "A number outside of its range.",
                "{field} has at most {limit} decimals.": "A number with more.",
                "{field} has at most {limit} digits before the point.": "A number with more.",
                "Days to move by must be from 1 to {limit}, or below zero to move earlier.": "days of shift.",
                "Days to move a copy by must be at most {limit}.": "days of copy.",
                "The new date would be outside of the years 1 to 9999. Nothing was changed.": "shift or copy past the calendar.",
                "A share link is valid for at most 365 days: choose a shorter time.": "expires of a share link.",
            ])
        case .endBeforeStart:
            list([
                "End date must be after start date": "Dates of an event or a trip.",
                "End time must be after start time": "Times of an event or a trip item.",
            ])
        case .unknownKind:
            list([
                "Unknown kind: {word}. \(Self.older)": "kind.",
                "{field}: unknown kind {word}. \(Self.older)": "kind inside of a field.",
            ])
        case .unknownField:
            list([
                "{kind} has no field {word}. \(Self.older)": "A key in fields, add or remove.",
                "{kind} has no such field.": "A key in fields, add or remove.",
                "{word} is not part of an operation. \(Self.older)": "A key of an operation.",
                "{word} is not part of the frame {type}. \(Self.older)": "A key of the frame.",
            ])
        case .unknownOperation: list(["Unknown operation: {word}. \(Self.older)": "op."])
        default:
            list([
                "{field}: this {kind} no longer exists. Nothing was changed.": "A mutation names a record that does not exist or was deleted.",
                "{kind}: this athlete is not in the family. Nothing was changed; choose another athlete.": "athlete of a create.",
                "The {kind} of this {kind} was deleted: restore that first. Nothing was changed.": "restore of a part whose whole was deleted.",
                "{field}: this {kind} no longer exists.": "The metadata of an upload.",
                "Document: this athlete is not in the family.": "athlete of an upload.",
                "The document that this one replaces no longer exists: upload it as a new one.": "replaces of an upload.",
                "This school no longer exists. Nothing was shared.": "A share link.",
            ])
        }
    }

    private var stateSentences: [ErrorSentence] {
        switch self {
        case .notAllowed:
            list([
                "{field} can only be written by the server.": "A field that no mutation may name.",
                "Only parents can request or withdraw the deletion of their family. Nothing was changed.": "delete_family and keep_family of a member who is not a parent.",
                "Only parents can get a copy of their family. Nothing was exported.": "GET /families/ID/export of a member who is not a parent.",
                "{kind}: can only be created by the server, not by a mutation.": "create of a family, member or document.",
                "{kind}: cannot be deleted by a mutation.": "delete or restore of a family or reading position.",
                "Guests can read but not change anything. Nothing was changed.": "A guest.",
                "This athlete has set the season to view-only for parents. Nothing was changed.": "A parent, where parent_access is view.",
                "You can view another athlete's records but not change them. Nothing was changed.": "An athlete.",
                "Only its author can change a message, and only its author or a parent can delete it. Nothing was changed.": "Messages of others.",
                "Only parents can change the family's settings. Nothing was changed.": "The family.",
                "Only parents can manage members; you can change your own name. Nothing was changed.": "Members.",
                "From {age} on, only the athlete decides what parents may do. Nothing was changed.": "parent_access.",
                "Only members themselves can set their reading position. Nothing was changed.": "A reading position with an id that is not the member's own.",
                "Only members themselves can set when they are reminded. Nothing was changed.": "A reminder rule with an id that is not the member's own.",
                "Only athletes and parents can see the access log. Nothing was changed.": "access_log of a guest.",
                "Only parents can invite people and see the invites. Nothing was changed.": "invite, withdraw_invite and invites of a guest or athlete.",
                "This token's scope does not allow that. Nothing was changed; sign in yourself, or make a token with another scope.": "A token for a program, beyond its scope.",
                "Athletes below {age} have no sign-in: a parent keeps their profile.": "invite and redeem.",
                "Athletes below {age} need a parent's consent to sign in. Ask a parent to give it.": "redeem and join.",
                "An athlete without a birth date has no sign-in. Ask a parent to enter the birth date.": "redeem and join.",
                "The last day of this guest is over. A parent can set a later one.": "redeem and join.",
                "Only parents can consent ({version}), correct birth dates and set a guest's last day. Nothing was changed.": "consent, withdraw_consent, birth_date and last_day of a guest or athlete.",
            ])
        case .notFound:
            list([
                "There is no such record. Nothing was changed.": "A record that the family does not have, or that was deleted more than 30 days ago.",
                "There is no family with this id, or you are not a member of it. Check the id.": "A family, whether it exists or not.",
                "There is no such member. Check the id.": "Questions of the host.",
                "There is no such trip in this family. Nothing was changed.": "add_calendar and change_calendar: trip.",
                "There is no such calendar. Nothing was changed.": "change_calendar: an id that the member does not have.",
                "There is no such athlete in this family.": "athlete of a question, and context.",
                "There is no change {seq} to undo. Look at the history again.": "undo.",
                "There is no such member, and no pending invite of one. Nothing was changed.": "member of an invite.",
                "There is no such invite. Nothing was changed.": "withdraw_invite.",
                "There is no such member. Nothing was changed.": "member of consent, withdraw_consent, birth_date, last_day and recover_member.",
                "There is no such passkey. Nothing was changed.": "A passkey of somebody else, or one that was removed.",
                "There is no such session or token. Nothing was changed.": "A session of somebody else, or one that has ended.",
                "There is no such document. Nothing was shared.": "A share link.",
                "There is no such share link. Nothing was changed.": "A share link.",
                "Change {seq} is damaged on the server's disk. Nothing was changed; tell the person who runs the server.": "undo, after a fault of the server's disk.",
                "This record is damaged on the server's disk. Nothing was changed; tell the person who runs the server.": "A fault of the server's disk.",
            ])
        case .alreadyExists:
            list([
                "A record with this id already exists. Nothing was changed.": "create and copy.",
                "Another person on this server already uses this name. Nothing was changed; choose another name.": "set_password.",
                "An invite with this id already exists. Nothing was changed; use another id.": "invite with the id of an invite that was made with other content.",
                "A calendar with this id already exists. Nothing was changed; use another id.": "add_calendar with the id of a calendar that is there.",
                "A token with this id already exists. Nothing was changed; use another id.": "create_token with the id of a session or token that is there.",
                "This member has signed in already and needs no invite. Nothing was changed.": "invite of a member who has a session.",
                "You are in this family already. Nothing was changed; a parent can withdraw the invite.": "redeem of a person who is signed in, with a code for another member of a family of theirs.",
            ])
        case .conflict:
            list([
                "{name} changed this {kind} in the meantime, so your change was not made. Compare both versions, then make your change again.": "A stale base.",
                "{name} deleted this {kind} in the meantime, so your change was not made. Restore the {kind}, then make your change again.": "A stale base of a record that is deleted.",
            ])
        case .lastParent: list(["A family needs at least one parent. Nothing was changed.": "Deleting the last parent, or giving them another role."])
        case .overlap:
            list([
                "{title} is at the same time as {other title}. Not saved. Keep both? Send it again with a reason.": "Two items of one trip.",
                "{title} is at the same time as {other title} (and {count} more). Not saved. Keep both? Send it again with a reason.": "More than one pair.",
            ])
        case .contradicted:
            list([
                "{name} changed {record} since then. Nothing was undone: undo that first, or change it by hand.": "undo of a value that a later change replaced.",
                "This invite was accepted already. Nothing was changed; remove the member to end their access.": "withdraw_invite of an invite that was accepted.",
                "This athlete is in the family already. Nothing was changed; remove the athlete instead.": "withdraw_invite of an athlete who waits for a consent.",
                "From {age} on no consent is needed. Nothing was changed.": "consent for an athlete of 18 or older.",
                "A second factor and recovery codes belong to a password. Nothing was changed; set a password first.": "add_factor, confirm_factor, remove_factor and make_recovery_codes.",
                "No second factor waits to be confirmed. Nothing was changed; begin again.": "confirm_factor without add_factor.",
                "You have no passkey to confirm with. Nothing was changed.": "/passkeys/confirm/options.",
                "You have no password to confirm with. Nothing was changed.": "confirm of a person without a password.",
                "This server sends no mail. Nothing was changed; a parent, or the person who runs the server, can make a code.": "set_mail and POST /account/recovery.",
                "This member has never signed in, so there is nothing to recover. Nothing was made; invite them.": "recover_member.",
                "You are signed in. Nothing was made; add another device with a code that you make here.": "recover_member of the parent who asks.",
            ])
        case .purged:
            list([
                "Records deleted more than 30 days ago are gone for good, so this cannot be undone.": "undo.",
                "This change is more than {days} days old, and the values before it are no longer kept. Change the record by hand.": "undo: history_age.",
                "This was deleted more than 30 days ago, and its history is gone with it. Look at the history of the family instead.": "history of a record.",
            ])
        default: list(["Changes of members, roles and reading positions cannot be undone. Make a new change instead.": "undo."])
        }
    }

    private var mutationSentences: [ErrorSentence] {
        switch self {
        case .mutationReused:
            list(["This mutation's number was used for something else before. Nothing was changed; send it under a new number.": "The id has a receipt of another mutation."])
        case .mutationExpired:
            list(["This mutation is too old to tell whether it was done. Look at the record, and make the change again.": "The id is older than the receipts, which are kept for 30 days."])
        case .rateLimited:
            list([
                "Too many changes in a short time. This one was not made; try again in a moment.": "mutate.",
                "Too many invalid addresses come from your network. Try again later.": "/feeds: 20 in 10 minutes.",
                "This calendar was fetched a moment ago. Fetch it again in a few seconds.": "/feeds: once in 10 s.",
                "Too many requests. Try again in a moment.": "Questions, context and requests over HTTP.",
                "Your family makes more than {limit} changes per second. This one was not made; try again in a moment.": "mutate: family_mutations_per_second, or the family's own limit.",
                "Your family asks for more than {limit} lists per second. Try again in a moment.": "Questions: family_lists_per_second, or the family's own limit.",
                "A copy of this family was made a moment ago. Try again in a minute.": "GET /families/ID/export.",
                "This family has made {count} invites within 24 hours, and {limit} is the limit. Try again later.": "invites_per_day.",
                "Too many codes come from your network. Try again in a moment.": "redeem, more than 50 in 10 seconds from one address.",
                "Too many mails or codes within an hour. Nothing was changed; try again later.": "set_mail, confirm_mail and POST /account/recovery.",
                "Too many passkey requests come from your network. Try again in a moment.": "/passkeys/sign-in, more than 60 refusals in 10 minutes or 300 challenges in 5 minutes from one address.",
            ])
        case .tooManyPending:
            list([
                "Too many changes wait for their answers. This one was not made; try again in a moment.": "pending_mutations.",
                "The last sign_in or redeem has no answer yet. Wait for its answer, then send this again.": "sign_in and redeem.",
                "The last request of this kind has no answer yet. Wait for its answer, then send this again.": "rename_session, end_session, end_other_sessions, create_token, add_device, account and its like.",
                "The last redeem has no answer yet. Wait for its answer, then send this again.": "redeem of a person who is signed in.",
                "The last change of members has no answer yet. Wait for its answer, then send this again.": "invite, withdraw_invite, consent, withdraw_consent, birth_date and last_day.",
            ])
        case .storageFull: list(["The server's disk is full. Everything can be read; nothing can be changed until there is room.": "Any write."])
        case .familyFull: list(["This family has reached its limit of records. Delete records that are no longer needed.": "records_per_family."])
        case .quotaExceeded:
            list([
                "This file has {size}, but only {room} of the {quota} that this family may store are free. Delete documents that are no longer needed (their room is free 30 days later), or ask the person who runs the server for more.": "An upload.",
                "The history of this family takes {used}, and {limit} is its limit. Nothing was changed. Ask the person who runs the server for more.": "family_history, or the family's own limit.",
                "You have used {count} client ids within 30 days. Nothing was changed. Use one of them again.": "clients_per_member.",
            ])
        default:
            list([
                "The server is busy. This change was not made; try again in a moment.": "mutate: pending_octets.",
                "Your family has used its share of the server's time. This change was not made; try again in a moment.": "mutate: member_time or family_time.",
                "Your family has used its share of the server's time. Try again in a moment.": "Questions, context and join: member_time or family_time.",
                "Your family has {count} open connections, and {limit} is its limit. Close one of them, or try again in a moment.": "join: connections_per_family, or the family's own limit.",
                "The server is restarting. This change was not made; try again in a moment.": "mutate, while the server drains.",
                "Too many requests wait for their answers. Try again in a moment.": "Questions: more than four wait.",
                "The server is busy. Try again in a moment.": "sign_in, redeem, join, questions and HTTP: too much waits.",
                "The server is busy. Sign out again in a moment.": "sign_out: too many ends of sessions wait.",
                "This request took too long and was stopped. Try again in a moment, or ask for less.": "Questions: more than 250 ms.",
                "Too many codes are being redeemed. Send this again in a moment.": "redeem: 64 wait.",
                "Too many mails wait to be sent. Nothing was changed; try again in a few minutes.": "set_mail and invite: 50 mails of a person wait, or 10,000 in all.",
            ])
        }
    }

    private var sessionSentences: [ErrorSentence] {
        switch self {
        case .badFrame:
            list([
                "This is not a frame of the protocol: {problem}.": "Not JSON, or against the rules for it.",
                "Unknown frame: {word}. \(Self.older)": "type.",
                "A message has at most {limit} octets.": "message_octets.",
                "limit must be from 1 to {limit}.": "page_records.",
                "sha256 must be 64 hexadecimal digits in lower case.": "consent.",
                "Unknown activity: {word}. \(Self.older)": "activity.",
            ])
        case .notSignedIn: list(["Sign in first.": "Before welcome.", "This sign-in has ended.": "Between sign_out and the close."])
        case .alreadySignedIn: list([
            "This recovery code is for a person who cannot sign in, but you are signed in. Sign out first, or let that person use it on their device.": "redeem of a person who is signed in, with the code of a recovery.",
            "This connection is signed in already.": "sign_in on a connection that is signed in, redeem on one that has joined, and both while a sign-in has not been answered."])
        case .notJoined: list(["Join a family first.": "Before joined."])
        case .alreadyJoined: list(["One connection joins one family. Open another connection for another family.": "join on a connection that has joined."])
        case .tokenUnknown:
            list(["This sign-in is not valid or has ended. Ask a parent of the family for a new one.": "sign_in."])
        case .codeUnknown:
            list([
                "This code is not valid: it was used, has expired, or was mistyped.": "redeem.",
                "This code is wrong, was used already, or has expired. Nothing was changed; send another one.": "confirm_mail.",
            ])
        case .confirmFirst:
            list(["Confirm with your password or a passkey first; that counts for 10 minutes. Nothing was changed.": "An act that needs a fresh check of the person."])
        case .signInFailed:
            list([
                "The name, the password or the code is wrong. Check each, and the clock of the device that shows the code.": "A sign-in by name, also with a name of nobody, or a confirmation."
            ])
        case .factorRequired:
            list(["This sign-in needs a one-time password as well: send one_time.": "A right password without the second factor."])
        case .passkeyRefused:
            list(["This passkey was not accepted. Begin again; if that fails, use another passkey or another way to sign in.": "Any fault of a passkey or of the answer of a browser; the audit log has the reason."])
        default: list(["The cursor is ahead of the server. Join again without a cursor.": "join."])
        }
    }

    /// The subject of the code, which says where it can come up.
    package var subject: String {
        switch self {
        case .required, .invalid, .tooLong, .tooMany, .outOfRange, .endBeforeStart, .unknownKind, .unknownField, .unknownOperation,
            .unknownReference: "content"
        case .notAllowed, .notFound, .alreadyExists, .conflict, .lastParent, .overlap, .contradicted, .purged, .notUndoable: "state"
        case .mutationReused, .mutationExpired, .rateLimited, .tooManyPending, .storageFull, .familyFull, .quotaExceeded, .busy: "mutation"
        case .badFrame, .notSignedIn, .alreadySignedIn, .notJoined, .alreadyJoined, .tokenUnknown, .codeUnknown, .confirmFirst, .signInFailed, .factorRequired, .passkeyRefused, .cursorAhead: "session"
        }
    }
}
