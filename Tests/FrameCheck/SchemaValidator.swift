import Locks

/// Validates values against the schemas that `SchemaDocument` writes (JSON Schema 2020-12, exactly the keywords that it uses). A keyword that the
/// validator does not know is a mismatch, so that no rule of a schema goes unchecked.
struct SchemaValidator: Sendable {
    /// By path: `schema/server/ack.json`.
    let documents: [String: JSONTree]

    struct Mismatch: Error {
        let place: String
        let problem: String
    }

    /// Keywords that state no rule.
    private static let annotations: Set<String> = ["$schema", "$comment", "examples", "$defs", "title", "description", "default", "format"]

    func validate(_ value: JSONTree, against path: String) throws(Mismatch) {
        guard let document = documents[path] else { throw Mismatch(place: path, problem: "there is no such schema") }
        try check(value, document, in: path, at: "")
    }

    private func check(_ value: JSONTree, _ schema: JSONTree, in file: String, at place: String) throws(Mismatch) {
        guard let rules = schema.members else { throw Mismatch(place: place, problem: "a schema in \(file) is not an object") }
        func require(_ holds: Bool, _ problem: @autoclosure () -> String) throws(Mismatch) {
            guard holds else { throw Mismatch(place: place.isEmpty ? "the frame" : place, problem: problem()) }
        }
        func matches(_ schema: JSONTree) -> Bool {
            do throws(Mismatch) {
                try check(value, schema, in: file, at: place)
                return true
            } catch {
                return false
            }
        }
        for (keyword, rule) in rules where !Self.annotations.contains(keyword) {
            switch keyword {
            case "$ref":
                let (target, next) = try resolve(rule.text ?? "", from: file)
                try check(value, target, in: next, at: place)
            case "type": try require(value.type == rule.text, "is \(value.type), not \(rule.text ?? "?")")
            case "const": try require(value == rule, "is not the constant")
            case "enum": try require(rule.elements?.contains(value) ?? false, "\(value.text ?? value.type) is not in the list")
            case "properties":
                guard let members = value.members, let properties = rule.members else { continue }
                for (name, member) in members {
                    guard let schema = properties[name] else { continue }
                    try check(member, schema, in: file, at: place + "." + name)
                }
            case "required":
                guard let members = value.members else { continue }
                for name in rule.elements ?? [] { try require(members[name.text ?? ""] != nil, "\(name.text ?? "?") is missing") }
            case "additionalProperties":
                try require(rule == .boolean(false), "the validator knows additionalProperties only as false")
                let known = rules["properties"]?.members ?? [:]
                for name in (value.members ?? [:]).keys { try require(known[name] != nil, "\(name) is not in the schema") }
            case "maxProperties": try require(Int64(value.members?.count ?? 0) <= rule.number ?? 0, "has too many members")
            case "items":
                for (index, element) in (value.elements ?? []).enumerated() { try check(element, rule, in: file, at: "\(place)[\(index)]") }
            case "minItems": try require(Int64(value.elements?.count ?? .max) >= rule.number ?? .max, "has too few elements")
            case "maxItems": try require(Int64(value.elements?.count ?? 0) <= rule.number ?? 0, "has too many elements")
            case "minLength": try require(Int64(value.text?.unicodeScalars.count ?? .max) >= rule.number ?? .max, "is too short")
            case "maxLength": try require(Int64(value.text?.unicodeScalars.count ?? 0) <= rule.number ?? 0, "is too long")
            case "minimum": try require(value.number ?? .max >= rule.number ?? .max, "is too small")
            case "maximum": try require(value.number ?? .min <= rule.number ?? .min, "is too large")
            case "pattern":
                guard let text = value.text else { continue }
                try require(Self.matches(text, rule.text ?? ""), "\(text) does not match \(rule.text ?? "?")")
            case "allOf":
                for schema in rule.elements ?? [] { try check(value, schema, in: file, at: place) }
            case "anyOf", "oneOf":
                let schemas = rule.elements ?? []
                let count = schemas.count(where: matches)
                guard count == 0 else {
                    try require(keyword == "anyOf" || count == 1, "matches \(count) alternatives instead of one")
                    continue
                }
                // The alternative for this op says more than "none".
                for schema in schemas where isMeant(value, by: schema, in: file) { try check(value, schema, in: file, at: place) }
                try require(false, "matches none of \(schemas.count) alternatives")
            case "if":
                if matches(rule), let then = rules["then"] { try check(value, then, in: file, at: place) }
            case "then": break
            case "not": try require(!matches(rule), "is what it must not be")
            default: throw Mismatch(place: file, problem: "the validator does not know the keyword \(keyword)")
            }
        }
    }

    /// Whether an alternative is the one for the value's `op`.
    private func isMeant(_ value: JSONTree, by schema: JSONTree, in file: String) -> Bool {
        guard let op = value.members?["op"], let reference = schema.members?["$ref"]?.text else { return false }
        return (try? resolve(reference, from: file))?.schema.members?["properties"]?.members?["op"]?.members?["const"] == op
    }

    /// The target of a `$ref`: `#/$defs/x` of the same file, a path relative to it, or both.
    private func resolve(_ reference: String, from file: String) throws(Mismatch) -> (schema: JSONTree, file: String) {
        let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        var path = file
        if let relative = parts.first, !relative.isEmpty {
            var folders = file.split(separator: "/").dropLast()
            for part in relative.split(separator: "/") {
                if part == ".." { folders = folders.dropLast() } else { folders.append(part) }
            }
            path = folders.joined(separator: "/")
        }
        guard var target = documents[path] else { throw Mismatch(place: file, problem: "\(reference) names no file") }
        for step in parts.count > 1 ? parts[1].split(separator: "/") : [] {
            guard let next = target.members?[String(step)] else { throw Mismatch(place: file, problem: "\(reference) names nothing") }
            target = next
        }
        return (target, path)
    }

    private static func matches(_ text: String, _ pattern: String) -> Bool {
        let known = patterns.withLock { $0[pattern] }
        guard let compiled = known ?? Pattern(pattern) else { return false }
        if known == nil { patterns.withLock { $0[pattern] = compiled } }
        return compiled.matches(text)
    }

    /// Compiled before: a record has dozens of them.
    private static let patterns = Lock<[String: Pattern]>([:])
}

/// A compiled pattern, which never changes; `Regex` itself is not declared `Sendable`.
private struct Pattern: @unchecked Sendable {
    let regex: Regex<AnyRegexOutput>

    init?(_ text: String) {
        guard let regex = try? Regex(text) else { return nil }
        self.regex = regex.matchingSemantics(.unicodeScalar)
    }

    func matches(_ text: String) -> Bool { (try? regex.firstMatch(in: text)) != nil }
}
