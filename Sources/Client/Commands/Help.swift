internal import Family

/// What `huddle --help` says.
package enum Help {
    /// - Parameter topic: a command; `nil` for all.
    package static func text(_ topic: String?) -> String {
        switch topic {
        case "events": events
        case "schools": of(.school)
        case "coaches": of(.coach)
        case "trips": of(.trip)
        case "items": of(.tripItem)
        case "metrics": of(.metric)
        case "interactions": of(.interaction)
        case "documents": of(.document)
        case "watch": watch
        case "join": "huddle join CODE [--server URL]\n\nRedeems an invitation and remembers who you are; from then on, write just: huddle\n"
        case "say": "huddle say TEXT\n\nSays something to the family.\n"
        default: general
        }
    }

    private static let general = """
        huddle: a family's recruiting season, together.

          huddle                    talk and follow the season, with everybody who is there
          huddle join CODE          redeem an invitation (once): you are signed in here then
          huddle events             list; also: events add, edit ID, rm ID, attend ID
          huddle schools, coaches   list; also: add, edit ID, rm ID
          huddle trips, items       list; also: add, edit ID, rm ID
          huddle metrics, interactions
                                    list; also: add, edit ID, rm ID
          huddle documents          list; also: edit ID, rm ID
          huddle members, messages  list
          huddle history [NAME]     who changed what, of the family or of one record
          huddle since [SEQ]        what others did since you last looked
          huddle stats [KIND]       figures: events, documents, metrics; else how many there are
          huddle access             who looked at an athlete's season
          huddle say TEXT           say something to the family
          huddle watch --json       every change as it happens

        Options of every command:
          --server URL              ws://HOST:PORT or wss://HOST:PORT; else $HUDDLE_SERVER, else the one of
                                    the invitation, else ws://127.0.0.1:8787
          --tls-ca FILE             certificates (PEM) to trust for wss://, when the system's do
                                    not know the server; else $HUDDLE_CA
          --token T                 a sign-in; else $HUDDLE_TOKEN, else that of huddle join
          --family ID|NAME          when you belong to several
          --context ID|NAME|all     whose season: filters lists, owns what is added
          --json                    one JSON object a line (proto/cli.md)
          --timeout SECONDS         how long a command may take (10)
          --help, --version         huddle events --help tells the fields

        Ends with 0 done, 1 failed, 2 wrong use, 3 refused, 4 conflict, 5 offline.

        """

    private static let watch = """
        huddle watch [--json] [--since SEQ | --since EPOCH:SEQ]

        Prints every change as it happens, one a line, until it is interrupted, and comes back by itself when the
        server was away. --since begins with the changes after that sequence, as printed in an earlier line.

        """

    private static let events = """
        huddle events [--upcoming | --past] [--search TEXT]
          [--type camp|showcase|visit|game] [--status registered|not_registered|attended]
          [--date upcoming|past|this_month|next_month] [--school NAME] [--from DATE] [--to DATE] [--day DATE]
          [--sort date_desc|date_asc|name|type]
        huddle events add --type camp --name "Fall Camp" --start 2026-12-01 --start-time 09:00
        huddle events edit ID --city Austin --state TX
        huddle events attend ID
        huddle events rm ID

        ID is an id, enough of its beginning or end, or the name. An empty value clears a field.
          --athlete MEMBER   whose event (add; else the context's)

        """ + FieldOptions.help(.event).joined(separator: "\n") + "\n"

    private static func of(_ kind: Kind) -> String {
        let word = Invocation.word(kind)
        let add = kind.declaration.isCreatedByMutation ? "huddle \(word) add FIELDS\n" : ""
        return "huddle \(word) [--search TEXT]\n\(ListOptions.help(kind))\(add)huddle \(word) edit ID FIELDS\nhuddle \(word) rm ID\n\n"
            + FieldOptions.help(kind).joined(separator: "\n") + "\n"
    }
}
