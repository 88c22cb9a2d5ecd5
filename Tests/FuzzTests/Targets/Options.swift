import Accounts
import Arguments
import Folding

/// Options of the server in a file, in the environment and as flags; and the words that people type to sign in.
extension FuzzTarget {
    static let options: [FuzzTarget] = [
        FuzzTarget("options-file", dictionary: "options") { octets in try checkOptionFile(octets) },
        FuzzTarget("options-words", dictionary: "options") { octets in try checkOptionWords(octets) },
        FuzzTarget("options-values") { octets in try checkOptionValues(octets) },
        FuzzTarget("sign-in-words") { octets in try checkSignInWords(octets) },
    ]
}

/// One option of each form.
private let table = OptionTable(
    prefix: "HUDDLED_",
    [
        .init(
            "All",
            [
                .init("config", .path, isOutsideFile: true, "A file.", reason: "None."),
                .init("data", .path, "A folder.", reason: "None."),
                .init("key", .secretPath, isRepeatable: true, "A key.", reason: "None."),
                .init("listen", .endpoint, initial: "127.0.0.1:8787", "An address.", reason: "None."),
                .init("connections", .number(1...1_000_000), initial: "20", isLive: true, "A number.", reason: "None."),
                .init("storage", .size(1...1 << 50), initial: "5G", "A size.", reason: "None."),
                .init("idle", .duration(1_000...86_400_000), initial: "45m", "A time.", reason: "None."),
                .init("copy", .choice(["yes", "no"]), initial: "yes", "A choice.", reason: "None."),
                .init("host", .checked(placeholder: "NAME", takes: "a name") { !$0.contains("/") }, isRepeatable: true, "A name.", reason: "None."),
            ])
    ])

private let path = "/etc/huddled.conf"

private func checkOptionFile(_ octets: [UInt8]) throws {
    let file = OptionFile(path: path, octets, table)
    let lines = octets.count { $0 == 0x0A } + 1
    for problem in file.problems {
        let place = problem.dropFirst(path.utf8.count + 1).prefix { $0 != ":" }
        let isLast = problem.hasSuffix("Is this a file of options?")
        try hold(problem.hasPrefix(path + ":") && (isLast || Int(place).map((1...lines).contains) == true), "a problem without its line: \(problem)")
        try hold(!problem.unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" }, "a control character reaches the terminal: \(problem)")
    }
    var names: [String: Int] = [:]
    for entry in file.entries {
        guard let option = table[entry.name] else { throw Broken(description: "an option that there is not: \(entry.name)") }
        try hold(!option.isOutsideFile && !entry.value.isEmpty, "\(entry.name) is in a file, or has no value")
        names[entry.name, default: 0] += 1
        try hold(names[entry.name] == 1 || option.isRepeatable, "\(entry.name) is there twice")
        try hold((1...lines).contains(entry.line), "a line that there is not")
    }
    // Entries that are written as a file are read as the same entries.
    let again = OptionFile(path: path, Array(file.entries.map { "\($0.name) = \($0.value)\n" }.joined().utf8), table)
    try hold(again.problems == [] && again.entries.map(\.name) == file.entries.map(\.name) && again.entries.map(\.value) == file.entries.map(\.value),
        "what was read does not come back")
    guard let none = try? table.flags([]) else { throw Broken(description: "no words are wrong words") }
    let settings = OptionSettings(table, flags: none, environment: [], file: file)
    try hold(settings.problems.starts(with: file.problems), "a problem of the file is lost")
    for option in table.options {
        let found = file.entries.filter { $0.name == option.name }.map(\.value)
        try hold(settings.all(option.name) == (found.isEmpty ? option.initial.map { [$0] } ?? [] : found), "\(option.name) has another value")
        let isRefused = found.contains { option.form.problem($0) != nil }
        try hold(!isRefused || settings.problems.count > file.problems.count, "a value of \(option.name) was taken that its form refuses")
    }
}

/// The first octet says how many of the words are variables of the environment; the rest are flags.
private func checkOptionWords(_ octets: [UInt8]) throws {
    var choices = Choices(octets)
    let variables = choices.below(6)
    let words = choices.rest().split(separator: 0x0A, maxSplits: 40, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    let environment = words.prefix(variables).map { "HUDDLED_\($0)" }
    let flags: ArgumentList
    do throws(UsageError) {
        flags = try table.flags(Array(words.dropFirst(variables)), switches: ["--check"])
    } catch {
        try hold(!error.message.isEmpty, "a refusal without a sentence")
        return
    }
    let settings = OptionSettings(table, flags: flags, environment: environment, file: nil)
    for option in table.options {
        let setting = settings[option.name]
        switch setting.origin {
        case .standard: try hold(setting.values == (option.initial.map { [$0] } ?? []), "\(option.name) has a value from nowhere")
        case .flag(let flag): try hold(flag == option.flag && setting.values == flags.all(flag), "\(option.name) has another value than its flag")
        case .environment(let name): try hold(flags.all(option.flag).isEmpty && environment.contains { $0.hasPrefix(name + "=") }, "\(name) is not set")
        case .file: throw Broken(description: "a value from a file that there is not")
        }
        try hold(option.isRepeatable || setting.values.count <= 1, "\(option.name) has two values")
        let isRefused = setting.values.contains { $0.isEmpty || option.form.problem($0) != nil }
        try hold(!isRefused || !settings.problems.isEmpty, "a value of \(option.name) was taken that its form refuses")
    }
}

private func checkOptionValues(_ octets: [UInt8]) throws {
    let text = String(decoding: octets, as: UTF8.self)
    // A bracket with a combining mark after it is one character, and not a bracket.
    if let (host, port) = OptionForm.endpoint(text), host.utf8.allSatisfy({ $0 < 0x80 }) {
        let again = OptionForm.endpoint("\(host.contains(":") ? "[\(host)]" : host):\(port)")
        try hold(!host.isEmpty && again?.host == host && again?.port == port, "\(text) does not come back")
    }
    if let size = OptionForm.size(text) {
        try hold(size >= 0 && OptionForm.size(OptionForm.text(size: size)) == size, "\(text) is \(size) octets and does not come back")
    }
    if let time = OptionForm.duration(text) { try hold(time >= 0 && time % 1_000 == 0, "\(text) is \(time) ms") }
    for option in table.options { _ = option.form.problem(text) }
}

/// Names, recovery codes and one-time passwords as people type them.
private func checkSignInWords(_ octets: [UInt8]) throws {
    let text = String(decoding: octets, as: UTF8.self)
    if let name = try? SignInName(text) {
        let length = name.folded.octets.count { $0 & 0xC0 != 0x80 }
        try hold(SignInName.characters.contains(length) && name.text == text, "a name of \(length) characters was taken")
        try hold((try? PasswordRules.check(Array("12345 \(text)".utf8), name: name) { _ in false }) == nil, "a password with the name was taken")
    }
    let (codes, texts) = RecoveryCodes.make(random: (0..<RecoveryCodes.randomOctets).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    var left = codes
    if left.use(text) {
        try hold(left.left == codes.left - 1 && !left.use(text), "a code was good twice")
        let typed = text.filter { $0 != "-" && $0 != " " }.uppercased()
        try hold(texts.contains { $0.filter { $0 != "-" } == typed.map { "O" == $0 ? "0" : "IL".contains($0) ? "1" : String($0) }.joined() }, "a code of nobody was good")
    } else {
        try hold(left == codes, "a wrong code changed the set")
    }
    let factor = OneTimePassword(secret: [UInt8](repeating: 7, count: OneTimePassword.secretOctets))
    if let step = factor.check(text, at: 59, after: nil) {
        try hold((0...2).contains(step) && factor.check(text, at: 59, after: step) == nil, "a one-time password was good twice, or at another time")
    }
}
