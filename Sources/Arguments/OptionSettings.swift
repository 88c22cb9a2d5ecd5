/// The values in force of all options of a table, and where each comes from.
package struct OptionSettings: Sendable {
    /// Where a value comes from; a later one overrides an earlier one, with all its values.
    package enum Origin: Equatable, Sendable {
        case standard
        /// The lines of its values.
        case file(String, lines: [Int])
        case environment(String)
        case flag(String)

        /// For people: "default", "FILE:3", "HUDDLED_LISTEN", "--listen".
        package var text: String {
            switch self {
            case .standard: "default"
            case .file(let path, let lines): path + ":" + lines.map { "\($0)" }.joined(separator: ",")
            case .environment(let name): name
            case .flag(let name): name
            }
        }
    }

    package struct Setting: Equatable, Sendable {
        package let values: [String]
        package let origin: Origin
    }

    private var settings: [String: Setting] = [:]
    /// One sentence each: values that their options do not take.
    package private(set) var problems: [String] = []
    /// One sentence each: variables of the environment that look like options and are none.
    package private(set) var warnings: [String] = []

    /// - Parameters:
    ///   - flags: as `OptionTable.flags` reads them.
    ///   - environment: "NAME=value" each. An empty value is none.
    package init(_ table: OptionTable, flags: ArgumentList, environment: [String], file: OptionFile?) {
        problems = file?.problems ?? []
        var variables: [String: String] = [:]
        for entry in environment where entry.hasPrefix(table.prefix) {
            guard let equals = entry.firstIndex(of: "=") else { continue }
            let value = entry[entry.index(after: equals)...]
            if !value.isEmpty { variables[String(entry[..<equals])] = String(value) }
        }
        for option in table.options {
            let variable = option.variable(prefix: table.prefix)
            let lines = file?.entries.filter { $0.name == option.name } ?? []
            let set = variables.removeValue(forKey: variable)
            if !flags.all(option.flag).isEmpty {
                let origin = Origin.flag(option.flag)
                settings[option.name] = Setting(values: flags.all(option.flag), origin: origin)
                check(option, option.flag, flags.all(option.flag), places: nil)
            } else if let set {
                let values = option.isRepeatable ? Self.list(set) : [set]
                settings[option.name] = Setting(values: values, origin: .environment(variable))
                check(option, variable, values, places: nil)
            } else if let file, !lines.isEmpty {
                settings[option.name] = Setting(values: lines.map(\.value), origin: .file(file.path, lines: lines.map(\.line)))
            } else {
                settings[option.name] = Setting(values: option.initial.map { [$0] } ?? [], origin: .standard)
            }
            // Also where it is overridden: a file with a mistake is not used.
            check(option, "'\(option.name)'", lines.map(\.value), places: lines.map { "\(file?.path ?? ""):\($0.line): " })
        }
        for name in variables.keys.sorted() {
            let guess = name.dropFirst(table.prefix.count).lowercased().map { $0 == "_" ? "-" : $0 }
            let near = NearestWord.of(String(guess), among: table.options.map(\.name).sorted()).flatMap { table[$0] }
            warnings.append("\(name) is not an option." + (near.map { " Did you mean \($0.variable(prefix: table.prefix))?" } ?? ""))
        }
    }

    private mutating func check(_ option: OptionDeclaration, _ subject: String, _ values: [String], places: [String]?) {
        for (index, value) in values.enumerated() {
            guard let problem = value.isEmpty ? "needs a value" : option.form.problem(value) else { continue }
            problems.append("\(places?[index] ?? "")\(subject) \(problem)." + (value.isEmpty ? "" : " It cannot be '\(value)'."))
        }
    }

    /// The parts between commas, without spaces around them.
    private static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { part in
            var rest = part.drop { $0 == " " }
            while rest.last == " " { rest.removeLast() }
            return String(rest)
        }
    }

    package subscript(name: String) -> Setting {
        guard let setting = settings[name] else { preconditionFailure("'\(name)' is not in the table of options") }
        return setting
    }

    package func text(_ name: String) -> String? { self[name].values.first }

    package func all(_ name: String) -> [String] { self[name].values }

    package func isSet(_ name: String) -> Bool { self[name].origin != .standard }

    /// The options whose values differ.
    package func differences(from other: OptionSettings) -> Set<String> { Set(settings.keys.filter { settings[$0]?.values != other.settings[$0]?.values }) }
}
