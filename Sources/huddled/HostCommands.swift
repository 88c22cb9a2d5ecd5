import Arguments
import Bytes
import Dates
import Family
import JSON
import Posix
import Server
import Store

// Commands about families, people, invites, sessions, limits and the audit log, for the person who runs the server.
// They work with a running server and without one.

/// The server's answer to a question.
func ask(_ question: HostQuestion, _ dataFolder: String) throws(CommandError) -> JSONTree {
    try tree(.ask(question), dataFolder)
}

private func tree(_ request: AdminRequest, _ dataFolder: String) throws(CommandError) -> JSONTree {
    guard case .tree(let tree) = try perform(request, dataFolder) else { throw .failed("The server gave an unexpected answer.") }
    return tree
}

/// All pages of a list in one answer.
///
/// - Parameter most: the largest number of rows.
private func all(
    _ key: String, _ dataFolder: String, most: Int = .max, _ question: (JSONTree?) throws(CommandError) -> HostQuestion
) throws(CommandError) -> JSONTree {
    var (rows, next): ([JSONTree], JSONTree?) = ([], nil)
    while true {
        let page = try ask(try question(next), dataFolder)
        rows += page[key]?.elements ?? []
        next = page["next"]
        if next == nil || rows.count >= most { break }
    }
    var answer = JSONTree.object(of: [key: .list(Array(rows.prefix(most)))])
    // The mark of the next page, only if this list ends at the end of a page: marks exist only for whole pages.
    if rows.count <= most { answer["next"] = next }
    return answer
}

/// The first word of a command with several acts.
private func act(_ words: [String], _ command: String, _ acts: [String]) throws(CommandError) -> (String, [String]) {
    guard let first = words.first, acts.contains(first) else {
        throw .usage(UsageError("huddled \(command) takes \(acts.joined(separator: " or ")) first. See huddled \(command) --help."))
    }
    return (first, Array(words.dropFirst()))
}

// MARK: Families

/// `huddled list`: the families with their members.
func list(_ words: [String]) throws(CommandError) {
    let (data, isJSON) = try arguments(words, options: ["--data"], switches: ["--json"]) { list throws(UsageError) in
        (try list.required("--data"), list.has("--json"))
    }
    let answer = try all("families", data) { next in .families(after: next?.integer, withPeople: true) }
    if isJSON { return write(answer) }
    for family in answer["families"]?.elements ?? [] {
        Standard.write(output: "\(text(family, "name"))  \(text(family, "family"))\n")
        for person in family["people"]?.elements ?? [] {
            Standard.write(output: "  \(text(person, "name"))  \(text(person, "role"))  \(text(person, "member"))\n")
        }
        let left = Int(family["members"]?.integer ?? 0) - (family["people"]?.elements.count ?? 0)
        if left > 0 { Standard.write(output: "  and \(left) more: huddled person list --family \(text(family, "family"))\n") }
    }
}

/// The names of all families.
func familyNames(_ dataFolder: String) throws(CommandError) -> [String] {
    let answer = try all("families", dataFolder) { next in .families(after: next?.integer, withPeople: false) }
    return (answer["families"]?.elements ?? []).compactMap { $0["name"]?.text }
}

func family(_ words: [String]) throws(CommandError) {
    let (act, rest) = try act(words, "family", ["list", "show", "delete", "keep"])
    if act == "delete" || act == "keep" { return try deletion(rest, isRequest: act == "delete") }
    let (data, name, isJSON) = try arguments(rest, options: act == "show" ? ["--data", "--family"] : ["--data"], switches: ["--json"]) {
        list throws(UsageError) in (try list.required("--data"), act == "show" ? try list.required("--family") : "", list.has("--json"))
    }
    guard act == "show" else {
        let answer = try all("families", data) { next in .families(after: next?.integer, withPeople: false) }
        if isJSON { return write(answer) }
        return table(
            [("NAME", { text($0, "name") }), ("ID", { text($0, "family") }), ("MEMBERS", { text($0, "members") }), ("RECORDS", { text($0, "records") }),
             ("CHANGES", { share($0, "rows_octets", of: "rows_limit") }), ("FILES", { share($0, "files_octets", of: "files_limit") }),
             ("LAST CHANGE", { day($0, "last_change_at") })],
            answer["families"]?.elements ?? [])
    }
    let found = try ask(.family(name), data)
    if isJSON { return write(found) }
    let own = (found["own_quotas"]?.elements ?? []).compactMap(\.text)
    fields([
        ("name", text(found, "name")), ("id", text(found, "family")), ("time zone", text(found, "zone")), ("made", day(found, "created_at")),
        ("last change", day(found, "last_change_at")), ("records", text(found, "records")), ("changes", text(found, "changes")),
        ("log and history", share(found, "rows_octets", of: "rows_limit")), ("files", share(found, "files_octets", of: "files_limit")),
        ("open invites", text(found, "pending_invites")), ("own limits", own.isEmpty ? "none" : own.joined(separator: ", ")),
    ] + (found["deletion_due_at"] == nil ? [] : [("erased from", moment(found, "deletion_due_at") + " UTC on")]))
    table([("MEMBER", { text($0, "name") }), ("ROLE", { text($0, "role") }), ("ID", { text($0, "member") })], found["people"]?.elements ?? [])
}

/// `huddled family delete` and `huddled family keep`.
private func deletion(_ words: [String], isRequest: Bool) throws(CommandError) {
    let (data, request, isJSON) = try arguments(words, options: isRequest ? ["--data", "--family", "--name"] : ["--data", "--family"], switches: ["--json"]) {
        list throws(UsageError) in
        let act: HostDeletion.Act = isRequest ? .request(name: try list.required("--name")) : .withdraw
        return (try list.required("--data"), HostDeletion(act, family: try list.required("--family")), list.has("--json"))
    }
    let answer = try tree(.deletion(request), data)
    if isJSON { return write(answer) }
    guard isRequest else {
        Standard.write(output: "\(text(answer, "name")) stays: no deletion is requested.\n")
        return
    }
    Standard.write(output: """
        \(text(answer, "name")) is erased from \(moment(answer, "deletion_due_at")) UTC on, with all records, files, tokens and links. All members see the day.
        Until then any parent can keep the family, and so can you: huddled family keep --data DIR --family \(text(answer, "family"))
        Take a copy first, if the family wants one: huddled export --data DIR --family \(text(answer, "family")) FILE

        """)
}

// MARK: People

func person(_ words: [String]) throws(CommandError) {
    let (act, rest) = try act(words, "person", ["list", "show"])
    if act == "show" {
        let (data, member, isJSON) = try member(rest)
        let found = try ask(.person(member: member), data)
        if isJSON { return write(found) }
        var lines = [("member", text(found, "member")), ("signs in", found["signs_in"]?.flag == true ? "yes" : "never yet")]
        if found["signs_in"]?.flag == true {
            lines += [
                ("sign-in name", text(found, "sign_in_name")), ("password", yes(found, "password")), ("second factor", yes(found, "second_factor")),
                ("recovery codes", text(found, "recovery_codes")), ("passkeys", text(found, "passkeys")), ("sessions", text(found, "sessions")),
                ("tokens", text(found, "tokens")),
            ]
        }
        fields(lines)
        return table(
            [("FAMILY", { text($0, "family_name") }), ("AS", { text($0, "name") }), ("ROLE", { text($0, "role") }), ("MEMBER", { text($0, "member") })],
            found["families"]?.elements ?? [])
    }
    let (data, name, isJSON) = try arguments(rest, options: ["--data", "--family"], switches: ["--json"]) { list throws(UsageError) in
        (try list.required("--data"), list.value("--family"), list.has("--json"))
    }
    let answer = try all("people", data) { next in .people(family: name, after: next?.text) }
    if isJSON { return write(answer) }
    table(
        [("NAME", { text($0, "name") }), ("ROLE", { text($0, "role") }), ("MEMBER", { text($0, "member") }), ("FAMILY", { text($0, "family") }),
         ("SIGNS IN", { $0["signs_in"]?.flag == true ? $0["sign_in_name"]?.text ?? "yes" : "never yet" }), ("SESSIONS", { text($0, "sessions") })],
        answer["people"]?.elements ?? [])
}

private func member(_ words: [String]) throws(CommandError) -> (String, Identifier, Bool) {
    let (data, name, isJSON) = try arguments(words, options: ["--data", "--member"], switches: ["--json"]) { list throws(UsageError) in
        (try list.required("--data"), try list.required("--member"), list.has("--json"))
    }
    return (data, try member(name, of: nil, data), isJSON)
}

/// The member with an id or a name.
///
/// - Parameter family: the id or name of the family whose members may be named; `nil` for all families.
func member(_ name: String, of family: String?, _ dataFolder: String) throws(CommandError) -> Identifier {
    if let id = Identifier(name) { return id }
    let people = try all("people", dataFolder) { next in .people(family: family, after: next?.text) }["people"]?.elements ?? []
    let found = people.filter { $0["name"]?.text?.lowercased() == name.lowercased() }
    if found.count == 1, let id = found[0]["member"]?.text.flatMap({ Identifier($0) }) { return id }
    guard found.isEmpty else {
        let ids = found.compactMap { $0["member"]?.text }.joined(separator: ", ")
        throw .usage(UsageError("'\(name)' names \(found.count) members: \(ids). Use the id."))
    }
    throw .usage(UsageError("There is no member '\(name)'. huddled list --data \(dataFolder) shows all of them."))
}

// MARK: Invites and sessions

/// `huddled invite list` and `huddled invite withdraw`.
func invites(_ words: [String]) throws(CommandError) {
    let (act, rest) = try act(words, "invite", ["list", "withdraw"])
    guard act == "withdraw" else {
        let (data, name, isJSON) = try arguments(rest, options: ["--data", "--family"], switches: ["--json"]) { list throws(UsageError) in
            (try list.required("--data"), try list.required("--family"), list.has("--json"))
        }
        let answer = try ask(.invites(family: name), data)
        if isJSON { return write(answer) }
        return table(
            [("NAME", { text($0, "name") }), ("ROLE", { text($0, "role") }), ("STATE", { text($0, "state") }), ("EXPIRES", { day($0, "expires_at") }),
             ("INVITE", { text($0, "invite") }), ("MEMBER", { text($0, "member") })],
            answer["invites"]?.elements ?? [])
    }
    let (data, name, invite, isJSON) = try arguments(rest, options: ["--data", "--family", "--invite"], switches: ["--json"]) {
        list throws(UsageError) in
        (try list.required("--data"), try list.required("--family"), try identifier(list, "--invite"), list.has("--json"))
    }
    let answer = try tree(.act(.withdrawInvite(invite, family: name)), data)
    if isJSON { return write(answer) }
    Standard.write(output: "The invite is withdrawn: nobody can join with its code.\n")
}

func session(_ words: [String]) throws(CommandError) {
    let (act, rest) = try act(words, "session", ["list", "end"])
    guard act == "end" else {
        let (data, member, isJSON) = try member(rest)
        let answer = try ask(.sessions(member: member), data)
        if isJSON { return write(answer) }
        return table(
            [("NAME", { text($0, "name") }), ("KIND", { [text($0, "kind"), $0["scope"]?.text].compactMap(\.self).joined(separator: " ") }),
             ("CREATED", { text($0, "created_on") }), ("USED", { text($0, "used_on") }), ("ENDS", { text($0, "ends_on") }), ("SESSION", { text($0, "session") })],
            answer["sessions"]?.elements ?? [])
    }
    let (data, member, one, isJSON) = try arguments(rest, options: ["--data", "--member", "--session"], switches: ["--all", "--json"]) {
        list throws(UsageError) in
        let one = list.value("--session") == nil ? nil : try identifier(list, "--session")
        guard (one != nil) != list.has("--all") else { throw UsageError("Give either --session ID or --all.") }
        return (try list.required("--data"), try identifier(list, "--member"), one, list.has("--json"))
    }
    let answer = try tree(.act(.endSessions(member: member, session: one)), data)
    if isJSON { return write(answer) }
    let count = answer["ended"]?.integer ?? 0
    Standard.write(output: count == 1 ? "1 session has ended.\n" : "\(count) sessions have ended.\n")
}

// MARK: Limits

func quota(_ words: [String]) throws(CommandError) {
    let (act, rest) = try act(words, "quota", ["show", "set", "clear"])
    let names = FamilyQuota.allCases.map { "--\($0.rawValue)" }
    let (data, name, own, cleared, isJSON) = try arguments(
        rest, options: Set(["--data", "--family"]).union(act == "set" ? names : act == "clear" ? ["--limit"] : []), repeatable: ["--limit"], switches: ["--json"]
    ) { list throws(UsageError) in
        var own = FamilyQuotas()
        for quota in FamilyQuota.allCases {
            guard act == "set", let text = list.value("--\(quota.rawValue)") else { continue }
            let value = quota.isOctets ? OptionForm.size(text) : Int(text)
            guard let value, quota.range.contains(value) else {
                let form = quota.isOctets ? "a size from 1 to 1000000G, like 500M or 2G" : "a number from 1 to \(quota.range.upperBound)"
                throw UsageError("--\(quota.rawValue) takes \(form), not \(text).")
            }
            own[quota] = value
        }
        var cleared: Set<FamilyQuota> = []
        for text in list.all("--limit") {
            guard let quota = FamilyQuota(rawValue: text) else {
                throw UsageError("--limit takes \(FamilyQuota.allCases.map(\.rawValue).joined(separator: ", ")), not \(text).")
            }
            cleared.insert(quota)
        }
        if act == "clear", cleared.isEmpty { cleared = Set(FamilyQuota.allCases) }
        if act == "set", own.isEmpty { throw UsageError("huddled quota set needs at least one of \(names.joined(separator: ", ")).") }
        return (try list.required("--data"), try list.required("--family"), own, cleared, list.has("--json"))
    }
    let answer = act == "show" ? try ask(.quotas(family: name), data) : try tree(.act(.setQuotas(family: name, own: own, cleared: cleared)), data)
    if isJSON { return write(answer) }
    table(
        [("LIMIT", { text($0, "quota") }), ("VALUE", { amount($0, "value") }), ("OF ALL FAMILIES", { amount($0, "default") }), ("USED", { amount($0, "used") })],
        answer["quotas"]?.elements ?? [])
}

// MARK: Audit

func audit(_ words: [String]) throws(CommandError) {
    let (data, name, before, most, isJSON) = try arguments(words, options: ["--data", "--family", "--before", "--limit"], switches: ["--json"]) {
        list throws(UsageError) in
        (
            try list.required("--data"), list.value("--family"), list.value("--before"), try list.integer("--limit", in: 1...100_000) ?? HostQuestion.rows,
            list.has("--json")
        )
    }
    let answer = try all("entries", data, most: most) { next in .audit(family: name, after: next?.text ?? before) }
    if isJSON { return write(answer) }
    table(
        [("TIME (UTC)", { moment($0, "at") }), ("ACT", { [text($0, "act"), $0["detail"]?.text.map { "(\($0))" }].compactMap(\.self).joined(separator: " ") }),
         ("BY", { $0["member_name"]?.text ?? $0["member"]?.text ?? text($0, "by") }), ("ABOUT", { $0["about_name"]?.text ?? text($0, "about") }),
         ("COUNT", { text($0, "count") }), ("FAMILY", { text($0, "family") })],
        answer["entries"]?.elements ?? [])
    if let next = answer["next"]?.text { Standard.write(output: "Older entries: --before \(next)\n") }
}

// MARK: Reminders

/// `huddled reminders --dry-run`: what a member would be reminded of, and why. Nothing is sent.
func reminders(_ words: [String]) throws(CommandError) {
    let day: Int64 = 86_400_000
    let (data, member, from, to, isJSON) = try arguments(words, options: ["--data", "--member", "--from", "--to"], switches: ["--dry-run", "--json"]) {
        list throws(UsageError) in
        guard list.has("--dry-run") else { throw UsageError("The server sends reminders by itself. To list those that are to come, add --dry-run.") }
        func time(_ name: String) throws(UsageError) -> Int64? {
            guard let text = list.value(name) else { return nil }
            guard let date = CalendarDate(text) else { throw UsageError("\(name) takes a date like 2026-12-31, not \(text).") }
            return Int64(date.days) * day
        }
        let from = try time("--from") ?? Clock.wallMilliseconds()
        let to = try time("--to").map { $0 + day } ?? from + 7 * day
        guard from < to else { throw UsageError("--to must not be before --from.") }
        return (try list.required("--data"), try identifier(list, "--member"), from, to, list.has("--json"))
    }
    var answer = try ask(.reminders(member: member, from: from, to: to, after: nil), data)
    var rows = answer["reminders"]?.elements ?? []
    while let next = answer["next"]?.integer {
        let page = try ask(.reminders(member: member, from: from, to: to, after: next), data)
        rows += page["reminders"]?.elements ?? []
        answer["next"] = page["next"]
    }
    answer["reminders"] = .list(rows)
    if isJSON { return write(answer) }
    let name = text(answer, "name")
    if let reason = answer["none_because"]?.text {
        Standard.write(output: "\(name) gets no reminders. \(reason)\n")
        return
    }
    guard !rows.isEmpty else {
        Standard.write(output: "\(name) has no reminders in this time.\n")
        return
    }
    table(
        [("TIME (UTC)", { moment($0, "at") }), ("TO", { _ in name }), ("REMINDER", { text($0, "title") }), ("PLACE", { text($0, "body") }),
         ("REASON", { text($0, "reason") })], rows)
}

// MARK: Status

/// `huddled status`: one screen.
///
/// - Throws: `.disagrees` if the server does not take new clients.
func status(_ words: [String]) throws(CommandError) {
    let (data, isJSON) = try arguments(words, options: ["--data"], switches: ["--json"]) { list throws(UsageError) in
        (try list.required("--data"), list.has("--json"))
    }
    let found = try ask(.status, data)
    let isRunning = found["running"]?.flag == true
    let isReady = found["ready"]?.flag ?? true
    if isJSON {
        write(found)
    } else {
        if isRunning {
            Standard.write(output: "Huddle \(text(found, "version")) has been running for \(duration(found["uptime_ms"]?.integer ?? 0)) and \(isReady ? "accepts" : "does not accept") new clients.\n")
        } else {
            Standard.write(output: "No server runs on \(data).\n")
        }
        for problem in found["problems"]?.elements ?? [] { Standard.write(output: "  \(problem.text ?? "")\n") }
        var lines = [("families", text(found, "families"))]
        if isRunning {
            lines += [
                ("connections", "\(text(found, "connections")) of \(text(found, "connections_limit")): \(text(found, "people")) people in \(text(found, "rooms")) families"),
                ("waiting", (found["queues"]?.members ?? []).map { "\($0.key) \($0.value.integer ?? 0)" }.joined(separator: ", ")),
                ("uploads", text(found, "uploads")),
            ]
        }
        lines += [
            ("database", "\(amount(found, "database_octets")), log \(amount(found, "wal_octets"))"), ("documents", amount(found, "files_octets")),
            ("free on disk", amount(found, "disk_free_octets")), ("last backup", found["backup_at"] == nil ? "none" : moment(found, "backup_at") + " UTC"),
            ("log", "ends at position \(text(found, "position"))"),
        ]
        for consumer in found["consumers"]?.elements ?? [] {
            lines.append(("consumer", "\(text(consumer, "name")) has handled everything up to position \(text(consumer, "position")) and is \(text(consumer, "lag")) behind"))
        }
        fields(lines)
    }
    if isRunning, !isReady { throw .disagrees }
}

// MARK: Output

private func write(_ tree: JSONTree) { Standard.write(output: tree.octets + [UInt8(ascii: "\n")]) }

/// A member of an object, for people; "-" if it has no value.
private func text(_ tree: JSONTree, _ key: String) -> String {
    switch tree[key] {
    case .text(let text)?: text.isEmpty ? "-" : text
    case .integer(let number)?: "\(number)"
    default: "-"
    }
}

private func yes(_ tree: JSONTree, _ key: String) -> String { tree[key]?.flag == true ? "yes" : "no" }

/// Octets as a size, if the member counts octets; any other number unchanged.
private func amount(_ tree: JSONTree, _ key: String) -> String {
    guard let number = tree[key]?.integer else { return "-" }
    let isOctets = tree["quota"]?.text.flatMap(FamilyQuota.init)?.isOctets ?? key.hasSuffix("octets")
    return isOctets ? ByteCount.text(number) : "\(number)"
}

/// "1.2 MB of 5 GB".
private func share(_ tree: JSONTree, _ used: String, of limit: String) -> String {
    guard let used = tree[used]?.integer, let limit = tree[limit]?.integer else { return "-" }
    return "\(ByteCount.text(used)) of \(ByteCount.text(limit))"
}

private func moment(_ tree: JSONTree, _ key: String) -> String {
    guard let at = tree[key]?.integer else { return "-" }
    return String(RFC3339.text(at).prefix(16)).replacing("T", with: " ")
}

private func day(_ tree: JSONTree, _ key: String) -> String {
    guard let at = tree[key]?.integer else { return "-" }
    return String(RFC3339.text(at).prefix(10))
}

private func duration(_ milliseconds: Int64) -> String {
    let minutes = milliseconds / 60_000
    if minutes < 60 { return "\(minutes) min" }
    if minutes < 48 * 60 { return "\(minutes / 60) h \(minutes % 60) min" }
    return "\(minutes / 1_440) days"
}

private func fields(_ lines: [(String, String)]) {
    let width = lines.map(\.0.count).max() ?? 0
    for (name, value) in lines { Standard.write(output: name + String(repeating: " ", count: width + 2 - name.count) + value + "\n") }
}

/// A table for people, without spaces behind the last column.
private func table(_ columns: [(title: String, cell: (JSONTree) -> String)], _ rows: [JSONTree]) {
    let cells = [columns.map(\.title)] + rows.map { row in columns.map { $0.cell(row) } }
    let widths = columns.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    for row in cells {
        let line = row.enumerated().map { column, cell in
            column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] + 2 - cell.count)
        }
        Standard.write(output: line.joined() + "\n")
    }
}
