import Arguments
import JSON
import Posix
import Server

/// `huddled doctor`.
///
/// - Throws: `.disagrees` when something keeps the server from taking new clients.
func doctor(_ words: [String]) throws(CommandError) {
    let list: ArgumentList
    let data: String
    do throws(UsageError) {
        list = try ArgumentList(words, options: ["--data"], switches: ["--json"])
        try list.expectNoPositional()
        data = try list.required("--data")
    } catch { throw .usage(error) }
    let report: HealthReport
    do throws(ServerError) {
        report = try Doctor.run(dataFolder: data, settings: HealthSettings(), certificates: [])
    } catch { throw .failed(error.sentence) }
    if list.has("--json") {
        var json = JSONWriter()
        report.encode(into: &json)
        Standard.write(output: json.octets + [UInt8(ascii: "\n")])
    } else {
        if !report.isRunning { Standard.write(output: "No server runs on \(data).\n") }
        for check in report.checks {
            let mark = switch check.state { case .ok: "ok      "; case .warning: "warning "; case .error: "ERROR   " }
            Standard.write(output: mark + check.sentence + "\n")
        }
    }
    if !report.isReady { throw .disagrees }
}
