import EngineScripts
import Family
import Posix
import Wire

/// The modules of the web client that are written from Swift's declarations.
enum GeneratedModules {
    static let all: [(path: String, text: String)] = [
        ("family/kinds.js", kinds), ("wire/protocol.js", protocolModule), ("folding/table.js", FoldingTable.module), ("queries/declarations.js", QueryVectors.module),
        ("family/sentences.js", RuleVectors.sentencesModule),
    ]

    static let site = NodeProgram.root + "/Sources/WebClient/site/"

    private static func quoted(_ text: String) -> String { JSONValue.text(text).description }

    private static func list(_ words: [String]) -> String { "[" + words.map(quoted).joined(separator: ", ") + "]" }

    // MARK: Kinds

    private static var kinds: String {
        var text = """
            // Written from the declarations in Swift (HUDDLE_WRITE_PROTO=1); not edited by hand.

            /**
             * One field of a kind. `type` is the shape of its values; the other members are those that the type has.
             * @typedef {object} FieldDeclaration
             * @property {string} name
             * @property {string} label
             * @property {string} type
             * @property {boolean} [required]
             * @property {boolean} [server_only]
             * @property {boolean} [only_grows]
             * @property {any} [default]
             * @property {boolean} [filled_in] whether a create without it gets a value by a rule of its kind
             * @property {number} [max] characters of a text, or elements of a set
             * @property {number} [min]
             * @property {number} [digits]
             * @property {number} [scale]
             * @property {string} [of] the kind of the records that it names
             * @property {string[]} [words]
             * @property {string[]} [labels]
             */
            /**
             * @typedef {object} KindDeclaration
             * @property {string} label
             * @property {"athlete" | "family" | "member"} scope
             * @property {boolean} created by mutations
             * @property {boolean} deleted by mutations
             * @property {boolean} shifts
             * @property {boolean} copied
             * @property {FieldDeclaration[]} fields
             */

            /**
             * All kinds, with their fields in the order of frames.
             * @type {{[kind: string]: KindDeclaration}}
             */
            export const KINDS = {

            """
        for kind in Kind.allCases {
            let declared = kind.declaration
            text += "  \(kind.name): {\n    label: \(quoted(declared.label)), scope: \(quoted(declared.scope.rawValue)), created: \(declared.isCreatedByMutation), "
            text += "deleted: \(declared.isDeletedByMutation), shifts: \(declared.shiftsWithDays), copied: \(declared.isCopied),\n    fields: [\n"
            for field in declared.fields { text += "      { \(members(of: field)) },\n" }
            text += "    ],\n  },\n"
        }
        return text + "};\n"
    }

    private static func members(of field: FieldDeclaration) -> String {
        var members = ["name: \(quoted(field.name))", "label: \(quoted(field.label))"] + type(field.type)
        if field.isRequired { members.append("required: true") }
        if field.isServerOnly { members.append("server_only: true") }
        if field.onlyGrows { members.append("only_grows: true") }
        if field.filledIn != nil { members.append("filled_in: true") }
        switch field.defaultValue {
        case .text(let text)?: members.append("default: \(quoted(text))")
        case .flag(let flag)?: members.append("default: \(flag)")
        case .integer(let number)?: members.append("default: \(number)")
        default: break
        }
        return members.joined(separator: ", ")
    }

    private static func type(_ type: FieldType) -> [String] {
        func named(_ name: String) -> String { "type: \(quoted(name))" }
        switch type {
        case .line(let max): return [named("line"), "max: \(max)"]
        case .text(let max): return [named("text"), "max: \(max)"]
        case .choice(let words, let labels): return [named("choice"), "words: \(list(words))", "labels: \(list(labels))"]
        case .flag: return [named("flag")]
        case .integer(let range): return [named("integer"), "min: \(range.lowerBound)", "max: \(range.upperBound)"]
        case .decimal(let digits, let scale, let min): return [named("decimal"), "digits: \(digits)", "scale: \(scale)", "min: \(min)"]
        case .measure(let digits, let scale, let min): return [named("measure"), "digits: \(digits)", "scale: \(scale)", "min: \(min)"]
        case .date: return [named("date")]
        case .time: return [named("time")]
        case .localDateTime: return [named("local_date_time")]
        case .zone: return [named("zone")]
        case .url: return [named("url")]
        case .state: return [named("state")]
        case .reference(let kind): return [named("reference"), "of: \(quoted(kind.name.description))"]
        case .link: return [named("link")]
        case .set(let kind, let max): return [named("set"), "of: \(quoted(kind.name.description))", "max: \(max)"]
        case .json(let octets, let depth): return [named("json"), "max: \(octets)", "digits: \(depth)"]
        }
    }

    // MARK: Protocol

    private static var protocolModule: String {
        let codes = ErrorCode.allCases
        var text = """
            // Written from the declarations in Swift (HUDDLE_WRITE_PROTO=1); not edited by hand.

            /** Every code of a rejection. */
            export const ERROR_CODES = new Set([

            """
        for code in codes { text += "  \(quoted(code.rawValue)),\n" }
        text += "]);\n\n/** The codes with which sending the same thing again later can succeed. */\n"
        text += "export const RETRYABLE = new Set(\(list(codes.filter(\.isRetryable).map(\.rawValue))));\n\n"
        text += "/** The shortest wait before a retry, and the wait if nothing says how long, in milliseconds. */\n"
        text += "export const SHORTEST_RETRY = \(Rejection.shortestRetry);\nexport const USUAL_RETRY = \(Rejection.usualRetry);\n\n"
        text += "/** The features that this client knows. */\nexport const FEATURES = new Set(\(list(Feature.allCases.map(\.rawValue))));\n\n"
        text += "/**\n * The default limits of a server.\n * @type {{[name: string]: number}}\n */\nexport const LIMITS = {\n"
        let limits = Limits()
        for entry in Limits.entries { text += "  \(entry.name): \(limits[keyPath: entry.value]),\n" }
        return text + "};\n"
    }
}
