import Arguments
import JSON
import Posix
import Server

/// `huddled doctor`.
///
/// - Throws: `.disagrees` when something keeps the server from taking new clients; with `--alive`, only when no server answers.
func doctor(_ words: [String]) throws(CommandError) {
    let isJSON: Bool
    let asksLife: Bool
    let options: ServerOptions
    do throws(UsageError) {
        let flags = try ServeOptions.table.flags(words, switches: ["--json", "--alive"])
        try flags.expectNoPositional()
        isJSON = flags.has("--json")
        asksLife = flags.has("--alive")
        options = try ServeOptions.options(try ServeOptions.settings(flags, environment: Environment.all))
    } catch { throw .usage(error) }
    let report: HealthReport
    do throws(ServerError) {
        report = try Doctor.run(dataFolder: options.dataFolder, settings: options.health, certificates: options.tls?.certificates ?? [])
    } catch { throw .failed(error.sentence) }
    if asksLife {
        guard report.isRunning else { throw .failed("No server runs on \(options.dataFolder).") }
        if let silent = report.checks.first(where: { $0.name == .loop && $0.state != .ok }) { throw .failed(silent.sentence) }
        return
    }
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
