/// A file of options: `name = value`, one per line. A line that begins with `#` is a comment.
package struct OptionFile: Sendable {
    package struct Entry: Equatable, Sendable {
        package let name: String
        package let value: String
        package let line: Int
    }

    /// Octets of a file, and of one line.
    package static let maxOctets = 65_536
    static let maxLine = 4_096
    /// Problems that are reported; more of them say that the file is something else.
    static let maxProblems = 20

    package let path: String
    package private(set) var entries: [Entry] = []
    /// One sentence each, with the file and the line in front.
    package private(set) var problems: [String] = []

    /// Reads a file without looking at what its options mean, except that each is in the table, where it may be.
    package init(path: String, _ octets: [UInt8], _ table: OptionTable) {
        self.path = path
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = octets.starts(with: mark) ? octets.dropFirst(3) : octets[...]
        var first: [String: Int] = [:]
        for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            guard problems.count < Self.maxProblems else {
                problems.append("\(path): There are more problems. Is this a file of options?")
                return
            }
            do throws(UsageError) {
                guard let entry = try Self.entry(line, number: index + 1, table) else { continue }
                if let before = first[entry.name], table[entry.name]?.isRepeatable != true {
                    throw UsageError("'\(entry.name)' is given twice, first in line \(before). Keep one of the lines.")
                }
                first[entry.name] = entry.line
                entries.append(entry)
            } catch {
                problems.append("\(path):\(index + 1): \(error.message)")
            }
        }
    }

    /// `nil` for a line that sets nothing.
    private static func entry(_ line: ArraySlice<UInt8>, number: Int, _ table: OptionTable) throws(UsageError) -> Entry? {
        guard line.count <= maxLine else { throw UsageError("The line is longer than \(maxLine) octets. Shorten it.") }
        guard let text = String(validating: line, as: UTF8.self) else { throw UsageError("The line is not UTF-8. Save the file as UTF-8.") }
        let words = trimmed(text)
        guard !words.isEmpty, !words.hasPrefix("#") else { return nil }
        if words.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F }) {
            throw UsageError("The line holds a control character. Remove it.")
        }
        if words.hasPrefix("[") { throw UsageError("A file of options has no sections. Remove the line.") }
        guard let equals = words.firstIndex(of: "=") else { throw UsageError("The line is not 'name = value'. Put an equals sign between name and value.") }
        let name = String(trimmed(words[..<equals]))
        let value = String(trimmed(words[words.index(after: equals)...]))
        if name.hasPrefix("-") { throw UsageError("Write the option without dashes in front: \(name.drop { $0 == "-" }).") }
        guard let option = table[name] else { throw UsageError("There is no option '\(name)'.\(table.suggestion(for: name))") }
        if option.isOutsideFile { throw UsageError("'\(name)' cannot be in a file. Give it as \(option.flag) or \(option.variable(prefix: table.prefix)).") }
        if value.isEmpty { throw UsageError("'\(name)' has no value. Write one, or remove the line for the default.") }
        if value.count > 1, let quote = value.first, quote == "\"" || quote == "'", value.last == quote { throw UsageError("Write the value of '\(name)' without quotes.") }
        return Entry(name: name, value: value, line: number)
    }

    /// Without spaces, tabs and the CR of lines that end with CR LF.
    private static func trimmed(_ text: some StringProtocol) -> Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
        var rest = Substring(text).drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return rest
    }
}
