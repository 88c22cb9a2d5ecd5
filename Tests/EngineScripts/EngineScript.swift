import Bytes
import Family
package import JSON
import Posix
package import Sync
import Wire

/// One script of `proto/sync`: inputs of an engine, with the actions and the state that have to follow.
package struct EngineScript: Sendable, CustomStringConvertible {
    package let file: String
    package let name: String
    package let configuration: JSONValue
    /// With the steps of the script that this one continues in front.
    package let steps: [JSONValue]

    package var description: String { "\(file): \(name)" }

    package init(file: String, name: String, configuration: JSONValue, steps: [JSONValue]) {
        self.file = file
        self.name = name
        self.configuration = configuration
        self.steps = steps
    }

    /// Reads all scripts of a folder.
    package static func all(in folder: String) throws -> [EngineScript] {
        var scripts: [EngineScript] = []
        for file in try Files.list(folder).sorted() where file.hasSuffix(".json") {
            let content = try JSONValue(try Files.read("\(folder)/\(file)"))
            var byName: [String: EngineScript] = [:]
            for value in content["scripts"]?.elements ?? [] {
                guard let name = value["name"]?.text, let own = value["steps"]?.elements, byName[name] == nil else {
                    throw ScriptError("\(file): a script needs a name of its own and steps")
                }
                var configuration = value["configuration"]
                var steps = own
                if let earlier = value["after"]?.text {
                    guard let begun = byName[earlier], configuration == nil else { throw ScriptError("\(file): \(name) follows no script above it") }
                    steps = begun.steps + own
                    configuration = begun.configuration
                }
                guard let configuration else { throw ScriptError("\(file): \(name) has no configuration") }
                byName[name] = EngineScript(file: file, name: name, configuration: configuration, steps: steps)
                if let script = byName[name] { scripts.append(script) }
            }
        }
        return scripts
    }

    /// Runs the script with the Swift engine.
    ///
    /// - Returns: the first difference, with its step; `nil` if there is none.
    package func difference(alter: (inout [SyncAction]) -> Void = { _ in }) -> String? {
        do {
            var engine = ScriptedEngine(try Self.configuration(configuration))
            var symbols = ScriptSymbols()
            for (index, step) in steps.enumerated() {
                do {
                    var outcome = try engine.take(
                        try EngineInput(try symbols.input(of: step)), at: step["utc"]?.integer ?? 0, now: step["at"]?.integer ?? 0)
                    alter(&outcome.actions)
                    if let result = outcome.result { try symbols.match(step["result"] ?? .object([:]), try JSONValue(result), "result") }
                    try symbols.match(step["expect"] ?? .array([]), try JSONValue(EngineScriptWriter.octets(outcome.actions)), "expect")
                    try symbols.match(step["state"] ?? .object([:]), try JSONValue(engine.changes()), "state")
                } catch {
                    return "\(self), step \(index + 1) (\(step["do"]?.text ?? "?")): \(error)"
                }
            }
            return nil
        } catch {
            return "\(self): \(error)"
        }
    }

    /// The configuration of an engine; scripts choose no seed.
    package static func configuration(_ value: JSONValue) throws -> SyncEngine.Configuration {
        guard let token = value["token"]?.text, let client = value["client"]?.text.flatMap({ Identifier($0) }) else {
            throw ScriptError("a configuration needs token and client")
        }
        let holdsRecords = value["holds_records"]?.flag ?? true
        var configuration = SyncEngine.Configuration(
            token: token, client: client, family: value["family"]?.text.flatMap { Identifier($0) },
            context: try value["context"].map(EngineInput.context), cursor: EngineInput.cursor(value["cursor"]),
            resumeAfter: value["resume_after"]?.integer, holdsRecords: holdsRecords, seed: value["seed"]?.text.flatMap { UInt64($0) } ?? 1)
        configuration.isQuiet = value["quiet"]?.flag ?? false
        configuration.returnsToContext = value["returns_to_context"]?.flag ?? false
        return configuration
    }

    /// Appends a configuration with its seed, for recordings and pipes.
    package static func write(_ configuration: SyncEngine.Configuration, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("token")
        writer.string(configuration.token)
        writer.key("client")
        writer.identifier(configuration.client)
        if let family = configuration.family {
            writer.key("family")
            writer.identifier(family)
        }
        if let context = configuration.context {
            writer.key("context")
            writer.string(EngineScriptWriter.word(context))
        }
        writer.key("quiet")
        writer.boolean(configuration.isQuiet)
        writer.key("returns_to_context")
        writer.boolean(configuration.returnsToContext)
        writer.key("seed")
        writer.string(String(configuration.seed))
        writer.endObject()
    }
}

/// The mutation ids of one run, by the symbols of its script.
struct ScriptSymbols {
    private var numbers: [String: Int64] = [:]

    private static func isSymbol(_ text: String) -> Bool { text.first == "#" && text.count > 1 && text.dropFirst().allSatisfy(\.isWholeNumber) }

    /// The input of a step, with numbers in place of symbols. Expectations may name mutations that the input makes.
    func input(of step: JSONValue) throws -> JSONValue {
        try replaced(in: .object((step.members ?? [:]).filter { !["expect", "state", "result"].contains($0.key) }))
    }

    private func replaced(in value: JSONValue) throws -> JSONValue {
        switch value {
        case .text(let text) where Self.isSymbol(text):
            guard let number = numbers[text] else { throw ScriptError("\(text) stands for no mutation yet") }
            return .integer(number)
        case .array(let elements): return .array(try elements.map(replaced))
        case .object(let members): return .object(try members.mapValues(replaced))
        default: return value
        }
    }

    /// Compares a value with the expected one, and remembers the numbers of symbols that appear for the first time.
    mutating func match(_ expected: JSONValue, _ actual: JSONValue, _ place: String) throws {
        func differs() -> ScriptError { ScriptError("\(place): expected \(expected), got \(actual)") }
        switch (expected, actual) {
        case (.text(let text), .integer(let number)) where Self.isSymbol(text):
            if let known = numbers[text] {
                guard known == number else { throw differs() }
            } else {
                // A new id is larger than all before it, and exact as a double.
                guard number > numbers.values.max() ?? 0, number < 1 << 53 else { throw differs() }
                numbers[text] = number
            }
        case (.object(let range), .integer(let number)) where range.keys.elementsEqual(["between"]):
            guard let bounds = range["between"]?.elements?.compactMap(\.integer), bounds.count == 2, (bounds[0]...bounds[1]).contains(number) else {
                throw differs()
            }
        case (.array(let wanted), .array(let got)):
            guard wanted.count == got.count else { throw differs() }
            for (index, pair) in zip(wanted, got).enumerated() { try match(pair.0, pair.1, "\(place)[\(index)]") }
        case (.object(let wanted), .object(let got)):
            guard Set(wanted.keys) == Set(got.keys) else { throw differs() }
            for name in wanted.keys.sorted() {
                if let value = wanted[name], let other = got[name] { try match(value, other, "\(place).\(name)") }
            }
        default: guard expected == actual else { throw differs() }
        }
    }
}
