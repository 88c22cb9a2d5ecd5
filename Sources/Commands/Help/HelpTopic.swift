/// Short pages about topics that belong to no single command: `huddle help offline`, `/help offline`.
package enum HelpTopic: String, CaseIterable, Hashable, Sendable {
    case connection, offline, conflicts, documents, times, keys, privacy

    /// One line for lists of topics, without a full stop.
    package var summary: String {
        switch self {
        case .connection: "choosing the server, reaching it, and losing the connection"
        case .offline: "the copy on this computer, the outbox, and how it is sent"
        case .conflicts: "two people change the same field"
        case .documents: "how documents are uploaded, downloaded and shared"
        case .times: "time zones, and the meaning of upcoming"
        case .keys: "the keys of the full screen, and how to change them"
        case .privacy: "access to your data, and where it is stored"
        }
    }

    /// The page, one paragraph per line.
    package var lines: [String] {
        switch self {
        case .connection:
            [
                "The server is, in this order: --server, that of --profile, $HUDDLE_SERVER, the one of the invitation, ws://127.0.0.1:8787.",
                "The sign-in is, in this order: --token-file, --token, that of --profile, $HUDDLE_TOKEN, that of $HUDDLE_PROFILE or of huddle join. huddle sign-in keeps a token; "
                    + "huddle sign-in --profile NAME keeps it under a name, so that several people can use one machine. "
                    + "Other users of the machine may see a token that follows --token.",
                "wss://HOST is encrypted: the server's certificate has to be for that name, and from an authority that the system trusts or one of --tls-ca FILE. "
                    + "ws://HOST:PORT is not encrypted: use it on this machine or in a network that you trust.",
                "When the connection breaks, huddle tries again by itself, at most 15 seconds apart, and continues exactly where it stopped: nothing is lost and nothing "
                    + "comes twice. A command that does one thing tries until --timeout (10 seconds) is over and ends with status 5.",
                "When the server does not know your sign-in any more, ask a parent of the family for a new invitation: huddle join CODE",
            ]
        case .offline:
            [
                "The conversation keeps the family's records on this machine, shows them immediately, and works without the server. Your changes are then written "
                    + "to the disk before it says \"Waiting to be sent\", and are sent in that order when the server is back: each change once, however the program ended.",
                "For waiting and refused changes, use /outbox in the conversation, huddle outbox from a shell. A refused change stays with you: /retry N sends it again, /drop N discards it.",
                "From a shell, --offline with a list shows the copy on this computer; with a change it puts the change into the outbox, and huddle outbox send sends it.",
                "Lists, itineraries and exports work offline. History, figures, older messages and files need the server.",
            ]
        case .conflicts:
            [
                "Changes of different fields of a record are both saved. When two people change the same field, the first change counts, nothing is overwritten, "
                    + "and the second one becomes a conflict that only its author sees.",
                "/conflicts shows both sides. /resolve N yours takes yours, theirs takes theirs, both keeps both texts, theirs first; /resolve N cost=theirs name=yours decides field by field.",
                "A change of a record that somebody else has deleted is a conflict too; restore brings the record back.",
                "From a shell: huddle outbox, huddle outbox resolve N CHOICE. A command that does one thing ends with status 4 and keeps nothing.",
            ]
        case .documents:
            [
                "huddle docs upload FILE --type TYPE uploads a file for the family. After an interruption the same command continues where it stopped; the server accepts the file only "
                    + "when it is complete and unchanged. A file has at most 100 MB.",
                "A new version replaces the old one, which stays and can be downloaded: --replaces DOCUMENT.",
                "huddle docs download saves its file; huddle docs link gives an address for your own browser that works for ten minutes.",
                "huddle docs share DOCUMENT --school SCHOOL makes a link for a coach without a sign-in: it is shown once, ends by itself (30 days), counts how often it is "
                    + "opened, and huddle docs unshare revokes it.",
                "/documents lists them; their titles are edited and deleted like any other record.",
            ]
        case .times:
            [
                "Times of events and messages are those of the family's time zone, wherever this terminal is. Items of a trip have a zone of their own for start and end, "
                    + "and are shown in it.",
                "An event is upcoming while its last day, in the family's zone, is today or later.",
                "When clocks are set forward, a time that does not exist moves forward by the gap; when they are set back, a time that exists twice is the first.",
                "Dates are written 2026-12-01, times 18:30, both together 2026-12-01T18:30.",
            ]
        case .keys:
            [
                "? on an empty line, or F1, shows all keys. Tab completes commands and what follows them, names (who spoke last first), @people, #events, ~trips and :emoji:. Ctrl-R searches what you typed before.",
                "Ctrl-O chooses the season that you look at, F2 shows the season, Alt-N goes to the first unread.",
                "Alt-1 to Alt-9 show the pages by their numbers, Alt-A the next unread page, Alt-/ the one before, Alt-G any by a few letters. Alt-Up and Alt-Down go "
                    + "through them in their order, Alt-< and Alt-> through those you saw. Alt-Z lists deleted records, and Enter there restores one.",
                "Ctrl-Up selects a message or change: r comments on it, e changes your own message, u undoes the change, o opens it, y copies it, l copies the link in it, / looks for words (as /find does; n and N find more), Esc goes back to typing.",
                "Ctrl-X u undoes your last change. Ctrl-X Ctrl-E opens $VISUAL or $EDITOR for a long text. Ctrl-L redraws, Ctrl-Z stops the program, /quit leaves.",
                "/bind f5 season and /unbind f2 change keys, /set theme light colours, immediately; /set by itself shows all settings. They are kept in ~/.config/huddle/config, a line "
                    + "each, as typed but without the slash; you can edit the file as well.",
                "Click with the mouse; hold Shift to select text. /set mouse off leaves the mouse to the terminal.",
                "The terminal's title shows the family and the number of unread items, if the terminal can restore its former title; /set title off turns this off.",
                "The others see that you type, and which record you edit or look at, as long as you press keys: /set typing off keeps that to yourself.",
                "In terminals that are known to show pictures (kitty, iTerm2, and those with sixels), an open document has a small one: /set pictures auto, off, kitty, sixel or iterm2.",
                "Dates follow your locale (LC_ALL, LC_TIME, LANG): Apr 15, 2026, or 15 Apr 2026, or 2026-04-15. You write them as 2026-04-15, or as day names.",
                "In terminals that are known to open links, directions, events, documents and addresses in messages are links: /set hyperlinks on, off or auto.",
                "/set notify decides how you are notified: some of bell, osc9, hook, or none. A command is set with: "
                    + "/set notify-command sh -c 'notify-send \"$HUDDLE_FROM\" \"$HUDDLE_TEXT\"'. $HUDDLE_FAMILY, $HUDDLE_MENTION (1 or 0) and, for a reminder, $HUDDLE_REMINDER (1) are set as well; the text "
                    + "is on its standard input; it may run for ten seconds.",
            ]
        case .privacy:
            [
                "Every member of a family can read everything in it; nobody outside it can read anything. Only parents and athletes write; athletes "
                    + "of 16 and older decide whether parents may change their season or only look.",
                "Everyone who chooses an athlete's season, opens a document or exports it is recorded; the athlete reads the list with huddle access.",
                "Sign-ins, invites, roles, consents, exports and the acts of the person who runs the server are in the audit log for 2 years. Parents read it with "
                    + "huddle audit, everyone else their own entries.",
                "No document is public: reading it takes a sign-in, or a link that a member made, that expires, and that can be revoked.",
                "Deleted records can be restored for 30 days and are then erased, also from the history.",
                "On this machine, the sign-in is in ~/.config/huddle/profile.json, those with names in the folder beside it, and the family's records in ~/.local/state/huddle, readable by you alone and not "
                    + "encrypted. The person who runs the server can read everything on it.",
            ]
        }
    }
}
