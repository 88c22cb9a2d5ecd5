import Arguments
import Family
import HTTP1
import Posix
import Server

/// `huddled serve`: runs the server until SIGTERM.
func serve(_ words: [String]) throws(CommandError) {
    let flags: ArgumentList
    let settings: OptionSettings
    var options: ServerOptions
    do throws(UsageError) {
        flags = try ServeOptions.table.flags(words.flatMap { $0 == "--no-backup-before-upgrade" ? ["--backup-before-upgrade", "no"] : [$0] })
        try flags.expectNoPositional()
        settings = try ServeOptions.settings(flags, environment: Environment.all)
        options = try ServeOptions.options(settings)
    } catch { throw .usage(error) }
    options.activated = try activatedSockets(hasTLS: options.tls != nil, hasNames: !options.origins.hosts.isEmpty)
    options.reload = ServeOptions.reload(flags, settings)
    var style = ServeOptions.logStyle(settings)
    style.hasPriorities = ServiceManager.isJournal(Standard.error)
    let lines = LogThread(Standard.error, style: style)
    defer { lines.finish() }
    let log = Log(style: style) { lines.write($0) }
    for warning in settings.warnings { log(.warning, "option_unknown", [.init("problem", warning)]) }
    do throws(ServerError) {
        try HuddleServer.run(options, log: log) { addresses in
            Standard.write(output: "Huddle \(HuddleVersion.text) serves \(options.dataFolder) at ws://\(addresses.plain)/ws\n")
            if let secure = addresses.secure { Standard.write(output: "Encrypted at wss://\(secure)/ws\n") }
            if let redirect = addresses.redirect { Standard.write(output: "Redirects from http://\(redirect)/\n") }
            if let metrics = addresses.metrics { Standard.write(output: "Figures at \(metrics.hasPrefix("/") ? metrics : "http://\(metrics)")/metrics\n") }
        }
    } catch { throw .failed(error.sentence) }
}

/// The sockets that systemd passes, named `plain`, `tls`, `redirect` and `metrics`; a socket without one of these names is the plain one.
private func activatedSockets(hasTLS: Bool, hasNames: Bool) throws(CommandError) -> [ServiceManager.ActivatedSocket] {
    let sockets = ServiceManager.takeSockets().map { socket in
        ["plain", "tls", "redirect", "metrics"].contains(socket.name) ? socket : ServiceManager.ActivatedSocket(name: "plain", raw: socket.raw)
    }
    guard Set(sockets.map(\.name)).count == sockets.count else {
        throw .failed("The service manager hands over several sockets of one kind: name them 'plain', 'tls', 'redirect' and 'metrics' (FileDescriptorName=).")
    }
    guard hasNames || !sockets.contains(where: { $0.name == "redirect" }) else {
        throw .failed("The service manager hands over a socket named 'redirect', but there is no --host. Name the hosts to which it redirects.")
    }
    guard hasTLS || !sockets.contains(where: { $0.name == "tls" }) else {
        throw .failed("The service manager hands over a socket named 'tls', but there is no --tls-cert and --tls-key.")
    }
    return sockets
}
