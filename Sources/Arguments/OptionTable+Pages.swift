// The pages that are written from a table of options. Tests compare them with the files.
extension OptionTable {
    /// The options as a part of a manual page, in roff.
    package var manual: [String] {
        var lines: [String] = []
        for group in groups {
            lines.append(".SS " + Self.roff(group.title))
            for option in group.options {
                lines += [".TP", ".B \(Self.roff(option.flag)) \\fI\(Self.roff(option.form.placeholder))\\fR", Self.roff(option.summary)]
                lines.append(Self.roff(facts(option).joined(separator: " ")))
            }
        }
        return lines
    }

    /// A file of options in which every line is a comment.
    ///
    /// - Parameter head: the first lines, without their `#`.
    package func file(head: [String]) -> [String] {
        var lines = head.map { $0.isEmpty ? "#" : "# " + $0 }
        for group in groups {
            let options = group.options.filter { !$0.isOutsideFile }
            guard !options.isEmpty else { continue }
            lines += ["", "## " + group.title]
            for option in options {
                lines.append("")
                for text in [option.summary, facts(option).joined(separator: " ")] { lines += Self.wrapped(text, width: 98).map { "# " + $0 } }
                lines.append("#\(option.name) = \(option.initial ?? option.form.placeholder)")
            }
        }
        return lines
    }

    /// Default, unit, reason and kind of an option, as sentences.
    private func facts(_ option: OptionDeclaration) -> [String] {
        var facts = [option.initial.map { "Default: \($0)." } ?? "Default: none."]
        if let unit = option.form.unit { facts.append("It takes \(unit).") }
        facts.append(option.reason)
        if option.isRepeatable { facts.append("It may be given several times.") }
        if option.isLive { facts.append("Live: a running server takes a new value at SIGHUP.") }
        if option.isOutsideFile { facts.append("It cannot be in a file.") }
        return facts
    }

    /// Text of the manual in which nothing is a command of roff.
    static func roff(_ text: String) -> String {
        let escaped = text.flatMap { character -> String in
            switch character {
            case "\\": "\\e"
            case "-": "\\-"
            default: String(character)
            }
        }
        let line = String(escaped)
        return line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }

    /// Lines of at most `width` characters, broken at spaces.
    static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width { lines[lines.count - 1] = last + " " + word } else { lines.append(String(word)) }
        }
        return lines
    }
}
