import Arguments
import Bytes
import Demo
import Family
import JSON
import Posix
import Server
import Store
import Wire

/// The exit status of `huddled`.
enum ServerExitStatus {
    static let done: Int32 = 0
    static let failed: Int32 = 1
    static let wrongUse: Int32 = 2
    /// `check` found a fault.
    static let disagrees: Int32 = 3
}

let usage = """
    huddled, the server of Huddle \(HuddleVersion.text)

      huddled serve  --data DIR [--config FILE] [--listen HOST:PORT] [--tls-cert FILE --tls-key FILE]...
                     [--listen-tls HOST:PORT] [--trusted-proxy ADDRESS[/BITS]]... [--OPTION VALUE]...
      huddled config [--check] [--json] [--config FILE] [--OPTION VALUE]...
      huddled init   --data DIR --family NAME --zone IANA --parent NAME [--json]
      huddled invite --data DIR --family ID|NAME --name NAME --role parent|athlete|guest
                     [--born YYYY-MM-DD] [--email ADDRESS] [--until YYYY-MM-DD] [--by ID|NAME] [--json]
      huddled invite --data DIR --family ID|NAME --member ID|NAME [--email ADDRESS] [--by ID|NAME] [--json]
      huddled invite list|withdraw --data DIR --family ID|NAME [--invite ID] [--json]
      huddled token  --data DIR --member ID|NAME [--json]
      huddled recover --data DIR --member ID|NAME [--json]
      huddled demo   --data DIR [--json]
      huddled export --data DIR --family ID|NAME [--private] [--json] FILE
      huddled import --data DIR [--json] FILE
      huddled backup --data DIR [--keep 7d4w12m] [--json] FOLDER
      huddled backup --data DIR --stdout [--json] > FILE
      huddled restore --data DIR [--end-sessions] [--json] FOLDER
      huddled list   --data DIR [--json]
      huddled family list|show --data DIR [--family ID|NAME] [--json]
      huddled family delete --data DIR --family ID|NAME --name NAME [--json]
      huddled family keep --data DIR --family ID|NAME [--json]
      huddled person list|show --data DIR [--family ID|NAME] [--member ID] [--json]
      huddled session list|end --data DIR --member ID [--session ID | --all] [--json]
      huddled quota  show|set|clear --data DIR --family ID|NAME [--connections N] [--mutations N] [--burst N]
                     [--lists N] [--rows SIZE] [--files SIZE] [--uploads N] [--limit NAME]... [--json]
      huddled audit  --data DIR [--family ID|NAME] [--before MARK] [--limit N] [--json]
      huddled reminders --dry-run --data DIR --member ID [--from YYYY-MM-DD] [--to YYYY-MM-DD] [--json]
      huddled status --data DIR [--json]
      huddled doctor --data DIR [--json | --alive] [--mail ADDRESS] [--config FILE] [--OPTION VALUE]...
      huddled check  --data DIR [--deep] [--repair] [--json]
      huddled schema --out DIR
      huddled --version | --help | COMMAND --help

    serve   runs the server (on 127.0.0.1:8787 unless --listen says otherwise) until SIGTERM.
            Each option is a flag, a variable of the environment (HUDDLED_LISTEN) or a line of the file of
            --config ("listen = HOST:PORT"); a flag overrides a variable, and a variable overrides a line.
            'serve --help' lists all of them, and huddled(8) says why they are as they are.
            With a certificate and its key (PEM) it also serves wss://. Several pairs serve several host
            names. SIGHUP makes it read the certificates and the live options again; open connections stay.
    config  prints the value of each option and where it comes from, as a file of options. --check only
            says whether they can be used.
    init    makes a family with its first parent, and prints that parent's sign-in token.
    invite  prints a one-time code for 'huddle join CODE', good for 7 days, which asks for the name or
            the e-mail address. Athletes and guests need the parent who approves (--by), and athletes a birth
            date; under 18 there is no code before a parent consents (huddle consent). A parent or guest is a member once they have joined.
            --member invites a member who has no sign-in, like an athlete who turned 13, or makes a new
            code in place of one that expired or was lost.
            'list' prints the invites of a family that nobody has accepted; 'withdraw' takes one back.
    token   prints a new sign-in token for a member, for another device of theirs. If their invite is
            open, this accepts it.
    recover prints a one-time code, good for 24 hours, by which a member comes back who has lost their
            password, their second factor or all their devices: 'huddle join CODE'. It opens all their
            families; all their devices are notified, and it is in the families' audit log.
    demo    makes a family with a season to look at, and prints its members with their tokens.
    export  writes a whole family to FILE, a tar archive (proto/archive.md): records, log, history.
            Birth dates and consents only with --private; tokens and invites never.
    import  reads such a FILE: the family is there whole, or nothing is. Sign-ins are new: 'token'.
    backup  makes a copy of everything in FOLDER while the server runs, and checks it deeply; only then it is a
            backup. Files that an earlier backup in FOLDER has are not copied again. --keep removes older
            backups: 7d4w12m keeps the newest one of each of 7 days, 4 weeks and 12 months.
            --stdout writes a tar archive for another program instead; unpacked, it is such a FOLDER.
    restore makes the data folder DIR, which must be empty, of a backup, or of the newest one in FOLDER. It
            reads the whole backup before it writes. --end-sessions also signs everybody out.
    list    prints the families with their members and all ids.
    family  prints the families with their sizes and limits, or shows one. 'delete' asks for the deletion of one;
            --name is its name, which says that you mean it. It is erased 14 days later; until then 'keep', or
            any parent, withdraws the request. All members see both.
    person  prints the members of a family, or of all, or shows one: families, ways to sign in, sessions.
            It never prints a secret or a birth date.
    session prints where a person is signed in, or ends one session or all of them.
    quota   prints the limits of a family and what is used of them, sets other values, or clears them
            (all, or those of --limit). They act on open connections immediately.
    audit   prints the audit log of a family, or what you have done to all families, the newest first.
    reminders --dry-run prints of what a member is reminded, when (in UTC) and why: for 7 days, or from one day
            to another. Nothing is sent.
    status  prints on one screen how a server is: connections, queues, sizes, the age of the last backup, and
            how far each consumer of the log is behind. 3: it does not take new clients.
    doctor  says in sentences what keeps the server from taking new clients, beside a running server or
            without one: writer, disk, zone data, certificate, age of the last backup, proxies. Where the
            options name a mail server (--smtp), it signs in there; --mail ADDRESS sends a mail.
            --alive only looks whether a server answers, and prints nothing if it does.
    check   looks whether the database is whole, its records are what its log makes of them, and each
            document has its file (--deep: with its content). --repair, without a server, removes what
            nothing speaks of and counts anew; it never removes a document.
    schema  writes the JSON Schemas of the protocol to DIR, errors.json and limits.json beside it.

    All of them work beside a running server (through its socket in DIR) and without one.
    Exit status: 0 done, 1 failed, 2 wrong use, 3 check, doctor or status found something wrong.

    """

/// Why a command ends: one sentence on standard error.
enum CommandError: Error {
    case usage(UsageError)
    case failed(String)
    /// A check found a fault, which has been reported.
    case disagrees
}

func run(_ words: [String]) -> Int32 {
    guard let command = words.first else {
        Standard.write(error: usage)
        return ServerExitStatus.wrongUse
    }
    let rest = Array(words.dropFirst())
    if rest.contains("--help") || rest.contains("-h"), let help = help(of: command) {
        Standard.write(output: help)
        return ServerExitStatus.done
    }
    do throws(CommandError) {
        switch command {
        case "--help", "-h", "help": Standard.write(output: usage)
        case "--version": Standard.write(output: "huddled \(HuddleVersion.text)\n")
        case "serve": try serve(rest)
        case "config": try config(rest)
        case "init": try makeFamily(rest)
        case "list": try list(rest)
        case "family": try family(rest)
        case "person": try person(rest)
        case "session": try session(rest)
        case "quota": try quota(rest)
        case "audit": try audit(rest)
        case "reminders": try reminders(rest)
        case "invite" where ["list", "withdraw"].contains(rest.first): try invites(rest)
        case "invite": try invite(rest)
        case "token": try token(rest)
        case "recover": try recover(rest)
        case "demo": try demo(rest)
        case "export": try exportFamily(rest)
        case "import": try importFamily(rest)
        case "backup": try backUp(rest)
        case "restore": try restore(rest)
        case "status": try status(rest)
        case "doctor": try doctor(rest)
        case "check": try check(rest)
        case "schema": try schema(rest)
        case "confine": try confine(rest)
        default: throw .usage(UsageError("There is no command '\(command)'. See huddled --help."))
        }
        return ServerExitStatus.done
    } catch {
        switch error {
        case .usage(let wrong):
            Standard.write(error: "huddled: \(wrong.message)\n")
            return ServerExitStatus.wrongUse
        case .disagrees: return ServerExitStatus.disagrees
        case .failed(let sentence):
            Standard.write(error: "huddled: \(sentence)\n")
            return ServerExitStatus.failed
        }
    }
}

/// The lines of `usage` about one command, its words and its purpose; `nil` for a command that `usage` does not list.
private func help(of command: String) -> String? {
    let lines = usage.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    /// The lines that begin with `head`, each with the lines that follow it and are indented further.
    func part(_ head: String) -> [String] {
        let indent = head.prefix { $0 == " " }.count
        return lines.indices.filter { lines[$0].hasPrefix(head) }.flatMap { start in
            [lines[start]] + lines[(start + 1)...].prefix { $0.prefix { $0 == " " }.count > indent }
        }
    }
    let synopsis = part("  huddled \(command) ")
    guard !synopsis.isEmpty else { return nil }
    let purpose = part("\(command) ").map { "    " + $0 }
    let options = ["serve", "config", "doctor"].contains(command) ? [""] + optionLines : []
    return (synopsis + [""] + purpose + options + [""]).joined(separator: "\n")
}

/// The options of the server, for help.
private var optionLines: [String] {
    ServeOptions.table.options.flatMap { option in
        ["      \(option.flag) \(option.form.placeholder)" + (option.initial.map { " (\($0))" } ?? ""), "          \(option.summary)"]
    }
}

/// Reads arguments; a mistake in them ends the command with status 2.
func arguments<Value>(
    _ words: [String], options: Set<String>, repeatable: Set<String> = [], switches: Set<String> = [],
    _ read: (ArgumentList) throws(UsageError) -> Value
) throws(CommandError) -> Value {
    do throws(UsageError) {
        let list = try ArgumentList(words, options: options, repeatable: repeatable, switches: switches)
        try list.expectNoPositional()
        return try read(list)
    } catch { throw .usage(error) }
}

func identifier(_ list: ArgumentList, _ name: String) throws(UsageError) -> Identifier {
    guard let id = Identifier(try list.required(name)) else {
        throw UsageError("\(name) takes an id like 01930000-0000-7000-8000-000000000000.")
    }
    return id
}

// MARK: Families and members

func perform(_ request: AdminRequest, _ dataFolder: String) throws(CommandError) -> AdminReply {
    switch request {
    case .demo, .command(.createFamily): break
    default:
        // Only a new family makes a folder.
        guard Files.exists(dataFolder) else {
            throw .usage(UsageError("There is no folder \(dataFolder). Check --data, or make a family there with huddled init."))
        }
    }
    let answer: Result<AdminReply, Rejection>
    do throws(ServerError) {
        answer = try AdminGate.perform(request, dataFolder: dataFolder)
    } catch { throw .failed(error.sentence) }
    switch answer {
    case .success(let reply): return reply
    case .failure(let rejection): throw .failed(rejection.message)
    }
}

private func makeFamily(_ words: [String]) throws(CommandError) {
    let (data, command, isJSON) = try arguments(
        words, options: ["--data", "--family", "--zone", "--parent"], switches: ["--json"]
    ) { list throws(UsageError) in
        (
            try list.required("--data"),
            AdminCommand.createFamily(
                name: try list.required("--family"), zone: try list.required("--zone"), parent: try list.required("--parent")),
            list.has("--json")
        )
    }
    guard case .answer(.family(let family)) = try perform(.command(command), data) else { throw .failed("The server gave an unexpected answer.") }
    guard case .answer(.token(let session)) = try perform(.command(.token(member: family.member)), data) else {
        throw .failed("The server gave an unexpected answer.")
    }
    report(
        isJSON, [("family", "\(family.family)"), ("member", "\(family.member)"), ("role", session.role.rawValue), ("token", session.token)],
        """
        The family is made. Its id is \(family.family).
        Its first parent signs in with this token, which works like a password:
          \(session.token)
        Write huddle sign-in --server ws://HOST:PORT on their terminal. It asks for the token.
        Then they invite the others themselves: huddle invite NAME --role parent
        You can invite, too: huddled invite --data DIR --family \(family.family) --by \(family.member) …
        """)
}

private func invite(_ words: [String]) throws(CommandError) {
    let (data, read, by, memberName, isJSON) = try arguments(
        words, options: ["--data", "--family", "--member", "--name", "--role", "--born", "--email", "--until", "--by"], switches: ["--json"]
    ) { list throws(UsageError) in
        var invite = NewInvite(family: try list.required("--family"), email: list.value("--email"), by: nil)
        if list.value("--member") == nil {
            guard let role = Role(rawValue: try list.required("--role")) else {
                throw UsageError("--role takes parent, athlete or guest.")
            }
            invite.name = try list.required("--name")
            invite.role = role
            invite.born = list.value("--born")
            invite.lastDay = list.value("--until")
        } else {
            for option in ["--name", "--role", "--born", "--until"] where list.value(option) != nil {
                throw UsageError("An invite with --member takes name and role from the family: leave out \(option).")
            }
        }
        return (try list.required("--data"), invite, list.value("--by"), list.value("--member"), list.has("--json"))
    }
    var invite = read
    if let by { invite.by = try member(by, of: invite.family, data) }
    if let memberName { invite.member = try member(memberName, of: invite.family, data) }
    guard case .answer(.invited(let invited)) = try perform(.command(.invite(invite)), data) else {
        throw .failed("The server gave an unexpected answer.")
    }
    var fields = [("family", "\(invited.family)"), ("member", "\(invited.member)"), ("role", invited.role.rawValue)]
    if let code = invited.code {
        fields.append(("code", code))
        report(
            isJSON, fields,
            """
            \(invited.name) is invited; their id is \(invited.member).
            They join with this one-time code, good for 7 days, and with their name as it is written here:
              huddle join \(code) --server ws://HOST:PORT
            """)
    } else {
        report(
            isJSON, fields,
            """
            \(invited.name) is a member now; their id is \(invited.member).
            There is no sign-in yet. Under 13 a parent keeps this profile. From 13 to 17 a parent consents in their own
            session, and then invites: huddle consent NAME, huddle invite NAME --member
            """)
    }
}

private func token(_ words: [String]) throws(CommandError) {
    let (data, name, isJSON) = try arguments(words, options: ["--data", "--member"], switches: ["--json"]) { list throws(UsageError) in
        (try list.required("--data"), try list.required("--member"), list.has("--json"))
    }
    let member = try member(name, of: nil, data)
    guard case .answer(.token(let session)) = try perform(.command(.token(member: member)), data) else {
        throw .failed("The server gave an unexpected answer.")
    }
    report(
        isJSON,
        [("family", "\(session.family)"), ("member", "\(session.member)"), ("role", session.role.rawValue), ("token", session.token)],
        // The token is alone on its line, so that it can be piped: huddled token … | huddle sign-in --token-file -
        session.token)
}

private func recover(_ words: [String]) throws(CommandError) {
    let (data, name, isJSON) = try arguments(words, options: ["--data", "--member"], switches: ["--json"]) { list throws(UsageError) in
        (try list.required("--data"), try list.required("--member"), list.has("--json"))
    }
    let member = try member(name, of: nil, data)
    guard case .answer(.recovery(let made)) = try perform(.command(.recover(member: member)), data) else {
        throw .failed("The server gave an unexpected answer.")
    }
    report(
        isJSON, [("family", "\(made.family)"), ("member", "\(made.member)"), ("code", made.code)],
        """
        The member comes back with this one-time code, good for 24 hours. Whoever has it is signed in as them: hand it over yourself.
          huddle join \(made.code) --server ws://HOST:PORT
        They set a new password within 10 minutes: huddle password set NAME
        """)
}

private func demo(_ words: [String]) throws(CommandError) {
    let (data, isJSON) = try arguments(words, options: ["--data"], switches: ["--json"]) { list throws(UsageError) in
        (try list.required("--data"), list.has("--json"))
    }
    let before = Files.exists(data) ? try familyNames(data) : []
    guard case .demo(let demo) = try perform(.demo, data) else { throw .failed("The server gave an unexpected answer.") }
    if before.contains(demo.name) {
        Standard.write(error: "huddled: There was \(demo.name) already; this is another family of the same name. huddled list --data \(data) shows all.\n")
    }
    if isJSON {
        var json = JSONWriter()
        demo.encode(into: &json)
        Standard.write(output: json.octets + [UInt8(ascii: "\n")])
        return
    }
    Standard.write(output: "\(demo.name) was created, with a season to explore. Its members sign in with these tokens (huddle sign-in asks for one):\n")
    for member in demo.members {
        Standard.write(output: "\n  \(member.name) (\(member.role.rawValue), \(member.id))\n")
        Standard.write(output: "    \(member.token)\n")
    }
}

/// Prints one JSON object of strings, or the sentences.
private func report(_ isJSON: Bool, _ fields: [(String, String)], _ text: String) {
    guard isJSON else {
        Standard.write(output: text + "\n")
        return
    }
    var json = JSONWriter()
    json.beginObject()
    for (key, value) in fields {
        json.key(key)
        json.string(value)
    }
    json.endObject()
    Standard.write(output: json.octets + [UInt8(ascii: "\n")])
}

// MARK: schema

private func schema(_ words: [String]) throws(CommandError) {
    let out = try arguments(words, options: ["--out"]) { list throws(UsageError) in try list.required("--out") }
    do throws(Errno) {
        for file in SchemaDocument.files() {
            let isSchema = file.path.hasPrefix("schema/")
            let path = isSchema ? out + file.path.dropFirst("schema".count) : out + "/../" + file.path
            if let slash = path.lastIndex(of: "/") { try Files.makeFolders(String(path[..<slash]), mode: 0o755) }
            try Files.write(file.octets, to: path, mode: 0o644)
        }
    } catch {
        throw .failed("The files cannot be written to \(out): \(error.text).")
    }
}
