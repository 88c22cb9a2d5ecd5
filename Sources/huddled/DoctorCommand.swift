import Arguments
import JSON
import Mail
import Posix
import Server

/// `huddled doctor`.
///
/// - Throws: `.disagrees` if the server cannot accept new clients; with `--alive`, only if no server answers.
func doctor(_ words: [String]) throws(CommandError) {
    let isJSON: Bool
    let asksLife: Bool
    let options: ServerOptions
    let recipient: String?
    do throws(UsageError) {
        var words = words
        recipient = try takeValue(of: "--mail", from: &words)
        let flags = try ServeOptions.table.flags(words, switches: ["--json", "--alive"])
        try flags.expectNoPositional()
        isJSON = flags.has("--json")
        asksLife = flags.has("--alive")
        options = try ServeOptions.options(try ServeOptions.settings(flags, environment: Environment.all))
        if let recipient {
            guard MailServer.isAddress(recipient) else { throw UsageError("--mail takes an e-mail address, like you@example.org.") }
            guard options.mail != nil else { throw UsageError("--mail needs --smtp: this server sends no mail.") }
            guard !asksLife else { throw UsageError("--mail does not go with --alive.") }
        }
    } catch { throw .usage(error) }
    var report: HealthReport
    do throws(ServerError) {
        report = try Doctor.run(dataFolder: options.dataFolder, settings: options.health, certificates: options.tls?.certificates ?? [])
    } catch { throw .failed(error.sentence) }
    if asksLife {
        guard report.isRunning else { throw .failed("No server runs on \(options.dataFolder).") }
        if let silent = report.checks.first(where: { $0.name == .loop && $0.state != .ok }) { throw .failed(silent.sentence) }
        return
    }
    if let server = options.mail { report.checks.append(MailCheck.run(server, to: recipient)) }
    if isJSON {
        var json = JSONWriter()
        report.encode(into: &json)
        Standard.write(output: json.octets + [UInt8(ascii: "\n")])
    } else {
        if !report.isRunning { Standard.write(output: "No server runs on \(options.dataFolder).\n") }
        for check in report.checks {
            let mark = switch check.state { case .ok: "ok      "; case .warning: "warning "; case .error: "ERROR   " }
            Standard.write(output: mark + check.sentence + "\n")
        }
    }
    if !report.isReady { throw .disagrees }
}

/// Removes an option that only this command has from the words, with its value.
private func takeValue(of flag: String, from words: inout [String]) throws(UsageError) -> String? {
    guard let index = words.firstIndex(where: { $0 == flag || $0.hasPrefix(flag + "=") }) else { return nil }
    let word = words.remove(at: index)
    if word != flag { return String(word.dropFirst(flag.count + 1)) }
    guard index < words.count else { throw UsageError("\(flag) needs a value.") }
    return words.remove(at: index)
}
