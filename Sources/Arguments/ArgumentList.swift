/// The words after a program's name, sorted into options with a value, switches without one, and the rest.
///
/// `--name value` and `--name=value` are the same; `--` ends the options. A word that was not declared is refused, so that a typing error is
/// a sentence and not a surprise.
package struct ArgumentList: Sendable {
    /// Words that belong to no option, in order.
    package private(set) var positional: [String] = []
    private var values: [String: [String]] = [:]
    private var present: Set<String> = []

    /// - Parameters:
    ///   - words: without the program's name.
    ///   - options: names with dashes that take a value, each at most once.
    ///   - repeatable: names with dashes that take a value, as often as wanted.
    ///   - switches: names with dashes that take none.
    /// - Throws: `UsageError` with a sentence; the program ends with status 2.
    package init(_ words: [String], options: Set<String> = [], repeatable: Set<String> = [], switches: Set<String> = []) throws(UsageError) {
        var index = 0
        while index < words.count {
            let word = words[index]
            index += 1
            if word == "--" {
                positional += words[index...]
                return
            }
            guard word.hasPrefix("--"), word.count > 2 else {
                positional.append(word)
                continue
            }
            var name = word
            var value: String?
            if let equals = word.firstIndex(of: "=") {
                name = String(word[..<equals])
                value = String(word[word.index(after: equals)...])
            }
            if switches.contains(name) {
                guard value == nil else { throw UsageError("\(name) takes no value.") }
                present.insert(name)
            } else if options.contains(name) || repeatable.contains(name) {
                if value == nil, index < words.count {
                    value = words[index]
                    index += 1
                }
                guard let value else { throw UsageError("\(name) needs a value.") }
                guard values[name] == nil || repeatable.contains(name) else { throw UsageError("\(name) is given twice.") }
                values[name, default: []].append(value)
            } else {
                let names = options.union(repeatable).union(switches)
                // The dashes would make all of them look alike.
                let near = NearestWord.of(String(name.dropFirst(2)), among: names.map { String($0.drop { $0 == "-" }) }.sorted())
                throw UsageError("There is no option \(name)" + (near.map { ": did you mean --\($0)?" } ?? "."))
            }
        }
    }

    package func has(_ name: String) -> Bool { present.contains(name) }

    package func value(_ name: String) -> String? { values[name]?.first }

    /// All values of a repeatable option, in order.
    package func all(_ name: String) -> [String] { values[name] ?? [] }

    package func required(_ name: String) throws(UsageError) -> String {
        guard let value = value(name), !value.isEmpty else { throw UsageError("\(name) is missing.") }
        return value
    }

    /// A whole number within `range`.
    package func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw UsageError("\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// `HOST:PORT`, with the host of an IPv6 address in brackets.
    package func endpoint(_ name: String, default fallback: String) throws(UsageError) -> (host: String, port: UInt16) {
        let text = value(name) ?? fallback
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw UsageError("\(name) takes HOST:PORT, like \(fallback).")
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty else { throw UsageError("\(name) takes HOST:PORT, like \(fallback).") }
        return (host, port)
    }

    /// Refuses words that the program would ignore.
    package func expectNoPositional() throws(UsageError) {
        if let word = positional.first { throw UsageError("Unexpected word '\(word)'.") }
    }
}

/// Wrong use of a program: one sentence for the person who typed it; exit status 2.
package struct UsageError: Error, Equatable {
    package let message: String

    package init(_ message: String) { self.message = message }
}
