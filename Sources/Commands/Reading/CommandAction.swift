package import Family
package import Words

/// The action of a command, in the form that the program and the conversation share. Names are looked up when it is carried out.
package enum CommandAction: Hashable, Sendable {
    case interactive
    case help(topic: String?)
    /// The manual as a page for man.
    case manual
    case completions(Shell)
    /// The words behind `huddle` so far; the last one is to be completed.
    case complete([String])
    case version
    /// `name`: of the person who joins, as the invite has it. `adds`: whether the family is added to the sign-in of the profile; `nil`: the person is asked.
    case join(code: String, name: String?, adds: Bool?)
    /// Keeps a token in a profile.
    case signIn(replaces: Bool, origin: String?)
    /// Asks the server to mail a code for recovery, for a sign-in name or an e-mail address.
    case askForMail(String)
    /// Makes a session with the password of a sign-in name, or with a recovery code, and keeps it in a profile.
    case signInByName(String, replaces: Bool, isRecovery: Bool)
    case list(ListFilter)
    case add(Kind, [FieldInput], athlete: String?)
    case edit(Kind, String, [FieldInput])
    case remove(CommandTarget)
    case restore(CommandTarget)
    case attend(Attendance)
    case shift(CommandTarget, days: Int)
    case copy(CommandTarget, days: Int)
    /// `nil`: one's own last change.
    case undo(Int64?)
    /// One's own last undo is undone.
    case redo
    case itinerary(ItineraryFilter)
    case export(ListFilter, ExportFormat, file: String?)
    /// As a calendar (RFC 5545).
    case exportCalendar(ListFilter, file: String?)
    case document(DocumentRequest)
    case say(String)
    case watch(since: WatchStart?)
    case batch(isAtomic: Bool, stops: Bool)
    /// Ends one's own membership.
    case leave
    /// Ends the session, and forgets it here.
    case logout
    case ask(Question)
    /// What was deleted and can be restored; `nil`: of any kind.
    case deleted(Kind?)
    /// An event's web page, or its place on a map.
    case open(String, isMap: Bool)
    /// Who is signed in; `showsState`: also whether the server answers, and what waits.
    case identity(showsState: Bool)
    case outbox(OutboxRequest)
}

/// A record as a person points at it.
package struct CommandTarget: Hashable, Sendable {
    /// `nil`: of any kind that fits.
    package var kind: Kind?
    package var text: String

    package init(_ kind: Kind?, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

/// Where `watch` begins.
package enum WatchStart: Hashable, Sendable {
    /// After this sequence of the database that the server has now.
    case sequence(Int64)
    case cursor(epoch: String, sequence: Int64)
}
