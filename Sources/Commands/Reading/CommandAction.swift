package import Family
package import Words

/// The action of a command, in the form that the program and the conversation share. Names are looked up when the
/// action is carried out.
package enum CommandAction: Hashable, Sendable {
    case interactive
    case help(topic: String?)
    /// The manual as a page for man(1).
    case manual
    case completions(Shell)
    /// The words behind `huddle` so far; the last one is to be completed.
    case complete([String])
    case version
    /// `name`: the name of the person who joins, as the invite has it. `adds`: whether the family is added to the
    /// profile's sign-in; `nil`: ask the person.
    case join(code: String, name: String?, adds: Bool?)
    /// Keeps a token in a profile.
    case signIn(replaces: Bool, origin: String?)
    /// Asks the server to mail a recovery code to a sign-in name or an e-mail address.
    case askForMail(String)
    /// Creates a session with the password of a sign-in name, or with a recovery code, and keeps it in a profile.
    case signInByName(String, replaces: Bool, isRecovery: Bool)
    case list(ListFilter)
    case add(Kind, [FieldInput], athlete: String?)
    case edit(Kind, String, [FieldInput])
    case remove(CommandTarget)
    case restore(CommandTarget)
    case attend(Attendance)
    case shift(CommandTarget, days: Int)
    case copy(CommandTarget, days: Int)
    /// `nil`: the member's own last change.
    case undo(Int64?)
    /// Undoes the member's own last undo.
    case redo
    case itinerary(ItineraryFilter)
    case export(ListFilter, ExportFormat, file: String?)
    /// As a calendar (RFC 5545).
    case exportCalendar(ListFilter, file: String?)
    case document(DocumentRequest)
    case say(String)
    case watch(since: WatchStart?)
    case batch(isAtomic: Bool, stops: Bool)
    /// Ends the member's own membership.
    case leave
    /// Ends the session and deletes its token here.
    case logout
    case ask(Question)
    /// The deleted records that can be restored; `nil`: of any kind.
    case deleted(Kind?)
    /// The reminders that none of the member's devices has shown.
    case reminders
    /// The member's own reminder rule.
    case reminderRule
    case remind(ReminderRuleChange)
    /// An event's web page, or its place on a map.
    case open(String, isMap: Bool)
    /// The person who is signed in; `showsState`: also whether the server answers, and the outbox.
    case identity(showsState: Bool)
    case outbox(OutboxRequest)
    /// A setting of the screen.
    case configure(SettingRequest)
}

/// A record, in the words in which a person names it.
package struct CommandTarget: Hashable, Sendable {
    /// `nil`: any kind that fits.
    package var kind: Kind?
    package var text: String

    package init(_ kind: Kind?, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

/// The place where `watch` begins.
package enum WatchStart: Hashable, Sendable {
    /// After this sequence of the database that the server has now.
    case sequence(Int64)
    case cursor(epoch: String, sequence: Int64)
}
