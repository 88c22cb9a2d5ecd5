package import Arguments
internal import Bytes
package import Dates
package import Family
internal import JSON
internal import Terminal
package import Words

/// One `--field value` of a command.
package struct FieldInput: Hashable, Sendable {
    /// The position in the kind's declaration.
    package let field: Int
    package let text: String

    package init(field: Int, text: String) {
        self.field = field
        self.text = text
    }
}

/// The options for a kind's fields, and the patch that they make. Both are read from the declaration.
package enum FieldOptions {
    /// The option names of each field that a person may write, in the order of the declaration: `--start-date`, and a
    /// shorter name if it is unique: `--start`, `--school`.
    package static func names(_ kind: Kind) -> [(field: Int, names: [String])] {
        let fields = kind.declaration.fields
        let full = fields.map { "--" + $0.name.replacingUnderscores }
        return fields.indices.filter { !fields[$0].isServerOnly }.map { index in
            var names = [full[index]]
            for suffix in ["_id", "_date"] where fields[index].name.hasSuffix(suffix) {
                let short = "--" + String(fields[index].name.dropLast(suffix.count)).replacingUnderscores
                if !full.contains(short) { names.append(short) }
            }
            return (index, names)
        }
    }

    /// Takes the fields out of the words of a command.
    ///
    /// Fields are written `--name value`, `--name=value` or `name=value`. The beginning of a name is enough if only one
    /// field's name begins so, and dashes do not count: `--check-in` is `--checkin-time`.
    ///
    /// - Parameters:
    ///   - options: the other options that take a value.
    ///   - switches: the other options that take none.
    /// - Returns: the remaining words, and the fields in the order of the declaration.
    package static func parse(
        _ words: [String], _ kind: Kind, options: Set<String> = [], switches: Set<String> = []
    ) throws(UsageError) -> (rest: ArgumentList, fields: [FieldInput]) {
        let names = names(kind)
        let flags = Set(
            names.filter { kind.declaration.fields[$0.field].type == .flag }.flatMap(\.names))
        let fieldNames = Set(names.flatMap(\.names))
        let takingValues = options.union(fieldNames.subtracting(flags))
        var spelled: [String] = []
        var index = 0
        while index < words.count {
            let typed = words[index]
            index += 1
            if typed == "--" {
                spelled += words[(index - 1)...]
                break
            }
            let word = resolved(typed, names, known: fieldNames.union(options).union(switches))
            spelled.append(fieldNames.contains("--" + word.assignedName) && !word.hasPrefix("--") ? "--" + word.withDashedName : word)
            if flags.contains(word), index >= words.count || flag(words[index]) == nil {
                // A flag by itself means yes.
                spelled.append("yes")
            } else if takingValues.contains(word) || flags.contains(word), index < words.count {
                spelled.append(words[index])
                index += 1
            }
        }
        let rest = try ArgumentList(spelled, options: options.union(names.flatMap(\.names)), switches: switches)
        var fields: [FieldInput] = []
        for (field, names) in names {
            let given = names.compactMap { name in rest.value(name) }
            if given.count > 1 { throw UsageError("\(names.joined(separator: " and ")) are the same field.") }
            if let text = given.first { fields.append(FieldInput(field: field, text: text)) }
        }
        return (rest, fields)
    }

    /// A word with the full name of the field that it abbreviates; any other word unchanged.
    private static func resolved(_ word: String, _ names: [(field: Int, names: [String])], known: Set<String>) -> String {
        let end = word.firstIndex(of: "=") ?? word.endIndex
        let isOption = word.hasPrefix("--")
        guard isOption || end < word.endIndex else { return word }
        let name = String(word[..<end]).replacingUnderscores
        let typed = name.withoutDashes.lowercased()
        guard !known.contains(isOption ? name : "--" + name), typed.count >= 3 else { return word }
        let fitting = names.filter { $0.names.contains { $0.withoutDashes.hasPrefix(typed) } }
        guard fitting.count == 1, let whole = fitting.first?.names.first else { return word }
        return (isOption ? whole : String(whole.dropFirst(2))) + word[end...]
    }

    /// The patch that the typed fields make.
    ///
    /// An empty text clears a field. Sets take ids or names, separated by commas; `+Name,-Name` adds and removes
    /// members of the set, any other list replaces it. References take ids or names, dates and times every spelling
    /// that `TypedValue` reads.
    ///
    /// - Parameters:
    ///   - today: the family's day.
    ///   - record: the record that is changed; a time without a date is on the day that the record has.
    package static func patch(
        _ inputs: [FieldInput], _ kind: Kind, names: RecordNames, today: CalendarDate, of record: Record? = nil
    ) throws(UsageError) -> FieldPatch {
        var patch = FieldPatch()
        // The day of a time that is typed without a date: that of the field itself, otherwise that of the field before
        // it, which is the start.
        func day(_ field: Int) -> CalendarDate? {
            let earlier = kind.declaration.fields[..<field].lastIndex { $0.type == .localDateTime }
            let typed = earlier.flatMap { place in patch.assignments.first { $0.field == place }?.value }
            for value in [record?.fields[field], typed, earlier.flatMap { record?.fields[$0] }] {
                if case .text(let text)? = value, let moment = LocalDateTime(text) { return moment.date }
            }
            return nil
        }
        for input in inputs {
            let declaration = kind.declaration.fields[input.field]
            let option = "--" + declaration.name.replacingUnderscores
            let text = input.text
            guard !text.isEmpty else {
                patch.assignments.append(.init(field: input.field, value: nil))
                continue
            }
            if case .set(let of, _) = declaration.type {
                let words = text.split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
                if !words.isEmpty, words.allSatisfy({ $0.hasPrefix("+") || $0.hasPrefix("-") }) {
                    var edit = FieldPatch.SetEdit(field: input.field)
                    for word in words {
                        let id = try find(of, String(word.dropFirst()), names)
                        if word.hasPrefix("+") { edit.add.append(id) } else { edit.remove.append(id) }
                    }
                    patch.setEdits.append(edit)
                } else {
                    var elements: [SetElement] = []
                    for word in words {
                        let id = try find(of, word, names)
                        if !elements.contains(where: { $0.id == id }) { elements.append(SetElement(id: id)) }
                    }
                    patch.assignments.append(.init(field: input.field, value: .set(elements.sorted { $0.id < $1.id })))
                }
                continue
            }
            patch.assignments.append(.init(field: input.field, value: try value(TypedValue.spelled(text, declaration.type, today: today, day: day(input.field)) ?? text, declaration.type, option, names)))
        }
        return patch
    }

    /// The value of the option, for help.
    package static func hint(_ type: FieldType) -> String {
        switch type {
        case .line, .text: "TEXT"
        case .choice(let words, _): words.joined(separator: "|")
        case .flag: "yes|no"
        case .integer: "NUMBER"
        case .decimal: "AMOUNT"
        case .measure: "NUMBER"
        case .date: "YYYY-MM-DD"
        case .time: "HH:MM"
        case .localDateTime: "YYYY-MM-DDTHH:MM"
        case .zone: "ZONE"
        case .url: "URL"
        case .state: "XX"
        case .reference(let kind): "\(kind.name.description.uppercased())"
        case .link: "KIND:ID"
        case .set(let kind, _): "[+|-]\(kind.name.description.uppercased()),…"
        case .json: "JSON"
        }
    }

    /// The options for the table of commands.
    package static func declared(_ kind: Kind) -> [Command.Option] {
        names(kind).map { field, names in
            let declaration = kind.declaration.fields[field]
            var hint = hint(declaration.type)
            var label = declaration.label
            if case .choice(let words, _) = declaration.type {
                hint = "WORD"
                label += ": " + words.joined(separator: ", ")
            }
            return Command.Option(
                names: names, hint: hint, value: offered(declaration.type), required: !declaration.mayBeLeftOut,
                field: field, label)
        }
    }

    private static func offered(_ type: FieldType) -> Command.Value {
        switch type {
        case .line, .text, .state, .link: .text
        case .choice(let words, _): .word(words)
        case .flag: .word(["yes", "no"])
        case .integer: .number
        case .decimal, .measure: .amount
        case .date: .date
        case .time: .time
        case .localDateTime: .moment
        case .zone: .zone
        case .url: .url
        case .reference(let kind): .record([kind])
        case .set(let kind, _): .records(kind)
        case .json: .json
        }
    }

    private static func value(
        _ text: String, _ type: FieldType, _ option: String, _ names: RecordNames
    ) throws(UsageError) -> Value {
        switch type {
        case .line, .text, .decimal, .measure, .date, .time, .localDateTime, .zone, .url, .state: return .text(text)
        case .choice(let words, let labels):
            let wanted = text.lowercased().replacingSeparators
            let place = words.firstIndex(of: wanted) ?? labels.firstIndex { $0.lowercased().replacingSeparators == wanted }
            guard let place else { throw UsageError("\(option) takes one of \(words.joined(separator: ", ")).") }
            return .text(words[place])
        case .flag:
            guard let flag = flag(text) else { throw UsageError("\(option) takes yes or no.") }
            return .flag(flag)
        case .integer:
            guard let number = Int64(text) else { throw UsageError("\(option) takes a whole number.") }
            return .integer(number)
        case .reference(let kind): return .reference(try find(kind, text, names))
        case .link:
            let parts = text.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let kind = Kind(name: String(parts[0])) else {
                throw UsageError("\(option) takes KIND:ID, like event:Fall Camp.")
            }
            return .link(kind, try find(kind, String(parts[1]), names))
        case .set: throw UsageError("\(option) takes a list.")
        case .json(let maxOctets, let maxDepth):
            let octets = Array(text.utf8)
            do {
                return try JSONReader.read(octets) { (reader: inout JSONReader) throws(JSONError) in
                    guard try reader.peekKind() == .object else { throw .unexpected("an object", at: 0) }
                    return .json(Array(try reader.readRaw(maxOctets: maxOctets, maxDepth: maxDepth)))
                }
            } catch {
                throw UsageError("\(option) takes a JSON object: \(error.description).")
            }
        }
    }

    private static func find(_ kind: Kind, _ text: String, _ names: RecordNames) throws(UsageError) -> Identifier {
        do { return try names.find(kind, text).id } catch { throw UsageError(error.message) }
    }

    static func flag(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "y", "1", "on": true
        case "no", "false", "n", "0", "off": false
        default: nil
        }
    }
}

extension String {
    /// The name in `name=value`, with dashes; "" for any other word.
    fileprivate var assignedName: String {
        guard let equals = firstIndex(of: "=") else { return "" }
        return String(self[..<equals]).replacingUnderscores
    }

    fileprivate var withDashedName: String {
        guard let equals = firstIndex(of: "=") else { return self }
        return String(self[..<equals]).replacingUnderscores + self[equals...]
    }

    var replacingUnderscores: String { String(map { $0 == "_" ? "-" : $0 }) }

    var withoutDashes: String { String(filter { $0 != "-" }) }

    var replacingSeparators: String { String(map { $0 == " " || $0 == "-" ? "_" : $0 }) }
}
