import Arguments
import JSON
import Posix

/// `huddled config`: prints the options in force as a file of options; with `--check` it only tests whether they can be
/// used.
func config(_ words: [String]) throws(CommandError) {
    let flags: ArgumentList
    let settings: OptionSettings
    do throws(UsageError) {
        flags = try ServeOptions.table.flags(words, switches: ["--check", "--json"])
        try flags.expectNoPositional()
        settings = try ServeOptions.settings(flags, environment: Environment.all)
    } catch { throw .usage(error) }
    for warning in settings.warnings { Standard.write(error: "huddled: \(warning)\n") }
    if !flags.has("--check") {
        Standard.write(output: flags.has("--json") ? json(settings) : text(settings))
    }
    // All problems are printed in order; the last one ends the command.
    if let last = settings.problems.last {
        for problem in settings.problems.dropLast() { Standard.write(error: "huddled: \(problem)\n") }
        throw .usage(UsageError(last))
    }
    do throws(UsageError) { _ = try ServeOptions.options(settings) } catch { throw .usage(error) }
    if flags.has("--check") { Standard.write(output: "The options can be used.\n") }
}

/// A file of options that sets the same values, with the source of each.
private func text(_ settings: OptionSettings) -> [UInt8] {
    var lines: [String] = []
    for option in ServeOptions.table.options {
        let setting = settings[option.name]
        let note = option.isSecret && !setting.values.isEmpty ? " (the content of the file is secret and not shown)" : ""
        if setting.values.isEmpty {
            lines.append("# \(option.name) is not set")
        } else if option.isOutsideFile {
            lines.append("# \(option.name) is \(setting.values.joined(separator: ", ")), from \(setting.origin.text)")
        } else {
            lines.append("# from \(setting.origin.text)\(note)")
            lines += setting.values.map { "\(option.name) = \($0)" }
        }
    }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
}

/// `{"options":[{"name":"listen","values":["127.0.0.1:8787"],"source":"default","live":false,"secret":false}]}`
private func json(_ settings: OptionSettings) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.key("options")
    json.beginArray()
    for option in ServeOptions.table.options {
        let setting = settings[option.name]
        json.beginObject()
        json.key("name")
        json.string(option.name)
        json.key("values")
        json.beginArray()
        for value in setting.values { json.string(value) }
        json.endArray()
        json.key("source")
        json.string(setting.origin.text)
        json.key("live")
        json.boolean(option.isLive)
        json.key("secret")
        json.boolean(option.isSecret)
        json.endObject()
    }
    json.endArray()
    json.endObject()
    return json.octets + [UInt8(ascii: "\n")]
}
