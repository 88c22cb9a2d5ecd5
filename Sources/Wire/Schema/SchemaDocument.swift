import Family

/// The contract with other clients, made of the declarations that the program itself runs by.
package enum SchemaDocument {
    /// Source: JSON Schema 2020-12.
    static let dialect = "https://json-schema.org/draft/2020-12/schema"

    /// Every generated file of `proto/`.
    ///
    /// - Returns: paths relative to `proto/` (`schema/client/mutate.json`, `errors.json`) in a fixed order, and their octets:
    ///   the same declarations give the same octets.
    package static func files() -> [(path: String, octets: [UInt8])] {
        var files: [(path: String, octets: [UInt8])] = [
            ("errors.json", errors.octets),
            ("limits.json", limits.octets),
            ("schema/common.json", CommonSchema.document.octets),
        ]
        for kind in Kind.allCases { files.append(("schema/kinds/\(kind.name).json", KindSchema.document(kind).octets)) }
        for (direction, frames) in [("client", FrameDeclaration.client), ("server", FrameDeclaration.server)] {
            for frame in frames { files.append(("schema/\(direction)/\(frame.type).json", document(frame).octets)) }
            files.append(("schema/\(direction).json", all(frames, direction).octets))
        }
        return files
    }

    private static func document(_ frame: FrameDeclaration) -> SchemaTree {
        var properties: [(String, SchemaTree)] = [("type", ["const": .string(frame.type)])]
        for member in frame.members {
            guard case .object(let schema) = member.schema else { continue }
            // The meaning of the member here goes before the description of its type.
            let feature = member.feature.map { [("$comment", SchemaTree.string($0.comment))] } ?? []
            properties.append((member.name, .object([("description", .string(member.meaning))] + feature + schema.filter { $0.0 != "description" })))
        }
        var schema: [(String, SchemaTree)] = [
            ("$schema", .string(dialect)),
            ("title", .string(frame.type)),
            ("description", .string(frame.meaning)),
        ]
        if let feature = frame.feature { schema.append(("$comment", .string(feature.comment))) }
        schema += [
            ("type", "object"),
            ("properties", .object(properties)),
            ("required", .array(["type"] + frame.members.filter(\.isRequired).map { .string($0.name) })),
        ]
        if !frame.oneOf.isEmpty { schema.append(("oneOf", .array(frame.oneOf.map { ["required": [.string($0)]] }))) }
        if !frame.rules.isEmpty { schema.append(("allOf", .array(frame.rules))) }
        schema.append(("additionalProperties", false))
        schema.append(("examples", [.json(frame.example)]))
        return .object(schema)
    }

    private static func all(_ frames: [FrameDeclaration], _ direction: String) -> SchemaTree {
        [
            "$schema": .string(dialect),
            "title": .string("A frame of the \(direction)"),
            "oneOf": .array(frames.map { ["$ref": .string("\(direction)/\($0.type).json")] }),
        ]
    }

    private static let errors: SchemaTree = [
        "description":
            "Every code of reject and error frames with every sentence that comes with it, every close code, and what HTTP adds to the codes and sentences of frames. Words in braces stand for the values of the case.",
        "codes": .array(ErrorCode.allCases.map { code in
            [
                "code": .string(code.rawValue),
                "about": .string(code.subject),
                "retry": .flag(code.isRetryable),
                "http_status": .integer(Int64(code.httpStatus)),
                "sentences": .array(code.sentences.map { ["when": .string($0.when), "sentence": .string($0.template)] }),
            ]
        }),
        "close_codes": .array(CloseCode.allCases.map { code in
            [
                "code": .integer(Int64(code.rawValue)),
                "name": .string("\(code)"),
                "reconnect": .flag(CloseCode.reconnects(code.rawValue)),
                "meaning": .string(code.meaning),
            ]
        }),
        "other_close_codes": [
            ["from": 4000, "to": 4499, "reconnect": true],
            ["from": 4500, "to": 4999, "reconnect": false],
        ],
        "no_close_code": ["reconnect": true, "meaning": "The connection broke."],
        "http": .array(HTTPRefusal.all.map { refusal in
            var entry: [(String, SchemaTree)] = [
                ("code", .string(refusal.code)), ("status", .array(refusal.statuses.map { .integer(Int64($0)) })),
            ]
            if !refusal.draftStatuses.isEmpty { entry.append(("draft_status", .array(refusal.draftStatuses.map { .integer(Int64($0)) }))) }
            entry.append(("sentences", .array(refusal.sentences.map { ["when": .string($0.when), "sentence": .string($0.template)] })))
            return .object(entry)
        }),
    ]

    private static let limits: SchemaTree = [
        "description": "The default limits of a server. The welcome frame carries those in force.",
        "limits": .array(Limits.entries.map { entry in
            [
                "name": .string(entry.name.description),
                "value": .integer(Int64(Limits()[keyPath: entry.value])),
                "unit": .string(entry.unit),
                "meaning": .string(entry.meaning),
                "past": .string(entry.past),
            ]
        }),
    ]
}
