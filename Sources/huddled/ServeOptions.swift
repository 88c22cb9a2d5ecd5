import Arguments
import Crypto
import Family
import HTTP1
import Locks
import Mail
import Posix
import Server
import TLS

/// The options of `huddled serve`. Flags, variables, lines of a file, manual and example are made from this table.
enum ServeOptions {
    private static let limits = Limits()
    private static let passwordMemory = OptionForm.text(size: Int(PasswordHash.Cost.standard.memory) << 10)
    private static let passwordPasses = "\(PasswordHash.Cost.standard.passes)"

    static let table = OptionTable(
        prefix: "HUDDLED_",
        [
            .init(
                "Data",
                [
                    .init(
                        "data", .path, "The folder with all data of the server. It is created if it is missing.",
                        reason: "There is none because two servers must not share a folder by mistake."),
                    .init(
                        "config", .path, isOutsideFile: true, "A file of options.",
                        reason: "Without it the server reads no file, so that nothing outside its command line and environment changes it."),
                ]),
            .init(
                "Network",
                [
                    .init(
                        "listen", .endpoint, initial: "127.0.0.1:8787", "The address and port for connections without TLS. Port 0 takes a free one.",
                        reason: "Connections without TLS stay on this machine: a proxy with a certificate is in front of the server."),
                    .init(
                        "listen-tls", .endpoint, initial: "0.0.0.0:8443", "The address and port for connections with TLS, which needs tls-cert and tls-key.",
                        reason: "Encrypted connections may come from anywhere; ports below 1024 need a socket of systemd."),
                    .init(
                        "tls-cert", .path, isRepeatable: true, "A certificate in PEM form: the server's, then those between it and the root.",
                        reason: "Each one goes with a tls-key, in the same order; several pairs serve several host names. The server reads the files again when they change."),
                    .init(
                        "tls-key", .secretPath, isRepeatable: true, "The private key of a certificate, in PEM form without a pass phrase.",
                        reason: "A key is a secret, so it is in a file of its own that other users cannot read."),
                ]),
            .init(
                "HTTP without TLS",
                [
                    .init(
                        "listen-redirect", .endpoint,
                        "The address and port for HTTP without TLS. It redirects to https:// under the names of host, and serves the challenges of acme-webroot.",
                        reason: "Without it nothing listens there. Port 80 needs a socket of systemd (huddled-redirect.socket)."),
                    .init(
                        "acme-webroot", .path, "The folder that certbot or lego takes as its web root. The server serves the files of its .well-known/acme-challenge.",
                        reason: "Without it the server serves no challenges: a proxy gets the certificate, or nobody."),
                ]),
            .init(
                "Proxies and web pages",
                [
                    .init(
                        "trusted-proxy",
                        .checked(placeholder: "ADDRESS[/BITS]", takes: "an address or a network, like 10.0.0.7 or 2001:db8::/32") { AddressRange($0) != nil },
                        isRepeatable: true, isLive: true, "A proxy whose Forwarded or X-Forwarded-For says where a client is.",
                        reason: "Without it a proxy's clients count as one address, or, for a proxy on this machine, by none: then no limit per address applies."),
                    .init(
                        "allow-origin", .checked(placeholder: "ORIGIN", takes: "the origin of a web page, like https://app.example") { WebOrigin($0) != nil },
                        isRepeatable: true, isLive: true, "A web page of another host that may connect.",
                        reason: "Pages of other hosts act with the rights of their visitor, so none may connect unless it is named."),
                    .init(
                        "host",
                        .checked(placeholder: "NAME", takes: "a name of this server, like huddle.example") { Authority($0)?.port == nil && Authority($0) != nil && !$0.hasSuffix(":") },
                        isRepeatable: true, isLive: true, "A name of this server: its own web pages are then those of these names only.",
                        reason: "Without it a server on a loopback address takes loopback names only, and any other server takes every name."),
                    .init(
                        "public-url",
                        .checked(placeholder: "URL", takes: "https:// with a name and no path, like https://huddle.example (http:// for localhost alone)") {
                            PublicURL($0) != nil
                        },
                        "The address at which people reach the server in a browser. Passkeys belong to its name, and its pages are the server's own.",
                        reason: "Without it nobody can use passkeys: the server must not trust the host name in a request. After a change of the name, the passkeys that people have do not work."),
                ]),
            .init(
                "Limits",
                [
                    .init(
                        "mutations-per-second", .number(0...1_000_000), initial: "\(limits.mutationsPerSecond)",
                        "The changes, lists and requests of one member per second; 0 sets no limit, also none on processor time.",
                        reason: "A person types less than one per second; the rest is for programs."),
                    .init(
                        "max-connections", .number(1...1_000_000), initial: "\(limits.connections)",
                        "The connections in all; never more than 100 below the descriptors of the process.",
                        reason: "The open-file limit of the unit is 20,000."),
                    .init(
                        "connections-per-address", .number(1...1_000_000), initial: "\(limits.connectionsPerAddress)",
                        "The connections from one address (IPv6: one /64); loopback is not counted.",
                        reason: "A school or a team hotel has one address."),
                    .init(
                        "connections-per-family", .number(1...1_000_000), initial: "\(limits.connectionsPerFamily)",
                        "The connections in the room of one family. The host can set another value for one family.",
                        reason: "Eight members may have as many connections as each of them may have."),
                    .init(
                        "family-mutations-per-second", .number(1...1_000_000), initial: "\(limits.familyMutationsPerSecond)",
                        "The changes of one family per second; ten times as many may come together after a pause. The host can set another value for one family.",
                        reason: "The writer makes thousands per second, so tens of families at their limit fit beside each other."),
                    .init(
                        "family-lists-per-second", .number(1...1_000_000), initial: "\(limits.familyListsPerSecond)",
                        "The lists and similar requests of one family per second. The host can set another value for one family.",
                        reason: "Clients hold what they show; a list is for searches and for old messages."),
                    .init(
                        "family-storage", .size(1...1_000_000 << 30), initial: OptionForm.text(size: limits.familyStorage), "The documents of one family.",
                        reason: "It holds fifty files of the greatest size, so that one family cannot fill the disk."),
                    .init(
                        "family-history", .size(1...1_000_000 << 30), initial: OptionForm.text(size: limits.familyHistory),
                        "The changes of one family: its log, and the values that changes replaced within 365 days.",
                        reason: "It holds years of a busy family, and limits the writes of a faulty program."),
                ]),
            .init(
                "Upgrade",
                [
                    .init(
                        "backup-before-upgrade", .choice(["yes", "no"]), initial: "yes",
                        "Whether the database is copied, into the folder upgrade of the data folder, before a newer program changes its tables.",
                        reason: "The copy is the way back to the older program. It takes as much room as the database, for 30 days. --no-backup-before-upgrade is the same as no.")
                ]),
            .init(
                "Web client",
                [
                    .init(
                        "web", .checked(placeholder: "on|off|FOLDER", takes: "on, off, or a folder") { !$0.isEmpty }, initial: "on",
                        "Whether the server offers the web client: on, off, or the modules of a folder as they are.",
                        reason: "The client is in the program, so it always fits the server. A folder is for authors of the client: nothing of it is joined, compressed or kept."),
                ]),
            .init(
                "People",
                [
                    .init(
                        "consent-text", .path,
                        "The text, in Markdown, to which a parent consents before an athlete of 13 to 17 may sign in. Its version is the name of the file without .md.",
                        reason: "Without it the server shows the text of its release (deploy/terms). A club may have a text of its own; give each change of it another name."),
                    .init(
                        "password-memory", .size(1 << 20...1 << 30), initial: passwordMemory,
                        "The memory that one hash of a password takes (argon2id).",
                        reason: "It is the minimum that OWASP recommends. Two hashes are computed at a time; a password that was hashed otherwise is hashed again at its next sign-in."),
                    .init(
                        "password-passes", .number(1...64), initial: passwordPasses,
                        "The passes of one hash of a password over its memory.",
                        reason: "Two passes over 19 MiB take some 70 ms of one core."),
                ]),
            .init(
                "Mail",
                [
                    .init(
                        "smtp", .checked(placeholder: "URL", takes: "smtp://HOST[:PORT] or smtps://HOST[:PORT]") { MailServer($0, from: "huddle@localhost") != nil },
                        "The mail server that takes the server's mail: smtp:// with STARTTLS (port 587), or smtps:// (port 465). It needs mail-from.",
                        reason: "Without it the server sends no mail: nobody can recover a sign-in by mail, and you pass on the codes of invites yourself."),
                    .init(
                        "mail-from", .checked(placeholder: "ADDRESS", takes: "an e-mail address, like huddle@club.example") { MailServer.isAddress($0) },
                        "The address of the sender.",
                        reason: "There is none because the mail server decides who may send under which address."),
                    .init(
                        "smtp-user", .checked(placeholder: "NAME", takes: "a name") { !$0.isEmpty && $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } },
                        "The name under which the server signs in at the mail server. It needs smtp-password.",
                        reason: "Without it the server does not sign in there."),
                    .init(
                        "smtp-password", .secretPath, "A file whose first line is the password at the mail server.",
                        reason: "A password is a secret, so it is in a file of its own that other users cannot read. The file is read for each mail: a new password needs no restart."),
                    .init(
                        "smtp-tls", .choice(["required", "off"]), initial: "required",
                        "Whether the connection to the mail server is encrypted. off is for a mail server on this machine alone.",
                        reason: "Mail holds codes that open accounts. Without STARTTLS, or with a certificate that is not trusted, nothing is sent."),
                    .init(
                        "smtp-ca", .path, "The authority that signed the certificate of the mail server, in PEM form.",
                        reason: "Without it the authorities of the system count, which is right for a mail server on the Internet."),
                ]),
            .init(
                "Log",
                [
                    .init(
                        "log-format",
                        .checked(placeholder: "FORM", takes: LogStyle.Form.allCases.map(\.rawValue).joined(separator: " or ")) { LogStyle.Form(rawValue: $0) != nil },
                        initial: LogStyle().form.rawValue, "The format of the lines on standard error.",
                        reason: "A person reads logfmt, and programs that collect logs read JSON. If systemd's journal reads the lines, each begins with its priority."),
                    .init(
                        "log-level",
                        .checked(placeholder: "LEVEL", takes: LogStyle.Level.allCases.map(\.rawValue).joined(separator: ", ")) { LogStyle.Level(rawValue: $0) != nil },
                        initial: LogStyle().least.rawValue, "The lowest level of the lines that are written.",
                        reason: "There are few lines of level info, and they say when the server started and stopped."),
                ]),
            .init(
                "Health",
                [
                    .init(
                        "metrics", .checked(placeholder: "HOST:PORT|PATH", takes: "an address and port, or the absolute path of a Unix socket") { ListenPlace($0) != nil },
                        "The address and port, or the Unix socket, where a program reads the server's figures (/metrics).",
                        reason: "Without it nobody reads them. They name no family and no person, but they show how much the server is used."),
                    .init(
                        "free-space-floor", .size(0...1_000_000 << 30), initial: OptionForm.text(size: HealthSettings().freeSpaceFloor), isLive: true,
                        "The free space on the disk of the data folder below which /readyz says that the server is not ready; 0: any.",
                        reason: "SQLite's log takes up to 64M and one document up to 100M."),
                    .init(
                        "backup-max-age", .duration(1_000...10 * 365 * 86_400_000), isLive: true,
                        "The age of the last backup above which /readyz says that the server is not ready.",
                        reason: "Without it nobody watches the age, because a server cannot know how its backups are made. The time of the file backup.done in the data folder counts."),
                ]),
        ])

    /// The values of a command line, the environment and the file that they name.
    ///
    /// - Throws: a sentence about the command line, or about an unreadable file.
    static func settings(_ flags: ArgumentList, environment: [String]) throws(UsageError) -> OptionSettings {
        let before = OptionSettings(table, flags: flags, environment: environment, file: nil)
        var file: OptionFile?
        if let path = before.text("config") {
            do throws(Errno) {
                file = OptionFile(path: path, try Files.read(path, limit: OptionFile.maxOctets), table)
            } catch {
                let sentence = error == .tooBig ? "It is larger than \(OptionFile.maxOctets) octets." : "\(error.text)."
                throw UsageError("The file of options \(path) cannot be read: \(sentence) Check --config.")
            }
        }
        return OptionSettings(table, flags: flags, environment: environment, file: file)
    }

    /// The values in the server's form.
    ///
    /// - Throws: a sentence about values that contradict each other.
    static func options(_ settings: OptionSettings) throws(UsageError) -> ServerOptions {
        if let problem = settings.problems.first { throw UsageError(problem) }
        guard let data = settings.text("data"), !data.isEmpty else {
            throw UsageError("--data is missing. Give it, or HUDDLED_DATA, or a line 'data = DIR' in the file of --config.")
        }
        guard let (host, port) = settings.text("listen").flatMap(OptionForm.endpoint) else { throw UsageError("--listen is missing.") }
        var limits = Limits()
        func number(_ name: String) -> Int? { settings.text(name).flatMap { Int($0) } }
        func size(_ name: String) -> Int? { settings.text(name).flatMap(OptionForm.size) }
        if let rate = number("mutations-per-second") {
            limits.mutationsPerSecond = rate
            limits.mutationBurst = max(limits.mutationBurst, rate)
        }
        if let connections = number("max-connections") { limits.connections = connections }
        if let each = number("connections-per-address") { limits.connectionsPerAddress = each }
        if let each = number("connections-per-family") { limits.connectionsPerFamily = each }
        if let rate = number("family-mutations-per-second") {
            limits.familyMutationsPerSecond = rate
            limits.familyMutationBurst = 10 * rate
        }
        if let rate = number("family-lists-per-second") { limits.familyListsPerSecond = rate }
        if let size = size("family-storage") { limits.familyStorage = size }
        if let size = size("family-history") { limits.familyHistory = size }
        var options = ServerOptions(dataFolder: data, host: host, port: port, limits: limits, tls: try tls(settings))
        let live = live(settings)
        (options.trust, options.origins, options.health) = (live.trust, live.origins, live.health)
        options.copiesBeforeUpgrade = settings.text("backup-before-upgrade") != "no"
        if let memory = size("password-memory"), let passes = number("password-passes"),
            let cost = PasswordHash.Cost(memory: Int(memory / 1_024), passes: passes, lanes: Int(PasswordHash.Cost.standard.lanes))
        {
            options.passwordCost = cost
        }
        switch settings.text("web") ?? "on" {
        case "on": options.web = .program
        case "off": options.web = .off
        case let folder: options.web = .folder(try webFolder(folder))
        }
        if let path = settings.text("consent-text") { options.consent = try consentText(path) }
        options.publicURL = settings.text("public-url").flatMap { PublicURL($0) }
        options.metrics = settings.text("metrics").flatMap { ListenPlace($0) }
        options.acmeWebRoot = settings.text("acme-webroot")
        options.mail = try mail(settings)
        if let text = settings.text("listen-redirect") {
            guard !options.origins.hosts.isEmpty else { throw UsageError("--listen-redirect needs --host: give each name to which it may redirect.") }
            options.redirect = ListenPlace(text)
        }
        return options
    }

    /// The format of the lines of the log. The values have been checked.
    static func logStyle(_ settings: OptionSettings) -> LogStyle {
        LogStyle(
            form: settings.text("log-format").flatMap(LogStyle.Form.init) ?? LogStyle().form,
            least: settings.text("log-level").flatMap(LogStyle.Level.init) ?? LogStyle().least)
    }

    /// The values that can change while the server runs. They have been checked.
    static func live(_ settings: OptionSettings) -> LiveOptions {
        var live = LiveOptions()
        live.trust = ProxyTrust(settings.all("trusted-proxy").compactMap { AddressRange($0) })
        live.origins.allowed = Set(settings.all("allow-origin").compactMap { WebOrigin($0) })
        live.origins.hosts = Set(settings.all("host").compactMap { Authority($0)?.host })
        if let floor = settings.text("free-space-floor").flatMap(OptionForm.size) { live.health.freeSpaceFloor = floor }
        live.health.backupMaxAge = settings.text("backup-max-age").flatMap(OptionForm.duration)
        return live
    }

    /// The mail server; `nil` if none is set.
    private static func mail(_ settings: OptionSettings) throws(UsageError) -> MailServer? {
        guard let url = settings.text("smtp") else {
            for name in ["smtp-user", "smtp-password", "smtp-ca"] where settings.text(name) != nil { throw UsageError("--\(name) needs --smtp.") }
            return nil
        }
        guard let from = settings.text("mail-from") else { throw UsageError("--smtp needs --mail-from: the address of the sender.") }
        guard var server = MailServer(url, from: from) else { throw UsageError("--smtp is \(url). It takes smtp://HOST[:PORT] or smtps://HOST[:PORT].") }
        if settings.text("smtp-tls") == "off" {
            guard server.isLocal else {
                throw UsageError("--smtp-tls off is for a mail server on this machine, and --smtp is \(url). Leave it out, or name localhost.")
            }
            guard server.security != .tls else { throw UsageError("--smtp-tls off and an address of smtps:// contradict each other. Write smtp://.") }
            server.security = .off
        }
        server.user = settings.text("smtp-user")
        server.authorities = settings.text("smtp-ca")
        if let path = settings.text("smtp-password") { server.passwordPath = try secret(path, of: "smtp-password") }
        guard (server.user == nil) == (server.passwordPath == nil) else { throw UsageError("--smtp-user and --smtp-password go together: give both.") }
        for path in [server.passwordPath, server.authorities].compactMap({ $0 }) {
            do throws(Errno) { _ = try Files.read(path, limit: 1 << 20) } catch { throw UsageError("\(path) cannot be read: \(error.text). Check smtp-password and smtp-ca.") }
        }
        return server
    }

    private static func webFolder(_ path: String) throws(UsageError) -> String {
        guard Files.exists(path + "/index.html") else { throw UsageError("--web is \(path), which is neither on nor off, nor a folder with the client's index.html.") }
        return path
    }

    private static func consentText(_ path: String) throws(UsageError) -> ConsentText {
        var version = path.split(separator: "/").last.map(String.init) ?? ""
        if version.hasSuffix(".md") { version.removeLast(3) }
        guard ConsentText.isVersion(version) else {
            throw UsageError(
                "--consent-text is \(path), and the name of the file is the version of the text. Name it with at most \(ConsentText.maxVersion) letters of ASCII, "
                    + "digits, dots, hyphens and underscores, like club-consent-1.md.")
        }
        let octets: [UInt8]
        do throws(Errno) { octets = try Files.read(path, limit: ConsentText.maxOctets) } catch {
            throw UsageError("The text of --consent-text \(path) cannot be read: \(error == .tooBig ? "it is larger than \(ConsentText.maxOctets) octets" : error.text).")
        }
        guard let text = String(validating: octets, as: UTF8.self), let consent = ConsentText(version: version, text: text) else {
            throw UsageError("The text of --consent-text \(path) is empty, or is not UTF-8.")
        }
        return consent
    }

    private static func tls(_ settings: OptionSettings) throws(UsageError) -> TLSOptions? {
        let (certificates, keys) = (settings.all("tls-cert"), settings.all("tls-key"))
        guard certificates.count == keys.count else { throw UsageError("--tls-cert and --tls-key go in pairs: give as many of each.") }
        guard !certificates.isEmpty else {
            guard !settings.isSet("listen-tls") else { throw UsageError("--listen-tls needs --tls-cert and --tls-key.") }
            return nil
        }
        guard certificates.count <= TLSServerContext.maxCertificates else {
            throw UsageError("At most \(TLSServerContext.maxCertificates) certificates can be served.")
        }
        guard let (host, port) = settings.text("listen-tls").flatMap(OptionForm.endpoint) else { throw UsageError("--listen-tls is missing.") }
        var pairs: [TLSCertificateFiles] = []
        for (certificate, key) in zip(certificates, keys) { pairs.append(TLSCertificateFiles(certificate: certificate, key: try secret(key, of: "tls-key"))) }
        return TLSOptions(certificates: pairs, host: host, port: port)
    }

    /// The path of a file with a secret.
    private static func secret(_ value: String, of option: String) throws(UsageError) -> String {
        let head = "credential:"
        guard value.hasPrefix(head) else { return value }
        guard let folder = Environment.value("CREDENTIALS_DIRECTORY") else {
            throw UsageError("\(option) is \(value), but there is no $CREDENTIALS_DIRECTORY. Add LoadCredential= to the unit, or give a path.")
        }
        return "\(folder)/\(value.dropFirst(head.count))"
    }

    // MARK: Again, at SIGHUP

    /// Reads all options again each time it is called, on the thread of the server.
    static func reload(_ flags: ArgumentList, _ started: OptionSettings) -> @Sendable () -> OptionsReload {
        let latest = Lock(started)
        return {
            let settings: OptionSettings
            do throws(UsageError) {
                settings = try ServeOptions.settings(flags, environment: Environment.all)
                _ = try options(settings)
            } catch { return .refused(error.message) }
            let live = Set(table.options.filter(\.isLive).map(\.name))
            let changed = latest.withLock { former in
                defer { former = settings }
                return settings.differences(from: former).intersection(live)
            }
            // The options that need a restart. The comparison is with the values at the start: an option that was set
            // back needs none.
            let waiting = settings.differences(from: started).subtracting(live)
            return .read(ServeOptions.live(settings), changed: changed.sorted(), needsRestart: waiting.sorted())
        }
    }
}
