/// The values that an option takes.
package enum OptionForm: Sendable {
    /// The path of a file or folder.
    case path
    /// The path of a file that holds a secret. Programs never print its content. `credential:NAME` is the file NAME that the service manager
    /// hands over in `$CREDENTIALS_DIRECTORY`.
    case secretPath
    /// `HOST:PORT`.
    case endpoint
    /// A whole number.
    case number(ClosedRange<Int>)
    /// Octets: a number, or one with M or G.
    case size(ClosedRange<Int>)
    /// A time: a number with s, m, h or d, in milliseconds.
    case duration(ClosedRange<Int64>)
    /// One of some words.
    case choice([String])
    /// A value that the program checks by itself.
    ///
    /// - Parameters:
    ///   - placeholder: how help calls it.
    ///   - takes: what it is, with an example.
    case checked(placeholder: String, takes: String, isValid: @Sendable (String) -> Bool)

    /// How help calls the value.
    package var placeholder: String {
        switch self {
        case .path, .secretPath: "PATH"
        case .endpoint: "HOST:PORT"
        case .number: "NUMBER"
        case .size: "SIZE"
        case .duration: "TIME"
        case .choice(let words): words.joined(separator: "|")
        case .checked(let placeholder, _, _): placeholder
        }
    }

    /// The unit, for help; `nil` for one that the placeholder names.
    package var unit: String? {
        switch self {
        case .number(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .size: "octets, or a number with M or G (1024² and 1024³ octets)"
        case .duration: "a number with s, m, h or d (seconds, minutes, hours, days)"
        case .secretPath: "a file, or credential:NAME for a file in $CREDENTIALS_DIRECTORY"
        default: nil
        }
    }

    /// The values that the option accepts, as the end of a sentence; `nil` if `text` is a value of this form.
    package func problem(_ text: String) -> String? {
        switch self {
        case .path: nil
        case .secretPath: text == "credential:" || text.hasPrefix("credential:") && text.contains("/") ? "takes a path, or credential:NAME" : nil
        case .endpoint: Self.endpoint(text) == nil ? "takes HOST:PORT, like 127.0.0.1:8787" : nil
        case .number(let range):
            Int(text).map(range.contains) == true ? nil : "takes a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .size(let range):
            Self.size(text).map(range.contains) == true ? nil : "takes octets, or a size like 20G or 500M"
        case .duration(let range):
            Self.duration(text).map(range.contains) == true ? nil : "takes a time like 90s, 45m, 36h or 7d"
        case .choice(let words): words.contains(text) ? nil : "takes one of \(words.joined(separator: ", "))"
        case .checked(_, let takes, let isValid): isValid(text) ? nil : "takes \(takes)"
        }
    }

    // MARK: Reading values

    /// `HOST:PORT`, with the host of an IPv6 address in brackets; `nil` for anything else.
    package static func endpoint(_ text: String) -> (host: String, port: UInt16)? {
        guard let colon = text.lastIndex(of: ":"), isDecimal(text[text.index(after: colon)...]), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        return host.isEmpty ? nil : (host, port)
    }

    /// Octets.
    package static func size(_ text: String) -> Int? {
        let units: [Character: Int] = ["M": 1 << 20, "G": 1 << 30]
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard isDecimal(digits), let count = Int(digits) else { return nil }
        let (octets, isTooMuch) = count.multipliedReportingOverflow(by: unit ?? 1)
        return isTooMuch ? nil : octets
    }

    /// The shortest text of `octets` that `size` reads.
    package static func text(size octets: Int) -> String {
        for (unit, count) in [("G", 1 << 30), ("M", 1 << 20)] where octets > 0 && octets % count == 0 { return "\(octets / count)\(unit)" }
        return "\(octets)"
    }

    /// Milliseconds.
    package static func duration(_ text: String) -> Int64? {
        let units: [Character: Int64] = ["s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let unit = text.last.flatMap({ units[$0] }), isDecimal(text.dropLast()), let count = Int64(text.dropLast()) else { return nil }
        let (milliseconds, isTooMuch) = count.multipliedReportingOverflow(by: unit)
        return isTooMuch ? nil : milliseconds
    }

    /// `Int` reads a sign too.
    private static func isDecimal(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

/// One option of a program. Its flag, its environment variable, its line in a file and its paragraphs in the manual have one name.
package struct OptionDeclaration: Sendable {
    /// Without dashes in front: `free-space-floor`.
    package let name: String
    package let form: OptionForm
    /// The value without any setting, as text; `nil`: none.
    package let initial: String?
    /// The effect, in one sentence or two.
    package let summary: String
    /// Why the default is as it is; when to choose another value.
    package let reason: String
    /// May be given several times.
    package let isRepeatable: Bool
    /// A running server takes a new value when it reads its options again.
    package let isLive: Bool
    /// May not be in a file: it names the file.
    package let isOutsideFile: Bool

    package init(
        _ name: String, _ form: OptionForm, initial: String? = nil, isRepeatable: Bool = false, isLive: Bool = false, isOutsideFile: Bool = false,
        _ summary: String, reason: String
    ) {
        self.name = name
        self.form = form
        self.initial = initial
        self.summary = summary
        self.reason = reason
        self.isRepeatable = isRepeatable
        self.isLive = isLive
        self.isOutsideFile = isOutsideFile
    }

    package var flag: String { "--" + name }

    /// The value names a file whose content is secret.
    package var isSecret: Bool { if case .secretPath = form { true } else { false } }

    /// The name of its environment variable.
    package func variable(prefix: String) -> String {
        prefix + String(decoding: name.utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 >= 0x61 && $0 <= 0x7A ? $0 - 0x20 : $0 }, as: UTF8.self)
    }
}

/// The options of a program, in the order of its manual.
package struct OptionTable: Sendable {
    package struct Group: Sendable {
        package let title: String
        package let options: [OptionDeclaration]

        package init(_ title: String, _ options: [OptionDeclaration]) {
            self.title = title
            self.options = options
        }
    }

    /// How the names of environment variables begin: `HUDDLED_`.
    package let prefix: String
    package let groups: [Group]

    package init(prefix: String, _ groups: [Group]) {
        self.prefix = prefix
        self.groups = groups
        let names = groups.flatMap(\.options).map(\.name)
        precondition(Set(names).count == names.count, "an option has one declaration")
    }

    package var options: [OptionDeclaration] { groups.flatMap(\.options) }

    package subscript(name: String) -> OptionDeclaration? { options.first { $0.name == name } }

    /// Reads flags of these options, with switches of the command beside them.
    package func flags(_ words: [String], switches: Set<String> = []) throws(UsageError) -> ArgumentList {
        try ArgumentList(
            words, options: Set(options.filter { !$0.isRepeatable }.map(\.flag)), repeatable: Set(options.filter(\.isRepeatable).map(\.flag)), switches: switches)
    }

    /// "Did you mean …?" with a space in front, or nothing.
    package func suggestion(for name: String) -> String {
        NearestWord.of(name, among: options.map(\.name).sorted()).map { " Did you mean '\($0)'?" } ?? ""
    }
}
